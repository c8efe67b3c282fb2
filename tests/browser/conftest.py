"""A real host that serves real files."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.images_page import write_pictures

Serve = Callable[..., str]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A logdir of pictures, see ``write_pictures``."""
    write_pictures(tmp_path)
    return tmp_path


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Starts `insight-host` with these arguments on a free port; returns its URL.

    What is said of runs is kept in a directory of the test, never in that of the user.
    """
    state = tmp_path_factory.mktemp("state")
    with contextlib.ExitStack() as stack:

        def start(*arguments: str | Path, environment: dict[str, str] | None = None) -> str:
            process = subprocess.Popen(
                [sys.executable, "-m", "insight_core.cli", "--port", "0", *map(str, arguments)]
                + ([] if "--state-dir" in arguments else ["--state-dir", str(state)]),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, **(environment or {})},
            )
            stack.callback(_stop, process)
            assert process.stdout is not None
            printed = []
            for line in process.stdout:
                printed.append(line)
                if found := re.search(r"http://\S+", line):
                    return found.group()
            raise AssertionError("insight-host printed no URL:\n" + "".join(printed))

        yield start


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
