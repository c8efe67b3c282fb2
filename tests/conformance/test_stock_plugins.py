"""Published plugins of TensorBoard, unmodified, without it and with it; the contract of data providers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from attrs import frozen

from tests.conformance.data_servers import until
from tests.conformance.stock_hosts import python_with_both
from tests.conformance.tensorboard_servers import peer_environment
from tests.tensorboard.installed import install_examples

REPOSITORY = Path(__file__).parents[2]
_PROFILER = "/data/plugin/pytorch_profiler"
_PLOTS = "/data/plugin/tensorboard_plugin_customizable_plots"


@frozen
class HostOfPlugins:
    """A running host."""

    url: str
    with_tensorboard: bool

    def get(self, path: str) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(self.url + path, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read()

    def json(self, path: str) -> Any:  # noqa: ANN401
        status, content = self.get(path)
        assert status == 200, content
        return json.loads(content)

    def row(self, name: str) -> dict[str, Any]:
        row: dict[str, Any] = self.json("/data/plugins_listing").get(name, {})
        return row


Command: TypeAlias = Callable[[], tuple[str, list[Path]]]


def _without_tensorboard() -> tuple[str, list[Path]]:
    plugins = os.environ.get("INSIGHT_PEER_PLUGINS")
    if not plugins:
        pytest.skip("INSIGHT_PEER_PLUGINS names no directory with plugins; see `make conformance`")
    return sys.executable, [Path(plugins)]


def _with_tensorboard() -> tuple[str, list[Path]]:
    return python_with_both(), []


@pytest.fixture(scope="module", params=[_without_tensorboard, _with_tensorboard], ids=["without", "with"])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostOfPlugins]:
    """A host of the sample logs, with the published plugins and our two examples."""
    command: Command = request.param
    python, plugins = command()
    home = tmp_path_factory.mktemp("home")
    path = os.pathsep.join(map(str, [*plugins, install_examples(home / "examples")]))
    flags = ["--port=0", "--no-cache", f"--state-dir={home / 'state'}", "--path-prefix=/below/here"]
    with ExitStack() as opened:
        log = opened.enter_context((home / "log").open("wb"))
        process = opened.enter_context(
            subprocess.Popen(
                [python, "-m", "insight_core.cli", f"--logdir={REPOSITORY / 'examples/logs'}", *flags],
                env=peer_environment(home, PYTHONPATH=path),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        )
        opened.callback(process.terminate)
        assert process.stdout is not None
        url = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
        running = HostOfPlugins(url.rstrip("/"), command is _with_tensorboard)
        names = ("tensorboard_3d", "greeting", "scalars_by_tag", "pytorch_profiler")
        until(lambda: all(running.row(name) for name in names))
        until(lambda: bool(running.json("/data/run_table")["progress"]["loaded_once"]))
        yield running


def test_they_are_listed(host: HostOfPlugins) -> None:
    for name, module in [
        ("pytorch_profiler", "/index.js"),
        ("tensorboard_plugin_customizable_plots", "/static/index.js"),
        ("scalars_by_tag", "/static/index.js"),
        ("greeting", "/index.js"),
    ]:
        # a listing waits for slow plugins a moment only; the page asks again, too
        until(lambda name=name: host.row(name)["enabled"])  # type: ignore[misc]
        row = host.row(name)
        assert "error" not in row
        path = f"/below/here/data/plugin/{name}{module}"
        assert row["loading_mechanism"] == {"type": "IFRAME", "module_path": path}
        status, content = host.get(f"/data/plugin/{name}{module}")
        assert status == 200
        assert b"render" in content
        status, content = host.get(f"/data/plugin_entry.html?name={name}")
        assert status == 200
        assert f'import(".{module}")'.encode() in content
    assert host.row("pytorch_profiler")["disable_reload"] is True
    assert bool(host.row("tensorboard")) is host.with_tensorboard


def test_one_that_cannot_be_imported_is_a_card(host: HostOfPlugins) -> None:
    row = host.row("tensorboard_3d")
    assert row["error"] == "ModuleNotFoundError: No module named 'tensorflow' (from tensorboard-plugin-3d)"
    assert row["enabled"] is False


def test_torch_tb_profiler_shows_a_profile(host: HostOfPlugins) -> None:
    until(lambda: host.json(f"{_PROFILER}/runs") == {"runs": ["torch/lr0.02_seed0"], "loading": False})
    run = urllib.parse.quote("torch/lr0.02_seed0", safe="")
    views = host.json(f"{_PROFILER}/views?run={run}")
    assert "Overview" in [view if isinstance(view, str) else view["view"] for view in views]
    [worker, *_] = host.json(f"{_PROFILER}/workers?run={run}&view=Overview")
    [span, *_] = host.json(f"{_PROFILER}/spans?run={run}&worker={worker}&view=Overview")
    overview = host.json(f"{_PROFILER}/overview?run={run}&worker={worker}&span={span}&view=Overview")
    assert overview["steps"]["rows"]
    status, page = host.get(f"{_PROFILER}/index.html")
    assert status == 200
    assert b"<script" in page


def test_customizable_plots_has_our_scalars(host: HostOfPlugins) -> None:
    runs = host.json("/data/runs")
    assert set(host.json(f"{_PLOTS}/runs")) == set(runs)
    data = host.json(f"{_PLOTS}/data")
    ours = host.json("/data/plugin/scalar/tags")
    assert {tag: set(of_tag) for tag, of_tag in data.items()} == {
        tag: {run for run in ours if tag in ours[run]} for tags in ours.values() for tag in tags
    }
    for run, tags in ours.items():
        for tag, row in tags.items():
            assert len(data[tag][run]["y"]) == row["points"]
            if isinstance(row["last_value"], float):
                assert data[tag][run]["y"][-1] == row["last_value"]


def test_examples_answer(host: HostOfPlugins) -> None:
    assert host.json("/data/plugin/greeting/flags")["greeting"] == "Hello"
    assert host.json("/data/plugin/greeting/where")["script"] == "/below/here"
    assert host.json("/data/plugin/greeting/child") == {"text": "Not found: a run"}
    tags = host.json("/data/plugin/scalars_by_tag/tags")
    assert tags == {run: sorted(of_run) for run, of_run in host.json("/data/plugin/scalar/tags").items()}


def test_the_suite_holds_for_the_provider_of_tensorboard(tmp_path: Path) -> None:
    command = [python_with_both(), "-m", "insight_core.plugin.testing.provider_suite"]
    environment = peer_environment(tmp_path, PYTHONPATH=str(Path(__file__).parent))
    done = subprocess.run(
        [*command, "provider_of_tensorboard:open_provider"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^(\d+) of \1 hold$", done.stdout, flags=re.MULTILINE)
