"""Data providers of other distributions: one that hangs, fails or lies is named, and blocks none."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from attrs import evolve

from insight_core.isolation import DEFAULT_LIMITS, Call, Calls
from insight_core.plugin import NotFound, ProviderSettings, SummaryPlugin, Unavailable
from insight_core.plugin.data import (
    Changes,
    DataProvider,
    Payload,
    PayloadStream,
    ProviderBase,
    Run,
    SeriesInfo,
    SeriesKey,
    compute,
)
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.guarded import GuardedProvider, guarded
from insight_core.providers.merged import MergedProvider

SHORT = evolve(DEFAULT_LIMITS, listed=0.2, read=0.2, slow=0.2)
PATIENT = evolve(DEFAULT_LIMITS, listed=20.0, read=20.0)
KEY = SeriesKey("a", "loss")


class Site(FakeProvider):
    """A fake of which single methods are replaced."""

    def __init__(self) -> None:
        super().__init__("site:x")
        self.add_scalars("a", "loss", [1.0, 2.0])
        self.add_records("image", "a", "img", [b"abcdef"], claim=SummaryPlugin("images"))


def opened(limits: Any = PATIENT, **replaced: Callable[..., Any]) -> GuardedProvider:  # noqa: ANN401
    return guarded(
        type("Other", (Site,), {name: _method(f) for name, f in replaced.items()})(), "site:x", "it", limits
    )


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: function(*args, **kwargs)


def test_what_a_good_provider_answers_is_passed_on() -> None:
    provider = opened()
    assert [run.name for run in provider.runs()] == ["a"]
    assert provider.scalars("scalar", [KEY])[KEY].values.tolist() == [1.0, 2.0]
    assert [table.tags for table in provider.series_tables("scalar", ["points"])] == [("loss",)]
    image = SeriesKey("a", "img")
    assert provider.payload("image", image, 0, limit=3).data == b"abc"
    with provider.open_payload("image", image, 0, offset=2) as stream:
        assert (stream.file.read(), stream.size) == (b"cdef", 6)
    with pytest.raises(NotFound, match="has no image 'loss'"):
        provider.records("image", KEY)
    assert (provider.location(), provider.run_files(), provider.notices()) == ("site:x", None, [])
    assert list(compute(provider, "scalar", "x", b"1", lambda data, request: [request])) == [b"1"]
    provider.close()


def test_a_provider_that_hangs_is_waited_for_once_and_used_when_it_is_back() -> None:
    resumed = threading.Event()
    provider = opened(SHORT, runs=lambda: resumed.wait(60) and [])
    text = "the data provider site:x did not answer for 0 s"
    with pytest.raises(Unavailable, match=text) as raised:
        provider.runs()
    assert raised.value.details == {"provider": "site:x", "seconds": 0}
    began = time.monotonic()
    for _ in range(100):  # nobody waits again
        with pytest.raises(Unavailable, match=text):
            provider.runs()
    assert time.monotonic() - began < 10
    assert [info.key for info in provider.series("scalar")] == [KEY]  # the other methods go on
    resumed.set()
    while True:
        try:
            assert provider.runs() == []
            return
        except Unavailable:
            time.sleep(0.01)


def test_an_innocent_plugin_does_not_hang_with_the_provider(caplog: pytest.LogCaptureFixture) -> None:
    resumed = threading.Event()
    provider = opened(evolve(PATIENT, listed=1.5), runs=lambda: resumed.wait(60))
    calls = Calls("plugin scalar")
    with pytest.raises(Unavailable, match="the data provider site:x did not answer"):
        calls.run("is_active()", provider.runs, 0.2)  # less than the provider may take
    ended = threading.Event()
    late: Call[object] = calls.start("is_active()", lambda _: ended.wait(60), 0.2)
    assert not late.wait()  # a plugin that hangs by itself is overdue as ever
    ended.set()
    resumed.set()
    [record] = caplog.records
    assert record.message == "the data provider site:x did not answer for 2 s"


def test_a_provider_that_raises_is_named_and_its_traceback_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def series(plugin: str, **_: object) -> Sequence[SeriesInfo]:
        raise (KeyError if plugin == "scalar" else SystemExit)(plugin)

    provider = opened(series=series)
    for _ in range(2):
        with pytest.raises(
            Unavailable, match=r"the data provider site:x failed in series\(\): KeyError: 'scalar'"
        ):
            provider.series("scalar")
    [record] = caplog.records
    assert record.exc_info is not None
    [notice] = provider.notices()
    assert str(notice) == "the data provider site:x failed in series(): KeyError: 'scalar'"
    with pytest.raises(Unavailable, match=r"failed in series\(\): SystemExit"):
        provider.series("image")


INFO = SeriesInfo(KEY, 1, 1, 0, 0)
COLUMNS = Site().scalars("scalar", [KEY])[KEY]


@pytest.mark.parametrize(
    ("method", "answer", "text"),
    [
        ("runs", None, "None, not a sequence of Run"),
        ("runs", (Run(name) for name in "ab"), "a generator, not a sequence of Run"),
        ("runs", [Run("a"), "b"], "a str among values of type Run"),
        ("runs", [Run(7)], "a Run whose name is an int, not str"),  # type: ignore[arg-type]
        ("plugins", "scalar", "a str, not a collection of str"),
        (
            "series",
            [evolve(INFO, points="3")],  # type: ignore[arg-type]
            "a SeriesInfo whose points is a str, not int",
        ),
        (
            "series",
            [evolve(INFO, key=("a", "b"))],  # type: ignore[arg-type]
            "a SeriesInfo whose key is a tuple, not SeriesKey",
        ),
        ("scalars", [COLUMNS], "a list, not a mapping of SeriesKey to ScalarColumns"),
        ("scalars", {"a": COLUMNS}, "a str among values of type SeriesKey"),
        (
            "scalars",
            {KEY: evolve(COLUMNS, steps=[1, 2])},  # type: ignore[arg-type]
            "ScalarColumns whose steps are a list, not an array [n] of int64",
        ),
        (
            "scalars",
            {KEY: evolve(COLUMNS, wall_times=COLUMNS.wall_times[:1])},
            "ScalarColumns whose columns differ in length: [1, 2]",
        ),
        ("records", COLUMNS, "a ScalarColumns, not RecordTable"),
        ("payload", b"abc", "a bytes, not Payload"),
        ("payload", Payload("abc", SummaryPlugin("x")), "a Payload whose data is a str, not bytes"),  # type: ignore[arg-type]
        ("progress", 1.0, "a float, not Progress"),
        ("generation", "1", "a str, not int"),
        ("changes", Changes(1, {"scalar": ["a"]}), "a str among values of type SeriesKey"),  # type: ignore[list-item]
        ("run_files", [Run("a")], "a Run among values of type RunFile"),
        ("scalar_summaries", [Run("a")], "a Run among values of type ScalarSummaries"),
    ],
)
def test_an_answer_of_a_wrong_type_is_named(method: str, answer: object, text: str) -> None:
    provider = opened(**{method: lambda *_, **__: answer})
    given = {
        "series": ("scalar",),
        "scalars": ("scalar", [KEY]),
        "records": ("image", KEY),
        "payload": ("image", KEY, 0),
        "changes": (0,),
    }
    with pytest.raises(Unavailable) as raised:
        getattr(provider, method)(*given.get(method, ()))
    assert str(raised.value) == f"the data provider site:x answered {method}() with {text}"


def test_notices_that_fail_are_noticed() -> None:
    provider = opened(notices=lambda: ["away"])
    [notice] = provider.notices()
    assert str(notice) == (
        "the data provider site:x answered notices() with a str among values of type Reason"
    )


def test_each_read_of_a_stream_has_a_deadline() -> None:
    resumed = threading.Event()

    class File(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() >= 4:
                resumed.wait(60)
            return super().read(4)

    stream = PayloadStream(File(b"abcdefgh"), 8, SummaryPlugin("images"))
    provider = opened(SHORT, open_payload=lambda *_, **__: stream)
    with provider.open_payload("image", KEY, 0) as opened_stream:
        assert opened_stream.file.read(4) == b"abcd"
        with pytest.raises(Unavailable, match="the data provider site:x did not answer"):
            opened_stream.file.read(4)
    resumed.set()


def test_a_computation_of_a_provider_has_a_deadline_for_each_answer() -> None:
    resumed = threading.Event()

    def answers(*_: object) -> Iterator[bytes]:
        yield b"first"
        resumed.wait(60)

    provider = opened(SHORT, compute=answers)
    found = provider.compute("scalar", "x", b"")
    assert next(found) == b"first"
    with pytest.raises(Unavailable, match="did not answer"):
        next(found)
    resumed.set()


def test_a_provider_that_does_not_wait_for_changes_is_not_asked_all_the_time() -> None:
    asked: list[int] = []

    def changes(since: int, timeout: float = 0.0) -> Changes:
        asked.append(since)
        return Changes(since, {})

    provider = opened(changes=changes)
    began = time.monotonic()
    provider.changes(0, timeout=0.3)
    assert time.monotonic() - began >= 0.29
    assert provider.changes(0).generation == 0
    assert asked == [0, 0]


class OfTheLastRelease:
    """A provider without a base class: all methods that ``DataProvider`` had, and no others."""

    _lacks = frozenset(
        ["start", "admit", "notices", "compute", "payload_places", "run_files", "scalar_summaries"]
    )

    def __init__(self) -> None:
        self._inner = FakeProvider("old")
        self._inner.add_scalars("a", "loss", [1.0])

    def __getattr__(self, name: str) -> object:
        if name in self._lacks:
            raise AttributeError(name)
        return getattr(self._inner, name)


def test_a_provider_of_the_last_release_loads_with_a_deprecation() -> None:
    with pytest.warns(DeprecationWarning, match=r"no start\(\), admit\(\), .*derive it"):
        provider = guarded(OfTheLastRelease(), "old:x", "it")
    provider.start()
    assert [run.name for run in provider.runs()] == ["a"]
    assert (provider.notices(), provider.run_files()) == ([], None)
    assert provider.payload_places("image", KEY) is None
    assert provider.scalar_summaries("scalar", runs=["a"]) is None
    assert list(compute(provider, "scalar", "x", b"1", lambda data, request: [request])) == [b"1"]
    provider.close()


def test_all_that_a_provider_lacks_is_said_when_it_is_opened() -> None:
    class Half(ProviderBase):
        progress = damage = None  # type: ignore[assignment]

        def runs(self) -> Sequence[Run]:
            return []

        def series(self, plugin: str) -> Sequence[SeriesInfo]:  # type: ignore[override]
            return []

    with pytest.raises(Unavailable) as raised:
        guarded(Half("", ProviderSettings({})), "half:x", "insight_open_provider() of half")
    text = str(raised.value)
    assert (
        "insight_open_provider() of half returned a Half, not a DataProvider: it has no damage() and " in text
    )
    assert (
        "progress(); series() cannot be called: got an unexpected keyword argument 'runs' (a class " in text
    )


def test_the_runs_of_other_sources_are_shown_while_a_provider_hangs() -> None:
    resumed = threading.Event()
    here = FakeProvider("here")
    here.add_scalars("mine", "loss", [1.0])
    broken = opened(SHORT, runs=lambda: resumed.wait(60))
    merged = MergedProvider([here, broken], ["logs", "site:x"])
    assert [run.name for run in merged.runs()] == ["mine"]
    [notice] = merged.notices()
    assert str(notice) == (
        "site:x is away, and its runs are missing here: the data provider site:x did not answer for 0 s"
    )
    resumed.set()
    merged.close()


def test_it_has_every_method_of_a_data_provider() -> None:
    methods = {name for name in vars(DataProvider) if not name.startswith("_")}
    assert methods <= set(dir(GuardedProvider))
