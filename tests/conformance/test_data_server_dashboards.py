"""Unmodified TensorBoard shows the same on our data server as on its own."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.conformance.dashboards import Answers
from tests.conformance.data_servers import OURS, running
from tests.conformance.mindspore_dashboards import check_mindspore
from tests.conformance.tensorboard_servers import peer_environment, settled, tensorboard


@pytest.fixture(scope="session")
def meshes(peer: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("meshes")
    script = Path(__file__).with_name("write_meshes.py")
    subprocess.run([peer, str(script), str(directory)], check=True, env=peer_environment(directory))
    return directory


@pytest.fixture(scope="module", params=["torch", "keras", "meshes"])
def logdir(request: pytest.FixtureRequest, sample_logs: Path, meshes: Path) -> Path:
    name = str(request.param)
    return meshes if name == "meshes" else sample_logs / name


@contextmanager
def ours_by_address(peer: str, logdir: Path, place: Path) -> Iterator[str]:
    with ExitStack() as stack:
        address = stack.enter_context(running(OURS, logdir, place))
        yield stack.enter_context(tensorboard(peer, place, f"--grpc_data_provider={address}"))


def test_a_mindspore_log_is_shown(peer: str, sample_logs: Path, tmp_path: Path) -> None:
    logdir = sample_logs / "mindspore"
    with ours_by_address(peer, logdir, tmp_path) as url:
        check_mindspore(settled(url), logdir)


@contextmanager
def ours_as_binary(peer: str, logdir: Path, place: Path) -> Iterator[str]:
    program = place / "insight-data-server"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(OURS)} "$@"\n')
    program.chmod(0o755)
    chosen = {"TENSORBOARD_DATA_SERVER_BINARY": str(program)}
    with tensorboard(peer, place, f"--logdir={logdir}", "--load_fast=true", **chosen) as url:
        yield url


@pytest.fixture(scope="module")
def own_answers(peer: str, logdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What TensorBoard shows on its own data server."""
    place = tmp_path_factory.mktemp("tensorboard")
    with tensorboard(peer, place, f"--logdir={logdir}", "--load_fast=true") as url:
        return settled(url)


@pytest.mark.parametrize("start", [ours_by_address, ours_as_binary])
def test_dashboards_show_the_same(
    start: object, peer: str, logdir: Path, tmp_path: Path, own_answers: Answers
) -> None:
    with start(peer, logdir, tmp_path) as url:  # type: ignore[operator]
        ours = settled(url)
    assert ours.keys() == own_answers.keys()
    different = [name for name, answer in ours.items() if answer != own_answers[name]]
    assert different == []
