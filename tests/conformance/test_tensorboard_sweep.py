"""Every route of TensorBoard answers at /tensorboard/ as it does on TensorBoard's own loaders."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.conformance.mindspore_dashboards import check_mindspore
from tests.conformance.tensorboard_differences import ALWAYS, PYTHON, RUST, Difference, unexplained
from tests.conformance.tensorboard_hosts import insight_host, python_with_both, without_further_plugins
from tests.conformance.tensorboard_servers import settled, tensorboard
from tests.conformance.tensorboard_sweep import Exchange, Sweep

Answers: TypeAlias = dict[str, Exchange]
Ask: TypeAlias = Callable[[str, str], Answers]

LOGS = ("torch", "keras")
LOADERS = {"rust": ("--load_fast=true", RUST), "python": ("--load_fast=false", PYTHON)}


@pytest.fixture(scope="module")
def python() -> str:
    return python_with_both()


def _everything(url: str) -> Answers:
    shown = {f"dashboards: {name}": {"status": 200, "body": body} for name, body in settled(url).items()}
    return shown | Sweep(url).everything()


@pytest.fixture(scope="module")
def answers(python: str, peer: str, sample_logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """What is answered of a log: "ours", at our "routes" beside the page, by "rust" or by "python"."""
    asked: dict[tuple[str, str], Answers] = {}

    def ask(log: str, side: str) -> Answers:
        if (log, side) not in asked:
            place, logdir = tmp_path_factory.mktemp("tensorboard"), f"--logdir={sample_logs / log}"
            if side in LOADERS:
                with tensorboard(peer, place, logdir, LOADERS[side][0]) as url:
                    asked[log, side] = _everything(url)
            else:
                with insight_host(python, place, logdir, *without_further_plugins(python)) as url:
                    asked[log, "ours"] = _everything(f"{url}/tensorboard")
                    asked[log, "routes"] = Sweep(url).everything(page=False)
        return asked[log, side]

    return ask


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("loader", LOADERS)
def test_every_answer_is_the_same_but_for_what_is_listed(answers: Ask, loader: str, log: str) -> None:
    ours, theirs = answers(log, "ours"), answers(log, loader)
    assert ours.keys() == theirs.keys()
    different, _ = unexplained(ours, theirs, LOADERS[loader][1])
    assert different == []


@pytest.mark.parametrize("loader", LOADERS)
def test_every_difference_that_is_listed_is_there(answers: Ask, loader: str) -> None:
    met: set[Difference] = set()
    for log in LOGS:
        met |= unexplained(answers(log, "ours"), answers(log, loader), LOADERS[loader][1])[1]
    assert _reasons(set(LOADERS[loader][1]) - met) == []


@pytest.mark.parametrize("log", LOGS)
def test_nothing_is_sniffed(answers: Ask, log: str) -> None:
    asked = {name: answer for name, answer in answers(log, "ours").items() if not name.startswith("dash")}
    assert [name for name, answer in asked.items() if answer["x-content-type-options"] != "nosniff"] == []


OF_OUR_TABS = re.compile(r"/data/plugin/(audio|mesh|pr_curves|text)/")


@pytest.mark.parametrize("log", LOGS)
def test_plugins_answer_beside_the_page_too(answers: Ask, log: str) -> None:
    """Front ends and scripts that call ``/data/plugin/scalars/...`` keep working.

    Where a tab of ours has the name of TensorBoard's plugin, it answers.
    """
    asked = answers(log, "routes").items()
    routes = {request: answer for request, answer in asked if not OF_OUR_TABS.search(request)}
    assert len(routes) > 100
    different, _ = unexplained(routes, answers(log, "ours"), ())
    assert different == []
    different, _ = unexplained(routes, answers(log, "rust"), RUST)
    assert different == []


def _reasons(differences: set[Difference]) -> list[str]:
    return sorted(f"{one.requests}: {one.reason}" for one in differences)


def test_a_mindspore_log_is_shown(python: str, sample_logs: Path, tmp_path: Path) -> None:
    logdir = sample_logs / "mindspore"
    with insight_host(python, tmp_path, f"--logdir={logdir}") as url:
        check_mindspore(settled(f"{url}/tensorboard"), logdir)


def test_below_a_prefix(python: str, sample_logs: Path, tmp_path: Path, answers: Ask) -> None:
    logdir = f"--logdir={sample_logs / 'torch'}"
    flags = [logdir, "--path-prefix=/a/b", *without_further_plugins(python)]
    with insight_host(python, tmp_path, *flags) as url:
        assert url.endswith("/a/b")
        sweep = Sweep(f"{url}/tensorboard")
        shown = sweep.everything()
        slash = sweep.exchange("GET", "?x=1")
        outside = Sweep(url.removesuffix("/a/b")).exchange("GET", "/tensorboard/")
    assert (slash["status"], slash["location"]) == (301, "tensorboard/?x=1")
    assert outside["status"] == 404
    listing = shown["GET /data/plugins_listing"]["body"]
    projector = listing["projector"]["loading_mechanism"]["module_path"]
    assert projector == "/a/b/tensorboard/data/plugin/projector/index.js"
    ours = {name: answer for name, answer in answers("torch", "ours").items() if name in shown}
    moved = Difference("", "plugins_listing", lambda exchange: {**exchange, "body": None})
    different, _ = unexplained(shown, ours, (*ALWAYS, moved))
    assert different == []


@pytest.mark.parametrize("load", ["server", "rust"])
def test_whoever_reads_the_logs(
    python: str, sample_logs: Path, tmp_path: Path, answers: Ask, load: str
) -> None:
    """Dashboards show the same over gRPC, from our data server and from TensorBoard's."""
    flags = [f"--logdir={sample_logs / 'torch'}", f"--load={load}", *without_further_plugins(python)]
    with insight_host(python, tmp_path, *flags) as url:
        shown = settled(f"{url}/tensorboard")
    ours = answers("torch", "ours")
    assert [name for name, body in shown.items() if body != ours[f"dashboards: {name}"]["body"]] == []


