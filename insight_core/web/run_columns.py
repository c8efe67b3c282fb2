"""Columns that plugin modules add to the run table."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from insight_core.isolation import Busy, Call, Limits, Overdue, in_one_line
from insight_core.plugin import (
    Cell,
    DataProvider,
    PluginContext,
    RunCells,
    RunColumn,
    RunColumns,
    Unavailable,
)
from insight_core.registry import Module, Registry

log = logging.getLogger(__name__)

_HOOK = "insight_run_columns"
_ALL = "all"


@frozen(eq=False)
class RunColumnTable:
    """Asks all modules for cells in parallel; a module that fails loses only its own columns."""

    registry: Registry
    provider: DataProvider
    limits: Limits
    context_of: Callable[[Module], PluginContext]

    def answer(self, names: Collection[str]) -> dict[str, object]:
        """``names`` are names of columns, or lists of them separated by commas, or ``all``."""
        columns, errors = self._ask({part for text in names for part in (text, *text.split(","))})
        return {"columns": columns, "column_errors": errors}

    def cells(self, names: Collection[str]) -> Sequence[RunCells]:
        """See insight_core.plugin.ReadRunColumns."""
        columns, errors = self._ask(set(names))
        if errors:
            raise Unavailable("; ".join(f"plugin {error['plugin']}: {error['error']}" for error in errors))
        return [RunCells(**column) for column in columns]

    def _ask(self, wanted: Collection[str]) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
        runs = [run.name for run in self.provider.runs()]
        given: dict[str, list[RunColumn | RunColumns]] = {}
        for one in self.registry.collected(_HOOK, (RunColumn, RunColumns)):
            given.setdefault(one.module, []).append(one.value)
        columns: list[dict[str, Any]] = []
        errors: list[dict[str, str]] = []
        calls: list[tuple[Module, Call[list[dict[str, object]]]]] = []
        for module in self.registry.implementing(_HOOK):
            name = module.candidate.name
            sources = given.get(name, [])
            try:
                calls.append((module, self._begin(module, sources, runs, wanted)))
            except Busy as error:
                errors.append({"plugin": name, "error": str(error)})
        for module, call in calls:
            name = module.candidate.name
            try:
                columns += ({"plugin": name, **column} for column in call.result())
                module.calls.forget(_HOOK)
            except Exception as error:
                call.given_up = True
                text = str(error) if isinstance(error, (Overdue, Busy)) else in_one_line(error)
                if module.calls.note(_HOOK, text):
                    log.error("the run columns of plugin %s failed: %s", name, text, exc_info=error)
                errors.append({"plugin": name, "error": text})
        for failure in self.registry.failures.values():
            if failure.reason.startswith(f"{_HOOK}() "):
                errors.append({"plugin": failure.entry_point, "error": failure.reason})
        return columns, errors

    def _begin(
        self,
        module: Module,
        sources: Sequence[RunColumn | RunColumns],
        runs: Sequence[str],
        wanted: Collection[str],
    ) -> Call[list[dict[str, object]]]:
        return module.calls.start(
            f"the run columns of {module.candidate.name}",
            lambda _: list(self._columns(module, sources, runs, wanted)),
            self.limits.active,
            limited=True,
        )

    def _columns(
        self,
        module: Module,
        sources: Iterable[RunColumn | RunColumns],
        runs: Sequence[str],
        wanted: Collection[str],
    ) -> Iterator[dict[str, object]]:
        for source in sources:
            if isinstance(source, RunColumn):
                if _ALL in wanted or source.name in wanted:
                    yield _described(source, source.values(self.provider, runs), runs)
                continue
            ctx = self.context_of(module)
            listed = [one for one in source.list(ctx) if _ALL in wanted or one.name in wanted]
            if not listed:
                continue
            values = source.values(ctx, [one.name for one in listed], runs)
            for column in listed:
                yield _described(column, values.get(column.name, {}), runs)


def _described(column: RunColumn, values: Mapping[str, Any], runs: Iterable[str]) -> dict[str, object]:
    return {
        "name": column.name,
        "title": column.title,
        "titles": dict(column.titles),
        "kind": str(column.kind),
        "group": column.group,
        "values": {run: _cell(column.name, values[run]) for run in runs if values.get(run) is not None},
    }


def _cell(name: str, value: Any) -> Cell:  # noqa: ANN401
    plain = value.item() if hasattr(value, "item") else value  # of numpy
    if not isinstance(plain, (str, int, float, bool)):
        raise TypeError(f"a cell of column {name!r} is a {type(plain).__name__}, not a text or number")
    return plain
