"""Finds the column that a short name means: the same in the run table, in Python, in SQL and for agents."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from attrs import frozen

from insight_core.plugin import InvalidArgument
from insight_record.formats.reason import Reason, ReasonKind

CONSTANTS: Mapping[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "nan": math.nan,
    "inf": math.inf,
}
RESERVED = {"and", "or", "not", "in", *CONSTANTS}  # words of the grammar: a column called like one is quoted
PLAIN_WORD = re.compile(r"[^\W\d][\w./:#-]*")  # a column that needs no quotes
_MOST = 4  # suggestions of an error
_COMPARED = 2000  # spellings that a mistake is compared with
_NO_COLUMN = ReasonKind("no_column", "No column {column}")
_SEVERAL_COLUMNS = ReasonKind("several_columns", "No column {column}; several end so")
_TRY = ReasonKind("try_these", ". Try: {names}")


class FilterError(InvalidArgument):
    """What is wrong, in one sentence (``reason``), and texts that may stand in the place of the mistake.

    The text of the error has both. ``details`` has ``reason``, ``suggestions`` and ``hint``, the words around
    them.
    """

    def __init__(
        self, reason: str | Reason, suggestions: Sequence[str] = (), *, code: str, **details: object
    ) -> None:
        hint = _TRY(names=", ".join(suggestions)) if suggestions else ""
        given = {"reason": reason, "suggestions": list(suggestions), "hint": hint, **details}
        super().__init__(f"{reason}{hint}", code=code, **given)
        self.reason = reason
        self.suggestions = suggestions


@frozen
class ColumnName:
    """A column by its names. Of columns that are meant equally, one of a small ``rank`` is preferred."""

    name: str
    key: str = ""  # plugin/name
    title: str = ""
    rank: tuple[int, bool] = (0, False)


class NoColumn(FilterError):
    """No column has this name, or several end so. ``similar`` are other names, the likeliest first."""

    def __init__(self, name: str, known: Iterable[ColumnName] = ()) -> None:
        columns = list(known)
        several = _meant(name, columns)
        meant = several or _similar(name, columns)
        self.similar = [_shortest(one, columns) for one in meant[:_MOST]]
        reason = (_SEVERAL_COLUMNS if several else _NO_COLUMN)(column=name)
        super().__init__(reason, list(map(quoted, self.similar)), code="unknown_column", column=name)


def quoted(name: str) -> str:
    """The name as an expression has it: in quotes unless it is a plain word."""
    plain = PLAIN_WORD.fullmatch(name) and name.lower() not in RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


def resolved(text: str, columns: Sequence[ColumnName]) -> ColumnName:
    """The column that ``text`` means: by its name, else by its key, else by its title or last parts.

    Of columns with one name or key the first is meant. A title or the last parts of a name (``val_acc`` or
    ``hparam/val_acc`` for ``metric/hparam/val_acc``) mean a column of the smallest rank: the only one, or the
    only one whose title or whole name but for its first part they are. Raises NoColumn.
    """
    meant = _meant(text, columns)
    if len(meant) != 1:
        raise NoColumn(text, columns)
    return meant[0]


def _meant(text: str, columns: Sequence[ColumnName]) -> list[ColumnName]:
    """The column, or all that end so, those of a small rank first, where none is preferred to the others."""
    for named in ([one for one in columns if one.name == text], [one for one in columns if one.key == text]):
        if named:
            return named[:1]
    end = f"/{text}"
    found = [one for one in columns if one.name.endswith(end) or one.title == text]
    found.sort(key=lambda one: one.rank)  # stable
    preferred = [one for one in found if one.rank == found[0].rank]
    whole = [one for one in preferred if text in (one.title, one.name.partition("/")[2])]
    return preferred if len(preferred) == 1 else whole if len(whole) == 1 else found


def _shortest(column: ColumnName, columns: Sequence[ColumnName]) -> str:
    """The title where it ends the name and means the same column, else the name."""
    if not column.name.endswith(f"/{column.title}"):
        return column.name
    return column.title if _meant(column.title, columns) == [column] else column.name


def _similar(name: str, columns: Sequence[ColumnName]) -> list[ColumnName]:
    """Columns that are spelled alike, whatever their case, signs and first parts; the likeliest first."""
    wanted = "_".join(_spelt(name))
    by_spelling: dict[str, list[ColumnName]] = {}
    for one in sorted(columns, key=lambda one: one.rank):  # stable
        parts = _spelt(one.name)
        for first in range(len(parts)):
            by_spelling.setdefault("_".join(parts[first:]), []).append(one)
    if (same := by_spelling.get(wanted)) is not None:
        return same
    near = get_close_matches(wanted, list(by_spelling)[:_COMPARED], n=6, cutoff=0.6)
    return list(dict.fromkeys(one for spelling in near for one in by_spelling[spelling]))


def _spelt(name: str) -> list[str]:
    """The parts of a name, whatever signs its words have between them."""
    return re.sub(r"[^\w/]+|_+", "_", name.lower()).split("/")
