"""A snapshot of a training that ran out of memory: how far it is to the line that holds the memory; spans."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clicks import Clicks
from tests.browser.profiler_page import open_page, rows
from tests.memory_snapshots import GB, MB, Allocator, frame, training

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
_LEAK = Path(__file__).parents[2] / "plugins/profiler/tests/data/leak.snapshot.pickle.gz"
_MOST_CLICKS = 3


def _out_of_memory(path: Path) -> None:
    one = Allocator(segment=256 * MB, limit=4 * GB)
    training(one, 2)
    for _ in range(40):
        attend = frame("attend", "/home/me/model.py", 33)
        if not one.take(112 * MB, attend, frame("forward", "/home/me/model.py", 30), frame("main", line=60)):
            break
    one.write(path)


def test_who_ran_out_of_memory_finds_the_line_in_three_clicks(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    _out_of_memory(tmp_path / "job/oom.pickle")
    clicks = Clicks(page)
    page.goto(serve("--logdir", tmp_path))
    panel = page.get_by_test_id("profiler")
    expect(panel).to_contain_text(re.compile(r"attend \(model\.py:33\) holds 5\d %"))  # without any
    panel.get_by_role("button", name="Open Memory").first.click()
    story = panel.get_by_test_id("memory-story")
    expect(story).to_contain_text("GPU 0 ran out of memory")
    expect(story).to_contain_text("117 MB were asked for, 0 B were free")
    expect(story).to_contain_text(re.compile(r"Most is held by attend \(model\.py:33\): activation, 5\d.%"))
    expect(panel.locator('[data-figure="calls-0"] [data-name*="model.py:33"]').first).to_be_visible()
    story.locator('[data-action="show-failure"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.at=\d+"))
    assert clicks.count <= _MOST_CLICKS
    assert rows(panel, "holders", "name")[0] == "attend (model.py:33)"


def test_a_healthy_end_of_a_step_is_not_called_fragmented(page: Page, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_LEAK, tmp_path / "job")
    story = open_page(page, serve("--logdir", tmp_path), "memory").get_by_test_id("memory-story")
    expect(story).to_contain_text("At the end 546 MB of the 1.0 GB that the allocator reserved is free")
    expect(story).not_to_contain_text("fragmented")


def test_what_was_allocated_in_a_span_and_stayed_is_shown_and_stands_in_the_address(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_LEAK, tmp_path / "job")
    panel = open_page(page, serve("--logdir", tmp_path), "memory")
    held = panel.locator('[data-figure="held-0"]')
    curve = held.locator("[role=listbox]")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 100)
    page.mouse.down()
    for share in (0.5, 0.6, 0.7, 0.8):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 100)
    page.mouse.up()
    expect(held.get_by_test_id("held-span")).to_be_visible()
    expect(page).to_have_url(re.compile(r"profiler\.since=\d+&profiler\.at=\d+"))
    assert rows(panel, "blocks-0", "name").count("memory (train.py:52)") == 3  # a leak of each of three steps
    expect(panel.locator('[data-figure="span-0"] [data-name="AddmmBackward0"]').first).to_be_visible()
    page.reload()
    expect(held.get_by_test_id("held-span")).to_be_visible()
    held.locator('[data-action="leave-span"]').click()
    expect(held.get_by_test_id("held-span")).to_have_count(0)
    expect(panel.locator('[data-figure="span-0"]')).to_have_count(0)
    curve.press("Home")
    curve.press("Shift+Enter")  # from there to the moment that is chosen
    expect(held.get_by_test_id("held-span")).to_be_visible()


def test_pointing_at_a_block_draws_no_other_block_anew(page: Page, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_LEAK, tmp_path / "job")
    panel = open_page(page, serve("--logdir", tmp_path), "memory")
    pool = panel.locator('[data-figure="pool-0"]')
    blocks = pool.locator("rect[role=option]")
    expect(blocks.first).to_be_visible()
    pool.evaluate(
        """(pool) => {
          window.changed = new Set();
          new MutationObserver((all) => all.forEach(({ target }) => window.changed.add(target)))
            .observe(pool, { subtree: true, attributes: true, childList: true });
        }"""
    )
    blocks.nth(3).hover()
    expect(pool.get_by_test_id("pool-pointed")).to_be_visible()
    blocks.nth(5).hover()
    expect(page.get_by_test_id("tooltip")).to_be_visible()
    assert (
        page.evaluate("[...window.changed].filter((one) => one.getAttribute('role') === 'option').length")
        == 0
    )
