"""What is declared of a table: which column is the step, the time, a setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from attrs import asdict, field, frozen

from insight_core.checks import one_of

_LAYOUTS = ("csv", "tsv", "one", "lines", "object", "columns")


@frozen
class DeclaredTable:
    """What ``log_table`` declares, without names of files."""

    layout: str = field(validator=one_of(_LAYOUTS))
    step: tuple[str, ...]
    time: str = ""
    time_unit: float = 1.0
    sums_steps: bool = False
    names: Mapping[str, str] = field(factory=dict)
    settings: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    rows: str = ""
    tag: str = ""
    unless: tuple[str, ...] = ()
    most: int = 0

    def step_among(self, names: Iterable[str]) -> str | None:
        """The name of the column of steps among these."""
        there = set(names)
        return next((name for name in self.step if name in there), None)

    def tag_of(self, name: str) -> str:
        """The tag of a column; empty if it is none of series."""
        if not name or name == self.time or any(fnmatchcase(name, one) for one in self.without):
            return ""
        return "" if self.setting_of(name) else renamed(name, self.names)

    def setting_of(self, name: str) -> str:
        """The name of the hyperparameter that a column holds; empty if it holds none."""
        return next((found for one in self.settings if (found := _middle(name, one))), "")

    def as_json(self) -> dict[str, Any]:
        """The fields, for another process."""
        return asdict(self)

    @classmethod
    def of_json(cls, fields: Mapping[str, Any]) -> DeclaredTable:
        """The table of ``as_json``."""
        given: dict[str, Any] = {
            name: tuple(one) if isinstance(one, list) else one for name, one in fields.items()
        }
        return cls(**given)


def renamed(name: str, names: Mapping[str, str]) -> str:
    """The name that the first of ``names`` that matches gives; itself if none does."""
    for one, new in names.items():
        middle = _middle(name, one)
        if middle:
            return new.replace("*", middle) if "*" in one else new
    return name


def _middle(name: str, pattern: str) -> str:
    """What ``*`` stands for, the whole name for a pattern without one; empty if it does not match."""
    before, star, after = pattern.partition("*")
    if not star:
        return name if name == pattern else ""
    if len(name) <= len(before) + len(after) or not (name.startswith(before) and name.endswith(after)):
        return ""
    return name[len(before) : len(name) - len(after)]
