"""Whether what a data provider answers is what it promised: for providers that the host does not know."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from insight_core.plugin import EventField, FileName, Reason, SummaryPlugin
from insight_core.plugin.data import (
    Changes,
    Damage,
    Payload,
    PayloadPlaces,
    PayloadStream,
    Progress,
    RecordTable,
    Run,
    RunFile,
    ScalarColumns,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
)

Answer = TypeVar("Answer")
_WHOLE = (int, np.integer)
_NUMBER = (float, int, np.floating, np.integer)
_TEXT = (str,)
_CLAIM = (SummaryPlugin, EventField, FileName)
_NONE = (type(None),)
_FIELDS: dict[type, dict[str, tuple[type, ...]]] = {
    SeriesKey: {"run": _TEXT, "tag": _TEXT},
    Run: {"name": _TEXT, "dialects": (tuple, list), "start_time": _NUMBER + _NONE, "damage": _WHOLE},
    SeriesInfo: {
        "key": (SeriesKey,),
        **dict.fromkeys(("points", "kept", "first_step", "last_step", "attempts"), _WHOLE),
        "last_value": _NUMBER + _NONE,
        "last_wall_time": _NUMBER,
        "display_name": _TEXT,
        "description": _TEXT,
        "claims": (tuple, list),
        "content": (bytes,),
    },
    SeriesTable: {"run": _TEXT, "tags": (tuple, list), "common": (Mapping,), "columns": (Mapping,)},
    Damage: {"run": _TEXT, "file": _TEXT, "offset": _WHOLE, "reason": _TEXT},
    Progress: {"bytes_read": _WHOLE, "bytes_total": _WHOLE},
    Payload: {"data": (bytes,), "claim": _CLAIM},
    PayloadStream: {"size": _WHOLE, "claim": _CLAIM},
    Changes: {"generation": _WHOLE, "series": (Mapping, *_NONE)},
    RunFile: {"run": _TEXT, "path": _TEXT, "directory": _TEXT, "logdir": _TEXT},
    ScalarColumns: {"points": _WHOLE, "total": _WHOLE, "hidden": _WHOLE, "kept": _WHOLE, "origin": _NUMBER},
    RecordTable: {"total": _WHOLE, "kept": _WHOLE, "hidden": _WHOLE},
}
_GETTERS = {kind: (attrgetter(*fields), tuple(fields.values())) for kind, fields in _FIELDS.items()}
_FLOATS = ("float32", "float64")
_COLUMNS: dict[type, dict[str, Sequence[str]]] = {
    ScalarColumns: {"steps": ("int64",), "wall_times": ("float64",), "values": _FLOATS},
    RecordTable: {"steps": ("int64",), "wall_times": ("float64",), "sizes": ("int64",)},
}


class Nonsense(Exception):
    """An answer of a wrong type; the text says what it is."""


def one_of(*kinds: type) -> Callable[[Answer], Answer]:
    """A check of one value; its fields too, if they are known here."""

    def check(answer: Answer) -> Answer:
        _check(answer, kinds, f", not {_names(kinds)}")
        return answer

    return check


def all_of_kind(kind: type, holder: type = Sequence) -> Callable[[Answer], Answer]:
    """A check of a sequence or another collection of values."""

    def check(answer: Answer) -> Answer:
        if not isinstance(answer, holder) or isinstance(answer, str):
            raise Nonsense(f"{_given(answer)}, not a {holder.__name__.lower()} of {kind.__name__}")
        _check_each(answer, kind)  # type: ignore[arg-type]
        return answer

    return check


def checked_scalars(answer: Mapping[SeriesKey, ScalarColumns]) -> Mapping[SeriesKey, ScalarColumns]:
    """A check of ``DataProvider.scalars``."""
    if not isinstance(answer, Mapping):
        raise Nonsense(f"{_given(answer)}, not a mapping of SeriesKey to ScalarColumns")
    _check_each(answer.keys(), SeriesKey)
    _check_each(answer.values(), ScalarColumns)
    return answer


def checked_changes(answer: Changes) -> Changes:
    """A check of ``DataProvider.changes``."""
    _check(answer, (Changes,), ", not Changes")
    for plugin, keys in (answer.series or {}).items():
        if not isinstance(plugin, str) or not isinstance(keys, Collection):
            raise Nonsense("Changes whose series are not collections of SeriesKey by plugin")
        _check_each(keys, SeriesKey)
    return answer


def optional(check: Callable[[Answer], Answer]) -> Callable[[Answer], Answer]:
    """A check of what may also be None."""
    return lambda answer: answer if answer is None else check(answer)


def nothing(answer: Answer) -> Answer:
    """No check."""
    return answer


places = one_of(PayloadPlaces)
notices = all_of_kind(Reason)


def _check_each(values: Iterable[object], kind: type) -> None:
    kinds, wanted = (kind,), f" among values of type {kind.__name__}"
    for value in values:
        _check(value, kinds, wanted)


def _check(value: object, kinds: tuple[type, ...], wanted: str) -> None:
    if not isinstance(value, kinds) or (bool not in kinds and isinstance(value, bool)):
        raise Nonsense(f"{_given(value)}{wanted}")
    kind = type(value)
    known = _GETTERS.get(kind)
    if known is None:
        return
    get, right = known
    fields = get(value)
    if not all(map(isinstance, fields, right)):
        for name, field, types in zip(_FIELDS[kind], fields, right, strict=True):
            if not isinstance(field, types):
                raise Nonsense(f"a {kind.__name__} whose {name} is {_given(field)}, not {_names(types)}")
    if kind is SeriesInfo:
        _check(fields[0], (SeriesKey,), ", not SeriesKey")
    elif kind in _COLUMNS:
        _check_columns(value, _COLUMNS[kind])


def _check_columns(value: object, columns: Mapping[str, Sequence[str]]) -> None:
    lengths = set()
    for name, types in columns.items():
        column: Any = getattr(value, name)
        is_array = isinstance(column, np.ndarray)
        if not is_array or column.ndim != 1 or str(column.dtype) not in types:
            found = f"an array {list(column.shape)} of {column.dtype}" if is_array else _given(column)
            wanted = " or ".join(types)
            raise Nonsense(f"{type(value).__name__} whose {name} are {found}, not an array [n] of {wanted}")
        lengths.add(len(column))
    if len(lengths) > 1:
        raise Nonsense(f"{type(value).__name__} whose columns differ in length: {sorted(lengths)}")


def _given(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _names(kinds: Iterable[type]) -> str:
    named = ["None" if kind is type(None) else kind.__name__ for kind in kinds if kind.__module__ != "numpy"]
    return " or ".join(named)
