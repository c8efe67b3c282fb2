"""The command line in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "insight_core.cli")


def clean_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without the variables of the flags but those that tests/conftest.py sets."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("INSIGHT_HOST_")
        or name.endswith(("_CACHE_DIR", "_STATE_DIR", "_DISABLE_PLUGIN", "_TOKEN"))
    }
    return {**kept, "BROWSER": "true", **(changes or {})}


@pytest.fixture(autouse=True)
def _signals_reach_what_is_started() -> Iterator[None]:
    """Programs inherit what is ignored: Ctrl-C in jobs of a script's background, hanging up below nohup."""
    ignored = [
        number for number in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command to its end: ``run("inspect", "--json", env={...})``."""

    def run_command(
        *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            capture_output=True,
            text=True,
            env=clean_environment(env),
            cwd=cwd,
            timeout=300,
        )

    return run_command


class Serving:
    """A host that runs, and where it can be reached."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.line = process.stdout.readline()
        words = [word for word in self.line.split() if word.startswith("http")]
        if len(words) != 1:
            process.kill()
            pytest.fail(f"no single address in {self.line!r}: {process.communicate()[1]}")
        self.url = words[0]


@pytest.fixture
def serve() -> Iterator[Callable[..., Serving]]:
    """Starts a host on a free port; it is killed when the test has not ended it."""
    processes: list[subprocess.Popen[str]] = []

    def start(
        *arguments: str, env: Mapping[str, str] | None = None, port: Sequence[str] = ("--port", "0")
    ) -> Serving:
        process = subprocess.Popen(
            [*COMMAND, *port, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment(env),
        )
        processes.append(process)
        return Serving(process)

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()
