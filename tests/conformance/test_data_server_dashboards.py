"""Stock TensorBoard shows the same on our data server as on its own."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import insight_scalar
import numpy as np
import pytest

from insight_core.loading.logdir import Logdir
from insight_core.proto import mindspore_pb2 as mindspore
from insight_core.providers.local import LocalProvider
from tests.conformance.dashboards import Answers, Dashboards
from tests.conformance.data_servers import OURS, running, until

_SAMPLES = ",".join(
    f"{name}=100000"
    for name in ("scalars", "histograms", "images", "audio", "text", "pr_curves", "mesh", "custom_scalars")
)


@pytest.fixture(scope="session")
def peer() -> str:
    """The Python of an environment with TensorBoard and tensorboardX."""
    python = os.environ.get("INSIGHT_PEER_TENSORBOARD")
    if not python:
        pytest.skip("INSIGHT_PEER_TENSORBOARD names no Python with TensorBoard; see `make conformance`")
    return python


@pytest.fixture(scope="session")
def meshes(peer: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("meshes")
    script = Path(__file__).with_name("write_meshes.py")
    subprocess.run([peer, str(script), str(directory)], check=True, env=_environment(directory))
    return directory


@pytest.fixture(scope="module", params=["torch", "keras", "meshes"])
def logdir(request: pytest.FixtureRequest, sample_logs: Path, meshes: Path) -> Path:
    name = str(request.param)
    return meshes if name == "meshes" else sample_logs / name


def _environment(home: Path, **more: str) -> dict[str, str]:
    left_out = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    return {**{k: v for k, v in os.environ.items() if k not in left_out}, "HOME": str(home), **more}


@contextmanager
def tensorboard(peer: str, home: Path, *flags: str, **environment: str) -> Iterator[Dashboards]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [peer, "-m", "tensorboard.main", "--host=127.0.0.1", f"--port={port}"]
    command += [f"--samples_per_plugin={_SAMPLES}", "--reload_interval=1", *flags]
    log = home / f"tensorboard-{port}.log"
    with log.open("wb") as output:
        server = subprocess.Popen(command, env=_environment(home, **environment), stderr=output)
    try:
        until(lambda: server.poll() is not None or _answers(port))
        assert server.poll() is None, log.read_text()
        yield Dashboards(f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        server.wait(timeout=30)


def _answers(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def _settled(board: Dashboards) -> Answers:
    """All answers, when three looks at the series were the same: data servers load in the background."""

    def outline() -> object:
        return [board.json(f"plugin/{name}/tags") for name in ("timeseries", "pr_curves", "text", "audio")]

    before, same = outline(), 0
    while same < 3 or not before:
        time.sleep(0.7)
        after = outline()
        before, same = after, same + 1 if after == before else 0
    return board.everything()


@contextmanager
def ours_by_address(peer: str, logdir: Path, place: Path) -> Iterator[Dashboards]:
    with ExitStack() as stack:
        address = stack.enter_context(running(OURS, logdir, place))
        yield stack.enter_context(tensorboard(peer, place, f"--grpc_data_provider={address}"))


def test_a_mindspore_log_is_shown(peer: str, sample_logs: Path, tmp_path: Path) -> None:
    """TensorBoard cannot read it; what it shows is what our provider has."""
    logdir = sample_logs / "mindspore"
    provider = LocalProvider([Logdir(str(logdir))], [insight_scalar.insight_plugin()], reload_interval=0)
    provider.load()
    with ours_by_address(peer, logdir, tmp_path) as board:
        shown = _settled(board)
    assert shown["runs"] == [run.name for run in provider.runs() if run.start_time is not None]
    keys = [info.key for info in provider.series("scalar")]
    for key, columns in provider.scalars("scalar", keys).items():
        points = [
            [wall_time, step, float(np.float32(value))]
            for wall_time, step, value in zip(columns.wall_times, columns.steps, columns.values, strict=True)
        ]
        assert shown[f"scalars scalars {key.run} {key.tag}"] == points
    histograms = provider.series("mindspore:histogram")
    for info in histograms:
        answer = shown[f"histograms histograms {info.key.run} {info.key.tag}"]
        assert [step for _, step, _ in answer] == provider.records(
            "mindspore:histogram", info.key
        ).steps.tolist()
        payload = provider.payload("mindspore:histogram", info.key, 0)
        buckets = mindspore.Summary.Histogram.FromString(payload.data).buckets
        assert answer[0][2] == [[b.left, b.left + b.width, b.count] for b in buckets]
    images = provider.series("mindspore:image")
    for info in images:
        [first, *_] = shown[f"images {info.key.run} {info.key.tag} 0"]
        payload = provider.payload("mindspore:image", info.key, 0)
        assert first["blob"] == mindspore.Summary.Image.FromString(payload.data).encoded_image
    provider.close()
    assert keys
    assert histograms
    assert images


@contextmanager
def ours_as_binary(peer: str, logdir: Path, place: Path) -> Iterator[Dashboards]:
    program = place / "insight-data-server"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(OURS)} "$@"\n')
    program.chmod(0o755)
    chosen = {"TENSORBOARD_DATA_SERVER_BINARY": str(program)}
    with tensorboard(peer, place, f"--logdir={logdir}", "--load_fast=true", **chosen) as board:
        yield board


@pytest.fixture(scope="module")
def stock_answers(peer: str, logdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What TensorBoard shows on its own data server."""
    place = tmp_path_factory.mktemp("stock")
    with tensorboard(peer, place, f"--logdir={logdir}", "--load_fast=true") as board:
        return _settled(board)


@pytest.mark.parametrize("start", [ours_by_address, ours_as_binary])
def test_dashboards_show_the_same(
    start: object, peer: str, logdir: Path, tmp_path: Path, stock_answers: Answers
) -> None:
    with start(peer, logdir, tmp_path) as board:  # type: ignore[operator]
        ours = _settled(board)
    assert ours.keys() == stock_answers.keys()
    different = [name for name, answer in ours.items() if answer != stock_answers[name]]
    assert different == []
