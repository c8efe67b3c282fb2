"""An empty index cache, and providers of files that a log format reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import insight_scalar
import pytest

from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import LogFormat, StoreFormat
from insight_core.providers.local import LocalProvider
from tests.ingest.words_format import WORDS, Opener


@pytest.fixture
def cache(tmp_path: Path) -> IndexCache:
    return IndexCache(tmp_path / "cache")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Opens providers of scalars in files of one log format; closed at the end."""
    providers: list[LocalProvider] = []

    def open_(
        log_format: LogFormat | StoreFormat = WORDS,
        logdir: Path = tmp_path,
        cache: Path | None = None,
        interval: float = 0,
    ) -> LocalProvider:
        provider = LocalProvider(
            [Logdir(str(logdir))],
            [insight_scalar.insight_plugin()],
            log_formats=[log_format],
            reload_interval=interval,
            cache_directory=cache,
        )
        providers.append(provider)
        return provider

    yield open_
    for provider in providers:
        provider.close()
