"""Columns of the run table: the host's own, and those that plugin modules add."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from attrs import field, frozen

from insight_core.isolation import Busy, Limits, Overdue, in_one_line
from insight_core.plugin import Annotations, Cell, PluginContext, RunCells, RunColumn, RunColumns, Unavailable
from insight_core.plugin.data import DataProvider
from insight_core.registry import Module, Registry
from insight_core.web.own_columns import OWN, PRESUMED, STATUS, own_columns

log = logging.getLogger(__name__)

_HOOK = "insight_run_columns"


@frozen(eq=False)
class GivenColumn:
    """A column and its cells by run; ``plugin`` is the name of the plugin that has it: ``Module.name``."""

    plugin: str
    column: RunColumn
    values: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Names the column among those of all modules."""
        return f"{self.plugin}/{self.column.name}"

    def cells(self, runs: Sequence[str]) -> list[Cell]:
        """One for each run, None without a value. Raises TypeError for a value that a cell cannot have."""
        return [_cell(self.column.name, self.values.get(run)) for run in runs]

    def by_run(self, runs: Sequence[str]) -> dict[str, str | int | float | bool]:
        """The cells that are not empty. Raises TypeError for a value that a cell cannot have."""
        cells = zip(runs, self.cells(runs), strict=True)
        return {run: cell for run, cell in cells if cell is not None}

    def described(self) -> dict[str, Any]:
        """The column without its cells, as a JSON object."""
        return {
            "plugin": self.plugin,
            "name": self.column.name,
            "title": self.column.title,
            "titles": dict(self.column.titles),
            "kind": str(self.column.kind),
            "group": self.column.group,
            **self._at_first(),
            **({"goal": self.column.goal} if self.column.goal else {}),
        }

    def _at_first(self) -> dict[str, object]:
        """Which columns the table has at first, and which a short name means, where it is not the usual."""
        order: dict[str, object] = {"order": self.column.order} if self.column.order else {}
        return order if self.column.at_first else {"at_first": False, **order}


Wanted = Callable[[str, RunColumn], bool]  # whether the cells of this column of a module are asked for


@frozen(eq=False)
class GivenColumns:
    """What modules gave, and why columns of others are missing."""

    columns: list[GivenColumn] = field(factory=list)
    errors: list[dict[str, str]] = field(factory=list)


