"""Tabs about one run: the run panel chooses it, by pointer and by keys, and says when it shows another."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.profiler_page import write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def opened(page: Page, url: str, tab: str, more: str = "") -> Locator:
    page.goto("about:blank")
    page.goto(f"{url}#locale=en&theme=light&tab={tab}{more}")
    panel = page.locator(f'[data-plugin="{tab}"]')
    expect(panel).to_be_visible()
    return panel


def chosen(page: Page) -> Locator:
    """The run that the panel has chosen. Until the tab says that it is about one, all selected are marked."""
    return page.locator('.ih-run[aria-selected="true"]:has(.ih-radio)')


def by_keys(page: Page, *keys: str) -> None:
    page.get_by_role("listbox", name="Runs").focus()
    for key in keys:
        page.keyboard.press(key)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs with profiles, of which one has two; one with scalars only."""
    logs = tmp_path_factory.mktemp("sweep")
    write_trace(logs / "lr0.1_seed1/before_1.1600000000000.pt.trace.json")
    for at, run in enumerate(("lr0.1_seed0", "lr0.1_seed1", "lr0.2_seed0")):
        write_trace(logs / f"{run}/host_1.170000000{at}000.pt.trace.json")
    with EventWriter(logs / "lr0.2_seed1") as writer:
        writer.scalar("loss", 0, 1.0)
    return logs


def test_a_profile_is_chosen_by_run_and_below_it(page: Page, shared: Serve, sweep: Path) -> None:
    panel = opened(page, shared("--logdir", sweep), "profiler")
    about, items = panel.get_by_test_id("about"), page.get_by_test_id("run-items")
    expect(page.locator(".ih-run")).to_have_count(3)  # those with profiles
    expect(about).to_contain_text("lr0.2_seed0")  # the newest
    expect(items).to_have_count(0)
    page.locator('.ih-run[data-run="lr0.1_seed1"]').click()
    expect(about).to_contain_text("host_1")  # the newest of the run
    expect(items.get_by_role("radio")).to_have_count(2)
    items.get_by_role("radio", name="before_1").click()
    expect(about).to_contain_text("before_1")
    page.reload()
    expect(about).to_contain_text("before_1")
    items.locator(":checked").focus()
    page.keyboard.press("ArrowUp")
    expect(about).to_contain_text("host_1")
    page.go_back()
    expect(about).to_contain_text("before_1")
    page.go_back()
    page.go_back()
    expect(about).to_contain_text("lr0.2_seed0")


def test_keys_choose_a_run(page: Page, shared: Serve, sweep: Path) -> None:
    panel = opened(page, shared("--logdir", sweep), "profiler", "&run=lr0.1_seed1")
    page.locator('[data-action="sort-runs"]').click()
    page.get_by_role("radio", name="Name").click()
    expect(page.locator('[data-action="invert"]')).to_have_count(0)  # nothing is ticked here
    page.keyboard.press("Escape")
    expect(chosen(page)).to_have_attribute("data-run", "lr0.1_seed1")
    by_keys(page, "ArrowDown", "Enter")  # from the one that is shown
    expect(panel.get_by_test_id("about")).to_contain_text("lr0.2_seed0")
    by_keys(page, "Home", " ")
    expect(panel.get_by_test_id("about")).to_contain_text("lr0.1_seed0")
    expect(page).to_have_url(re.compile(r"[#&]run=lr0\.1_seed0"))


def test_addresses_of_the_last_release_choose_a_run(page: Page, shared: Serve, sweep: Path) -> None:
    url = shared("--logdir", sweep)
    named = "&profiler.run=lr0.1_seed1&profiler.profile=before_1.1600000000000.pt.trace.json"
    panel = opened(page, url, "profiler", named)
    expect(panel.get_by_test_id("about")).to_contain_text("before_1")
    expect(chosen(page)).to_have_attribute("data-run", "lr0.1_seed1")
    opened(page, url, "profiler", "&runs=lr0.1_seed0,lr0.2_seed1")
    expect(chosen(page)).to_have_attribute("data-run", "lr0.1_seed0")  # the selected one with a profile


