"""Our host where TensorBoard is installed: in an environment of its own, and as its users start it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conformance.data_servers import until
from tests.conformance.tensorboard_servers import peer_environment


def python_with_both() -> str:
    """The Python of an environment with this host, TensorBoard and plugins for it."""
    python = os.environ.get("INSIGHT_PEER_HOSTING")
    if not python:
        pytest.skip("INSIGHT_PEER_HOSTING names no Python with this host and TensorBoard; see the Makefile")
    return python


def without_further_plugins(python: str) -> list[str]:
    """Flags for a host with the plugins that TensorBoard itself brings, and no others."""
    script = (
        "from importlib.metadata import entry_points; "
        "print(*(point.name for point in entry_points(group='tensorboard_plugins') "
        "if point.dist.name != 'tensorboard'))"
    )
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
    return [f"--disable-plugin={name}" for name in done.stdout.split()]


@contextmanager
def insight_host(python: str, home: Path, *flags: str) -> Iterator[str]:
    """The address of a host that has loaded its logs, without a slash at the end."""
    command = [python, "-m", "insight_core.cli", "--port=0", "--no-cache", "--no-fold"]
    command += [f"--state-dir={home}", *flags]
    log = home / "insight-host.log"
    with log.open("wb") as output:
        host = subprocess.Popen(
            command, env=peer_environment(home), stdout=subprocess.PIPE, stderr=output, text=True
        )
    assert host.stdout is not None
    try:
        found = next((match[0] for line in host.stdout if (match := re.search(r"http://\S+", line))), None)
        assert found is not None, log.read_text()
        url = found.rstrip("/")
        until(lambda: _has_loaded(url))
        yield url
    finally:
        host.terminate()
        host.communicate(timeout=30)


def _has_loaded(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/data/run_table", timeout=30) as answer:
            return bool(json.load(answer)["progress"]["loaded_once"])
    except urllib.error.HTTPError as error:
        if error.code == 503:  # its data server has not started yet
            return False
        raise
