"""Traces that Trackio recorded: conversations, shown as texts."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import insight_importers
import insight_text

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider


def test_the_messages_of_a_trace_stand_one_below_the_other(tmp_path: Path) -> None:
    trace = {  # as trackio 0.43's Trace._to_dict gives it
        "_type": "trackio.trace",
        "messages": [
            {"role": "user", "content": "What is ```x```?"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
            {"role": "tool", "content": ["a", 1]},
        ],
        "metadata": {"reward": 0.5},
        "spans": [],
    }
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as database:
        database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
        row = "first", "2026-01-01T00:00:00+00:00", 3, json.dumps({"rollout": trace})
        database.execute("INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)", row)
    plugins = [insight_text.insight_plugin(), insight_importers.insight_plugin()]
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=insight_importers.FORMATS)
    provider.load()
    key = SeriesKey("a/first", "rollout")
    shown = "\n\n".join(
        [
            "**user**",
            "````\nWhat is ```x```?\n````",
            "**assistant**",
            '```\n[{"id": "1"}]\n```',
            "**tool**",
            '```\n["a", 1]\n```',
            "**metadata**",
            '```\n{"reward": 0.5}\n```',
        ]
    )
    assert shown.encode() in provider.payload("text", key, 0).data
    assert provider.damage() == []
    provider.close()
