"""Hosts of plugins made for TensorBoard, and clients of its service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rpc.conftest import connect, load_with
from tests.tensorboard.hosts import open_host, provider

__all__ = ["connect", "load_with", "open_host", "provider", "repository"]


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[3]
