"""Peers as oracles: each in an environment of its own, asked in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import insight_scalar
import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import ScalarQuery
from insight_core.providers.local import LocalProvider
from tests.conformance.recorded import write_everything

Scalars: TypeAlias = dict[str, dict[str, list[list[Any]]]]
Oracle: TypeAlias = Callable[..., Any]

REPOSITORY = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.conformance)


def _oracle(peer: str, script: str, directories: pytest.TempPathFactory) -> Oracle:
    variable, workspace = f"INSIGHT_PEER_{peer.upper()}", directories.mktemp(peer)
    python = os.environ.get(variable)
    if not python:
        pytest.skip(
            f"{variable} does not name the Python of an environment with the peer; see `make conformance`"
        )

    def ask(logdir: Path, *arguments: str) -> Any:  # noqa: ANN401
        environment = {**os.environ, "HOME": str(workspace), "MINDINSIGHT_WORKSPACE": str(workspace)}
        for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
            environment.pop(name, None)
        command = [python, str(Path(__file__).with_name(script)), str(logdir), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
        if done.returncode:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}")
        return json.loads(done.stdout)

    return ask


def _oracle_of(peer: str, script: str) -> Oracle:
    """A fixture that asks a script in the environment of a peer."""

    @pytest.fixture(scope="session")
    def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
        return _oracle(peer, script, tmp_path_factory)

    return oracle


@pytest.fixture(scope="session")
def peer() -> str:
    """The Python of an environment with TensorBoard and tensorboardX."""
    python = os.environ.get("INSIGHT_PEER_TENSORBOARD")
    if not python:
        pytest.skip("INSIGHT_PEER_TENSORBOARD names no Python with TensorBoard; see `make conformance`")
    return python


# Scalars below a directory as TensorBoard's EventAccumulator reads them, nothing sampled.
tensorboard = _oracle_of("tensorboard", "oracle_tensorboard.py")
# Scalars below a directory as MindInsight's loader has them, nothing sampled; "read" or "kept".
mindinsight = _oracle_of("mindinsight", "oracle_mindinsight.py")
# Images, histograms and tensors as TensorBoard's EventAccumulator reads them, nothing sampled.
tensorboard_payloads = _oracle_of("tensorboard", "oracle_tensorboard_payloads.py")
# The same as MindInsight's loader reads them ("read"), or as its REST API has them ("answers").
mindinsight_payloads = _oracle_of("mindinsight", "oracle_mindinsight_payloads.py")
# What TensorBoard's graph plugin answers.
tensorboard_graphs = _oracle_of("tensorboard", "oracle_tensorboard_graphs.py")
# Every layer of every graph as MindInsight's REST API answers it.
mindinsight_graphs = _oracle_of("mindinsight", "oracle_mindinsight_graphs.py")
# What MindInsight answers to a search for lineage.
mindinsight_lineage = _oracle_of("mindinsight", "oracle_mindinsight_lineage.py")
# What MindInsight's profiler routes answer; it writes beside the files.
mindinsight_profiles = _oracle_of("mindinsight", "oracle_mindinsight_profiles.py")
# Session groups as TensorBoard's hparams plugin answers them.
tensorboard_hparams = _oracle_of("tensorboard", "oracle_tensorboard_hparams.py")
# Landscapes below a directory as MindInsight's LandscapeProcessor answers.
mindinsight_landscapes = _oracle_of("mindinsight", "oracle_mindinsight_landscapes.py")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of value in both dialects, written by SummaryRecord."""
    logs = tmp_path_factory.mktemp("recorded")
    write_everything(logs)
    return logs


@pytest.fixture
def insight() -> Iterator[Callable[..., Scalars]]:
    """The same of this host; ``attempts`` as in ScalarQuery."""
    providers = []

    def read(logdir: Path, attempts: str = "last") -> Scalars:
        provider = LocalProvider(
            [Logdir(str(logdir))], [insight_scalar.insight_plugin()], reload_interval=0, folds=False
        )
        providers.append(provider)
        provider.load()
        keys = [info.key for info in provider.series("scalar")]
        found: Scalars = {}
        query = ScalarQuery(attempts="all" if attempts == "all" else "last")
        for key, columns in provider.scalars("scalar", keys, query).items():
            found.setdefault(key.run, {})[key.tag] = [
                [step, wall_time.hex(), value.hex()]
                for step, wall_time, value in zip(
                    columns.steps.tolist(), columns.wall_times.tolist(), columns.values.tolist(), strict=True
                )
            ]
        return found

    yield read
    for provider in providers:
        provider.close()


@pytest.fixture(params=["shared/mindspore", "shared/torch", "shared/keras", "examples"])
def logs(request: pytest.FixtureRequest) -> Path:
    """Directories of real logs: those committed as examples, and the larger ones beside the repository."""
    place = str(request.param)
    if place == "examples":
        return REPOSITORY / "examples" / "logs"
    directory = REPOSITORY.parent / "shared" / "data" / place.removeprefix("shared/")
    if not directory.is_dir():
        pytest.skip(f"the real logs at {directory} are not on this machine")
    return directory
