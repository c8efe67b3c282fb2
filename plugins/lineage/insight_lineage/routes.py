"""The HTTP side of the lineage plugin."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, NotFound, PluginContext, ReasonKind, Route, encode_json
from insight_core.plugin.filters import All, Column, Comparison, Condition, conditions_of, parsed
from insight_core.plugin.http import (
    choice,
    csv_field,
    csv_response,
    is_pinned,
    json_response,
    record_of,
    text,
    texts,
    whole_number,
)
from insight_lineage.goals import Goal
from insight_lineage.importance.answer import ranking_fields
from insight_lineage.importance.ranking import kept_ranking
from insight_lineage.mindspore import LineageFile
from insight_lineage.names import GROUPS, SCALARS, natural
from insight_lineage.pipeline import MAX_STAGES, Operation, Parameters, Pipeline, Stage, value_text
from insight_lineage.run_columns import hosted, lineage_of
from insight_lineage.selection import Groups, SortKey, groups_of, ordered, statistics
from insight_lineage.source import Lineage
from insight_lineage.table import Table, description

MOST_ROWS = 100_000
_DEFAULT_GROUPS = tuple(group for group in GROUPS if group not in ("scalar", "pipeline"))
_PARAMETER_GROUPS = ("hyperparameter", "dataset", "custom")
_UNKNOWN_RUN = ReasonKind("unknown_run", "unknown run {run!r}")

_JSON, _FORMAT = ("application/json",), choice("format", ("json", "csv"))
_OFFSET, _LIMIT = whole_number("offset", 0, 1 << 31, 0), whole_number("limit", 0, MOST_ROWS, MOST_ROWS)
_RUN, _RUNS, _TAG, _TAGS = text("run", required=True), texts("run"), text("tag"), texts("tag")
_WHERE, _FILTER, _GROUP, _SORT = text("where", ""), text("filter"), texts("group"), texts("sort")
_COLUMNS, _SCALARS, _PARAMETER = texts("columns"), texts("scalars"), texts("parameter")
_GOAL = choice("goal", ("auto", "min", "max"))
_MATCHING, _WANTED = (_WHERE, _FILTER, _RUNS), (_COLUMNS, _SCALARS, _TAGS)


def routes(ctx: PluginContext[LineageFile]) -> Sequence[Route]:
    """Columns, rows, data pipeline, and importance of parameters."""
    views = _Views(ctx, lineage_of(ctx))
    return [
        Route("/columns", views.columns, answers=_JSON),
        Route(
            "/runs",
            views.runs,
            reads=[_FORMAT, _OFFSET, _LIMIT, _GROUP],
            also_reads=[*_MATCHING, *_WANTED, _SORT],
            answers=["application/json", "text/csv"],
        ),
        Route(
            "/pipeline",
            views.pipeline,
            also_reads=[record_of(ctx.data, ctx.name, "all").optional()],
            answers=_JSON,
        ),
        Route(
            "/importance",
            views.importance,
            reads=[text("target", required=True), _GOAL],
            also_reads=[*_MATCHING, _PARAMETER],
            answers=_JSON,
        ),
    ]


@frozen
class _Views:
    ctx: PluginContext[LineageFile]
    lineage: Lineage

    def columns(self, request: Request) -> Response:
        with self.lineage.table(self.ctx.annotations(), hosted(self.ctx)) as table:
            answer = {
                "runs": len(table),
                "columns": list(table.described()),
                "problems": [asdict(problem) | problem.error.fields() for problem in table.problems],
            }
        return json_response(answer)

    def runs(
        self, request: Request, *, format: str, offset: int, limit: int, group: Sequence[str]
    ) -> Response:
        where = _where(self.ctx, request)
        of_host = hosted(self.ctx, _said(request))
        with self.lineage.table(self.ctx.annotations(), of_host) as table:
            matching = _matching(request, table, where)
            columns = [table.column(name) for name in _wanted(request, table)]
            by = [table.column(name) for name in dict.fromkeys(group)]
            rows = ordered(matching, table.rows, _sort(request, table), by)
            goals = [table.goal(column) for column in columns]
        shown = rows[offset : offset + limit]
        names = [table.rows.runs[row] for row in shown]
        if format == "csv":
            return _of_now(_csv(names, columns, shown), where, of_host)
        answer = encode_json(
            {
                "total": len(table),
                "matched": len(rows),
                "offset": offset,
                "runs": names,
                "columns": [_described(*one, rows) for one in zip(columns, goals, strict=True)],
                "groups": _groups(rows, by, columns, offset, offset + len(shown)) if by else [],
            }
        )
        values = ",".join(column.encoded(shown) for column in columns).encode("ascii")
        body = b'%b,"values":[%b]}' % (answer[:-1], values)
        return _of_now(Response(body, mimetype="application/json"), where, of_host)

    def pipeline(self, request: Request) -> Response:
        if _TAG.read(request) is not None:
            return self._pipeline_of_file(request)
        run = _RUN.read(request)
        with self.lineage.table(self.ctx.annotations()) as table:
            if run not in table.rows.place:
                raise NotFound(_UNKNOWN_RUN(run=run))
            pipeline = self.lineage.pipeline(run)
            mark = None
            if pipeline is not None:
                mark = table.column("dataset_mark").values[table.rows.place[run]]
        described = None if pipeline is None else _pipeline(pipeline)
        return json_response({"run": run, "mark": mark, "pipeline": described})

    def _pipeline_of_file(self, request: Request) -> Response:
        """The graph plugin asks for it: a run may have several files."""
        place = self.ctx.own.place(request, "all")
        file = self.ctx.values.at(place)
        answer = {
            "pipeline": None if file.pipeline is None else _pipeline(file.pipeline),
            "limit": MAX_STAGES if file.is_cut else None,
            "unreadable": [
                {"offset": one.offset, "cut_off": one.cut_off, "text": one.text} for one in file.unreadable
            ],
        }
        return json_response(answer, immutable=is_pinned(request))

    def importance(self, request: Request, *, target: str, goal: str) -> Response:
        where = _where(self.ctx, request)
        of_host = hosted(self.ctx, _said(request))
        with self.lineage.table(self.ctx.annotations(), of_host) as table:
            column = table.column(target)
            named = table.goal(column)
            rows = _matching(request, table, where)
            parameters = [table.column(one) for one in _parameters_wanted(request, table)]
        wanted = named if goal == "auto" else cast(Goal, goal)
        found = kept_ranking(column, parameters, rows, wanted)
        answer = {"target": target, "matched": len(rows), "goal": wanted, **ranking_fields(found)}
        return _of_now(json_response(answer), where, of_host)


# --- what a request asks for ----------------------------------------------------------------------


def _where(ctx: PluginContext[LineageFile], request: Request) -> Condition | None:
    """The runs that match ``where``; to be asked before the table is locked, for the host asks for its cells.

    Until the next release also an expression over columns that only this table has, such as ``pipeline/Map``.
    """
    where = _WHERE.read(request)
    if not where.strip():
        return None
    try:
        return Comparison("run", "in", json.loads(ctx.get("/data/run_matches", where=where).data)["runs"])
    except InvalidArgument as error:
        if error.code != "unknown_column":
            raise
        return parsed(where)


def _said(request: Request) -> str:
    """All values of the parameters of a request, which may name columns."""
    return "\n".join(value for values in request.args.listvalues() for value in values)


def _of_now(answer: Response, *parts: object) -> Response:
    """The answer, not kept if the host gave one of these parts: a status changes while data do not."""
    if any(parts):
        answer.cache_control.no_store = True
    return answer


def _matching(request: Request, table: Table, where: Condition | None) -> NDArray[np.intp]:
    """The rows for which everything that the request says of them holds."""
    conditions: list[Condition] = [] if where is None else [where]
    found = np.ones(len(table), np.bool_)
    if (given := _FILTER.read(request)) is not None:
        conditions += conditions_of(given)
    if runs := _RUNS.read(request):
        conditions.append(Comparison("run", "in", runs))
    if conditions and len(table):
        found = found & All(conditions).holds(table.column)
    return np.flatnonzero(found)


def _wanted(request: Request, table: Table) -> list[str]:
    names = dict.fromkeys(_COLUMNS.read(request))
    scalars = dict.fromkeys(_SCALARS.read(request))
    if not names:
        names = dict.fromkeys(table.names(_DEFAULT_GROUPS))
    for which in scalars:
        if which not in SCALARS:
            raise InvalidArgument(f"scalars must be {' or '.join(SCALARS)}, not {which!r}")
        tags = _TAGS.read(request) or sorted(table.tags(), key=natural)
        names.update(dict.fromkeys(f"{which}/{tag}" for tag in tags))
    return list(names)


def _parameters_wanted(request: Request, table: Table) -> list[str]:
    named = list(dict.fromkeys(_PARAMETER.read(request)))
    # a mark is a name of a data set, not a quantity
    return named or [name for name in table.names(_PARAMETER_GROUPS) if name != "dataset_mark"]


def _sort(request: Request, table: Table) -> list[SortKey]:
    keys = []
    for given in _SORT.read(request):
        downwards = given.startswith("-")
        name = given[1:] if given.startswith(("-", "+")) else given
        keys.append(SortKey(table.column(name), downwards))
    return keys


# --- what an answer says --------------------------------------------------------------------------


def _described(column: Column, goal: Goal | None, rows: NDArray[np.intp]) -> dict[str, object]:
    numbers = column.finite(rows)
    return {
        **description(column, goal),
        "count": int(np.count_nonzero(column.kinds[rows])),
        "min": float(numbers.min()) if len(numbers) else None,
        "max": float(numbers.max()) if len(numbers) else None,
    }


def _groups(
    rows: NDArray[np.intp], group: Sequence[Column], columns: Sequence[Column], first: int, last: int
) -> list[dict[str, object]]:
    """The groups, whole, of which a row is among those from ``first`` to ``last``."""
    groups = groups_of(rows, group).around(first, last)
    if not len(groups.starts):
        return []
    begin, end = int(groups.starts[0]), int(groups.starts[-1] + groups.counts[-1])
    rows, groups = rows[begin:end], Groups(groups.starts - begin, groups.counts)
    heads = rows[groups.starts]
    values = [column.shown[heads].tolist() for column in group]
    numbers = [statistics(column, rows, groups) for column in columns]
    places = zip(groups.starts.tolist(), groups.counts.tolist(), strict=True)
    return [
        {
            "values": [listed[number] for listed in values],
            "from": begin + start,
            "count": count,
            "statistics": [listed[number] for listed in numbers],
        }
        for number, (start, count) in enumerate(places)
    ]


def _csv(names: Sequence[str], columns: Sequence[Column], rows: NDArray[np.intp]) -> Response:
    others = [column for column in columns if column.name != "run"]
    listed = [map(csv_field, column.shown[rows].tolist()) for column in others]
    header = ",".join(map(csv_field, ["run", *(column.name for column in others)]))
    return csv_response([header, *map(",".join, zip(map(csv_field, names), *listed, strict=True))])


def _pipeline(pipeline: Pipeline) -> dict[str, Any]:
    return {
        "nodes": [_stage(number, stage) for number, stage in enumerate(pipeline)],
        "edges": [
            {"from": str(source), "to": str(number)}
            for number, stage in enumerate(pipeline)
            for source in stage.inputs
        ],
    }


def _stage(number: int, stage: Stage) -> dict[str, object]:
    return {
        "id": str(number),
        "name": stage.name,
        "type": stage.name,
        "kind": "operation" if stage.inputs else "source",
        "parameters": _parameters(stage.parameters),
        "operations": [_operation(operation) for operation in stage.operations],
        "sampler": None if stage.sampler is None else _operation(stage.sampler),
    }


def _operation(operation: Operation) -> dict[str, object]:
    return {"name": operation.name, "parameters": _parameters(operation.parameters)}


def _parameters(parameters: Parameters) -> list[dict[str, str]]:
    return [{"name": name, "value": value_text(value)} for name, value in parameters.items()]
