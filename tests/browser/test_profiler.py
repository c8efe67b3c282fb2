"""What a user does on the Profiler page, done in a real browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.profiler_page import STEPS, TYPES, open_page, save, write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_the_overview_says_where_time_goes(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced))
    facts = panel.get_by_test_id("facts")
    expect(facts.locator('[data-fact="steps"]')).to_contain_text(str(STEPS))
    expect(facts.locator('[data-fact="device"]')).to_contain_text("GPU")
    figures = panel.get_by_test_id("key-figures")
    expect(figures.locator('[data-fact="step_time"]')).to_contain_text("ms")
    # the same share of a step on the whole page: what is not busy is idle
    expect(figures.locator('[data-fact="busy"]')).to_contain_text("GPU busy")
    expect(panel.locator('[data-figure="steps"]').get_by_test_id("column")).to_have_count(STEPS)
    shares = panel.locator('[data-figure="shares"] [data-category]')
    expect(shares.first).to_be_visible()
    biggest = panel.locator('[data-figure="biggest-host"] ol button')
    expect(biggest.first).to_contain_text("aten::op00")
    biggest.first.click()
    expect(page).to_have_url(re.compile(r"profiler\.view=operators"))
    expect(panel.get_by_test_id("operator-panel")).to_contain_text("aten::op00")


def test_a_step_filters_every_view(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced))
    columns = panel.locator('[data-figure="steps"]').get_by_test_id("column")
    columns.nth(1).click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))
    columns.nth(2).click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"profiler\.steps=2-3"))
    panel.get_by_test_id("chosen-steps").locator('[data-action="go-operators"]').click()
    panel.locator('[data-control="side"] [data-value="host"]').click()
    calls = panel.get_by_test_id("grid-operators").locator('[data-row="0"] [data-column="calls"]')
    expect(calls).to_have_text("2")
    page.reload()
    expect(calls).to_have_text("2")
    box = panel.locator('[data-control="steps"]')
    expect(box).to_have_value("2-3")
    box.fill("none of them")
    box.press("Enter")
    expect(box).to_have_attribute("aria-invalid", "true")
    box.fill("2-4")
    box.press("Enter")
    expect(calls).to_have_text("3")
    panel.locator('[data-action="clear-steps"]').click()
    expect(calls).to_have_text(str(STEPS))


def test_the_overview_follows_the_steps(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), steps="2-3")
    facts = panel.get_by_test_id("facts")
    expect(facts.locator('[data-fact="steps"] .value')).to_have_text("2")
    expect(panel.locator('[data-figure="steps"]').get_by_test_id("column")).to_have_count(STEPS)
    # operator 0 takes 600 and 900 µs in these, without 2 of each for the launch
    first = panel.locator('[data-figure="biggest-host"] ol button').first
    expect(first).to_contain_text("1.496 ms")
    expect(panel.get_by_test_id("all-steps")).to_have_count(0)
    panel.locator('.views [data-view="memory"]').click()
    expect(panel.get_by_test_id("all-steps")).to_be_visible()
    panel.locator('.views [data-view="overview"]').click()
    panel.locator('[data-control="steps"]').fill("9")
    panel.locator('[data-control="steps"]').press("Enter")
    expect(panel.get_by_test_id("chosen-steps")).to_have_text("This profile has no step 9")
    expect(panel.locator('[data-figure="biggest-host"]')).to_have_count(0)


def test_ranks_are_compared_step_by_step(page: Page, serve: Serve, tmp_path: Path) -> None:
    for rank, name in enumerate(("a_1", "b_2")):
        slower = {f"aten::op{kind:02d}": 1.0 + rank for kind in range(TYPES)}
        write_trace(tmp_path / f"logs/job/{name}.1.pt.trace.json", slower=slower, rank=rank)
    panel = open_page(page, serve("--logdir", tmp_path / "logs"), view="cluster")
    lines = panel.locator('[data-figure="rank-steps"]')
    expect(lines).to_contain_text("rank 1")
    expect(panel.locator('[data-figure="ranks"]').get_by_test_id("column")).to_have_count(2)
    expect(panel.locator("[data-straggler]")).to_have_count(1)
    expect(panel.locator("[data-straggler]")).to_contain_text("Rank 1 delays the others")
    lines.locator('[data-control="rank-time"]').select_option("kernel")
    expect(page).to_have_url(re.compile(r"profiler\.rank-time=kernel"))
    expect(lines.locator("h3")).to_contain_text("kernels")  # what it saves is what it draws
    saved = list(csv.reader(save(page, lines, "export-csv").splitlines()))
    # in step 4 the kernels of all operators: half of 4 * 10 * (30 + ... + 6) µs
    of_four = {row[0]: float(row[2]) for row in saved[1:] if row[1] == "4"}
    assert of_four == {"rank 0": pytest.approx(9.0), "rank 1": pytest.approx(18.0)}
    lines.locator(".curve").click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=\d"))
    expect(panel.locator('[data-figure="ranks"] h3')).to_contain_text("steps")
    page.reload()
    expect(lines.locator('[data-control="rank-time"]')).to_have_value("kernel")
    page.go_back()
    expect(panel.locator('[data-figure="ranks"] h3')).not_to_contain_text("steps")
    # from a cell of the map to the timeline of that rank at that step
    cells = panel.locator('[data-figure="rank-map"] canvas')
    cells.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(panel.locator('[data-figure="rank-map"] .tooltip')).to_contain_text("rank 1 · step 2")
    expect(page.get_by_test_id("announcement")).to_contain_text("rank 1 · step 2")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"profiler\.view=timeline.*"))
    expect(page).to_have_url(re.compile(r"profiler\.profile=b_2\.1\.pt\.trace\.json"))
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))


def test_a_profile_that_another_one_of_its_rank_hides_is_named(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    for name, rank in (("a_1", 0), ("b_2", 1), ("c_3", 1)):
        write_trace(tmp_path / f"logs/job/{name}.1.pt.trace.json", rank=rank)
    open_page(page, serve("--logdir", tmp_path / "logs"), "cluster", profile="a_1.1.pt.trace.json", run="job")
    expect(page.locator("[data-same-rank]")).to_have_text(
        "c_3.1.pt.trace.json is not compared: rank 1 is also in b_2.1.pt.trace.json"
    )


def test_figures_without_outlier_steps_say_so(page: Page, serve: Serve, tmp_path: Path) -> None:
    events, at = [], 0
    for step, duration in enumerate([90_000, 3000, 2000, 4000, 3000, 3000]):
        common = {"ph": "X", "pid": 1, "tid": 1, "ts": at}
        events.append({**common, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "dur": duration})
        events.append({**common, "cat": "cpu_op", "name": "aten::mm", "dur": duration - 1000})
        at += duration
    path = tmp_path / "logs/run/a_1.1.pt.trace.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    panel = open_page(page, serve("--logdir", tmp_path / "logs"))
    biggest = panel.locator('[data-figure="biggest-host"]')
    expect(biggest.locator("h3")).to_have_text("Most expensive on the host (without outlier steps)")
    expect(biggest.locator("li")).to_contain_text("10 ms")
    expect(panel.locator('[data-figure="shares"] h3')).to_contain_text("(without outlier steps)")
    panel.locator('[data-control="steps"]').fill("0")
    panel.locator('[data-control="steps"]').press("Enter")
    expect(biggest.locator("h3")).to_have_text("Most expensive on the host")
    expect(biggest.locator("li")).to_contain_text("89 ms")


def test_an_empty_profile_says_why(page: Page, serve: Serve, tmp_path: Path) -> None:
    """One of torch_npu, whose database is none."""
    place = tmp_path / "logs/npu/host_1_20240101000000000_ascend_pt"
    (place / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    (place / "profiler_info_0.json").write_text('{"rank_id": 0}')
    (place / "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db").write_bytes(b"SQLite format 3")
    panel = open_page(page, serve("--logdir", tmp_path / "logs"))
    note = panel.locator('[data-note="no_database"]')
    expect(note).to_contain_text("ascend_pytorch_profiler_0.db is not an SQLite database")


def test_a_trace_of_any_name_is_opened(page: Page, serve: Serve, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace.json")
    (tmp_path / "logs/llama").mkdir(parents=True)
    (tmp_path / "logs/llama/config.json").write_text('{"layers": 3}')
    (tmp_path / "logs/llama/rank0.json").write_bytes((tmp_path / "trace.json").read_bytes())
    panel = open_page(page, serve("--logdir", tmp_path / "logs"))
    expect(panel.locator('[data-figure="steps"]').get_by_test_id("column").first).to_be_visible()
    expect(panel).to_contain_text("rank0.json")


def test_the_keyboard_is_enough(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "operators", by="name", side="host")
    grid = panel.get_by_test_id("grid-operators")
    expect(grid.locator('[data-row="1"]')).to_be_attached()
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(panel.get_by_test_id("operator-panel")).to_contain_text("aten::op01")
    page.keyboard.press("Escape")
    expect(panel.get_by_test_id("operator-panel")).to_have_count(0)
    page.keyboard.press("n")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Memory")
    page.keyboard.press("Shift+N")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Operators")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Advice")  # as long as it is in front
    page.keyboard.press("Shift+N")
    panel.get_by_role("tab", selected=True).focus()
    page.keyboard.press("ArrowLeft")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Operators")
    page.keyboard.press("Home")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Overview")
    panel.locator('[data-figure="steps"] svg.drawing').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(panel.locator('[data-figure="steps"] .tooltip')).to_contain_text("step 2")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))
    page.locator("body").click(position={"x": 640, "y": 5})
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile(r"profiler\.steps="))


def test_the_course_of_a_step_is_drawn(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "steps")
    trace = panel.locator('[data-figure="step-trace"]')
    expect(trace).to_contain_text(f"Average of {STEPS} steps")
    trace.locator('[data-action="step-after"]').click()
    expect(trace).to_contain_text("Breakdown of step 1")
    trace.locator('[data-action="step-after"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))
    expect(trace.get_by_test_id("bar").first).to_have_attribute("data-bar", "step 2")
    panel.get_by_test_id("grid-steps").locator('[data-row="3"]').click()
    expect(trace).to_contain_text("Breakdown of step 4")
    trace.locator('[data-control="step-average"] [data-value="average"]').click()
    expect(trace).to_contain_text("Average of")
    expect(panel.locator('[data-figure="step-times"] canvas').first).to_be_visible()
    saved = save(page, panel.locator('[data-figure="step-times"]'), "export-csv")
    assert saved.splitlines()[0] == "line,x,y"


def test_a_zoom_is_in_the_address(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "steps")
    figure = panel.locator('[data-figure="step-times"]')
    expect(figure.locator("canvas").first).to_be_visible()
    box = figure.locator(".curve").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 90, steps=3)
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 140, steps=3)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"profiler\.zoom=step-times"))
    page.reload()
    figure.locator('[data-action="zoom-reset"]').click()
    expect(page).not_to_have_url(re.compile(r"profiler\.zoom="))


def test_memory_has_curves_and_holders(page: Page, shared: Serve, traced: Path) -> None:
    panel = open_page(page, shared("--logdir", traced), "memory")
    expect(panel.locator('[data-figure^="memory-"] canvas').first).to_be_visible()
    expect(panel.locator('[data-figure^="memory-"]').first).to_contain_text("MB")
