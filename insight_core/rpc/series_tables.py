"""Converts between ``SeriesTable`` and messages of ``insight.data.v1``, both ways."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, get_args

import numpy as np
from attrs import Factory, frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import SeriesField, SeriesTable
from insight_core.plugin.data.tables import joined_table
from insight_core.rpc.messages import claim_message, claim_of
from insight_core.rpc.schema import insight_data_pb2 as messages
from insight_core.rpc.schema.services import PIECE

_SERIES = 1 << 14  # of one table: with all columns less than a PIECE
_ENVELOPE = 6  # maximum overhead of an item of a message in bytes: field key and length
_CHARACTERS = PIECE // 4  # at most four bytes each
_FORMS: dict[str, str] = {
    **dict.fromkeys(("points", "kept", "first_step", "last_step", "attempts", "data_class"), "<i8"),
    **dict.fromkeys(("last_value", "last_wall_time"), "<f8"),
    **dict.fromkeys(("display_name", "description", "claims", "content"), "<u4"),
}
_FIELDS: tuple[SeriesField, ...] = get_args(SeriesField)

_Item: TypeAlias = "tuple[str, str | messages.TagSet | messages.SeriesValue | messages.SeriesTable]"


def fields_of(names: Iterable[str]) -> list[SeriesField]:
    """The fields of these names. Raises InvalidArgument for an unknown one."""
    asked = set(names)
    unknown = sorted(asked.difference(_FORMS))
    if unknown:
        raise InvalidArgument(f"unknown field {unknown[0]!r}; the fields are {', '.join(_FORMS)}")
    return [field for field in _FIELDS if field in asked]


def table_responses(tables: Iterable[SeriesTable]) -> Iterator[messages.SeriesTablesResponse]:
    """The messages of the tables, each of bounded size."""
    encoder = _Encoder()
    response = messages.SeriesTablesResponse()
    size = 0
    for table in tables:
        for name, item in encoder.items(table):
            own = _ENVELOPE + (len(item.encode()) if isinstance(item, str) else item.ByteSize())
            if size and size + own > PIECE:
                yield response
                response, size = messages.SeriesTablesResponse(), 0
            getattr(response, name).append(item)
            size += own
    if size:
        yield response


@frozen(eq=False)
class _Encoder:
    """Numbers what tables have in common; items that define a number come before those that use it."""

    tags: dict[str, int] = Factory(dict)
    sets: dict[tuple[str, ...], int] = Factory(dict)
    values: dict[Hashable, int] = Factory(dict)

    def items(self, table: SeriesTable) -> Iterator[_Item]:
        for start in range(0, max(1, len(table.tags)), _SERIES):
            places = range(len(table.tags))[start : start + _SERIES]
            yield from self._part(table if len(places) == len(table.tags) else table.at(places))

    def _part(self, table: SeriesTable) -> Iterator[_Item]:
        number = self.sets.get(table.tags)
        if number is None:
            number = self.sets[table.tags] = len(self.sets)
            for tag in table.tags:
                if tag not in self.tags:
                    self.tags[tag] = len(self.tags)
                    yield "tags", tag
            numbers = np.array([self.tags[tag] for tag in table.tags], "<u4")
            yield "sets", messages.TagSet(tags=numbers.tobytes())
        columns = []
        for field in (*table.common, *table.columns):
            is_common = field not in table.columns
            values: Sequence[Any] = [table.common[field]] if is_common else table.columns[field]
            form = _FORMS[field]
            if form == "<u4":
                for value in dict.fromkeys(values):
                    if value not in self.values:
                        self.values[value] = len(self.values)
                        yield from (("values", each) for each in _value_messages(value))
                values = [self.values[value] for value in values]
            columns.append(_column(field, values))
        yield "tables", messages.SeriesTable(run=table.run, set=number, columns=columns)


def _column(field: str, values: Sequence[Any]) -> messages.SeriesColumn:
    form, missing = _FORMS[field], b""
    if form == "<f8" and None in values:
        missing = bytes(value is None for value in values)
        values = [0.0 if value is None else value for value in values]
    elements = np.array(values, form).view(np.dtype(form.replace("f", "i")))  # equal bits, also of NaN
    if len(elements) > 1 and bool((elements == elements[0]).all()) and len(set(missing)) < 2:
        elements, missing = elements[:1], missing[:1]
    return messages.SeriesColumn(name=field, elements=elements.tobytes(), missing=missing)


def _value_messages(value: Any) -> Iterator[messages.SeriesValue]:  # noqa: ANN401
    if isinstance(value, tuple):
        yield messages.SeriesValue(claims=messages.Claims(claims=map(claim_message, value)))
        return
    name, step = ("text", _CHARACTERS) if isinstance(value, str) else ("content", PIECE)
    for start in range(0, max(1, len(value)), step):
        more = start + step < len(value)
        yield messages.SeriesValue(**{name: value[start : start + step]}, more=more)


def tables_of_responses(responses: Iterable[messages.SeriesTablesResponse]) -> list[SeriesTable]:
    """The tables of all messages, one for each run; runs with the same tags share the tuple of them."""
    tags: list[str] = []
    sets: list[tuple[str, ...]] = []
    values = _Values()
    runs: dict[str, list[SeriesTable]] = {}
    for response in responses:
        tags += response.tags
        sets += (
            tuple([tags[number] for number in np.frombuffer(each.tags, "<u4").tolist()])
            for each in response.sets
        )
        for value in response.values:
            values.add(value)
        for table in response.tables:
            runs.setdefault(table.run, []).append(_table_of(table, sets[table.set], values.whole))
    return [joined_table(parts) for parts in runs.values()]


def _table_of(message: messages.SeriesTable, tags: tuple[str, ...], known: Sequence[Any]) -> SeriesTable:
    common: dict[str, object] = {}
    columns: dict[str, Sequence[object]] = {}
    for column in message.columns:
        form = _FORMS.get(column.name)
        if form is None:
            continue  # of a newer server
        elements: NDArray[Any] = np.frombuffer(column.elements, form)
        values: list[Any] = elements.tolist()
        if form == "<u4":
            values = [known[number] for number in values]
        if column.missing:
            values = [None if gone else value for gone, value in zip(column.missing, values, strict=True)]
        if len(values) == 1:
            common[column.name] = values[0]
        else:
            columns[column.name] = values
    return SeriesTable(message.run, tags, common, columns)


@frozen(eq=False)
class _Values:
    """Values by number; parts of a long one are joined."""

    whole: list[Any] = Factory(list)
    parts: list[messages.SeriesValue] = Factory(list)

    def add(self, value: messages.SeriesValue) -> None:
        self.parts.append(value)
        if value.more:
            return
        kind = value.WhichOneof("kind")
        if kind == "claims":
            self.whole.append(tuple(map(claim_of, value.claims.claims)))
        elif kind == "content":
            self.whole.append(b"".join(part.content for part in self.parts))
        else:
            self.whole.append("".join(part.text for part in self.parts))
        self.parts.clear()
