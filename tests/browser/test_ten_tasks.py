"""Ten tasks on a sweep of 60 runs, and a slow GPU: right answers, in no more presses than elsewhere.

The limits are the fewest clicks that TensorBoard 2.21, W&B or an earlier version of this page took.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.cards import card
from tests.browser.clicks import Clicks
from tests.browser.lineage_page import shown
from tests.browser.torch_sweep import (
    BEST_RATE,
    EPOCHS,
    NAN_RUN,
    NAN_STEP,
    RATES,
    STEPS,
    TRIALS,
    accuracies,
    best,
    write_torch_sweep,
)
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
DEMO = Path(__file__).parents[2] / "plugins/demo/insight_demo/logs"
ACCURACY = "metric/hparam/val_acc"


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs") / "sweep"
    write_torch_sweep(logs)
    return logs


@pytest.fixture
def clicks(page: Page, shared: Serve, sweep: Path) -> Clicks:
    """The page as it opens on the sweep, at the size of a laptop."""
    page.set_viewport_size({"width": 1280, "height": 800})
    counted = Clicks(page)
    page.goto(shared("--logdir", sweep) + "#locale=en&theme=light")
    expect(page.get_by_test_id("run-count")).to_have_text("60 / 60")
    expect(card(page, "val/acc").get_by_test_id("card-status")).to_be_attached()
    expect(page.get_by_test_id("answers")).to_be_visible()  # it moves what is to be pressed
    return counted


def _is_in_sight(what: Locator) -> bool:
    """Whether a whole element can be read without scrolling."""
    return bool(
        what.evaluate(
            """one => {
                const { left, right, top, bottom } = one.getBoundingClientRect();
                return [[left + 2, top + 2], [right - 2, bottom - 2]].every(([x, y]) =>
                    one.contains(document.elementFromPoint(x, y)) || one === document.elementFromPoint(x, y));
            }"""
        )
    )


def test_the_best_of_60_runs(page: Page, clicks: Clicks) -> None:
    found = page.get_by_test_id("answers").locator('[data-severity="good"]').first
    expect(found).to_contain_text(best(1)[0])  # the page says it before anything is pressed
    expect(found).to_contain_text("of 60 runs")
    assert clicks.count == 0
    clicks.on(page.get_by_role("tab", name="Runs"))
    table = page.get_by_test_id("runs-table")
    clicks.on(table.locator(f'.head [data-column="{ACCURACY}"]').get_by_role("button"))
    until(page, lambda: shown(page)[:5] == best(5))
    assert clicks.count <= 2


def test_only_the_five_best_are_drawn(page: Page, clicks: Clicks) -> None:
    clicks.on(page.locator('[data-action="sort-runs"]'))
    clicks.on(page.locator('[data-best="5"]'))
    status = card(page, "train/loss").get_by_test_id("card-status")
    expect(status).to_contain_text(f"{5 * len(STEPS):,} points")
    ticked = page.locator('.ih-run[aria-selected="true"]')
    expect(ticked).to_have_count(5)
    assert ticked.evaluate_all("rows => rows.map(row => row.dataset.run)") == best(5)
    assert clicks.count <= 2


def test_mean_and_band_over_seeds(page: Page, clicks: Clicks) -> None:
    clicks.on(page.locator('[data-action="group-by"]'))
    clicks.on(page.locator('[data-column="repeats"]'))
    assert clicks.count <= 3
    expect(card(page, "val/acc").get_by_test_id("card-status")).to_contain_text("20 groups · 60 runs")
    page.keyboard.press("Escape")
    card(page, "val/acc").get_by_role("img").click()  # keeps the table that follows the pointer
    row = page.locator(".tooltip.pinned tbody tr").filter(
        has=page.get_by_text("optimizer=adam · lr=0.01 · width=256", exact=True)
    )
    texts = row.locator("td").all_inner_texts()
    mean, low, high, count, step = (float(text.replace(",", "")) for text in texts[2:])
    seeds = [one for one in TRIALS if one.configuration == (BEST_RATE, 256, "adam")]
    values = np.array([accuracies(one)[EPOCHS.tolist().index(int(step))] for one in seeds])
    assert count == len(seeds) == 3
    assert [mean, low, high] == pytest.approx([values.mean(), values.min(), values.max()], abs=1e-6)


def test_colours_by_learning_rate(page: Page, clicks: Clicks) -> None:
    clicks.on(page.locator('[data-action="colors"]'))
    clicks.on(page.locator('[data-color="lineage/lr"]'))
    legend = page.locator(".ih-color-legend")
    expect(legend).to_contain_text("lr")
    expect(legend).to_contain_text(f"{min(RATES):g}")
    expect(legend).to_contain_text(f"{max(RATES):g}")
    swatches = page.locator(".ih-run .ih-swatch")

    def looks() -> list[tuple[str, str]]:
        """Learning rate and look of each run in sight."""
        return [
            (str(name).split("_")[0], str(look))
            for name, look in swatches.evaluate_all(
                "all => all.map(one => [one.closest('[data-run]').dataset.run, one.style.background])"
            )
        ]

    until(page, lambda: len(set(looks())) == len({rate for rate, _ in looks()}) > 1)
    assert clicks.count <= 3


def test_the_difference_of_two_runs(page: Page, clicks: Clicks) -> None:
    clicks.on(page.get_by_role("tab", name="Runs"))
    table = page.get_by_test_id("runs-table")
    until(page, lambda: len(shown(page)) > 2)
    one, other = shown(page)[:2]
    # to be read next to each other, as in TensorBoard, where what all runs share takes room
    for name in (one, other):
        for column in (ACCURACY, "optimizer", "lr", "seed", "width"):
            cell = table.locator(f'.line[data-run="{name}"] [data-column="{column}"]')
            expect(cell).to_be_visible()
            assert _is_in_sight(cell), column
    expect(table.locator('.head [data-column="batch_size"]')).to_have_count(0)
    assert clicks.count <= 1


def test_what_differs_between_two_runs_of_the_panel(page: Page, clicks: Clicks) -> None:
    one, other = (page.locator(f'.ih-run[data-run="{name}"]') for name in best(2))
    expect(one.locator("[data-action=compare-with]")).to_be_attached()
    one.hover()
    clicks.on(one.locator("[data-action=compare-with]"))
    expect(page.get_by_test_id("comparing-runs")).to_contain_text(best(2)[0])
    clicks.on(other.locator(".ih-run-name"))
    dialog = page.locator("[data-dialog=diff]")
    expect(dialog.locator('[data-property="seed"]')).to_be_visible()
    expect(dialog.locator('[data-property="batch_size"]')).to_have_count(0)
    assert clicks.count <= 2
    expect(page.get_by_test_id("run-count")).to_have_text("60 / 60")  # nothing else was pressed


def test_what_differs_between_the_selected_runs(page: Page, clicks: Clicks) -> None:
    compare = page.locator("[data-action=compare-runs]")
    expect(page.locator("[data-action=compare-with]").first).to_be_attached()
    expect(compare).to_have_count(0)  # 60 are selected
    page.locator('[data-action="sort-runs"]').click()
    page.locator('[data-best="5"]').click()
    before = clicks.count
    page.keyboard.press("Escape")
    clicks.on(compare)
    expect(page.locator("[data-dialog=diff]").get_by_role("columnheader")).to_have_count(1 + 5)
    assert clicks.count - before <= 2
    page.reload()
    expect(page.locator("[data-dialog=diff]")).to_be_visible()  # a link shows it
    page.keyboard.press("Escape")
    expect(page.locator("[data-dialog=diff]")).to_have_count(0)
    assert "diff" not in page.url


def test_smooth_and_logarithmic_everywhere(page: Page, clicks: Clicks) -> None:
    slider = page.locator("#smoothing")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2)
    clicks.on(page.locator('.toolbar [data-action="log-y"]'))
    assert 0.4 < float(slider.input_value()) < 0.8
    assert clicks.count <= 2
    card(page, "train/loss").get_by_role("img").hover()
    expect(page.get_by_test_id("tooltip").locator("thead")).to_contain_text("Smoothed")
    for tag in ("val/acc", "val/loss", "train/loss", "lr"):
        here = card(page, tag)
        here.locator('[data-action="export"]').click()
        expect(page.get_by_role("menu").locator('[data-action="log-y"]')).to_have_text("Linear y")  # instead
        page.keyboard.press("Escape")


def test_a_figure_for_a_paper(page: Page, clicks: Clicks) -> None:
    here = card(page, "val/acc")
    clicks.on(here.locator('[data-action="export"]'))
    clicks.on(page.locator('[data-action="figure"]'))
    dialog = page.locator('[data-dialog="figure"]')
    width, height = (
        float(dialog.locator(f'[name="figure-{one}"]').input_value()) for one in ("width", "height")
    )
    expect(dialog.locator('[data-control="figure-unit"]')).to_have_value("cm")
    expect(dialog.locator('[data-control="figure-family"]')).to_have_value("sans")
    with page.expect_download() as download:
        clicks.on(dialog.locator('[data-action="figure-pdf"]'))
    pdf = download.value.path().read_bytes()
    found = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert found is not None
    points = [float(one) for one in found.groups()]
    assert points == pytest.approx([width * 72 / 2.54, height * 72 / 2.54], abs=0.5)
    assert b"/BaseFont /Helvetica" in pdf
    assert clicks.count <= 3


def test_this_view_is_sent(page: Page, clicks: Clicks, browser: Browser) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator('.toolbar [data-action="log-y"]').click()
    before = clicks.count
    clicks.on(page.locator('.ih-header [data-action="share"]'))
    clicks.on(page.locator('[data-action="copy-link"]'))
    expect(page.locator('[data-action="copy-link"]')).to_have_text("Copied")
    assert clicks.count - before <= 2
    link = page.evaluate("async () => await navigator.clipboard.readText()")
    assert link == page.url  # so that the address alone, without a press, is the view, too
    with browser.new_context() as other:
        reader = other.new_page()
        reader.goto(link)
        expect(reader.locator('.toolbar [data-action="log-y"]')).to_have_attribute("aria-pressed", "true")


def test_the_step_of_the_first_nan(page: Page, clicks: Clicks) -> None:
    found = page.get_by_test_id("answers").locator('[data-severity="error"]')
    expect(found.locator("strong")).to_contain_text(f"{NAN_STEP}")
    assert found.locator("strong").evaluate("one => one.scrollWidth <= one.clientWidth + 1")  # not cut off
    assert clicks.count == 0
    clicks.on(found.locator("button"))
    expect(page).to_have_url(re.compile(rf"runs={NAN_RUN}"))
    expect(page.get_by_test_id("run-count")).to_have_text("1 / 60")
    assert clicks.count <= 1


def test_all_points_as_csv(page: Page, clicks: Clicks) -> None:
    here = card(page, "val/acc")
    clicks.on(here.locator('[data-action="export"]'))
    with page.expect_download() as download:
        clicks.on(here.locator('[data-action="export-csv"]'))
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert len(rows) == len(TRIALS) * len(EPOCHS)
    last = {row["run"]: float(row["value"]) for row in rows if int(row["step"]) == EPOCHS[-1]}
    assert last == pytest.approx({one.name: float(accuracies(one)[-1]) for one in TRIALS}, rel=1e-6)
    assert clicks.count <= 2


def test_why_a_step_on_a_gpu_is_slow(page: Page, serve: Serve, tmp_path: Path) -> None:
    shutil.copytree(DEMO, tmp_path / "demo")
    page.set_viewport_size({"width": 1280, "height": 800})
    clicks = Clicks(page)
    page.goto(serve("--logdir", tmp_path / "demo") + "#locale=en&theme=light")
    clicks.on(page.get_by_role("tab", name="Performance"))
    panel = page.locator('[data-plugin="profiler"]')
    expect(panel.locator('[data-fact="late"] .value')).to_have_text(re.compile(r"^90"))
    advice = panel.locator("[data-advice]").first
    expect(advice).to_contain_text("Training that waits for its data")
    expect(advice).to_contain_text("num_workers")
    assert _is_in_sight(advice.locator("h3"))
    assert clicks.count <= 1
