"""Builds lakes of logs in this process, for tests."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from attrs import evolve, frozen
from insight_lake.building import Builder, BuildOptions, BuildReport
from insight_lake.delta import existing
from insight_lake.provider import LakeProvider
from insight_lake.records import PayloadWriter
from insight_lake.sources import FoundRun
from insight_lake.store import LakeStore
from insight_lake.upkeep import check
from insight_lake.writing import SegmentDraft, add_runs

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import CachePolicy, CommandHost, LogFormat, Plugin, ProviderSettings
from insight_core.plugin.data import DataProvider
from insight_core.providers.local import LocalProvider
from insight_core.providers.scalar_answers import ScalarAnswers


@frozen
class _Context:
    data: DataProvider


def content_of(data: LakeProvider | LocalProvider) -> dict[str, str]:
    """The hashes of points and sizes of payloads by run, as a build makes them; closes the data."""
    with closing(data), tempfile.TemporaryDirectory() as directory:
        draft = SegmentDraft(Path(directory))
        found = {run.name: FoundRun("", 0, "") for run in data.runs()}
        with draft.path("payloads").open("wb") as file:
            add_runs(draft, data, found, PayloadWriter(data, file, "", copies_all=True))
        rows = draft.runs(data, found, 0.0).to_pylist()
        return {row["run"]: row["content"] for row in rows}


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

    def content(self) -> dict[str, str]:
        """The hashes of the runs, which are those of what is read again; no object has a flaw."""
        version = existing(self.store())
        assert check(self.store(), version, lambda text: None) == []
        stored = {run: text for run, (text,) in version.facts("content").items()}
        assert content_of(evolve(self, plugins=()).opened()) == stored
        return stored

    def logged(self) -> dict[str, str]:
        """The hashes that the runs of the logs have now."""
        return content_of(self.read())

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