def test_a_run_without_data_of_the_tab_gives_way_to_the_nearest_name(
    page: Page, shared: Serve, sweep: Path
) -> None:
    panel = opened(page, shared("--logdir", sweep), "profiler", "&run=lr0.1_seed7")
    remark = page.locator(".ih-plugin-remark[role=status]")
    expect(remark).to_contain_text("lr0.1_seed7 is not there any more. Shown instead: lr0.1_seed")
    opened(page, shared("--logdir", sweep), "profiler", "&run=lr0.2_seed1")
    expect(remark).to_contain_text("lr0.2_seed1 has nothing to show here. Shown instead: lr0.2_seed0")
    expect(panel.get_by_test_id("about")).to_contain_text("lr0.2_seed0")
    page.locator('.ih-run[data-run="lr0.1_seed0"]').click()
    expect(remark).to_have_count(0)
    page.locator("#run-filter").fill("lr0.2")
    expect(remark).to_contain_text("lr0.1_seed0 is archived or does not match the filter")
    expect(panel.get_by_test_id("about")).to_contain_text("lr0.2_seed0")


def test_a_run_that_goes_is_replaced_by_the_nearest(page: Page, serve: Serve, tmp_path: Path) -> None:
    for at, run in enumerate(("a/seed0", "b/seed0", "b/seed1")):
        write_trace(tmp_path / f"{run}/host_1.170000000{at}000.pt.trace.json")
    url = serve("--logdir", tmp_path, "--reload-interval", "1")
    panel = opened(page, url, "profiler", "&run=b/seed0")
    expect(panel.get_by_test_id("about")).to_contain_text("b/seed0")
    shutil.rmtree(tmp_path / "b/seed0")
    expect(panel.get_by_test_id("about")).to_contain_text("b/seed1", timeout=20_000)
    expect(page.locator(".ih-plugin-remark")).to_contain_text("b/seed0 is not there any more")


def test_keys_choose_a_graph(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), "graph", "&filter=torch&sort=name")
    expect(panel.get_by_test_id("graph-panel")).to_contain_text("torch/lr0.02_seed0")
    by_keys(page, "End", "Enter")
    expect(panel.get_by_test_id("graph-panel")).to_contain_text("torch/lr0.2_seed0")
    opened(page, shared("--logdir", sample_logs), "graph", "&runs=torch/lr0.02_seed1")
    expect(chosen(page)).to_have_attribute("data-run", "torch/lr0.02_seed1")


def test_a_landscape_is_chosen_and_several_are_ticked(page: Page, shared: Serve, landscapes: Path) -> None:
    url = shared("--logdir", landscapes)
    panel = opened(page, url, "landscape", "&landscape.run=b&sort=name")
    card = panel.get_by_test_id("card")
    expect(card).to_have_attribute("data-card-run", "b")
    expect(page.locator(".ih-radio")).to_have_count(2)
    by_keys(page, "Home", "Enter")
    expect(card).to_have_attribute("data-card-run", "a")
    panel.locator('[data-control="mode"] [data-value="comparison"]').click()
    expect(card).to_have_count(2)
    expect(page.locator(".ih-radio")).to_have_count(0)  # several: ticks
    page.locator('.ih-run[data-run="b"]').click()
    expect(card).to_have_count(1)
    panel.locator('[data-control="mode"] [data-value="analysis"]').click()
    page.locator('.ih-run[data-run="b"]').click()
    expect(card).to_have_attribute("data-card-run", "b")


def test_layers_are_those_of_one_run_or_of_all(page: Page, shared: Serve, repository: Path) -> None:
    logs = repository / "plugins/health/tests/fixtures/job"
    url = shared("--logdir", logs)
    panel = opened(page, url, "health", "&sort=name")
    status = panel.get_by_test_id("card-status")
    expect(chosen(page)).to_have_attribute("data-run", re.compile("rank_1"))  # of the first bad layer
    expect(status).to_contain_text("layers")
    with page.expect_request(re.compile(r"/health/map\?.*rank=\w*rank_0")):
        by_keys(page, "Home", "Enter")
    panel.locator('[data-action="display"]').click()
    panel.locator('[data-action="all-runs"]').click()
    expect(page.locator(".ih-radio")).to_have_count(0)
    opened(page, url, "health", "&health.rank=rank_0")
    expect(chosen(page)).to_have_attribute("data-run", "rank_0")
