"""An empty index cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from insight_core.ingest.index.cache import IndexCache


@pytest.fixture
def cache(tmp_path: Path) -> IndexCache:
    return IndexCache(tmp_path / "cache", "claims and policies")
