"""One card of a tab in a page of others."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture(scope="module")
def url(shared: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    logs = tmp_path_factory.mktemp("logs")
    for run in ("a", "b"):
        with EventWriter(logs / run) as writer:
            for step in range(50):
                writer.scalar("loss", step, 1 / (step + 1))
                writer.scalar("accuracy", step, step / 50)
    return shared("--logdir", logs)


def test_the_code_of_a_card_shows_this_card_alone_with_its_settings(
    page: Page, url: str, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{url}#locale=en&runs=a&scalar.smooth=0.5")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    loss = card(page, "loss")
    loss.locator('[data-action="export"]').click()
    page.locator('[data-action="embed"]').click()
    expect(page.locator(".ih-toast")).to_contain_text("--frame-ancestor")
    code = page.evaluate("navigator.clipboard.readText()")
    address = re.search(r'src="([^"]*)"', code)
    assert address is not None
    page.goto("about:blank")
    page.goto(address[1].replace("&#38;", "&"))
    alone = page.get_by_test_id("card")
    expect(alone).to_have_count(1)
    expect(alone).to_have_attribute("data-tag", "loss")
    expect(alone.get_by_test_id("card-status")).to_contain_text("50 points")  # of one run
    expect(page.get_by_role("tablist")).to_have_count(0)
    box = alone.bounding_box()
    assert box is not None
    assert page.viewport_size == {"width": box["width"], "height": box["height"]}
    assert violations(page) == []


def test_a_card_that_is_not_there_says_so(page: Page, url: str) -> None:
    page.goto(f"{url}#locale=en&tab=scalar&embed=gone")
    expect(page.get_by_test_id("empty")).to_contain_text("gone")
    page.goto("about:blank")
    page.goto(f"{url}#locale=en&tab=nobody&embed=gone")
    expect(page.get_by_role("alert")).to_contain_text("nobody")
