"""The tools of agents, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Mapping

from insight_mcp.answers import USUAL
from insight_mcp.definitions import Tool
from insight_mcp.tools.comparison import compare
from insight_mcp.tools.findings import diagnose
from insight_mcp.tools.overview import describe
from insight_mcp.tools.profiles import profile
from insight_mcp.tools.samples import samples
from insight_mcp.tools.tables import runs, series, sql

_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_RUNS = {**_TEXTS, "description": "exact names or /regex/; default all"}
_STEP = {"type": "integer"}


TOOLS = (
    Tool(
        "describe",
        "Start here: what the logs hold (plugins, run columns, SQL tables, tags). With run: its notes,"
        " hyperparameters, damage and logged texts. All tools: budget = most tokens of the answer"
        f" (default {USUAL}), cursor = goes on where an answer ended.",
        {"run": {"type": "string"}},
        describe,
    ),
    Tool(
        "runs",
        "Runs with status, times, hyperparameters that differ, metrics.",
        {
            "where": {**_TEXT, "description": "e.g. lr > 0.1 and status = 'failed'"},
            "columns": {**_TEXTS, "description": "run columns of describe"},
            "sort": {**_TEXT, "description": "column; -column: descending"},
        },
        runs,
    ),
    Tool(
        "series",
        "Series: points, first and last step, last value.",
        {
            "runs": _RUNS,
            "where": _TEXT,
            "tags": _RUNS,
            "plugin": {**_TEXT, "description": "default scalar; all"},
        },
        series,
    ),
    Tool(
        "compare",
        "Scalars by run and tag: first, last, min, max with steps, mean, NaN count; points: also so many"
        " step:value pairs of the curve.",
        {
            "tags": _RUNS,
            "runs": _RUNS,
            "where": _TEXT,
            "sort": {**_TEXT, "description": "as in runs: min, -max, last"},
            "points": {"type": "integer"},
            "first_step": _STEP,
            "last_step": _STEP,
        },
        compare,
    ),
    Tool(
        "diagnose",
        "Faults found by rules: NaN, divergence, overfitting, learning rate, dead layers, slow data or ranks;"
        " with evidence and what to change.",
        {"runs": _RUNS, "where": _TEXT},
        diagnose,
    ),
    Tool(
        "sql",
        "One SELECT in DuckDB's SQL; give tags and runs in WHERE to read less. Use order by.",
        {
            "query": {
                **_TEXT,
                "description": "e.g. select run, min(value) from scalars where tag = 'loss' group by run",
            }
        },
        sql,
        ("query",),
    ),
    Tool(
        "profile",
        "Profiles: without run a list; with run where the time went (newest profile unless named).",
        {
            "run": _TEXT,
            "profile": _TEXT,
            "table": {"type": "string", "enum": ["overview", "operators", "kernels", "steps"]},
        },
        profile,
    ),
    Tool(
        "samples",
        "What models said: rollouts and evaluations. Without run a list; with run scores and lengths by step;"
        " with step its samples; with since what changed for the same prompts.",
        {
            "run": _TEXT,
            "source": _TEXT,
            "step": _STEP,
            "since": _STEP,
            "sort": {**_TEXT, "description": "score, length, advantage; -score: descending"},
            "where": {**_TEXTS, "description": "e.g. score > 0.5, truncated"},
        },
        samples,
    ),
)  # In the order of the list.

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
