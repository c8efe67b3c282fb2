"""Reads profiles of many small files; a malformed file produces a note and does not stop the others.

Names of operators are as MindSpore writes them: ``Default/network-WithLossCell/conv1-Conv2d/Conv2D-op0``.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.reading.csv_columns import Csv, CsvColumns

_LONGEST_JSON = 1 << 28  # bytes

# what bytes that are not what they should be make parsers raise
BROKEN = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    csv.Error,
)


@define(eq=False)
class ProfileParts:
    """``read`` are the files of which something was read."""

    files: Files
    building: Building
    read: set[str] = field(factory=set)
    _tables: dict[str, Csv] = field(factory=dict, init=False)

    def named(self, pattern: str) -> list[str]:
        """Files whose name, without directories, matches the whole pattern, sorted."""
        matches = re.compile(pattern).fullmatch
        return sorted(name for name in self.files.names() if matches(name.rpartition("/")[2]))

    def first(self, pattern: str) -> str | None:
        """The first file name that matches; None without one."""
        return next(iter(self.named(pattern)), None)

    def attempt(self, pattern: str, read: Callable[[str], None]) -> bool:
        """Reads each file that the pattern names; whether one of them could be."""
        found = False
        for name in self.named(pattern):
            try:
                read(name)
            except BROKEN as error:
                reason = str(error) if isinstance(error, (OSError, ValueError)) else repr(error)
                self.building.note(
                    "file_unreadable", f"{name} cannot be read: {reason}", file=name, reason=reason
                )
            else:
                self.read.add(name)
                found = True
            self._note_strange(name)
            self.building.reached()
        return found

    @contextmanager
    def csv(self, name: str) -> Iterator[Csv]:
        """A CSV file. What is strange about it is noted when the attempt to read it is over."""
        with self.files.open(name) as stream:
            self._tables[name] = Csv(stream)
            yield self._tables[name]

    def _note_strange(self, name: str) -> None:
        found = self._tables.pop(name, None)
        if found is None:
            return
        if found.strange:
            count = sum(found.strange.values())
            columns = ", ".join(f"{column} ({number})" for column, number in found.strange.items())
            self.building.note(
                "cells_without_value",
                f"{count} cells of {name} hold no number and are taken for absent: {columns}",
                file=name,
                count=count,
                columns=columns,
            )
        if found.cut:
            self.building.note(
                "rows_cut",
                f"{found.cut} rows of {name} have not as many cells as its header",
                file=name,
                count=found.cut,
            )

    def cells(self, name: str) -> CsvColumns:
        """The whole of a CSV file that is small."""
        with self.csv(name) as found:
            return found.whole()

    def json(self, name: str) -> Any:  # noqa: ANN401  any JSON
        """Raises ValueError for a text that is none."""
        return json.loads(self.files.text(name, _LONGEST_JSON), strict=False)

    def require_something(self) -> None:
        """Raises Unreadable when there was nothing to be read."""
        if not self.read:
            names = sorted(self.files.names())
            raise Unreadable(
                "nothing_readable",
                f"nothing of the profile can be read; it has {len(names)} files",
                files=names[:20],
            )


_DIRECTORY = re.compile(r"(?P<host>.+)_\d+_\d{17}_ascend_(ms|pt)")
_SCOPES = ("Default/", "Gradients/", "recompute_Default/")
_NUMBER = re.compile(r"-op\d+.*$")


def split_name(full: str) -> tuple[str, str]:
    """Scope and name."""
    scope, _, name = full.rpartition("/")
    return scope, name


def split_scope(full: str) -> tuple[str, str]:
    """Scope and name, where the name begins with a scope; others may have slashes in them."""
    return split_name(full) if full.startswith(_SCOPES) else ("", full)


def host_of(directory: str) -> str:
    """The host in the name of a directory, ``{host}_{process}_{time}_ascend_ms``; nothing for other names."""
    found = _DIRECTORY.fullmatch(directory)
    return found["host"] if found else ""


def type_of(full: str) -> str:
    """The type of an operator that nothing else tells: its name without ``-op7``."""
    return _NUMBER.sub("", full.rpartition("/")[2])
