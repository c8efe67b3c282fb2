"""Logs that are opened from every kind of source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import insight_host
from tests.opened_logs import opened_as


@pytest.fixture
def open_as() -> Iterator[Callable[[str, Path], insight_host.Logs]]:
    """Opens a directory of logs as one of KINDS; servers end with the test."""
    with ExitStack() as opened:
        yield lambda kind, logdir: opened.enter_context(opened_as(kind, logdir))
