"""Lines of JSON objects with numbers, such as ``metrics.jsonl``; steps and times are optional."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

from insight_core.plugin import Flaw
from insight_core.plugin.log_formats import HyperParameters, Item
from insight_log_tables.lines import Lines, next_lines
from insight_log_tables.objects import Objects, flat, object_of
from insight_log_tables.reasons import at_line
from insight_log_tables.table import DeclaredTable
from insight_record.formats.reason import Reason, ReasonKind

_NOT_JSON = ReasonKind("table_not_json_column", "not JSON ({cause}, column {column})")


def read(
    table: DeclaredTable, stream: BinaryIO, state: dict[str, Any] | None
) -> tuple[list[Item], dict[str, Any]]:
    """Reads some lines; the last one also without a line end, if it is a whole object."""
    state = state or {"line": 1, "objects": 0, "has_steps": False, "told": []}
    lines = next_lines(stream, state["line"])
    if not lines.data:
        last = _last(stream, lines)
        if last is None:
            if stream.tell() > lines.offset:  # a line that was too long
                state["line"] += 1
            return list(lines.flaws), state
        lines = last
    found: list[Item] = []
    texts = lines.data.split(b"\n")
    places = [place for place, text in enumerate(texts) if text and not text.isspace()]

    def damaged(place: int, reason: str, skipped: int = 0) -> None:
        found.append(Flaw(lines.offset_of(place), at_line(state["line"] + place, reason), skipped))

    objects = _all(texts, places)
    if objects is None:
        objects, good = [], []
        for place in places:
            try:
                objects.append(_object(texts[place]))
                good.append(place)
            except ValueError as error:
                damaged(place, Reason.of(error), len(texts[place]) + 1)
        places = good
    if lines.data.count(b"{") > len(objects):
        objects = [flat(each) for each in objects]
    has_steps = state["has_steps"] or any(table.step_among(each) for each in objects)
    if objects and table.settings and not state["objects"]:
        found += settings_of(table, objects[0])
    points = Objects(
        table,
        objects,
        state["objects"],
        has_steps,
        lambda index, reason: damaged(places[index], reason),
        state["told"],
    ).points()
    state["has_steps"] = has_steps
    state["objects"] += len(objects)
    state["line"] += lines.data.count(b"\n")
    return [*points, *found], state


def _all(texts: list[bytes], places: list[int]) -> list[dict[str, Any]] | None:
    """All lines parsed in one go; None if any of them is not an object."""
    try:
        objects = json.loads(b"[" + b",".join(texts[place] for place in places) + b"]")
    except (ValueError, RecursionError):
        return None
    if len(objects) != len(places) or not all(type(each) is dict for each in objects):
        return None
    return objects  # type: ignore[no-any-return]


def _object(text: bytes) -> dict[str, Any]:
    return object_of(text, lambda error: _NOT_JSON(cause=error.msg, column=error.colno))


def _last(stream: BinaryIO, lines: Lines) -> Lines | None:
    """The rest of the file, if that is a whole object without a line end."""
    place = stream.tell()
    if place > lines.offset or not lines.flaws:
        return None
    text = stream.read(lines.flaws[0].skipped)
    try:
        _object(text)
    except ValueError:
        stream.seek(place)
        return None
    return Lines(text, place)


def settings_of(table: DeclaredTable, value: Mapping[str, Any]) -> list[Item]:
    """The hyperparameters that an object has, nested ones joined by dots."""
    given = {
        setting.replace("/", "."): one for name, one in value.items() if (setting := table.setting_of(name))
    }
    plain = {name: one for name, one in given.items() if isinstance(one, (bool, int, float, str))}
    return [HyperParameters(plain)] if plain else []
