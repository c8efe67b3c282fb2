"""Opens directories of logs as the host does, for all tests of importers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Plugin
from insight_core.providers.local import LocalProvider

_PLUGINS = ("scalar", "image", "text", "audio", "histogram", "pr_curves", "media", "lineage", "importers")


def _opening() -> Iterator[Callable[..., LocalProvider]]:
    modules = [import_module(f"insight_{name}") for name in _PLUGINS]  # which other tests need not wait for
    plugins: list[Plugin] = [module.insight_plugin() for module in modules]
    formats = modules[-1].FORMATS
    providers: list[LocalProvider] = []

    def open_(logdir: Path, **options: Any) -> LocalProvider:  # noqa: ANN401 - of the provider
        provider = LocalProvider([Logdir(str(logdir))], plugins, log_formats=formats, **options)
        providers.append(provider)
        provider.load()
        return provider

    yield open_
    for provider in providers:
        provider.close()


@pytest.fixture
def opened() -> Iterator[Callable[..., LocalProvider]]:
    """Loads a logdir, with the plugins that show what trackers record; closed after the test."""
    yield from _opening()


@pytest.fixture(scope="module")
def kept_open() -> Iterator[Callable[..., LocalProvider]]:
    """The same, closed after all tests of the module."""
    yield from _opening()


@pytest.fixture
def load(tmp_path: Path, opened: Callable[..., LocalProvider]) -> Callable[[], LocalProvider]:
    """Looks at the logs of the directory of the test, again with each call."""
    known: list[LocalProvider] = []

    def look() -> LocalProvider:
        if known:
            known[0].load()
        else:
            known.append(opened(tmp_path, reload_interval=0))
        return known[0]

    return look
