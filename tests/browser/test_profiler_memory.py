"""Memory snapshots and calls in the page: leaks, owners over time, flame graphs, segments."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.profiler_page import open_page, rows, write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
_SNAPSHOT = Path(__file__).parents[2] / "plugins/profiler/tests/data/leak.snapshot.pickle.gz"


def test_a_snapshot_says_what_leaks_and_who_holds_memory_at_a_moment_one_chooses(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_SNAPSHOT, tmp_path / "job")
    panel = open_page(page, serve("--logdir", tmp_path), "memory")
    assert rows(panel, "leaks", "name") == ["memory (train.py:52)", "memory (train.py:51)"]
    assert rows(panel, "leaks", "step_bytes")[0] == "4.2 MB"
    held = panel.locator('[data-figure="held-0"]')
    expect(held.locator('[data-band="parameter"]')).to_be_visible()
    calls = panel.locator('[data-figure="calls-0"]')
    expect(calls).to_contain_text("at the peak")
    before = panel.get_by_test_id("pool-facts").inner_text()
    assert re.search(r"928 MB of 1\.0 GB reserved", before)
    held.locator("[role=listbox]").press("Home")
    held.locator("[role=listbox]").press("Enter")
    expect(calls).not_to_contain_text("at the peak")
    expect(panel.get_by_test_id("pool-facts")).not_to_have_text(before)
    page.reload()
    expect(calls).not_to_contain_text("at the peak")
    held.locator('[data-action="peak"]').click()
    expect(panel.get_by_test_id("pool-facts")).to_have_text(before)
    held.locator('[data-value="name"]').click()
    expect(held.locator('[data-band="memory (train.py:51)"]')).to_be_visible()


def test_a_flame_graph_is_searched_and_walked_by_keys(page: Page, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_SNAPSHOT, tmp_path / "job")
    panel = open_page(page, serve("--logdir", tmp_path), "calls")
    flame = panel.get_by_test_id("flame")
    expect(flame.get_by_role("treeitem").first).to_have_attribute("data-name", re.compile("<module>"))
    flame.get_by_role("searchbox").fill("backward")
    expect(flame.get_by_test_id("flame-found")).to_contain_text("18% of all")
    tree = flame.get_by_role("tree")
    tree.press("Home")
    tree.press("ArrowDown")
    expect(page.get_by_test_id("tooltip")).to_contain_text("memory /home/user/train.py:51")
    tree.press("Enter")
    expect(flame.locator('[data-action="flame-out"]')).to_be_visible()
    expect(flame.get_by_role("treeitem").filter(has=page.locator("rect")).nth(1)).to_have_attribute(
        "data-name", re.compile("train.py:51")
    )
    shown = flame.get_by_role("treeitem").count()
    tree.press("Escape")
    tree.press("Escape")
    expect(flame.locator('[data-action="flame-out"]')).to_have_count(0)
    assert flame.get_by_role("treeitem").count() > shown


def test_calls_of_a_trace_are_shown_by_device_and_host_and_from_both_ends(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    write_trace(tmp_path / "job/host_1.1700000000000.pt.trace.json")
    panel = open_page(page, serve("--logdir", tmp_path), "calls")
    figure = panel.locator('[data-figure="calls"]')
    names = figure.get_by_role("treeitem")
    expect(figure.locator("h3")).to_contain_text("launched the work of the device")
    expect(names.first).to_have_attribute("data-name", "ProfilerStep")
    figure.locator('[data-control="order"] [data-value="up"]').click()
    expect(names.first).to_have_attribute("data-name", re.compile("kernel"))
    figure.locator('[data-control="calls"] [data-value="host"]').click()
    expect(figure.locator("h3")).to_contain_text("Calls on the host")
    expect(figure.locator('[data-name="cudaLaunchKernel"]').first).to_be_visible()


def test_calls_of_two_snapshots_are_compared_path_by_path(page: Page, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_SNAPSHOT, tmp_path / "job/early.pickle.gz")
    shutil.copy(_SNAPSHOT, tmp_path / "job/late.pickle.gz")
    panel = open_page(page, serve("--logdir", tmp_path), "calls", run="job", profile="late.pickle.gz")
    figure = panel.locator('[data-figure="calls"]')
    figure.locator('[data-action="compare-calls"]').click()
    page.locator('dialog[data-dialog="pick-base"] [data-profile]').first.click()
    expect(panel.locator("#profiler-view")).to_have_attribute("data-view", "calls")
    expect(figure.locator('[data-control="calls-compared"]')).to_be_checked()
    expect(figure.get_by_role("tree")).to_have_attribute("data-compared", "true")
    figure.get_by_role("tree").press("Home")
    expect(page.get_by_test_id("tooltip")).to_contain_text(re.compile(r"Before · change.*\+0 B", re.DOTALL))
    figure.locator('[data-control="calls-compared"]').click()
    expect(figure.get_by_role("tree")).to_have_attribute("data-compared", "false")
    figure.get_by_role("tree").press("Home")
    expect(page.get_by_test_id("tooltip")).not_to_contain_text("Before")


def test_files_of_stacks_are_calls_alone_with_a_choice_of_what_was_measured(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "job").mkdir()
    shutil.copy(_SNAPSHOT.with_name("jax_memory.prof"), tmp_path / "job/memory.prof")
    panel = open_page(page, serve("--logdir", tmp_path))
    figure = panel.locator('[data-figure="calls"]')
    expect(figure).to_contain_text("space by calls: 520 kB")
    expect(panel.locator(".views [role=tab]")).to_have_count(1)
    figure.locator('[data-control="measure"]').select_option("allocations")
    expect(figure).to_contain_text("allocations by calls: 7")
    page.reload()
    expect(figure).to_contain_text("allocations by calls: 7")
