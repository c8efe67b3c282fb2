"""Cold load: from nothing to everything in memory, the files in the system's cache.

Ours: ``LocalProvider.load()`` in a fresh process whose imports are done, without an index cache; every point
is kept and every checksum verified, but for those of payloads that stay on disk: they are when served.
``tensorboard-data-server``: from its start until it says that its first load cycle is finished (after which
it is checked to have every series to its last step); it keeps 1000 numbers or 10 images a tag and verifies a
checksum only where a record cannot be parsed. It starts in 10 ms.
MindInsight: its loader alone in its own Python, imports done before, without its pool and with its own limits
(1000 numbers a tag); it verifies no checksum. It is slow, so it gets a tenth of the corpus and one round.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.corpus import WrittenCorpus
from benchmarks.data_service import channel, has_everything
from benchmarks.hosts import rust_loaded
from benchmarks.processes import Failed, peer_environment
from benchmarks.table import MINDINSIGHT, OURS, RUST, RUST_ALL, AtMost, Row, TimesBetter, median
from insight_core.plugin import Dialect

_CONFORMANCE = Path(__file__).parents[1] / "tests/conformance"  # starts MindInsight
_BASE = 60.0  # MB of a process that has loaded nothing
_POINT = 40 / 1e6  # MB a point may take
_PATIENCE = 600.0  # seconds
_MOST_STEPS_OF_ALL = 1_000_000  # it takes half a kilobyte a point
TIMES_FASTER = {"deep": 5.0, "wide": 8.0, "many": 2.0, "blobs": 20.0}


@frozen
class Cost:
    wall: float  # seconds
    cpu: float  # seconds, user and system, of all threads
    memory: float  # MB, the largest resident size


_FAILED = Cost(math.nan, math.nan, math.nan)


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    costs: dict[str, list[Cost]] = {}
    for _ in range(rounds):
        for name, load in _contenders(corpus).items():
            costs.setdefault(name, []).append(_try(name, load, corpus))
    if corpus.name == "mindspore_tenth" and os.environ.get("INSIGHT_PEER_MINDINSIGHT"):
        costs[MINDINSIGHT] = [_try(MINDINSIGHT, _mindinsight, corpus)]
    return _rows(corpus, costs)


def _contenders(corpus: WrittenCorpus) -> dict[str, Callable[[WrittenCorpus], Cost]]:
    found: dict[str, Callable[[WrittenCorpus], Cost]] = {OURS: _own}
    if corpus.content.dialect is Dialect.TENSORBOARD:
        found[RUST] = _rust
        if corpus.content.kind == "scalar" and 1000 < corpus.content.steps <= _MOST_STEPS_OF_ALL:
            found[RUST_ALL] = _rust_all
    return found


def _rows(corpus: WrittenCorpus, costs: dict[str, list[Cost]]) -> list[Row]:
    def figures(name: str) -> dict[str, float]:
        return {who: median([getattr(cost, name) for cost in each]) for who, each in costs.items()}

    factor = TIMES_FASTER.get(corpus.name)
    scalars = corpus.content.points if corpus.content.kind == "scalar" else 0
    return [
        Row(corpus.name, "load", "s", figures("wall"), TimesBetter(factor) if factor else None),
        Row(corpus.name, "load, processor", "s", figures("cpu")),
        Row(corpus.name, "load, peak memory", "MB", figures("memory"), AtMost(_BASE + _POINT * scalars)),
    ]


def _try(name: str, load: Callable[[WrittenCorpus], Cost], corpus: WrittenCorpus) -> Cost:
    try:
        return load(corpus)
    except (Failed, subprocess.SubprocessError) as error:
        print(f"{name} on {corpus.name}: {error}", file=sys.stderr)
        return _FAILED


def _own(corpus: WrittenCorpus) -> Cost:
    found = _asked([sys.executable, "-m", "benchmarks.own_load", str(corpus.logdir)], dict(os.environ))
    if max(found["points"].values(), default=0) != corpus.content.points:
        raise Failed(f"{found['points']} points instead of {corpus.content.points}")
    return Cost(found["wall"], found["cpu"], found["memory"])


def _rust(corpus: WrittenCorpus, *flags: str) -> Cost:
    with rust_loaded(corpus, *flags) as (program, wall):
        cost = Cost(wall, program.processor_time(), program.peak_memory())
        with channel(program.port) as opened:
            if not has_everything(opened, corpus.content):
                raise Failed("its load cycle is finished but series are missing or incomplete")
    return cost


def _rust_all(corpus: WrittenCorpus) -> Cost:
    return _rust(corpus, "--samples-per-plugin=scalars=all")


def _mindinsight(corpus: WrittenCorpus) -> Cost:
    python = os.environ["INSIGHT_PEER_MINDINSIGHT"]
    script = Path(__file__).with_name("peer_mindinsight.py")
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace:
        environment = peer_environment(Path(workspace)) | {"PYTHONPATH": str(_CONFORMANCE)}
        found = _asked([python, str(script), str(corpus.logdir)], environment)
    kept = corpus.content.runs * corpus.content.tags * min(corpus.content.steps, 1000)
    if found["points"] != {"scalar": kept}:
        raise Failed(f"{found['points']} points instead of {kept}")
    return Cost(found["wall"], found["cpu"], found["memory"])


def _asked(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, env=environment, timeout=_PATIENCE)
    if done.returncode:
        raise Failed(f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
