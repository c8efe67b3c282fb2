"""Names with bidirectional marks and control characters are shown as escapes, and stay the keys they are."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

RUN = "evil\u202egnp.exe\nsecond"
TAG = "loss\u2066\x1b"
HIDDEN = r"/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/"


@pytest.fixture(scope="module")
def url(shared: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    logs = tmp_path_factory.mktemp("odd_names")
    with EventWriter(logs / RUN) as writer:
        for step in range(3):
            writer.scalar(TAG, step, float(step))
    (logs / RUN / "events.out.tfevents.9.bro\u202eken").write_bytes(bytes(40))
    return shared("--logdir", logs)


@pytest.mark.parametrize("tab", ["scalar", "lineage"])
def test_hidden_characters_of_names_are_shown(page: Page, url: str, tab: str) -> None:
    page.goto(f"{url}#tab={tab}&locale=en&theme=light")
    row = page.locator(".ih-run")
    expect(row).to_contain_text(re.compile(r"evil\\u202.*\\nsecond"))  # as much of it as there is room for
    expect(row).to_have_attribute("title", "evil\\u202egnp.exe\nsecond")
    assert row.get_attribute("data-run") == RUN
    if tab == "scalar":
        card = page.locator('[data-plugin="scalar"]').get_by_test_id("card").first
        expect(card).to_contain_text(r"loss\u2066\x1b")
        card.locator("[data-ready]").hover()
        expect(page.get_by_test_id("tooltip")).to_contain_text(r"evil\u202egnp.exe")
    else:
        expect(page.locator('[data-plugin="lineage"]')).to_contain_text(r"evil\u202egnp.exe")
    assert not page.evaluate(f"{HIDDEN}.test(document.body.innerText)")
    titles = "[...document.querySelectorAll('[title],[aria-label]')].map(e => e.title + e.ariaLabel).join('')"
    assert not page.evaluate(f"{HIDDEN}.test({titles})")