def test_further_plugins_are_tabs_of_it_too(python: str, sample_logs: Path, tmp_path: Path) -> None:
    """Who asks for the page waits for them, and one that cannot be imported does no harm."""
    with insight_host(python, tmp_path, f"--logdir={sample_logs / 'torch'}") as url:
        sweep = Sweep(f"{url}/tensorboard")
        assert sweep.exchange("GET", "/")["status"] == 200
        listing = sweep.exchange("GET", "/data/plugins_listing")["body"]
        assert {"scalars", "projector", "pytorch_profiler", "tensorboard_plugin_customizable_plots"} <= set(
            listing
        )
        for name in ("pytorch_profiler", "tensorboard_plugin_customizable_plots"):
            mechanism = listing[name]["loading_mechanism"]
            assert mechanism["type"] == "IFRAME"
            module = mechanism["module_path"].removeprefix("/tensorboard")
            assert sweep.exchange("GET", module)["status"] == 200
            entry = sweep.exchange("GET", f"/data/plugin_entry.html?name={name}")
            assert f'<base href="plugin/{name}/" />'.encode() in entry["body"]


def test_where_tensorboard_is_disabled_there_is_no_page(
    python: str, sample_logs: Path, tmp_path: Path
) -> None:
    flags = [f"--logdir={sample_logs / 'torch'}", "--disable-plugin=tensorboard"]
    with insight_host(python, tmp_path, *flags) as url:
        here = Sweep(url)
        assert here.exchange("GET", "/tensorboard/")["status"] == 404
        assert here.exchange("GET", "/data/plugin/scalars/tags")["status"] == 404
        assert "tensorboard" not in here.exchange("GET", "/data/plugins_listing")["body"]