@frozen(eq=False)
class RunColumnTable:
    """Asks all modules in parallel; a module that fails loses only its own columns."""

    registry: Registry
    provider: DataProvider
    limits: Limits
    context_of: Callable[[Module], PluginContext]
    annotations: Callable[[], Annotations]

    def listed(self) -> dict[str, object]:
        """All columns without their cells."""
        found = self.found((), None)
        return {
            "columns": [one.described() for one in found.columns],
            "column_errors": found.errors,
        }

    def with_keys(self, keys: Collection[str]) -> dict[str, object]:
        """The columns with these keys; their values are in the order of ``runs``."""
        runs = [run.name for run in self.provider.runs()]
        wanted = self.found(runs, lambda plugin, column: f"{plugin}/{column.name}" in keys)
        return {"runs": runs, **_answer(wanted, runs)}

    def with_names(self, texts: Collection[str], runs: Sequence[str]) -> dict[str, object]:
        """The columns with these names, lists of them separated by commas, or ``all``."""
        names = {part for text in texts for part in (text, *text.split(","))}
        return _answer(self.found(runs, _named(names)), runs)

    def cells(self, names: Collection[str]) -> Sequence[RunCells]:
        """See insight_core.plugin.ReadRunColumns."""
        runs = [run.name for run in self.provider.runs()]
        found = self.found(runs, _named(names))
        if found.errors:
            raise unavailable(found.errors)
        given = []
        for one in found.columns:
            try:
                described = one.described()
                for name in ("at_first", "order", "goal"):  # of the table alone
                    described.pop(name, None)
                given.append(RunCells(**described, values=one.by_run(runs)))
            except TypeError as error:
                raise unavailable([{"plugin": one.plugin, "error": in_one_line(error)}]) from error
        return given

    def found(self, runs: Sequence[str], wanted: Wanted | None) -> GivenColumns:
        """Columns with their cells for these runs; without ``wanted``, all columns and no cells."""
        failed: list[dict[str, str]] = []

        def ends(asked: Sequence[str]) -> Mapping[str, str]:
            """What logs say of the end of runs: the columns ``status`` of plugins."""
            found = self._added(asked, lambda _, column: column.name == STATUS)
            failed.extend(found.errors)
            said = [pair for one in reversed(found.columns) for pair in one.values.items()]
            said.sort(key=lambda pair: pair[1] != PRESUMED)  # what logs report wins
            return {run: str(value) for run, value in said}

        own = [
            GivenColumn(OWN, column, column.values(self.provider, runs) if wanted else {})
            for column in own_columns(self.annotations, ends)
            if wanted is None or wanted(OWN, column)
        ]
        added = self._added(runs, wanted)
        errors = [*added.errors, *(one for one in failed if one not in added.errors)]
        return GivenColumns([*own, *added.columns], errors)

    def _added(self, runs: Sequence[str], wanted: Wanted | None) -> GivenColumns:
        found = GivenColumns()
        asked: list[tuple[Module, str, Callable[[], list[GivenColumn]]]] = []
        for one in self.registry.collected(_HOOK, (RunColumn, RunColumns)):
            what = _source(one.value, one.owner)
            try:
                asked.append((one.module, what, self._begin(one.module, one.value, what, runs, wanted)))
            except Busy as error:
                found.errors.append({"plugin": one.owner, "error": str(error)})
        for module, what, result in asked:
            try:
                found.columns.extend(result())
                module.calls.forget(what)
            except Exception as error:
                text = str(error) if isinstance(error, (Overdue, Busy)) else in_one_line(error)
                if module.calls.note(what, text):
                    log.error("%s failed: %s", what, text, exc_info=error)
                found.errors.append({"plugin": module.name, "error": text})
        for failure in self.registry.failures.values():
            if failure.hook == _HOOK:
                found.errors.append({"plugin": failure.entry_point, "error": failure.reason})
        return found

    def _begin(
        self,
        module: Module,
        source: RunColumn | RunColumns,
        what: str,
        runs: Sequence[str],
        wanted: Wanted | None,
    ) -> Callable[[], list[GivenColumn]]:
        """Asks a source in a call of its own, so that a source that fails or hangs costs no other one.

        Returns a function that waits for the columns. Raises Busy.
        """
        name = module.name
        if isinstance(source, RunColumn):
            if wanted is None:
                return lambda: [GivenColumn(name, source, {})]
            if not wanted(name, source):
                return list
        return module.calls.start(
            what,
            lambda _: list(self._columns(module, source, runs, wanted)),
            self.limits.active,
            limited=True,
        ).result

    def _columns(
        self, module: Module, source: RunColumn | RunColumns, runs: Sequence[str], wanted: Wanted | None
    ) -> Iterator[GivenColumn]:
        name = module.name
        if isinstance(source, RunColumn):
            yield GivenColumn(name, source, _of_runs(source.values(self.provider, runs), runs))
            return
        ctx = self.context_of(module)
        listed = [one for one in source.columns(ctx) if wanted is None or wanted(name, one)]
        cells: Mapping[str, Mapping[str, Cell]] = {}
        if wanted is not None and listed:
            cells = source.values(ctx, [one.name for one in listed], runs)
        for column in listed:
            yield GivenColumn(name, column, _of_runs(cells.get(column.name, {}), runs))


def unavailable(errors: Sequence[Mapping[str, str]], text: str = "") -> Unavailable:
    """The error of a request for columns that plugins failed to give. ``text`` comes first."""
    causes = "; ".join(f"plugin {one['plugin']}: {one['error']}" for one in errors)
    return Unavailable(f"{text}: {causes}" if text else causes)


def _source(source: RunColumn | RunColumns, module: str) -> str:
    """Names a source of columns for messages."""
    if isinstance(source, RunColumn):
        return f"the run column {source.name!r} of {module}"
    return f"the run columns of {module}"


def _of_runs(values: Mapping[str, Any], runs: Sequence[str]) -> Mapping[str, Any]:
    """The cells of these runs, none of others. Raises TypeError for what has no cells."""
    return {run: values[run] for run in runs if run in values}


def _named(names: Collection[str]) -> Wanted:
    return lambda _, column: column.name in names or "all" in names


def _answer(found: GivenColumns, runs: Sequence[str]) -> dict[str, object]:
    columns, errors = [], list(found.errors)
    for one in found.columns:
        try:
            columns.append({**one.described(), "values": one.cells(runs)})
        except TypeError as error:
            errors.append({"plugin": one.plugin, "error": in_one_line(error)})
    return {"columns": columns, "column_errors": errors}


def _cell(column: str, value: Any) -> Cell:  # noqa: ANN401
    try:
        plain = value.item() if hasattr(value, "item") else value  # of numpy
    except Exception:  # an array of several numbers, or whatever else a plugin gives
        plain = value
    if plain is None or type(plain) in (str, int, float, bool):
        return cast("Cell", plain)
    if isinstance(plain, str):
        return str.__str__(plain)  # of an enumeration
    if isinstance(plain, (int, float)):
        return int(plain) if isinstance(plain, int) else float(plain)
    raise TypeError(f"a cell of column {column!r} is a {type(plain).__name__}, not a text or number")
