"""What a user does on the Profiler page, done in a real browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from insight_core.testing import EventWriter
from tests.browser.profiler_page import STEPS, TYPES, open_page, rows, write_trace

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    write_trace(tmp_path / "logs/fast/host_1.1700000000000.pt.trace.json")
    return tmp_path / "logs"


def save(page: Page, item: Locator, action: str | None = None) -> str:
    """What is saved when an item of a menu, or a link, is pressed."""
    with page.expect_download() as download:
        if action is None:
            item.click()
        else:
            item.locator('[data-action="export"]').click()
            item.locator(f'[data-action="{action}"]').click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_the_overview_says_where_time_goes(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir))
    facts = panel.get_by_test_id("facts")
    expect(facts.locator('[data-fact="steps"]')).to_contain_text(str(STEPS))
    expect(facts.locator('[data-fact="device"]')).to_contain_text("GPU")
    expect(panel.locator('[data-figure="steps"]').get_by_test_id("column")).to_have_count(STEPS)
    shares = panel.locator('[data-figure="shares"] [data-category]')
    expect(shares.first).to_be_visible()
    biggest = panel.locator('[data-figure="biggest-host"] ol button')
    expect(biggest.first).to_contain_text("aten::op00")
    biggest.first.click()
    expect(page).to_have_url(re.compile(r"profiler\.view=operators"))
    expect(panel.get_by_test_id("operator-panel")).to_contain_text("aten::op00")


def test_a_step_filters_every_view(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir))
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


def test_the_overview_follows_the_steps(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), steps="2-3")
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
    expect(lines).to_contain_text("rank 1", timeout=20_000)
    expect(panel.locator('[data-figure="ranks"]').get_by_test_id("column")).to_have_count(2)
    expect(panel.locator('[data-straggler="duration"]')).to_contain_text("Rank 1")
    lines.locator('[data-control="rank-time"]').select_option("kernel")
    expect(page).to_have_url(re.compile(r"profiler\.rank-time=kernel"))
    saved = list(csv.reader(save(page, lines, "export-csv").splitlines()))
    # in step 4 the kernels of all operators: half of 4 * 10 * (30 + ... + 6) µs
    of_four = {row[0]: float(row[2]) for row in saved[1:] if row[1] == "4"}
    assert of_four == {"rank 0": pytest.approx(9.0), "rank 1": pytest.approx(18.0)}
    lines.locator(".curve").click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=\d"))
    expect(panel.locator('[data-figure="ranks"] h3')).to_contain_text("steps")
    page.reload()
    expect(lines.locator('[data-control="rank-time"]')).to_have_value("kernel", timeout=20_000)
    page.go_back()
    expect(panel.locator('[data-figure="ranks"] h3')).not_to_contain_text("steps")


def test_pie_and_bars_show_twenty_and_the_rest(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", side="host")
    parts = panel.get_by_test_id("part")
    expect(parts).to_have_count(21)
    expect(parts.first).to_contain_text("aten::op00")
    expect(parts.last).to_contain_text(f"{TYPES - 20} others")
    expect(panel.locator("svg path[data-part]")).to_have_count(21)
    panel.locator('[data-control="chart"] [data-value="bars"]').click()
    expect(panel.locator("svg path[data-part]")).to_have_count(0)
    expect(parts).to_have_count(21)
    expect(page).to_have_url(re.compile(r"profiler\.chart=bars"))
    figure = panel.locator('[data-figure="operators-by-type"]')
    drawing = save(page, figure, "export-svg")
    assert "aten::op00" in drawing
    assert drawing.startswith("<svg")
    table = list(csv.reader(save(page, figure, "export-csv").splitlines()))
    assert len(table) == 22
    assert abs(sum(float(row[2]) for row in table[1:]) - 1) < 1e-6
    panel.locator('[data-control="chart"] [data-value="none"]').click()
    expect(parts).to_have_count(0)


def test_a_type_opens_and_its_operators_are_explained(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", side="host")
    panel.get_by_test_id("part").nth(2).click()
    expect(page).to_have_url(re.compile(r"profiler\.type=aten::op02"))
    grid = panel.get_by_test_id("grid-operators")
    expect(grid).to_have_attribute("data-rows", "1")
    grid.locator('[data-row="0"]').click()
    details = panel.get_by_test_id("operator-panel")
    expect(details.locator('[data-fact="calls"] dd')).to_have_text(str(STEPS))
    expect(details.locator('[data-figure="durations"]')).to_be_visible()
    expect(details.locator('[data-figure="by-step"]').get_by_test_id("column")).to_have_count(STEPS)
    page.reload()
    expect(details.locator('[data-fact="calls"] dd')).to_have_text(str(STEPS))
    details.locator('[data-action="close-panel"]').click()
    expect(details).to_have_count(0)
    panel.locator('[data-action="leave-type"]').click()
    expect(panel.get_by_test_id("part")).to_have_count(21)


def test_the_longest_call_leads_to_the_timeline(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", by="name", side="host")
    panel.get_by_test_id("grid-operators").locator('[data-row="0"]').click()
    details = panel.get_by_test_id("operator-panel")
    details.locator("ol.bars button", has_text="step 4").first.click()
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Timeline")
    expect(page).to_have_url(re.compile(r"profiler\.slice=\d+"))
    expect(panel.locator("#profiler-view canvas").first).to_be_visible()
    page.go_back()
    expect(details).to_contain_text("aten::op00")


def test_search_sort_columns_and_file(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", by="name", side="host")
    grid = panel.get_by_test_id("grid-operators")
    assert rows(panel, "operators", "name")[:2] == ["aten::op00", "aten::op01"]
    page.keyboard.press("s")
    page.keyboard.type("OP1")
    expect(grid).to_have_attribute("data-rows", "10")
    expect(panel.get_by_test_id("operators-count")).to_contain_text("10 of")
    panel.locator('[data-action="operators-regex"]').click()
    panel.locator("[data-search]").fill("op0[13]$")
    expect(grid).to_have_attribute("data-rows", "2")
    panel.locator("[data-search]").fill("op0[")
    expect(panel.locator("[data-search]")).to_have_attribute("aria-invalid", "true")
    expect(grid).to_have_attribute("data-rows", "2")  # what was there stays
    panel.locator("[data-search]").fill("")
    expect(panel.locator("[data-search]")).to_have_attribute("aria-invalid", "false")
    head = grid.locator('.head [data-column="name"]')
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("aten::op24")
    panel.locator('[data-action="columns"]').click()
    page.locator('dialog [data-column="p95"]').click()
    page.keyboard.press("Escape")
    expect(grid.locator('.head [data-column="p95"]')).to_have_count(0)
    table = list(csv.reader(save(page, panel.locator('[data-action="download"]')).splitlines()))
    assert "p95_ns" not in table[0]
    assert table[0][0] == "name"
    assert table[1][0] == "aten::op24"
    total = table[0].index("total_ns")
    assert int(table[1][total]) == sum(step * 6 * 10_000 for step in range(1, STEPS + 1))
    page.reload()
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("aten::op24")
    expect(grid.locator('.head [data-column="p95"]')).to_have_count(0)


def test_times_stand_in_one_unit(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", by="name", side="host")
    head = panel.get_by_test_id("grid-operators").locator('.head [data-column="total"]')
    cell = panel.get_by_test_id("grid-operators").locator('[data-row="0"] [data-column="total"]')
    panel.locator('[data-control="unit"]').select_option("us")
    expect(head).to_contain_text("(µs)")
    expect(cell).to_have_text("3,000.000")
    panel.locator('[data-control="unit"]').select_option("ms")
    expect(head).to_contain_text("(ms)")
    expect(cell).to_have_text("3.000")


def test_the_keyboard_is_enough(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "operators", by="name", side="host")
    grid = panel.get_by_test_id("grid-operators")
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(panel.get_by_test_id("operator-panel")).to_contain_text("aten::op01")
    page.keyboard.press("Escape")
    expect(panel.get_by_test_id("operator-panel")).to_have_count(0)
    page.keyboard.press("n")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Kernels")
    page.keyboard.press("Shift+N")
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Operators")
    page.keyboard.press("n")
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


def test_kernels_by_name_operator_and_grid(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "kernels")
    assert rows(panel, "kernels", "name")[0] == "kernel_00"
    panel.locator('[data-control="group"] [data-value="operator"]').click()
    grid = panel.get_by_test_id("grid-kernels")
    expect(grid.locator('[data-row="0"] [data-column="operator"]')).to_have_text("aten::op00")
    grid.locator('[data-row="0"]').click()
    expect(grid).to_have_attribute("data-rows", "1")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text("kernel_00")
    expect(grid.locator('[data-row="0"] [data-column="grid"]')).to_contain_text("8")


def test_the_course_of_a_step_is_drawn(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "steps")
    trace = panel.locator('[data-figure="step-trace"]')
    expect(trace).to_contain_text(f"Average of {STEPS} steps")
    trace.locator('[data-action="step-after"]').click()
    expect(trace).to_contain_text("Course of step 1")
    trace.locator('[data-action="step-after"]').click()
    expect(page).to_have_url(re.compile(r"profiler\.steps=2(&|$)"))
    expect(trace.get_by_test_id("bar").first).to_have_attribute("data-bar", "step 2")
    panel.get_by_test_id("grid-steps").locator('[data-row="3"]').click()
    expect(trace).to_contain_text("Course of step 4")
    trace.locator('[data-control="step-average"] [data-value="average"]').click()
    expect(trace).to_contain_text("Average of")
    expect(panel.locator('[data-figure="step-times"] canvas').first).to_be_visible()
    saved = save(page, panel.locator('[data-figure="step-times"]'), "export-csv")
    assert saved.splitlines()[0] == "line,x,y"


def test_a_zoom_is_in_the_address(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "steps")
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


def test_memory_has_curves_and_holders(page: Page, serve: Serve, logdir: Path) -> None:
    panel = open_page(page, serve("--logdir", logdir), "memory")
    expect(panel.locator('[data-figure^="memory-"] canvas').first).to_be_visible()
    expect(panel.locator('[data-figure^="memory-"]').first).to_contain_text("MB")


def test_two_profiles_are_compared(page: Page, serve: Serve, logdir: Path) -> None:
    slower = {"aten::op05": 3.0, "aten::op09": 0.5}
    write_trace(logdir / "slow/host_1.1700000001000.pt.trace.json", slower=slower)
    panel = open_page(
        page, serve("--logdir", logdir), run="slow", profile="host_1.1700000001000.pt.trace.json", side="host"
    )
    page.keyboard.press("c")
    picker = page.locator('dialog[data-dialog="pick-base"]')
    picker.locator("[data-profile]").first.click()
    grid = panel.get_by_test_id("grid-compare")
    first = grid.locator('[data-row="0"]')
    expect(first.locator('[data-column="type"]')).to_have_text("aten::op05")
    expect(first.locator(".slower .number")).to_have_text("+5.000")
    expect(first.locator('[data-column="ratio"]')).to_contain_text("3.01")  # its launch takes 2 µs in both
    expect(grid.locator('[data-row="1"] .faster .number')).to_have_text("\N{MINUS SIGN}1.050")
    expect(panel.get_by_test_id("compared")).to_contain_text("longer")
    page.reload()
    expect(first.locator(".slower .number")).to_have_text("+5.000")
    panel.locator('[data-action="swap"]').click()
    expect(first.locator(".faster .number")).to_have_text("\N{MINUS SIGN}5.000")
    panel.locator('[data-control="per"] [data-value="step"]').click()
    expect(first.locator(".faster .number")).to_have_text("\N{MINUS SIGN}1.250")


def test_profiles_are_chosen_by_search_and_keys(page: Page, serve: Serve, logdir: Path) -> None:
    for rank in range(3):
        write_trace(logdir / f"ranks/host{rank}_1.170000000{rank}000.pt.trace.json")
    panel = open_page(page, serve("--logdir", logdir))
    page.keyboard.press("p")
    picker = page.locator('dialog[data-dialog="pick-profile"]')
    expect(picker.locator("[data-profile]")).to_have_count(4)
    page.keyboard.type("ranks host2")
    expect(picker.locator("[data-profile]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(picker).to_have_count(0)
    expect(panel.locator('[data-action="pick-profile"]')).to_contain_text("host2")
    expect(page).to_have_url(re.compile(r"profiler\.run=ranks"))
    page.reload()
    expect(panel.locator('[data-action="pick-profile"]')).to_contain_text("host2")


def test_profiles_of_runs_that_are_not_selected_are_counted(page: Page, serve: Serve, tmp_path: Path) -> None:
    for number in range(42):  # the newest 40 are selected
        write_trace(tmp_path / f"logs/run{number:02d}/host_1.{number}.pt.trace.json")
    open_page(page, serve("--logdir", tmp_path / "logs"))
    page.keyboard.press("p")
    picker = page.locator('dialog[data-dialog="pick-profile"]')
    expect(picker.get_by_test_id("elsewhere")).to_have_text("2 more in runs that are not selected")
    picker.locator('[data-control="profile-search"]').fill("no such run")
    expect(picker).to_contain_text("No profile matches")
    expect(picker.get_by_test_id("elsewhere")).to_have_count(0)


def test_texts_of_a_log_are_texts(page: Page, serve: Serve, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=\"document.title='taken'\">&amp;=cmd()"
    write_trace(tmp_path / "logs/run/host_1.1700000000000.pt.trace.json", names={0: hostile})
    panel = open_page(page, serve("--logdir", tmp_path / "logs"), "operators", by="name", side="host")
    grid = panel.get_by_test_id("grid-operators")
    expect(grid.locator('[data-row="0"] [data-column="name"]')).to_have_text(hostile)
    grid.locator('[data-row="0"]').click()
    expect(panel.get_by_test_id("operator-panel")).to_contain_text(hostile)
    panel.get_by_role("tab", name="Overview").click()
    expect(panel.locator('[data-figure="biggest-host"]')).to_contain_text(hostile)
    assert page.title() != "taken"
    assert page.locator("img[src=x]").count() == 0


def test_what_is_being_read_shows_what_is_there(page: Page, serve: Serve, logdir: Path) -> None:
    url = serve("--logdir", logdir)
    done = False

    def partly(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        if not done:
            body |= {"state": "reading", "complete": False, "read": 40, "total": 100}
        route.fulfill(response=answer, body=json.dumps(body))

    open_page(page, url)  # it is read now
    page.route(re.compile(r"/profiler/profile\?"), partly)
    page.reload()
    panel = page.get_by_test_id("profiler")
    reading = panel.get_by_test_id("reading")
    expect(reading).to_contain_text("40%")
    expect(reading).to_contain_text("so far")
    expect(panel.locator('[data-figure="steps"]')).to_be_visible()
    done = True
    expect(reading).to_have_count(0)
    expect(panel.locator('[data-figure="steps"]')).to_be_visible()


def test_a_baseline_that_is_being_read_is_waited_for(page: Page, serve: Serve, logdir: Path) -> None:
    write_trace(logdir / "slow/host_1.1700000001000.pt.trace.json", slower={"aten::op05": 3.0})
    asked = 0

    def later(route: Route) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            route.continue_()
        else:
            route.fulfill(status=503, content_type="application/json", body='{"error": "being read (40%)"}')

    page.route(re.compile(r"/profiler/compare\?"), later)
    panel = open_page(
        page,
        serve("--logdir", logdir),
        "compare",
        run="slow",
        profile="host_1.1700000001000.pt.trace.json",
        base_run="fast",
        base="host_1.1700000000000.pt.trace.json",
    )
    expect(panel.locator(".waits")).to_contain_text("being read (40%)")
    expect(panel.get_by_test_id("grid-compare")).to_be_visible()
    expect(panel.locator(".waits")).to_have_count(0)


def test_what_cannot_be_read_says_why(page: Page, serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "run/host_1.1700000000000.pt.trace.json"
    path.parent.mkdir()
    path.write_text("<html>no trace</html>")
    page.goto(f"{serve('--logdir', tmp_path)}#tab=profiler&locale=en")
    empty = page.get_by_test_id("profiler").get_by_test_id("empty")
    expect(empty).to_contain_text("This profile cannot be read", timeout=15_000)
    expect(empty).to_contain_text("host_1.1700000000000.pt.trace.json")


def test_without_profiles_it_says_how_they_are_written(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.text("note", 0, "nothing else")
    page.goto(f"{serve('--logdir', tmp_path)}#tab=profiler&locale=en")
    empty = page.get_by_test_id("profiler").get_by_test_id("empty")
    expect(empty).to_contain_text("The selected runs have no profiles")
    expect(empty).to_contain_text("torch.profiler")
