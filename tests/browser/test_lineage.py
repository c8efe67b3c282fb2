"""What a user does on the Lineage page, done in a real browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.lineage_page import ACCURACY, axis, brush, cell, expect_shown, open_page, shown
from tests.browser.waiting import until
from tests.lineage_samples import write_run

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

MINUS = "\N{MINUS SIGN}"


def test_a_brush_leaves_the_rows_it_covers(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs))
    expect(page.get_by_test_id("shown")).to_have_text("6 of 6 runs")
    brush(page, ACCURACY, 0.6, 1.0)
    expect(page.get_by_test_id("shown")).to_have_text("2 of 6 runs")
    until(page, lambda: set(shown(page)) == {"adam_0", "sgd_0"})
    brush(page, "optimizer", 0.05, 0.45)  # categories: the lower half of the axis is adam
    expect(page.get_by_test_id("shown")).to_have_text("1 of 6 runs")
    expect(page).to_have_url(re.compile(r"lineage\.brush=.*adam"))
    page.reload()
    expect(page.get_by_test_id("shown")).to_have_text("1 of 6 runs")
    box = axis(page, "optimizer").locator(".strip").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # takes the brush away
    expect(page.get_by_test_id("shown")).to_have_text("2 of 6 runs")
    page.keyboard.press("0")
    expect(page.get_by_test_id("shown")).to_have_text("6 of 6 runs")


def test_keys_brush_and_move_axes(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs))
    order = page.locator("[data-axis]")
    before = order.evaluate_all("axes => axes.map((axis) => axis.dataset.axis)")
    axis(page, ACCURACY).focus()
    for _ in range(10):
        page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("shown")).to_have_text("3 of 6 runs")
    page.keyboard.press("Backspace")
    expect(page.get_by_test_id("shown")).to_have_text("6 of 6 runs")
    page.keyboard.press("ArrowLeft")
    after = [*before[:-2], before[-1], before[-2]]
    until(page, lambda: order.evaluate_all("axes => axes.map((axis) => axis.dataset.axis)") == after)
    expect(axis(page, "lr")).to_have_attribute("data-scale", "log")
    axis(page, "lr").focus()
    page.keyboard.press("s")
    expect(axis(page, "lr")).to_have_attribute("data-scale", "linear")


def test_axes_are_dragged_to_another_place(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs))
    first = page.locator("[data-axis]").first
    name = first.get_attribute("data-axis")
    box = first.locator("[data-part=name] rect").bounding_box()
    last = page.locator("[data-axis]").last.locator("[data-part=name] rect").bounding_box()
    assert box is not None
    assert last is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + 10, steps=4)
    page.mouse.up()
    expect(page.locator("[data-axis]").last).to_have_attribute("data-axis", str(name))


def test_the_table_sorts_and_groups(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs))
    table = page.get_by_test_id("runs-table")
    head = table.locator(f'.head [data-column="{ACCURACY}"]')
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")  # the best first
    expect_shown(page, ["adam_0", "sgd_0", "adam_1", "sgd_1", "adam_2", "sgd_2"])
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect_shown(page, ["sgd_2", "adam_2", "sgd_1", "adam_1", "sgd_0", "adam_0"])
    table.locator('.head [data-column="optimizer"]').get_by_role("button").click()
    head.get_by_role("button").click(modifiers=["Shift"])
    expect_shown(page, ["adam_0", "adam_1", "adam_2", "sgd_0", "sgd_1", "sgd_2"])
    page.locator('[data-action="group-by"]').click()
    page.get_by_role("dialog", name="Group runs").locator('[data-column="lineage/optimizer"]').check()
    page.keyboard.press("Escape")
    groups = table.locator("[data-group]")
    expect(groups).to_have_count(2)
    expect(groups.first).to_contain_text("adam")
    expect(groups.first.locator(f'[data-column="{ACCURACY}"]')).to_have_text("⌀ 0.7")
    groups.first.get_by_role("button", name="Fold").click()
    expect(table.locator(".line[data-run]")).to_have_count(3)
    page.reload()
    expect(groups).to_have_count(2)


def test_two_runs_differ_in_what_is_listed(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs), "&runs=adam_0,sgd_2")
    expect(page.get_by_test_id("ticked")).to_have_text("2 selected")
    page.locator("[data-action=diff]").click()
    diff = page.get_by_test_id("diff")
    expect(diff.locator(".head [data-column]:not(.stays)")).to_have_count(2)
    rows = diff.locator(".line[data-property]")
    names = set(rows.evaluate_all("rows => rows.map((row) => row.dataset.property)"))
    assert {"lr", "optimizer", ACCURACY} <= names
    assert "layers" not in names
    expect(diff.locator('[data-property="lr"]')).to_contain_text(
        f"{MINUS}99 %"
    )  # the newest run is the first
    page.locator("[data-control=everything]").check()
    expect(diff.locator('[data-property="layers"]')).to_be_visible()


def test_keys_go_through_the_differences_line_by_line(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs), "&runs=adam_0,sgd_2")
    page.locator("[data-action=diff]").click()
    diff = page.get_by_role("grid", name="Differences between 2 runs")
    first, last = diff.locator(".line:not(.head)").first, diff.locator(".line:not(.head)").last
    expect(first).to_have_attribute("data-group", "hyperparameter")
    diff.focus()
    page.keyboard.press("ArrowDown")
    expect(first).not_to_have_class(re.compile(r"\bactive\b"))
    page.keyboard.press("Control+End")
    expect(last).to_have_class(re.compile(r"\bactive\b"))


def test_selection_and_comparison_go_everywhere(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs))
    brush(page, ACCURACY, 0.6, 1.0)
    expect(page.get_by_test_id("shown")).to_have_text("2 of 6 runs")
    page.locator("[data-action=compare]").click()
    expect(page.locator("#tab-scalar")).to_have_attribute("aria-selected", "true")
    expect(page.locator('.ih-run[aria-selected="true"]')).to_have_count(2)
    page.locator("#tab-lineage").click()
    page.locator('.ih-run[data-run="adam_0"]').click()
    expect(page.get_by_test_id("ticked")).to_have_text("1 selected")


def test_rows_are_hidden_and_come_back(page: Page, shared: Serve, six_runs: Path) -> None:
    open_page(page, shared("--logdir", six_runs), "&runs=adam_0,sgd_2")
    page.locator("[data-action=rows]").click()
    page.locator("[data-action=rows-hide]").click()
    expect(page.get_by_test_id("shown")).to_have_text("4 of 6 runs")
    page.locator("[data-action=analysis]").click()
    expect(page.get_by_test_id("importance-summary")).to_contain_text("4 have a target, 16 are needed")
    expect(page.get_by_test_id("importance").locator("[data-part=count]").first).to_have_text("n = 4")
    page.locator("[data-action=show-hidden]").click()
    page.locator("[data-action=rows-only]").click()
    expect(page.get_by_test_id("shown")).to_have_text("2 of 6 runs")


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_a_mistake_in_an_expression_is_readable_whole(
    page: Page, shared: Serve, six_runs: Path, locale: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, shared("--logdir", six_runs), locale=locale)
    field, problem = page.locator("#run-filter"), page.locator("#run-filter-error")
    field.fill("learning_rate < 0.05 and")
    expect(problem).to_contain_text(re.compile("Unfinished: expected a column|尚未写完"))
    for leave in (False, True):
        if leave:
            field.blur()
        is_whole = problem.evaluate(
            "box => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight"
            " && box.getBoundingClientRect().right <= innerWidth"
        )
        assert is_whole


def test_nothing_is_best_until_it_is_known_which_values_are(page: Page, serve: Serve, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for run, (rate, width) in enumerate(random.uniform(0.1, 1, (120, 2)).tolist()):
        write_run(tmp_path / f"logs/r{run:03}", {"rate": rate, "width": width}, {"objective": rate})
    open_page(page, serve("--logdir", tmp_path / "logs"), "&lineage.analysis=1")
    expect(page.get_by_test_id("importance-summary")).to_contain_text("Parameters that act together")
    expect(page.get_by_test_id("goal-unknown")).to_be_visible()
    expect(page.locator("[data-control=goal] [aria-checked=true]")).to_have_count(0)
    expect(page.locator("[data-part=best]")).to_have_count(0)
    page.locator("[data-control=goal] [data-value=min]").click()
    expect(page.locator('[data-parameter="rate"] [data-part=best]')).to_contain_text("best: 0.1")
    expect(page.get_by_test_id("goal-unknown")).to_have_count(0)


def test_importance_rests_on_a_count_and_says_when_there_is_too_little(
    page: Page, shared: Serve, six_runs: Path
) -> None:
    open_page(page, shared("--logdir", six_runs), "&lineage.analysis=1")
    rows = page.get_by_test_id("importance").locator("[data-parameter]")
    expect(rows.first).to_have_attribute("data-parameter", "lr")
    expect(rows.first.locator("[data-part=pearson]")).to_have_text(f"{MINUS}0.89")
    expect(rows.first.locator("[data-part=count]")).to_have_text("n = 6")
    expect(page.locator('[data-parameter="layers"]')).to_contain_text("the same in all")
    expect(page.get_by_test_id("scatter")).to_have_attribute("data-points", "6")
    buckets = page.get_by_test_id("distribution").locator("li")
    expect(buckets).to_have_count(5)
    counts = "buckets => buckets.map((one) => Number(one.dataset.count))"
    until(page, lambda: buckets.evaluate_all(counts) == [2, 0, 2, 0, 2])
    brush(page, ACCURACY, 0.6, 1.0)
    expect(rows.filter(has_text="too little data")).not_to_have_count(0)
    expect(page.get_by_test_id("scatter")).to_have_attribute("data-points", "2")
    expect(page.get_by_test_id("distribution").locator("[data-count='1']")).to_have_count(2)


def test_the_table_is_saved_as_it_is_shown(page: Page, shared: Serve, six_runs: Path, tmp_path: Path) -> None:
    open_page(page, shared("--logdir", six_runs), f"&lineage.sort=-{ACCURACY}")
    brush(page, ACCURACY, 0.6, 1.0)
    expect(page.get_by_test_id("shown")).to_have_text("2 of 6 runs")
    for kind in ("csv", "json", "svg", "png"):
        page.locator("[data-action=export]").click()
        with page.expect_download() as download:
            page.locator(f"[data-action=export-{kind}]").click()
        download.value.save_as(tmp_path / f"out.{kind}")
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [row["run"] for row in rows] == ["adam_0", "sgd_0"]
    assert float(rows[0]["lr"]) == 0.001
    assert [row["run"] for row in json.loads((tmp_path / "out.json").read_text())] == ["adam_0", "sgd_0"]
    assert (tmp_path / "out.svg").read_text().startswith("<svg")
    assert ">accuracy</text>" in (tmp_path / "out.svg").read_text()
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_scalars_are_the_table_where_there_is_no_lineage(page: Page, serve: Serve, tmp_path: Path) -> None:
    for run, last in (("a", 3.0), ("b", 1.0)):
        with EventWriter(tmp_path / "logs" / run) as writer:
            writer.scalar_block(["loss", "acc"], range(5), np.linspace(0, last, 5)[:, None] * [1, 2])
    open_page(page, serve("--logdir", tmp_path / "logs"), locale="zh-CN")
    expect(cell(page, "a", "last/loss")).to_have_text("3")
    expect(cell(page, "b", "last/acc")).to_have_text("2")
    expect(page.locator("[data-axis]")).to_have_count(2)
    expect(page.get_by_test_id("shown")).to_have_text("2 个训练中的 2 个")


def test_data_traceability_shows_the_pipeline(page: Page, serve: Serve) -> None:
    samples = Path("/work/shared/data/mindspore")
    if not samples.is_dir():
        pytest.skip(f"the MindSpore samples are not at {samples}")
    open_page(page, serve("--logdir", samples), "&lineage.view=data")
    button = page.locator('.line[data-run="lenet_lr0.01"] [data-column="dataset_mark"]').get_by_role("button")
    button.click()
    pipeline = page.get_by_test_id("pipeline")
    expect(pipeline.locator("li").first).to_have_attribute("data-operator", "GeneratorDataset")
    expect(pipeline).to_contain_text("Resize")
