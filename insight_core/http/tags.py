"""``/tags``: the series of a plugin, for a page that lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from werkzeug import Response

from insight_core.http.answers import json_response, streamed_response
from insight_core.plugin.claims import Claim
from insight_core.plugin.data.provider import DataProvider, SeriesInfo
from insight_core.plugin.data.series_tables import SeriesField, SeriesTable
from insight_record.formats.json_text import encode_json

_FIELDS: tuple[SeriesField, ...] = (
    *("display_name", "description", "points", "first_step", "last_step"),
    *("attempts", "kept", "last_value", "claims"),
)
_AT_ONCE = 5000  # series that are listed at a time, about
_RUNS = 16  # of the first portion, before it is known how many series runs have


def tags_response(series: Iterable[tuple[SeriesInfo, Mapping[str, object]]]) -> Response:
    """Series by run and tag, each with further fields. Of several with one run and tag the last counts.

    For few series: the answer is made as a whole.
    """
    return json_response(_by_run(series))


def streamed_tags_response(data: DataProvider, plugins: Mapping[str, Mapping[str, object]]) -> Response:
    """All series of plugins by run and tag, made while they are sent, some runs at a time.

    ``plugins`` are names with further fields of their series. Of several series with one run and tag that of
    the last plugin counts.
    """
    return streamed_response(_pieces(data, plugins), "application/json")


def _pieces(data: DataProvider, plugins: Mapping[str, Mapping[str, object]]) -> Iterator[bytes]:
    names = [run.name for run in data.runs()]
    count, start, comma = _RUNS, 0, b""
    yield b"{"
    while start < len(names):
        runs = names[start : start + count]
        found: dict[str, dict[str, object]] = {}
        for plugin, more in plugins.items():
            # as tables: a provider may keep a SeriesInfo once it has made it
            for table in data.series_tables(plugin, _FIELDS, runs=runs):
                found.setdefault(table.run, {}).update(_of_table(table, more))
        for run in runs:
            if tags := found.get(run):
                yield comma + encode_json(run) + b":" + encode_json(tags)
                comma = b","
        start += count
        listed = sum(map(len, found.values()))
        count = max(1, min(4 * count, count * _AT_ONCE // max(1, listed)))
    yield b"}"


def _of_table(table: SeriesTable, more: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    columns = [
        map(_names, table.column(field)) if field == "claims" else table.column(field) for field in _FIELDS
    ]
    for tag, *values in zip(table.tags, *columns, strict=True):
        yield tag, {**dict(zip(_FIELDS, values, strict=True)), **more}


@lru_cache
def _names(claims: tuple[Claim, ...]) -> list[str]:
    """All series share a few."""
    return [str(claim) for claim in claims]


def _by_run(series: Iterable[tuple[SeriesInfo, Mapping[str, object]]]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for info, more in series:
        fields: dict[str, object] = {field: getattr(info, field) for field in _FIELDS}
        fields["claims"] = _names(info.claims)
        found.setdefault(info.key.run, {})[info.key.tag] = {**fields, **more}
    return found
