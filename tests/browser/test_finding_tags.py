"""Finding tags: in the palette, on the host where the page has none, and in the tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture(scope="module")
def many_tags(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2000 tags of numbers in groups, and two of images."""
    logs = tmp_path_factory.mktemp("many_tags")
    tags = [f"layer_{group}/w/{number}" for group in range(20) for number in range(100)]
    picture = png(np.zeros((2, 3), np.uint8))
    with EventWriter(logs / "run", "mindspore") as writer:
        writer.scalar_block(tags, range(2), [[1.0] * len(tags)] * 2)
        for tag in ("sample (first)", "other"):
            writer.image(tag, 0, picture, 3, 2, channels=1)
    return logs


def test_the_palette_finds_tags_of_tabs_that_were_never_opened(
    page: Page, shared: Serve, many_tags: Path
) -> None:
    page.goto(shared("--logdir", many_tags) + "#locale=en&tab=scalar")
    expect(page.locator('[data-plugin="scalar"] [data-ready]').first).to_be_visible()
    options = page.locator('[data-dialog="palette"] [role="option"]')
    query = page.locator('[data-dialog="palette"]').get_by_role("combobox")
    page.keyboard.press("Control+k")
    query.fill("layer_13/w/77")
    expect(options.first).to_contain_text("layer_13/w/77")
    page.keyboard.press("Enter")
    count = page.locator('[data-plugin="scalar"]').get_by_test_id("tag-count")
    expect(count).to_have_text(re.compile("^1 "))
    page.keyboard.press("Control+k")
    query.fill("sample (f")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator('[data-plugin="image"]').get_by_test_id("tag-count")).to_have_text(re.compile("^1 "))
    expect(page.locator('[data-plugin="image"]').get_by_test_id("card")).to_have_count(1)


def test_the_tree_beside_the_filter_leads_to_a_group_of_tags_by_keys(
    page: Page, shared: Serve, many_tags: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(shared("--logdir", many_tags) + "#locale=en&tab=scalar")
    page.locator('[data-plugin="scalar"] [data-action="tag-tree"]').click()
    lines = page.get_by_role("treeitem")
    expect(lines).to_have_count(20)
    expect(page.get_by_role("tree")).to_be_focused()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(lines).to_have_count(121)
    assert violations(page) == []
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    count = page.locator('[data-plugin="scalar"]').get_by_test_id("tag-count")
    expect(count).to_have_text(re.compile("^100 of"))
