"""Rules of WCAG 2.2 AA that axe checks, on every tab in both themes, and what it cannot check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.cards import card
from tests.browser.every_tab import READY, Violations, check, opened
from tests.browser.profiler_page import go, open_page, views_of, write_trace
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

_MOVES_FOR_EVER = """() => document.getAnimations().some(({ effect }) => {
  const { iterations, duration } = effect.getComputedTiming();
  return iterations === Infinity && duration > 0;
})"""


@pytest.fixture
def url(every_tab: Serve) -> str:
    """A host with every tab."""
    return every_tab()


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces of the two ranks of one job."""
    logs = tmp_path_factory.mktemp("ranks")
    for rank, name in enumerate(("a_1", "b_2")):
        write_trace(logs / f"job/{name}.1.pt.trace.json", rank=rank)
    return logs


@pytest.mark.parametrize("tab", READY)
def test_every_tab_keeps_the_rules(page: Page, url: str, violations: Violations, tab: str) -> None:
    opened(page, url, tab)
    assert not page.evaluate(_MOVES_FOR_EVER), "moves for users who want no motion"
    check(page, violations, tab)


def test_every_view_of_profiles_keeps_the_rules(
    page: Page, shared: Serve, ranks: Path, violations: Violations
) -> None:
    page.emulate_media(reduced_motion="reduce")
    panel = open_page(page, shared("--logdir", ranks), theme="system")
    views = views_of(panel)
    assert {"operators", "kernels", "steps", "timeline", "memory", "cluster", "compare"} < set(views)
    for view in views:
        go(panel, view)
        shown = panel.locator(f'#profiler-view[data-view="{view}"]')
        expect(shown.locator('.figure, table, .grid, canvas, [data-testid="empty"]').first).to_be_visible()
        expect(shown.locator('[aria-busy="true"]')).to_have_count(0)
        check(page, violations, view)


@pytest.mark.parametrize(
    ("tab", "button", "shown"),
    [
        ("scalar", '[data-action="export"]', "[role=menu]"),
        ("scalar", '[data-action="export"] then [data-action="threshold"]', "dialog"),
        ("scalar", '[data-action="fullscreen"]', ".card.full"),
        (
            "scalar",
            '.toolbar [data-action="display"] then [data-control="show"] [data-value="table"]',
            '[data-testid="compare-table"] [role=gridcell]',
        ),
        ("histogram", '[data-action="fullscreen"]', '[data-testid="histogram-table"] [role=gridcell]'),
        ("scalar", ".ih-command", "dialog"),
        ("lineage", '[data-action="columns"]', "dialog"),
        ("lineage", '[data-action="analysis"]', ".analysis"),
        ("profiler", '[data-action="compare"]', "dialog"),
    ],
)
def test_what_opens_keeps_the_rules(
    page: Page,
    url: str,
    violations: Violations,
    tab: str,
    button: str,
    shown: str,
) -> None:
    opened(page, url, tab, "&lineage.analysis=0")
    where = page if button.startswith(".ih") else page.locator(f'[data-plugin="{tab}"]')
    for one in button.split(" then "):
        where.locator(one).first.dispatch_event("click")
    expect(page.locator(shown).first).to_be_visible()
    check(page, violations, shown)


def heard(page: Page, chart: Locator) -> str:
    """What a screen reader says after keys have moved the cursor of a chart; it is what the tooltip shows."""
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said = page.get_by_test_id("announcement").last
    tooltip = page.get_by_test_id("tooltip")
    expect(tooltip).to_be_visible()
    until(page, lambda: said.inner_text().split() == tooltip.inner_text().split())
    return said.inner_text()


def test_a_screen_reader_hears_what_the_cursor_of_a_curve_reads(page: Page, url: str) -> None:
    opened(page, url, "scalar")
    losses = card(page, "train/loss")
    expect(losses.get_by_test_id("card-status")).to_be_visible()  # there are points to move over
    assert "torch/lr0.02_seed0" in heard(page, losses.locator("[role=img]"))


def test_a_screen_reader_hears_what_the_cursor_of_a_histogram_reads(page: Page, url: str) -> None:
    opened(page, url, "histogram")
    weights = card(page, "blocks.0.k.weight/auto").first
    expect(weights.locator("canvas").first).to_be_visible()
    assert "step" in heard(page, weights.locator("[role=img]").first)


def test_a_screen_reader_hears_what_the_cursor_of_a_profile_reads(
    page: Page, shared: Serve, ranks: Path
) -> None:
    panel = open_page(page, shared("--logdir", ranks))
    go(panel, "memory")
    curve = panel.locator("[data-figure] .curve [role=img]").first
    expect(curve).to_be_visible()
    assert "B" in heard(page, curve)


def test_a_screen_reader_hears_the_losses_of_a_landscape(page: Page, url: str) -> None:
    opened(page, url, "landscape")
    stage = page.locator('[data-plugin="landscape"] [data-testid="stage"]')
    expect(stage.get_by_test_id("picture")).to_have_attribute("data-drawn", "contour 1")
    stage.focus()
    page.keyboard.press("ArrowRight")
    loss = stage.get_by_test_id("loss").inner_text()
    expect(page.get_by_test_id("announcement").last).to_contain_text(f"loss {loss}, x ")


@pytest.mark.parametrize("button", ["cancel", "apply"])
def test_the_focus_is_back_where_a_dialog_was_opened_when_its_button_closes_it(
    page: Page, url: str, button: str
) -> None:
    opened(page, url, "scalar")
    chart = card(page, "train/loss").locator(".plot [tabindex]")
    chart.focus()
    page.keyboard.press("a")
    dialog = page.locator('[data-dialog="limits"]')
    expect(dialog.locator('[name="y0"]')).to_be_focused()
    dialog.locator(f'[data-action="{button}"]').press("Enter")
    expect(dialog).to_have_count(0)
    expect(chart).to_be_focused()
