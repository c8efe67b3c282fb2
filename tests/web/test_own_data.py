"""``ctx.own``: a plugin reads what it claims without its own name, and types of values reach its views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, assert_type

import pytest
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from insight_core.plugin import (
    InvalidArgument,
    NotFound,
    Plugin,
    PluginContext,
    RecordDecoder,
    Route,
    RunColumn,
    RunColumns,
    SummaryPlugin,
    hookimpl,
)
from insight_core.plugin.data import Payload, SeriesKey
from insight_core.plugin.testing import FakeProvider, context_of, host_of

_KEY = SeriesKey("run", "a")
_CLAIM = SummaryPlugin("mine")


def _text(payload: Payload) -> str:
    return payload.data.decode()


def _routes(ctx: PluginContext[str]) -> Sequence[Route]:
    assert_type(ctx.values.get(_KEY, 0), str)
    assert_type(ctx.values.derived(len).get(_KEY, 0), int)
    return []


def _unchanged(ctx: PluginContext) -> Sequence[Route]:
    """As plugins of the last release have it: without a type of values."""
    assert_type(ctx.values.get(_KEY, 0), Any)
    return []


@pytest.fixture
def ctx() -> PluginContext:
    data = FakeProvider()
    data.add_records("mine", "run", "a", [b"one", b"three"], steps=[0, 5], claim=_CLAIM)
    data.add_records("mine", "other", "b", [b"two"], claim=_CLAIM)
    data.add_records("theirs", "run", "c", [b"nothing of ours"], claim=SummaryPlugin("theirs"))
    data.add_scalars("run", "loss", [1.0, 2.0])
    decoder = RecordDecoder({_CLAIM}, decode=_text)
    return context_of(Plugin("mine", "Mine", decoder=decoder, routes=_routes), data)


def _asking(query: str) -> Request:
    return EnvironBuilder("/x", query_string=query).get_request()


def test_series_are_those_that_the_plugin_claims(ctx: PluginContext) -> None:
    assert {info.key for info in ctx.own.series()} == {_KEY, SeriesKey("other", "b")}
    assert [info.key for info in ctx.own.series(runs=["other"])] == [SeriesKey("other", "b")]
    [table] = ctx.own.series_tables(["points"], tags=["a"])
    assert (table.run, table.tags, list(table.column("points"))) == ("run", ("a",), [2])


def test_a_request_names_a_record_and_its_bytes(ctx: PluginContext) -> None:
    place = ctx.own.place(_asking("run=run&tag=a&index=1"))
    assert (place.key, place.index, place.step) == (_KEY, 1, 5)
    assert place == ctx.own.place_at(_KEY, 1) == ctx.own.place_in(ctx.own.records(_KEY), _KEY, 1)
    assert ctx.own.payload(place).data == b"three"
    assert ctx.own.payload(place, limit=2).data == b"th"
    with ctx.own.open_payload(place, offset=2) as stream:
        assert (stream.file.read(), stream.size) == (b"ree", 5)
    assert ctx.values.at(place) == "three"


def test_attempts_of_the_view_stand_for_those_of_the_request(ctx: PluginContext) -> None:
    assert ctx.own.place(_asking("run=run&tag=a&index=0&attempts=last"), "all").attempts == "all"


def test_records_of_other_plugins_are_not_found(ctx: PluginContext) -> None:
    with pytest.raises(NotFound):
        ctx.own.place(_asking("run=run&tag=c&index=0"))
    with pytest.raises(NotFound):
        ctx.own.records(SeriesKey("run", "loss"))


def test_a_request_names_several_series(ctx: PluginContext) -> None:
    assert ctx.own.keys(_asking("tag=b&tag=a")) == [SeriesKey("other", "b"), _KEY]
    assert ctx.own.keys(_asking("tag=c")) == []
    with pytest.raises(InvalidArgument):
        ctx.own.keys(_asking("run=run"))


def test_a_module_without_a_tab_has_data_under_its_name() -> None:
    data = FakeProvider()
    data.add_records("origins", "run", "a", [b"one"], claim=_CLAIM)

    def values(
        ctx: PluginContext, names: Sequence[str], runs: Sequence[str]
    ) -> Mapping[str, Mapping[str, int]]:
        return {"points": {info.key.run: info.points for info in ctx.own.series(runs=runs)}}

    def insight_run_columns() -> list[RunColumns]:
        return [RunColumns(lambda ctx: [RunColumn("points", "Points")], values)]

    module: Any = SimpleNamespace(__name__="origins", insight_run_columns=hookimpl(insight_run_columns))
    with host_of(module, data=data) as host:
        columns = host.get("/data/run_table", columns="all").json()["columns"]
    assert [column["values"] for column in columns if column["plugin"] == "origins"] == [[1]]


def test_a_plugin_of_numbers_reads_its_points() -> None:
    data = FakeProvider()
    data.add_scalars("run", "loss", [1.0, 2.0])
    own = context_of(Plugin("scalar", "Scalars"), data).own
    key = SeriesKey("run", "loss")
    assert own.scalars([key])[key].values.tolist() == [1.0, 2.0]
