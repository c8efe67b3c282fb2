"""Published plugins of TensorBoard, unmodified."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.conformance.data_servers import until
from tests.conformance.tensorboard_hosts import python_with_both
from tests.conformance.tensorboard_servers import peer_environment
from tests.tensorboard.installed import install_examples

REPOSITORY = Path(__file__).parents[2]
_PLOTS = "/data/plugin/tensorboard_plugin_customizable_plots"


@frozen
class HostOfPlugins:
    """A running host."""

    url: str

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


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostOfPlugins]:
    """A host of the sample logs, with the published plugins and our two examples."""
    home = tmp_path_factory.mktemp("home")
    path = str(install_examples(home / "examples"))
    flags = ["--port=0", "--no-cache", f"--state-dir={home / 'state'}", "--path-prefix=/below/here"]
    with ExitStack() as opened:
        log = opened.enter_context((home / "log").open("wb"))
        process = opened.enter_context(
            subprocess.Popen(
                [
                    python_with_both(),
                    "-m",
                    "insight_core.cli",
                    f"--logdir={REPOSITORY / 'examples/logs'}",
                    *flags,
                ],
                env=peer_environment(home, PYTHONPATH=path),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        )
        opened.callback(process.terminate)
        assert process.stdout is not None
        url = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
        running = HostOfPlugins(url.rstrip("/"))
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
    assert host.row("tensorboard")["enabled"]


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
