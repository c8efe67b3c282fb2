"""Every point out of the logs: into pandas, polars and DuckDB, from files that were not read before.

Ours: ``insight_host.open`` without an index, ``scalars()``, and the step into each library; the figures are
processor time, of all threads. TensorBoard: ``EventAccumulator`` with nothing sampled, its points left as
Python objects. tbparse: its frame of pandas. tb-like: its Parquet files, and these as a frame of polars. Each
in a fresh process, imports done before. The peers take some 20 µs a point and more: they get one round.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.corpus import WrittenCorpus
from benchmarks.processes import Failed, peer_environment
from benchmarks.table import OURS, TB_LIKE, TBPARSE, TENSORBOARD, AtMost, Row, median

CORPORA = ("wide", "million", "very_deep")
_PATIENCE = 3600.0  # seconds
_STEPS = {
    "open": "read the files, processor",
    "table": "table of all points, processor",
    "pandas": "table to pandas, processor",
    "polars": "table to polars, processor",
    "duckdb": "table to DuckDB, mean of each tag, processor",
}
_PEERS = (
    (TENSORBOARD, "accumulator", "INSIGHT_PEER_TENSORBOARD"),
    (TBPARSE, "tbparse", "INSIGHT_PEER_TENSORBOARD"),
    (TB_LIKE, "tblike", "INSIGHT_PEER_TBLIKE"),
)
_TO_PANDAS = 1.0  # seconds that ten million points may take from logs that were read into pandas


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    own = [asked([sys.executable, "-m", "benchmarks.own_export", str(corpus.logdir)]) for _ in range(rounds)]
    _check(own, corpus.content.points)
    figures: dict[str, dict[str, float]] = {
        step: {OURS: median([each["costs"][step]["cpu"] for each in own])} for step in _STEPS
    }
    peers = _peers(corpus)
    ours = figures["table"][OURS] + figures["pandas"][OURS]
    limit = AtMost(_TO_PANDAS) if corpus.content.points >= 10_000_000 else None
    return [
        Row(
            corpus.name,
            "files to pandas, processor",
            "s",
            {OURS: figures["open"][OURS] + ours, **{who: one["cpu"] for who, one in peers.items()}},
        ),
        Row(corpus.name, "logs that were read to pandas, processor", "s", {OURS: ours}, limit),
        *(Row(corpus.name, _STEPS[step], "s", figures[step]) for step in _STEPS),
        Row(
            corpus.name,
            "peak memory",
            "MB",
            {
                OURS: median([each["memory"] for each in own]),
                **{who: one["memory"] for who, one in peers.items()},
            },
        ),
    ]


def _peers(corpus: WrittenCorpus) -> Mapping[str, Mapping[str, float]]:
    found: dict[str, Mapping[str, float]] = {}
    script = str(Path(__file__).with_name("peer_export.py"))
    for who, how, variable in _PEERS:
        python = os.environ.get(variable)
        if not python:
            continue
        with tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace:
            environment = peer_environment(Path(workspace)) | {"TMPDIR": workspace}
            try:
                answer = asked([python, script, how, str(corpus.logdir)], environment)
                _check([answer], corpus.content.points)
                found[who] = answer
            except Failed as error:
                print(f"{who} on {corpus.name}: {error}", file=sys.stderr)
                found[who] = {"cpu": math.nan, "memory": math.nan}
    return found


def _check(answers: list[dict[str, Any]], points: int) -> None:
    for answer in answers:
        if answer["points"] != points:
            raise Failed(f"{answer['points']:,} points instead of {points:,}")


def asked(command: list[str], environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON that a command prints. Raises Failed."""
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=_PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"it takes longer than {_PATIENCE:.0f} s") from error
    if done.returncode:
        raise Failed(f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
