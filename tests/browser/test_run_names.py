"""A run that people call something is called so wherever somebody reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.scalars_page import display
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

GIVEN = "Best <i>of all</i>"


@pytest.fixture
def url(serve: Serve, tmp_path: Path) -> str:
    for run in ("a/1", "a/2"):
        with EventWriter(tmp_path / "logs" / run) as writer:
            for step in range(3):
                writer.scalar("loss", step, float(step))
                writer.image("picture", step, png(np.full((4, 6), step * 20)), 6, 4)
                writer.histogram("weights", step, np.arange(10.0) + step)
                writer.tensor("values", step, np.arange(6.0).reshape(2, 3) + step)
    return serve("--logdir", tmp_path / "logs", "--state-dir", tmp_path / "state")


def name_it(page: Page, run: str, name: str) -> None:
    row = page.locator(f'.ih-run[data-run="{run}"]')
    row.hover()
    row.locator("[data-action=run-menu]").click()
    page.locator("[data-action=rename]").click()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(row).to_contain_text(name)


def test_scalars_are_called_by_the_given_name(page: Page, url: str) -> None:
    page.goto(f"{url}#tab=scalar&locale=en&theme=light")
    card = page.locator('[data-plugin="scalar"]').get_by_test_id("card").first
    expect(card.locator("[data-ready]")).to_be_attached()
    name_it(page, "a/1", GIVEN)
    card.locator("[data-ready]").hover()
    tooltip = page.get_by_test_id("tooltip")
    expect(tooltip).to_contain_text(GIVEN)
    expect(tooltip).to_contain_text("a/2")
    expect(tooltip).not_to_contain_text("a/1")
    display(page).locator("[data-control=show] [data-value=table]").click()
    named = page.get_by_test_id("compare-table").locator('[data-column="run"][title="a/1"]')
    expect(named).to_have_text(GIVEN)


@pytest.mark.parametrize("tab", ["image", "histogram", "tensor"])
def test_a_card_is_called_by_the_given_name(page: Page, url: str, tab: str) -> None:
    page.goto(f"{url}#tab={tab}&locale=en&theme=light")
    card = page.locator(f'[data-plugin="{tab}"] [data-card-run="a/1"]')
    expect(card.locator("h3")).to_contain_text("a/1")
    name_it(page, "a/1", GIVEN)
    expect(card.locator("h3")).to_contain_text(GIVEN)
    assert (card.locator("h3").get_attribute("title") or "").endswith("\na/1")
    assert (card.get_attribute("aria-label") or "").endswith(GIVEN)
    other = page.locator(f'[data-plugin="{tab}"] [data-card-run="a/2"] h3')
    expect(other).to_contain_text("a/2")


def test_compared_images_are_called_by_the_given_name(page: Page, url: str) -> None:
    page.goto(f"{url}#tab=image&locale=en&theme=light")
    card = page.locator('[data-plugin="image"] [data-card-run="a/2"]')
    expect(card).to_be_visible()
    name_it(page, "a/1", GIVEN)
    card.hover()
    card.locator("[data-action=compare]").click()
    comparison = page.get_by_test_id("comparison")
    expect(comparison.locator('figure[data-run="a/1"] .run')).to_have_text(GIVEN)
    expect(comparison.locator('[data-control=first] option[value="a/1"]')).to_have_text(GIVEN)
