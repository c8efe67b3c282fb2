"""Published plugins for TensorBoard, unmodified, in the page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conformance.data_servers import until
from tests.conformance.tensorboard_hosts import insight_host, python_with_both

pytestmark = [pytest.mark.browser, pytest.mark.conformance]

CUSTOMIZABLE_PLOTS = "tensorboard_plugin_customizable_plots"


@pytest.fixture(scope="module", params=["", "/a/b"], ids=["at the root", "below a prefix"])
def host(
    request: pytest.FixtureRequest, sample_logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A host of the samples of PyTorch."""
    place, prefix = tmp_path_factory.mktemp("host"), f"--path-prefix={request.param}"
    with insight_host(python_with_both(), place, f"--logdir={sample_logs / 'torch'}", prefix) as url:
        yield url


def test_torch_tb_profiler(browser: Browser, host: str) -> None:
    page = browser.new_page()  # its charts are on a machine of Google's: without them an error of its own

    def read_runs() -> list[str]:
        answer = page.request.get(f"{host}/data/plugin/pytorch_profiler/runs")
        return list(answer.json()["runs"]) if answer.ok else []

    # it chooses the first of the runs that it has read when it is opened, and keeps this choice
    until(lambda: read_runs() == ["lr0.02_seed0", "lr0.02_seed1"])
    page.goto(f"{host}/#locale=en&tab=pytorch_profiler")
    frame = page.frame_locator('[data-plugin="pytorch_profiler"] iframe')
    for words in ("Runs", "lr0.02_seed0", "Overview", "vm_16580"):
        expect(frame.get_by_text(words, exact=True).first).to_be_visible()
    page.close()


def test_customizable_plots(page: Page, host: str) -> None:
    page.goto(f"{host}/#locale=en&tab={CUSTOMIZABLE_PLOTS}")
    # its module opens a frame of its own
    frame = page.frame_locator(f'[data-plugin="{CUSTOMIZABLE_PLOTS}"] iframe').frame_locator("iframe")
    expect(frame.get_by_text("train/loss").first).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_one_that_does_not_import_is_a_card(page: Page, host: str) -> None:
    page.goto(f"{host}/#locale=en&tab=tensorboard_3d")
    card = page.get_by_role("alert")
    expect(card).to_contain_text("tensorboard_3d could not be shown")
    expect(card).to_contain_text("No module named 'tensorflow' (from tensorboard-plugin-3d)")


def _node(name: str, parent: str, children: Sequence[str] = ()) -> dict[str, object]:
    """A node of a graph as msprobe dumps it."""
    lists = ("stack_info", "matched_node_link")
    return {
        "id": name,
        "node_type": 0 if children else 1,
        "input_data": {},
        "output_data": {},
        "upnode": parent,
        "subnodes": list(children),
        "micro_step_id": None,
    } | {field: [] for field in lists}


def test_tb_graph_ascend(page: Page, tmp_path: Path) -> None:
    """Which shows what Ascend's tools dump beside the logs; there need not be any run."""
    layers = ["Module.conv1.Conv2d.forward.0", "Module.fc.Linear.forward.0"]
    nodes = [_node("DefaultModel", "None", layers), *(_node(name, "DefaultModel") for name in layers)]
    graph = {"root": "DefaultModel", "node": {node["id"]: node for node in nodes}, "MicroSteps": 1}
    logs = tmp_path / "logs"
    logs.mkdir(mode=0o750)
    (logs / "lenet.vis").write_text(json.dumps(graph | {"Tooltips": "{}"}))
    (logs / "lenet.vis").chmod(0o640)
    with insight_host(python_with_both(), tmp_path, f"--logdir={logs}") as url:
        page.goto(f"{url}/#locale=en&tab=graph_ascend")
        frame = page.frame_locator('[data-plugin="graph_ascend"] iframe')
        expect(frame.locator("svg text").filter(has_text="DefaultModel").first).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
