"""What ``ProviderBase`` derives from the few methods that an author writes."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

import numpy as np
import pytest

import insight_core.plugin
from insight_core.plugin import InvalidArgument, NotFound, Plugin, ProviderSettings, Unavailable
from insight_core.plugin.data import (
    NotComputed,
    ProviderBase,
    Run,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    compute,
)
from insight_core.plugin.data.base import PointColumns
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.scalar_answers import ScalarAnswers
from insight_host.sources import wait_until_read

KEY = SeriesKey("a", "loss")


class Written(ProviderBase):
    """What an author of scalars writes."""

    asked = 0

    def runs(self) -> Sequence[Run]:
        return [Run("a")]

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        self.asked += 1
        return [SeriesInfo(KEY, 4, 4, 0, 1)] if plugin == "scalar" else []

    def points(self, plugin: str, key: SeriesKey) -> PointColumns | None:
        columns = [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], np.array([5, 6, 7, 8], np.float32)
        return columns if key == KEY else None


@pytest.fixture
def written() -> Written:
    plugins = {name: Plugin(name, name) for name in ("scalar", "image")}
    return Written("here", ProviderSettings(plugins, answer_scalars=ScalarAnswers()))


def test_scalars_follow_from_points(written: Written) -> None:
    found = written.scalars("scalar", [KEY, SeriesKey("a", "other")])
    assert list(found) == [KEY]
    assert (found[KEY].values.tolist(), found[KEY].hidden) == ([7, 8], 2)
    assert found[KEY].values.dtype == np.float32
    every = written.scalars("scalar", [KEY], ScalarQuery(attempts="all"))[KEY]
    assert every.values.tolist() == [5, 6, 7, 8]
    with pytest.raises(InvalidArgument):
        written.scalars("scalar", [KEY], ScalarQuery(window=(2, 1)))


def test_tables_and_plugins_follow_from_series(written: Written) -> None:
    [table] = written.series_tables("scalar", ["points"])
    assert (table.run, table.tags, table.column("points")) == ("a", ("loss",), [4])
    written.asked = 0
    assert [written.plugins() for _ in range(3)] == [["scalar"]] * 3
    assert written.asked == 2  # once for each plugin and generation
    written.admit(Plugin("text", "Text"))
    assert written.plugins() == ["scalar"]
    assert written.asked == 5


def test_what_an_author_does_not_have_is_answered(written: Written) -> None:
    assert (written.damage(), written.notices(), written.run_files()) == ((), (), None)
    assert written.payload_places("image", KEY) is None
    assert written.scalar_summaries("scalar") is None
    assert written.location() == "here"
    wait_until_read(written, 0)
    text = "plugin image has no records under 'loss' of run 'a'"
    with pytest.raises(NotFound, match=text):
        written.records("image", KEY)
    with pytest.raises(NotFound, match=text):
        written.open_payload("image", KEY, 0)
    with pytest.raises(NotComputed):
        written.compute("scalar", "cards", b"")
    assert list(compute(written, "scalar", "cards", b"x", lambda data, request: [request])) == [b"x"]
    with pytest.raises(Unavailable, match="answer_scalars"):
        Written("here", ProviderSettings({})).scalars("scalar", [KEY])


def test_changes_are_those_that_the_author_named(written: Written) -> None:
    since = written.generation()
    written.changed({"scalar": [KEY]})
    assert (written.changes(since).series, written.changes(since).runs) == ({"scalar": [KEY]}, False)
    written.changed({}, runs=True, gone=True)
    assert written.changes(since).runs
    assert written.changes(since).gone
    written.changed()
    assert written.changes(since).series is None
    now = written.generation()
    threading.Timer(0.05, written.close).start()
    assert written.changes(now, timeout=60).generation == now  # nobody waits for a provider that is closed


@pytest.mark.parametrize("name", ["RunFiles", "LocatingProvider", "ComputingProvider", "NoticingProvider"])
def test_the_names_of_the_last_release_still_tell_what_a_provider_can(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{name} is deprecated: every provider has "):
        ability = getattr(insight_core.plugin, name)
    assert isinstance(FakeProvider(), ability) is (name in ("ComputingProvider", "NoticingProvider"))
    with pytest.warns(DeprecationWarning, match="notices_of is deprecated"):
        notices_of = getattr(insight_core.plugin, "notices_of")  # noqa: B009
    assert notices_of(FakeProvider()) == ()
