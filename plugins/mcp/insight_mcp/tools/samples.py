"""``samples``: what a model said at a step, how it was rewarded, and what changed between two steps."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Any

from insight_core.plugin import InvalidArgument, NotFound, PluginContext, Unavailable
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import chosen, run_names

_SAMPLES = "samples"
_PATIENCE = 20.0  # seconds for an index that is being made
_PAUSE = 0.2
_TOGETHER = 32  # samples of one request
_LONGEST = 1000  # characters of a text
_FIGURES = ("mean", "p5", "p50", "p95")
_PLACES = (1, 3, 5, 7)  # of these in the figures of a column


def samples(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """Sources of runs; of one run its steps; of a step its samples, or what changed since another one."""
    if not given.get("run"):
        found: Any = ctx.ask(_SAMPLES, "/sources")
        rows: list[Row] = [one[:4] for one in found["sources"]]
        return ToolAnswer(
            [f"{counted(len(rows), 'source')}."], LoggedRows.of(("run", "source", "files", "bytes"), rows)
        )
    [run] = run_names(ctx, [given["run"]])[:1]
    names = [str(one[1]) for one in _asked(ctx, "/sources", {"run": run})["sources"]]
    if not names:
        raise NotFound(f"the run {run!r} has no samples")
    [source] = chosen(names, [given["source"]], "source")[:1] if given.get("source") else names[:1]
    about = {"run": run, "source": source}
    overview = _overview(ctx, about)
    step = given.get("step")
    if step is None:
        return _steps(overview)
    if overview["steps"] and step not in overview["steps"]:
        raise InvalidArgument(f"step must be one of {', '.join(map(str, overview['steps'][-20:]))}")
    if given.get("since") is not None:
        return _changes(_asked(ctx, "/compare", {**about, "first": given["since"], "second": step}))
    query = {
        **about,
        "step": step,
        **_order(given.get("sort") or ""),
        "where": given.get("where") or (),
    }
    return _listed(ctx, query)


def _asked(ctx: PluginContext, route: str, query: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of JSON
    return ctx.ask(_SAMPLES, route, **query)


def _overview(ctx: PluginContext, about: Mapping[str, str]) -> Any:  # noqa: ANN401 - of JSON
    until = time.monotonic() + _PATIENCE
    while True:
        found = _asked(ctx, "/overview", about)
        if found["indexed"] >= found["bytes"]:
            return found
        if time.monotonic() > until:
            share = int(100 * found["indexed"] / max(1, found["bytes"]))
            raise Unavailable(f"the samples of {about['run']!r} are being indexed ({share} %): ask again")
        time.sleep(_PAUSE)


def _steps(overview: Any) -> ToolAnswer:  # noqa: ANN401 - of JSON
    columns = [f"score/{name}" for name in overview["scores"]] + ["length", "characters"]
    has = [name for name in columns if any(name in one["columns"] for _, one in overview["shown"])]
    rows: list[Row] = []
    for step, one in overview["shown"]:
        figures = [one["columns"].get(name) for name in has]
        cells = [None if each is None else each[place] for each in figures for place in _PLACES]
        rows.append([step, one["rows"], one["empty"], one["repeated"], one["truncated"], *cells])
    names = [f"{name.removeprefix('score/')} {figure}" for name in has for figure in _FIGURES]
    head = ("step", "samples", "empty", "repeated", "truncated", *names)
    note = f"{counted(len(rows), 'step')}. empty, repeated, truncated: shares."
    return ToolAnswer([note], LoggedRows.of(head, rows))


def _listed(ctx: PluginContext, query: Mapping[str, Any]) -> ToolAnswer:
    """Samples of a step, read as far as the budget goes."""

    @functools.cache
    def page(first: int, last: int) -> Any:  # noqa: ANN401 - of JSON
        some = {"offset": first, "limit": last - first, "characters": _LONGEST}
        return _asked(ctx, "/rows", {**query, **some})

    beginning = page(0, _TOGETHER)
    names = list(dict.fromkeys(name for line in beginning["samples"] for name in line["scores"]))
    head = ("id", *names, "advantage", "length", "signs", "prompt", "completion")

    def row(line: Mapping[str, Any]) -> Row:
        scores = [line["scores"].get(name) for name in names]
        texts = line.get("texts") or ("", "")
        return [line["id"], *scores, line["advantage"], line["length"], " ".join(line["signs"]), *texts]

    def read(first: int, last: int) -> Sequence[Row]:
        found = beginning["samples"][first:last] if last <= _TOGETHER else page(first, last)["samples"]
        return [row(line) for line in found]

    total = beginning["total"]
    return ToolAnswer([f"{counted(total, 'sample')}."], LoggedRows(head, total, read, longest=_LONGEST))


def _changes(found: Any) -> ToolAnswer:  # noqa: ANN401 - of JSON
    rows: list[Row] = [
        [*pair["means"], pair["before"]["asked"], pair["before"]["said"], pair["after"]["said"]]
        for pair in found["pairs"]
    ]
    counts = f"{found['shared']} shared prompts: {found['rose']} rose, {found['fell']} fell."
    note = f"{counts} Those first that changed most."
    return ToolAnswer([note], LoggedRows.of(("before", "after", "prompt", "said before", "said after"), rows))


def _order(sort: str) -> Mapping[str, Any]:
    return {"sort": sort.removeprefix("-"), "desc": "1" if sort.startswith("-") else "0"} if sort else {}
