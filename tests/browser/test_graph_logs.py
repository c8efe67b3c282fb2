"""The Graphs page on logs of every kind: several runs, broken ones, profiles, growing ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_authoring.testing.wire import event, int_field, message_field
from insight_core.plugin.testing import EventWriter
from tests.browser.graph_page import LENET, frame, node, opened
from tests.browser.header import choose_in_page_menu
from tests.browser.waiting import until
from tests.support.graphs import tensorflow_node

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_graphs_of_other_runs_and_kinds(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs), "filter=lenet_lr0.01$|lr0.2_seed0|fit/train")
    named = panel.get_by_test_id("graph-panel")
    # the run panel chooses one of the runs with a graph; the newest, until the user says otherwise
    rows = page.locator(".ih-run")
    expect(rows).to_have_count(3)
    shown = page.locator('.ih-run[aria-selected="true"]')
    expect(shown).to_have_attribute("data-run", "mindspore/lenet_lr0.01")
    page.locator('[data-run="keras/fit/train"]').click()
    expect(named.locator("h3")).to_have_text("keras")
    expect(named).to_contain_text("layers")
    page.locator('[data-run="torch/lr0.2_seed0"]').click()
    expect(panel.locator('[data-testid="frame"][data-name="Sequential"]')).to_be_attached()
    expect(page).to_have_url(re.compile(r"run=torch/lr0.2_seed0"))
    page.reload()
    expect(panel.locator('[data-testid="frame"][data-name="Sequential"]')).to_be_attached()
    # back to another graph is back to what was opened in it
    panel.locator('[data-testid="frame"][data-name="Sequential"] [data-switch]').click()
    expect(panel.get_by_test_id("frame")).to_have_count(0)
    page.locator('[data-run="keras/fit/train"]').click()
    expect(panel.locator('[data-testid="node"][data-name="flatten"]')).to_be_attached()
    page.go_back()
    expect(shown).to_have_attribute("data-run", "torch/lr0.2_seed0")
    expect(panel.locator('[data-testid="node"][data-name="Sequential"]')).to_be_attached()
    expect(panel.get_by_test_id("frame")).to_have_count(0)
    page.locator('[data-run="keras/fit/train"]').dblclick()
    expect(panel.locator('[data-testid="node"][data-name="flatten"]')).to_be_attached()
    expect(page.locator('[data-run="keras/fit/validation"]')).to_have_count(0)  # has no graph


def test_a_graph_that_cannot_be_read_says_why(page: Page, shared: Serve, sample_logs: Path) -> None:
    url = shared("--logdir", sample_logs)
    page.route(
        "**/graph/scope?*",
        lambda route: route.fulfill(status=422, json={"error": "run x, record 0: cut off"}),
    )
    page.goto(f"{url}#locale=en&tab=graph&{LENET}")
    panel = page.locator('[data-plugin="graph"]')
    expect(panel.get_by_test_id("empty")).to_contain_text("run x, record 0: cut off")
    page.unroute("**/graph/scope?*")
    panel.locator('[data-action="retry"]').click()
    expect(panel.get_by_test_id("node").first).to_be_attached()


def test_a_run_with_only_dumps_shows_their_statistics(page: Page, serve: Serve, tmp_path: Path) -> None:
    head = "Op Type,Op Name,IO,Slot,Data Type,Shape,Max Value,Min Value,Avg Value\n"
    for run, most in (("one", 2.5), ("two", 2.75)):
        (tmp_path / run).mkdir()
        (tmp_path / run / "statistic.csv").write_text(
            f'{head}Conv2D,net/conv,output,0,float32,"(1,2)",{most},-1,0\n'
        )
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en&tab=graph&runs=one")
    panel = page.locator('[data-plugin="graph"]')
    expect(panel.get_by_test_id("empty")).to_contain_text("one · statistic.csv")
    panel.locator('[data-action="show-dumps"]').click()
    dialog = page.get_by_test_id("precision")
    expect(dialog).to_contain_text("1 tensor")
    expect(dialog.get_by_role("row").last).to_contain_text("net/conv · output 0")
    expect(dialog.get_by_role("row").last).to_contain_text("max 2.5")
    page.keyboard.press("Escape")
    page.locator('[data-run="two"]').click()
    expect(panel.get_by_test_id("empty")).to_contain_text("2 tensor dumps")
    panel.locator('[data-action="show-dumps"]').click()
    expect(dialog).to_contain_text("1 of 1 tensors differs")
    expect(dialog.get_by_role("row").last).to_contain_text("max 2.75")


def test_a_graph_that_comes_later(page: Page, serve: Serve, tmp_path: Path) -> None:
    def write(run: str, time: float, nodes: int) -> None:
        graph = b"".join(tensorflow_node(f"{run}{number}", f"Op{number}") for number in range(nodes))
        with EventWriter(tmp_path / run) as writer:
            writer.event(event(0, time, message_field(4, graph)))

    write("first", 100.0, 2)
    panel = opened(page, serve("--logdir", tmp_path), "")
    status = panel.get_by_test_id("graph-status")
    expect(panel.get_by_test_id("graph-panel")).to_contain_text("first")
    expect(status).to_contain_text("2 nodes in all")
    write("second", 200.0, 3)
    # nobody has looked closer: the newest
    expect(status).to_contain_text("3 nodes in all")
    node(panel, "second1").click()
    write("third", 300.0, 4)
    expect(page.locator(".ih-run")).to_have_count(3)
    expect(page.locator('.ih-run[aria-selected="true"]')).to_have_attribute("data-run", "second")
    expect(page).to_have_url(re.compile("graph.graph=second;"))
    expect(panel.get_by_test_id("node-panel")).to_have_attribute("data-node", "second1")


def test_what_was_asked_for_while_the_host_was_away_comes_when_it_is_back(
    page: Page, shared: Serve, sample_logs: Path
) -> None:
    panel = opened(page, shared("--logdir", sample_logs), f"{LENET}&graph.open=~")
    page.route("**/data/plugin/graph/**", lambda route: route.abort())
    node(panel, "Default").dblclick(position={"x": 10, "y": 10})
    panel.locator('[data-control="search"]').fill("relu")
    expect(panel.get_by_test_id("searching")).to_be_visible()
    expect(panel.locator(".surface.busy")).to_have_count(1)
    panel.locator('[data-action="search-cancel"]').click()
    expect(panel.get_by_test_id("results")).to_have_count(0)
    page.unroute("**/data/plugin/graph/**")
    expect(frame(panel, "Default")).to_be_attached()
    expect(panel.get_by_test_id("node-panel")).to_have_attribute("data-node", "Default")


def _times(micros: dict[str, int]) -> bytes:
    """RunMetadata of one device."""
    nodes = [
        message_field(1, name.encode()) + int_field(2, 1) + int_field(5, time)
        for name, time in micros.items()
    ]
    device = message_field(1, b"/device:GPU:0") + b"".join(message_field(2, one) for one in nodes)
    return message_field(1, message_field(1, device))


def test_times_devices_control_edges_and_what_is_broken(page: Page, serve: Serve, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    graph = b"".join(
        [
            tensorflow_node("in", "Placeholder", device="/device:CPU:0", shape=[2, 3]),
            tensorflow_node("slow", "MatMul", ["in"], device="/device:GPU:0", shape=[2, 3]),
            tensorflow_node("quick", "Relu", ["slow", "^in", "nowhere"], device="/device:GPU:0"),
            tensorflow_node(hostile, "Identity", ["quick"]),
        ]
    )
    with EventWriter(tmp_path / "run") as writer:
        writer.event(event(0, 1.0, message_field(4, graph)))
        profile = message_field(1, b"step1") + message_field(2, _times({"slow": 90_000, "quick": 15}))
        writer.event(event(1, 2.0, message_field(8, profile)))
    page.on("dialog", lambda _: pytest.fail("a name was taken for a page"))
    panel = opened(page, serve("--logdir", tmp_path), "")
    expect(panel.locator('[data-edge="control"]')).to_have_count(1)
    expect(panel.locator('[data-edge="control"] path').first).to_have_attribute(
        "stroke-dasharray", re.compile("5")
    )
    expect(panel.locator('[data-legend="control"]')).to_be_visible()
    color = panel.locator('[data-control="color"]')
    color.select_option("device")
    expect(panel.get_by_test_id("legend")).to_contain_text("/device:GPU:0")
    color.select_option("time")
    expect(panel.locator('[data-legend="times"]')).to_contain_text("90 ms")
    outlines = [node(panel, name).locator("rect").last for name in ("slow", "quick", "in")]
    until(page, lambda: len({outline.get_attribute("fill") for outline in outlines}) == 3)
    node(panel, "quick").click()
    side = panel.get_by_test_id("node-panel")
    expect(side.locator('[data-fact="time"]')).to_contain_text("15")
    expect(side.locator(".missing")).to_contain_text("nowhere")
    panel.locator('[data-action="notices"]').click()
    notices = page.get_by_role("dialog").get_by_test_id("notices")
    expect(notices).to_contain_text("nowhere")
    expect(notices).to_contain_text("Inputs that are missing from the graph")
    page.keyboard.press("Escape")
    choose_in_page_menu(page, "locale-zh-CN")
    panel.locator('[data-action="notices"]').click()
    expect(notices).to_contain_text("图中缺失的输入")
    expect(notices).to_contain_text("quick 的输入")
