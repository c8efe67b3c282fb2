"""What each route of the profiler reads of a request, and the media types of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from insight_core.plugin.http import Reader, choice, flag, text, texts, whole_number
from insight_profiler.analysis import kernels, operators
from insight_profiler.analysis.compared_steps import MEASURES
from insight_profiler.analysis.rank_map import SCALES
from insight_profiler.views import calls, every_step
from insight_profiler.views.tables import TABLE_READS

Readers = Sequence[Reader[Any]]

_FAR = 1 << 53
_MOST_FOUND = 1000


def _coded(reader: Reader[Any], codes: Mapping[int, Sequence[str]]) -> Reader[Any]:
    return evolve(reader, codes=codes)


_UNKNOWN = {404: ("profiler_unknown",)}
_OPENED = {**_UNKNOWN, 413: ("profiler_large",), 422: ("profiler_unreadable",), 503: ("profiler_reading",)}
_NOTHING = {404: ("profiler_nothing",)}
_RUN, _PATH = text("run", required=True), text("profile", required=True)
_STEPS = _coded(text("steps"), {400: ("profiler_bad_steps", "profiler_many_ranges")})
_LISTED: Readers = (_coded(_RUN, _UNKNOWN), _PATH)
_PROFILE: Readers = (_coded(_RUN, _OPENED), _PATH)
_TABLE: Readers = (*_PROFILE, _coded(_PATH, _NOTHING))
_OF_JOB: Readers = (_coded(_RUN, _UNKNOWN), text("profile"))
_BASE: Readers = (text("base_run", required=True), text("base_profile", required=True))
_BY, _SIDE = choice("by", operators.GROUPINGS), text("side")
_WINDOW: Readers = (
    _coded(whole_number("to", -_FAR, _FAR), {400: ("wrong_order",)}),
    whole_number("from", -_FAR, _FAR, 0),
)
_TRACKS, _COUNTERS = (_coded(text(name), {400: ("profiler_bad_numbers",)}) for name in ("tracks", "counters"))
_WIDTH, _STEP_NUMBER = whole_number("width", 1, 10_000, 1500), whole_number("number", 0, _FAR)


_EVERY_STEP: Readers = (
    every_step.SPAN,
    every_step.STATISTIC,
    every_step.FROM,
    every_step.TO,
    every_step.WIDTH,
)
_CEILINGS = _coded(text("ceilings"), {400: ("profiler_bad_ceilings",)})
_MEASURED = whole_number("measured", 0, _FAR)

_FIELD = text("field")  # one of the columns in which one can search
_ROWS: Readers = (_FIELD, *TABLE_READS)
_WORDS: Readers = (_coded(_FIELD, {400: ("not_allowed",)}), *TABLE_READS)
READS: Mapping[str, Readers] = {
    "profiles": [texts("run")],
    "profile": _LISTED,
    "overview": [*_PROFILE, _STEPS, _CEILINGS, _MEASURED],
    "advice": [choice("ranks", ("all", "known")), _MEASURED, *_PROFILE],
    "operators": [*_TABLE, _BY, _SIDE, _STEPS, text("type"), *_ROWS],
    "operator": [*_TABLE, _BY, *map(text, ("name", "type", "scope", "shapes")), _SIDE, _STEPS],
    "kernels": [
        *_TABLE,
        choice("group", kernels.GROUPINGS),
        _STEPS,
        *_WORDS,
    ],
    "steps": [*_TABLE, *_WORDS],
    "step": [*_TABLE, _STEP_NUMBER],
    "memory": [*_PROFILE, whole_number("width", 1, 10_000, 1000)],
    "call_tree": [
        *_TABLE,
        *(text(f"base_{name}") for name in ("run", "profile")),
        *(calls.OF, calls.UP, calls.MEASURE, calls.AT, calls.SINCE, calls.DEVICE, _STEPS),
    ],
    "held": [*_TABLE, calls.OWNERS, calls.PER, calls.DEVICE, whole_number("width", 1, 10_000, 1000)],
    "pool": [*_TABLE, calls.AT, calls.DEVICE],
    "blocks": [*_TABLE, calls.AT, calls.SINCE, calls.DEVICE, calls.LIMIT],
    "leaks": _TABLE,
    "hangs": _TABLE,
    "every_step": [*_TABLE, *_EVERY_STEP],
    "goodput": _TABLE,
    "pipeline": _PROFILE,
    "communication": [
        *_TABLE,
        _STEPS,
        choice("table", ("operators", "links")),
        *_WORDS,
    ],
    "flops": _TABLE,
    "roofline": [*_TABLE, _CEILINGS, _MEASURED],
    "shapes": [*_TABLE, *_WORDS],
    "operator_times": [*_OF_JOB, flag("outermost")],
    "cluster": [*_OF_JOB, _STEPS],
    "rank_steps": [*_OF_JOB, text("time")],
    "rank_map": [*_OF_JOB, text("measure"), choice("scale", SCALES), whole_number("width", 1, 10_000, 2000)],
    "rank_links": [*_OF_JOB, _STEPS],
    "compare": [
        choice("table", ("operators", "kernels")),
        *_PROFILE,
        *_BASE,
        choice("per", MEASURES),
        _STEPS,
        _BY,
        _SIDE,
        *_ROWS,
    ],
    "comparison": [
        *_PROFILE,
        *_BASE,
        whole_number("base_step", 0, _FAR),
        whole_number("step", 0, _FAR),
        _STEPS,
    ],
    "strategy": _TABLE,
    "strategy_operator": [*_TABLE, whole_number("stage", 0, 1 << 31), text("name", required=True)],
    "tracks": _PROFILE,
    "slices": [*_TABLE, *_WINDOW, _WIDTH, whole_number("levels", 1, 1 << 16), _TRACKS],
    "counters": [*_TABLE, *_WINDOW, _WIDTH, _COUNTERS],
    "slice": [*_TABLE, whole_number("id", 0, _FAR, required=True)],
    "search": [
        *_TABLE,
        text("q", required=True),
        flag("regex"),
        whole_number("from", -_FAR, _FAR, -_FAR),
        whole_number("to", -_FAR, _FAR, _FAR),
        whole_number("offset", 0, _FAR, 0),
        whole_number("at", -_FAR, _FAR),
        whole_number("limit", 0, _MOST_FOUND, 100),
    ],
    "selection": [*_TABLE, *_WINDOW, _TRACKS, *_WORDS],
    "trace": [*_PROFILE, *_WINDOW, _TRACKS, flag("packed")],
}
_JSON, _BYTES, _CSV = "application/json", "application/octet-stream", "text/csv"
ANSWERS: Mapping[str, Sequence[str]] = {  # Those that are not JSON alone.
    **dict.fromkeys(
        ("operators", "kernels", "steps", "communication", "shapes", "compare", "selection"), (_JSON, _CSV)
    ),
    "slices": (_BYTES,),
    "counters": (_BYTES,),
    "trace": (_JSON, "application/gzip"),
}
CODES: Mapping[str, Mapping[int, Sequence[str]]] = {  # Those of errors of one route alone.
    "counters": {413: ("profiler_many_counters",)},
    "operator": {404: ("profiler_no_operator",)},
    "search": {400: ("empty_parameter",)},
    "slice": {404: ("profiler_no_slice",)},
    "slices": {413: ("profiler_many_slices",)},
    "step": {404: ("profiler_no_step",)},
    "trace": {413: ("profiler_many_events",)},
}
