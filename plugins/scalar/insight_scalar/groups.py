"""Groups of runs: by what a regular expression captures of their names, and by columns of the run table."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from attrs import frozen

from insight_core.plugin import InvalidArgument, PluginContext, ReasonKind, RunCells
from insight_core.plugin.http import text, texts

MAX_PATTERN = 200  # characters of a regular expression
MAX_MATCHING = 1.0  # seconds that it may take on all names together
_NO_VALUE = "-"
_BAD_PATTERN = ReasonKind("bad_pattern", "group is not a regular expression: {cause}")
_MISSING_PARAMETER = ReasonKind("missing_parameter", "group is missing", "name")
_NO_COLUMN = ReasonKind("scalar_no_column", "by: no run has a column {column!r}")


@frozen(eq=False)
class RunGroups:
    """Names the group of each run."""

    pattern: GroupPattern | None
    columns: Sequence[RunCells]

    def group_of(self, run: str) -> str | None:
        """What the pattern captures, then ``title=value`` of each column; None where it does not match."""
        parts = [f"{column.title}={_text(column.values.get(run))}" for column in self.columns]
        if self.pattern is not None:
            captured = self.pattern.group_of(run)
            if captured is None:
                return None
            parts = [captured, *parts]
        return " · ".join(parts)


class GroupPattern:
    """A user's regular expression, which may take only so long: some need time without end."""

    def __init__(self, text: str) -> None:
        import regex  # slow to load, and most never group

        try:
            self._pattern = regex.compile(text)
        except (regex.error, OverflowError, RecursionError) as error:
            raise InvalidArgument(_BAD_PATTERN(cause=str(error))) from None
        self._until = time.monotonic() + MAX_MATCHING

    def group_of(self, run: str) -> str | None:
        """What the pattern captures of a run's name, joined by ``/``; None where it does not match."""
        try:
            match = self._pattern.search(
                run, timeout=max(1e-3, self._until - time.monotonic()), concurrent=True
            )
        except TimeoutError:
            raise InvalidArgument(
                "group takes too long on the names of these runs", code="slow_pattern"
            ) from None
        if match is None:
            return None
        return "/".join(part or "" for part in match.groups()) if match.groups() else str(match[0])


GROUPS_CODES = {400: ("long_pattern", "scalar_no_column")}
GROUPS_READ = (text("group"), texts("by"), texts("run").named("runs"))  # The groups, and the runs in them.


def groups(ctx: PluginContext, group: str | None, by: Sequence[str]) -> RunGroups:
    """The parameters ``group`` (a regular expression) and ``by`` (columns as ``PLUGIN/NAME``, repeatable).

    Raises InvalidArgument if both are missing, the expression is too long or invalid, or no plugin has a
    column.
    """
    keys = list(dict.fromkeys(by))
    if group is None and not keys:
        raise InvalidArgument(_MISSING_PARAMETER(name="group"))
    if group is not None and len(group) > MAX_PATTERN:
        said = f"group must have at most {MAX_PATTERN} characters, not {len(group)}"
        raise InvalidArgument(said, code="long_pattern", most=MAX_PATTERN)
    known: Mapping[str, RunCells] = {}
    if keys:
        read = ctx.run_columns({key.partition("/")[2] for key in keys})
        known = {f"{column.plugin}/{column.name}": column for column in read}
    for key in keys:
        if key not in known:
            raise InvalidArgument(_NO_COLUMN(column=key))
    return RunGroups(GroupPattern(group) if group is not None else None, [known[key] for key in keys])


def described(column: RunCells) -> dict[str, object]:
    """A column as the page lists it."""
    return {
        "key": f"{column.plugin}/{column.name}",
        "title": column.title,
        "titles": column.titles,
        "group": column.group,
        "kind": column.kind,
        "values": len(set(column.values.values())),
        "runs": len(column.values),
    }


def _text(value: str | float | bool | None) -> str:
    if value is None:
        return _NO_VALUE
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)
