"""Hosts of plugins made for TensorBoard."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
from attrs import frozen
from insight_tensorboard.hosted.mount import TensorBoardMount
from insight_tensorboard.hosted.settings import TensorBoardSettings
from werkzeug.test import Client, TestResponse

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from tests.tensorboard.provider_logs import write_logs


@frozen
class Hosted:
    """A host, asked below its prefix."""

    tensorboard: TensorBoardMount
    provider: LocalProvider
    client: Client
    prefix: str

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.client.get(self.prefix + path, headers={"Host": "localhost", **headers})

    def row(self, name: str) -> dict[str, object]:
        row: dict[str, object] = self.get("/data/plugins_listing").json[name]  # type: ignore[index]
        return row


Open: TypeAlias = Callable[..., Hosted]


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[LocalProvider]:
    """Of the logs of the provider suite."""
    write_logs(tmp_path / "logs")
    plugins = Registry.discover().plugins.values()
    provider = LocalProvider([Logdir(str(tmp_path / "logs"))], plugins, reload_interval=0)
    provider.load()
    yield provider
    provider.close()


@pytest.fixture
def open_host(provider: LocalProvider, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens a host that finds what is installed in a directory, and waits until that has loaded.

    The plugins and the page of TensorBoard itself are left out without ``own=True``.
    """
    with ExitStack() as opened:

        def open_tensorboard(
            directory: Path,
            *,
            prefix: str = "",
            wait: float = 30,
            own: bool = False,
            disabled: Collection[str] = (),
            **settings: object,
        ) -> Hosted:
            monkeypatch.syspath_prepend(str(directory))
            monkeypatch.setenv("PYTHONPATH", str(directory))
            importlib.invalidate_caches()
            before = set(sys.modules)
            left_out = {*disabled} if own else {*disabled, "projector", "tensorboard"}
            own_settings = TensorBoardSettings(path_prefix=prefix, disabled=left_out, **settings)  # type: ignore[arg-type]
            tensorboard = TensorBoardMount(provider, own_settings)
            host = Host(Registry.of([]), provider, HostSettings(path_prefix=prefix, guests=tensorboard))
            opened.callback(_forget, directory, before)
            opened.callback(tensorboard.close)
            tensorboard.start()
            assert tensorboard.wait_until_loaded(wait)
            return Hosted(tensorboard, provider, Client(host), prefix)

        yield open_tensorboard


def _forget(directory: Path, before: set[str]) -> None:
    """Modules of one test are not those of the next."""
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(directory):
            del sys.modules[name]
