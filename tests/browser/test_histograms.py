"""What a user does on the Histograms page, done in a real browser on real logs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from insight_authoring.testing import wire
from insight_authoring.testing.tensors import mindspore_histogram, mindspore_histogram_of
from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card, drawer

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
PAGE = "locale=en&theme=light&tab=histogram"


def open_page(page: Page, url: str, more: str = "") -> None:
    page.goto(f"{url}#{PAGE}{more}")
    expect(page.get_by_test_id("histograms")).to_be_visible()


def status(where: Locator) -> Locator:
    return where.get_by_test_id("card-status")


def point(page: Page, where: Locator, x: float, y: float) -> None:
    """Moves the pointer over a card's chart, to a place given as shares of its width and height."""
    box = where.locator("canvas").last.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * x - 2, box["y"] + box["height"] * y)
    page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)


def write_mindspore(path: Path, tag: str, step: int, histogram: bytes) -> None:
    with EventWriter(path, "mindspore", append=path.exists()) as writer:
        writer.values(step, [wire.message_field(1, tag.encode()) + wire.message_field(9, histogram)])


def test_histograms_of_every_framework(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    for run, tag, steps in (
        ("mindspore/lenet_lr0.01", "conv1.weight/auto", 21),
        ("torch/lr0.2_seed0", "weights/0.weight", 6),
    ):
        expect(status(card(page, tag, run))).to_contain_text(f"all {steps} steps")


@pytest.mark.parametrize("view", ["top", "front", "distributions", "heatmap"])
def test_every_view_reads_a_bin(page: Page, shared: Serve, sample_logs: Path, view: str) -> None:
    open_page(page, shared("--logdir", sample_logs))
    page.locator(f'[data-control="view"] [data-value="{view}"]').click()
    here = card(page, "conv1.weight/auto", "mindspore/lenet_lr0.01")
    expect(status(here)).to_contain_text("all 21 steps")
    point(page, here, 0.5, 0.75)
    tooltip = page.get_by_test_id("tooltip")
    expect(tooltip).to_contain_text("step")
    expect(tooltip).to_contain_text("15.9 %" if view == "distributions" else "bin")
    expect(tooltip).to_contain_text("150")  # values of each step
    if view != "top":  # which it opens with
        expect(page).to_have_url(re.compile(rf"histogram\.view={view}"))
    page.reload()
    expect(page.locator(f'[data-control="view"] [data-value="{view}"]')).to_have_attribute(
        "aria-checked", "true"
    )


def test_the_tooltip_says_what_the_route_says(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        for step in (3, 8):
            writer.histogram("w", step, np.repeat([0.0, 1.0, 2.0, 3.0], [step, 1, 1, 10]))
    open_page(page, serve("--logdir", tmp_path), "&histogram.view=front&histogram.bins=3")
    here = card(page, "w", "a")
    expect(status(here)).to_contain_text("all 2 steps")
    here.locator("[role=img]").focus()
    page.keyboard.press("Home")  # the first step
    tooltip = page.get_by_test_id("tooltip")
    expect(tooltip).to_contain_text("step 3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(tooltip).to_contain_text("[0, 1)")
    for line in ("values15", "min0", "max3", "mean2.2"):
        expect(tooltip).to_contain_text(line)
    page.keyboard.press("ArrowDown")
    expect(tooltip).to_contain_text("step 8")


def test_some_of_many_steps_and_all(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        for step in range(2000):
            writer.histogram_tf2("w", step, [0.0, step + 1.0], bins=3)
    open_page(page, serve("--logdir", tmp_path))
    here = card(page, "w", "a")
    expect(status(here)).to_contain_text("97 of 2,000 steps")
    drawer(page).locator('[data-control="step-count"]').select_option("10000")
    expect(status(here)).to_contain_text("all 2,000 steps")
    expect(page).to_have_url(re.compile(r"histogram\.count=10000"))


def test_records_that_cannot_be_read(page: Page, serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "run/events.out.events.summary.1700000000.0.host_MS"
    for step in range(6):
        bad = mindspore_histogram_of([0], [-1], [2]) if step % 3 == 1 else mindspore_histogram([1.0, 2.0])
        write_mindspore(path, "partly", step, bad)
        write_mindspore(path, "wholly", step, mindspore_histogram_of([0], [-1], [2]))
    open_page(page, serve("--logdir", tmp_path))
    partly = card(page, "partly", "run")
    expect(status(partly)).to_contain_text("2 records cannot be read")
    reasons = [f"'partly' of run 'run', step {n} (record {n}): a bucket has a negative width" for n in (1, 4)]
    expect(partly.get_by_test_id("histogram-errors")).to_have_attribute("title", "\n".join(reasons))
    wholly = card(page, "wholly", "run")
    expect(wholly.get_by_test_id("error-cell")).to_contain_text("a bucket has a negative width")
    partly.hover()
    partly.locator('[data-action="fullscreen"]').click()
    expect(page.get_by_test_id("histogram-error")).to_have_count(2)
    expect(page.get_by_test_id("histogram-error").first).to_contain_text("a bucket has a negative width")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("histogram-table")).to_have_count(0)


def test_values_that_are_no_numbers_are_counted(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a", "mindspore") as writer:
        writer.histogram("w", 1, [1.0, 2.0, float("nan"), float("inf")])
        writer.histogram("w", 2, [1.0, 2.0, float("nan"), float("-inf")])
        writer.histogram("none", 1, [float("nan")])
    open_page(page, serve("--logdir", tmp_path))
    expect(status(card(page, "w", "a"))).to_contain_text("2 NaN, 1 +Inf, 1 \u2212Inf")
    expect(card(page, "none", "a").get_by_test_id("histogram-nothing")).to_have_text("No values")


def test_runs_at_one_step(page: Page, serve: Serve, tmp_path: Path) -> None:
    for run, places in (("a", (0, 10, 20)), ("b", (0, 15))):
        with EventWriter(tmp_path / run) as writer:
            for step in places:
                writer.histogram("w", step, np.arange(20.0) + step)
    open_page(page, serve("--logdir", tmp_path))
    page.keyboard.press("c")
    here = card(page, "w")
    expect(status(here)).to_contain_text("2 runs at this step")
    expect(here.get_by_test_id("step-label")).to_have_text("step 20")
    expect(here.get_by_test_id("step-count")).to_have_text("4 of 4")
    here.locator('[data-control="step"]').focus()
    page.keyboard.press("Home")
    expect(here.get_by_test_id("step-label")).to_have_text("step 0")
    point(page, here, 0.5, 0.5)
    expect(page.get_by_test_id("tooltip")).to_contain_text("step 0")
    expect(page).to_have_url(re.compile("histogram.steps="))
    page.reload()
    expect(page.get_by_test_id("step-label")).to_have_text("step 0")
    page.keyboard.press("c")
    expect(card(page, "w", "a")).to_be_visible()


def test_a_run_that_is_being_written(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.histogram("w", 0, [1.0, 2.0])
        writer.flush()
        open_page(page, serve("--logdir", tmp_path))
        expect(status(card(page, "w", "a"))).to_contain_text("1 step")
        for step in range(1, 5):
            writer.histogram("w", step, [1.0, 2.0])
        writer.histogram("v", 0, [1.0])
        writer.flush()
        expect(status(card(page, "w", "a"))).to_contain_text("all 5 steps")
        expect(card(page, "v", "a")).to_be_visible()


def test_a_restart(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        for step in (0, 1, 2, 3, 1, 2):
            writer.histogram("w", step, [1.0, 2.0])
    open_page(page, serve("--logdir", tmp_path))
    here = card(page, "w", "a")
    expect(status(here)).to_contain_text("all 3 steps · 3 hidden by restarts")
    page.locator('[data-control="attempts"] [data-value="all"]').click()
    expect(status(here)).to_contain_text("all 6 steps")


def test_a_step_that_explodes(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a", "mindspore") as writer:
        for step in range(10):
            writer.histogram("w", step, np.arange(20.0) * (1e9 if step == 7 else 1))
    open_page(page, serve("--logdir", tmp_path))
    here = card(page, "w", "a")
    expect(status(here)).to_have_text("all 10 steps")
    drawer(page).locator('[data-action="outliers"]').click()
    expect(status(here)).to_contain_text("20 values beyond the axis")
    here.locator("[role=img]").focus()
    for key in ("Home", *["ArrowDown"] * 7):
        page.keyboard.press(key)
    expect(page.get_by_test_id("tooltip")).to_contain_text("step 7")
    expect(page.get_by_test_id("tooltip")).to_contain_text("beyond≈ 20")
    expect(page).to_have_url(re.compile(r"histogram\.outliers=1"))


def test_exports(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.histogram("layer/w", 7, [0.0, 1.0, 1.0])
    open_page(page, serve("--logdir", tmp_path), "&histogram.bins=2")
    here = card(page, "layer/w", "a")
    expect(status(here)).to_contain_text("1 step")
    saved = {}
    for kind in ("csv", "json", "svg", "png"):
        here.hover()
        here.locator('[data-action="export"]').click()
        with page.expect_download() as download:
            here.locator(f'[data-action="export-{kind}"]').click()
        assert download.value.suggested_filename == f"layer_w_a.{kind}"
        saved[kind] = download.value.path().read_bytes()
    head, row = saved["csv"].decode().splitlines()
    assert head == 'step,wall_time,count,nan,pos_inf,neg_inf,min,max,mean,"[0, 0.5)","[0.5, 1]"'
    assert row.startswith("7,1700000007,3,0,0,0,0,1,0.666")
    assert row.endswith(",1,2")
    assert json.loads(saved["json"])["counts"] == [[1, 2]]
    assert b"layer/w \xc2\xb7 a" in saved["svg"]
    assert saved["png"].startswith(b"\x89PNG")
