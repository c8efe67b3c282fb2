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


@pytest.fixture(scope="session")
def peer() -> str:
    """The Python of an environment with TensorBoard and tensorboardX."""
    python = os.environ.get("INSIGHT_PEER_TENSORBOARD")
    if not python:
        pytest.skip("INSIGHT_PEER_TENSORBOARD names no Python with TensorBoard; see `make conformance`")
    return python


@pytest.fixture(scope="session")
def tensorboard(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Scalars below a directory as TensorBoard's EventAccumulator reads them, nothing sampled."""
    return _oracle("tensorboard", "oracle_tensorboard.py", tmp_path_factory)


@pytest.fixture(scope="session")
def mindinsight(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Scalars below a directory as MindInsight's loader has them, nothing sampled; "read" or "kept"."""
    return _oracle("mindinsight", "oracle_mindinsight.py", tmp_path_factory)


@pytest.fixture(scope="session")
def tensorboard_payloads(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Images, histograms and tensors as TensorBoard's EventAccumulator reads them, nothing sampled."""
    return _oracle("tensorboard", "oracle_tensorboard_payloads.py", tmp_path_factory)


@pytest.fixture(scope="session")
def mindinsight_payloads(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """The same as MindInsight's loader reads them ("read"), or as its REST API has them ("answers")."""
    return _oracle("mindinsight", "oracle_mindinsight_payloads.py", tmp_path_factory)


@pytest.fixture(scope="session")
def tensorboard_graphs(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """What TensorBoard's graph plugin answers."""
    return _oracle("tensorboard", "oracle_tensorboard_graphs.py", tmp_path_factory)


@pytest.fixture(scope="session")
def mindinsight_graphs(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Every layer of every graph as MindInsight's REST API answers it."""
    return _oracle("mindinsight", "oracle_mindinsight_graphs.py", tmp_path_factory)


@pytest.fixture(scope="session")
def mindinsight_lineage(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """What MindInsight answers to a search for lineage."""
    return _oracle("mindinsight", "oracle_mindinsight_lineage.py", tmp_path_factory)


@pytest.fixture(scope="session")
def mindinsight_profiles(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """What MindInsight's profiler routes answer; it writes beside the files."""
    return _oracle("mindinsight", "oracle_mindinsight_profiles.py", tmp_path_factory)


@pytest.fixture(scope="session")
def tensorboard_hparams(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Session groups as TensorBoard's hparams plugin answers them."""
    return _oracle("tensorboard", "oracle_tensorboard_hparams.py", tmp_path_factory)


@pytest.fixture(scope="session")
def mindinsight_landscapes(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Landscapes below a directory as MindInsight's LandscapeProcessor answers."""
    return _oracle("mindinsight", "oracle_mindinsight_landscapes.py", tmp_path_factory)


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
