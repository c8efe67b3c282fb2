"""Pinned tags of a link that these logs do not have."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.scalars_page import open_page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pins_that_no_run_has_are_named_and_can_be_dropped(
    page: Page,
    serve: Callable[..., str],
    tmp_path: Path,
    violations: Callable[[Page], list[str]],
    theme: str,
) -> None:
    for run, tag in (("shown", "loss"), ("hidden", "acc")):
        with EventWriter(tmp_path / run) as writer:
            writer.scalar(tag, 1, 0.5)
    pins = "&runs=shown&scalar.pins=loss;acc;lost;gone"
    open_page(page, serve("--logdir", tmp_path), f"locale=en&theme={theme}{pins}")
    note = page.get_by_test_id("gone-pins")
    expect(note).to_contain_text("2 pinned tags of this link are not here.")
    expect(note.locator("span")).to_have_attribute("title", "lost\ngone")
    assert violations(page) == []
    note.locator('[data-action="forget-pins"]').press("Enter")
    expect(note).to_have_count(0)
    expect(page).to_have_url(re.compile(r"scalar\.pins=loss[;,]acc(&|$)"))
