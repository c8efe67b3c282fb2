"""Builds lakes of logs in this process, for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from attrs import frozen
from insight_lake.building import Builder, BuildOptions, BuildReport
from insight_lake.provider import LakeProvider
from insight_lake.store import LakeStore

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import CachePolicy, CommandHost, LogFormat, Plugin, ProviderSettings
from insight_core.plugin.data import DataProvider
from insight_core.providers.local import LocalProvider
from insight_core.providers.scalar_answers import ScalarAnswers


@frozen
class _Context:
    data: DataProvider


@frozen
class LakeBuild:
    """A lake at a place, and the logs that it is built of."""

    logdirs: Sequence[str]
    place: str
    plugins: Collection[Plugin]
    policies: Mapping[str, CachePolicy] = {}
    log_formats: Sequence[LogFormat] = ()

    def run(self, **options: Any) -> BuildReport:  # noqa: ANN401
        """Builds what has changed, and drops what is gone. ``options`` are those of ``BuildOptions``."""
        return self.builder(**options).run()

    def builder(self, **options: Any) -> Builder:  # noqa: ANN401
        """What builds the lake."""
        known = BuildOptions([], ",".join(self.logdirs), **{"prune": True, **options})
        return Builder(cast(CommandHost, self), self.store(), known)

    def store(self) -> LakeStore:
        """The objects of the lake."""
        return LakeStore(self.place, create=True)

    def opened(self, interval: float = 0.0) -> LakeProvider:
        """A provider of the lake, not started yet."""
        plugins = {plugin.name: plugin for plugin in self.plugins}
        settings = ProviderSettings(plugins, interval, answer_scalars=ScalarAnswers())
        return LakeProvider(LakeStore(self.place), settings)

    def read(self, runs: Callable[[str], bool] | None = None) -> LocalProvider:
        """The logs themselves."""
        provider = LocalProvider(
            [Logdir(path) for path in self.logdirs],
            self.plugins,
            log_formats=self.log_formats,
            policies=self.policies,
            reload_interval=0.0,
            accepts_run=runs,
        )
        provider.load()
        return provider

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Builds again and again, as a timer does."""
        ended = threading.Event()

        def repeat() -> None:
            while not ended.wait(0.05):
                self.run()

        thread = threading.Thread(target=repeat)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    # --- CommandHost ------------------------------------------------------------------------------

    @contextmanager
    def loaded(
        self, arguments: Sequence[str], plugin: str, *, runs: Callable[[str], bool] | None = None
    ) -> Iterator[_Context]:
        """See CommandHost."""
        provider = self.read(runs)
        try:
            yield _Context(provider)
        finally:
            provider.close()

    def status(self, text: str) -> None:
        """See CommandHost."""

    def print(self, text: str) -> None:
        """See CommandHost."""
