"""TensorBoard as its users start it, and how to wait until it has loaded its logs."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.dashboards import Answers, Dashboards
from tests.conformance.data_servers import until

_SAMPLES = ",".join(
    f"{name}=100000"
    for name in ("scalars", "histograms", "images", "audio", "text", "pr_curves", "mesh", "custom_scalars")
)


def peer_environment(home: Path, **more: str) -> dict[str, str]:
    """Variables for a program of another environment than that of the tests."""
    left_out = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "INSIGHT_HOST_DISABLE_PLUGIN"}
    return {**{k: v for k, v in os.environ.items() if k not in left_out}, "HOME": str(home), **more}


@contextmanager
def tensorboard(peer: str, home: Path, *flags: str, **environment: str) -> Iterator[str]:
    """The address of a TensorBoard that samples nothing."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [peer, "-m", "tensorboard.main", "--host=127.0.0.1", f"--port={port}"]
    command += [f"--samples_per_plugin={_SAMPLES}", "--reload_interval=1", *flags]
    log = home / f"tensorboard-{port}.log"
    with log.open("wb") as output:
        server = subprocess.Popen(command, env=peer_environment(home, **environment), stderr=output)
    try:
        until(lambda: server.poll() is not None or _answers(port))
        assert server.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _answers(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def settled(url: str) -> Answers:
    """All answers, when three looks at the series were the same: data servers load in the background."""
    board = Dashboards(url)

    def outline() -> object:
        return [board.json(f"plugin/{name}/tags") for name in ("timeseries", "pr_curves", "text", "audio")]

    before, same = outline(), 0
    while same < 3 or not before:
        time.sleep(0.7)
        after = outline()
        before, same = after, same + 1 if after == before else 0
    return board.everything()
