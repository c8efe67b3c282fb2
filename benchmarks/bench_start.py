"""From process start to data: insight-host beside TensorBoard on the same logs, interleaved.

    python -m benchmarks.bench_start [--rounds 3] [--corpus wide]

Measured on each round, seconds of wall time: until the first answer that holds points of the newest run
(what a page needs to draw), until every run has its last point; and the memory of all processes then.
TensorBoard runs as installed (INSIGHT_PEER_TENSORBOARD names its Python), with its Rust data server; it keeps
at most 1000 points a tag, insight-host keeps all.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import frozen

from benchmarks.corpus import CORPORA, tag_names, write_corpus

_PATIENCE = 120.0  # seconds


@frozen
class Contender:
    """A host to start, and how to ask it for what it has."""

    name: str
    command: Callable[[Path, int], Sequence[str]]
    points: Callable[[int, str, str], list[Any]]  # (port, run, tag) -> points
    runs_with: Callable[[int, str], int]  # (port, tag) -> how many runs have it


@frozen
class Measured:
    first: float  # s
    complete: float  # s
    memory: float  # MB


def _get(port: int, path: str) -> Any:  # noqa: ANN401
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ConnectionError, TimeoutError, json.JSONDecodeError):
        return None


def _our_points(port: int, run: str, tag: str) -> list[Any]:
    answer = _get(port, f"data/plugin/scalar/series?run={quote(run)}&tag={quote(tag)}&width=300")
    series = answer["series"] if answer else []
    return list(series[0]["steps"]) if series else []


def _our_runs(port: int, tag: str) -> int:
    table = _get(port, "data/run_table")
    if not table or not table["progress"]["loaded_once"]:
        return 0
    return sum(tag in tags for tags in (_get(port, "data/plugin/scalar/tags") or {}).values())


def _their_points(port: int, run: str, tag: str) -> list[Any]:
    return _get(port, f"data/plugin/scalars/scalars?run={quote(run)}&tag={quote(tag)}") or []


def _their_runs(port: int, tag: str) -> int:
    return sum(tag in tags for tags in (_get(port, "data/plugin/scalars/tags") or {}).values())


def _contenders() -> list[Contender]:
    python = os.environ.get("INSIGHT_PEER_TENSORBOARD", "")
    found = [
        Contender(
            "insight-host",
            lambda logdir, port: [
                sys.executable,
                "-m",
                "insight_core.cli",
                "--logdir",
                str(logdir),
                "--port",
                str(port),
            ],
            _our_points,
            _our_runs,
        )
    ]
    if python and Path(python).exists():
        found.append(
            Contender(
                "TensorBoard",
                lambda logdir, port: [
                    python,
                    "-m",
                    "tensorboard.main",
                    "--logdir",
                    str(logdir),
                    "--port",
                    str(port),
                    "--host",
                    "127.0.0.1",
                    "--load_fast",
                    "true",
                ],
                _their_points,
                _their_runs,
            )
        )
    else:
        print("INSIGHT_PEER_TENSORBOARD is not set: no comparison")
    return found


def _memory(process: int) -> float:
    """Resident memory of a process and its descendants, MB."""
    total, pending = 0.0, [process]
    while pending:
        current = pending.pop()
        try:
            status = Path(f"/proc/{current}/status").read_text()
            pending += [int(p) for p in Path(f"/proc/{current}/task/{current}/children").read_text().split()]
        except OSError:
            continue
        total += sum(
            float(line.split()[1]) / 1000 for line in status.splitlines() if line.startswith("VmRSS")
        )
    return total


def _measure(contender: Contender, logdir: Path, runs: int, tag: str) -> Measured:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    newest = f"run_{runs - 1:04d}"
    began = time.perf_counter()
    process = subprocess.Popen(
        contender.command(logdir, port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        first = _wait(began, lambda: bool(contender.points(port, newest, tag)))
        complete = _wait(began, lambda: contender.runs_with(port, tag) == runs)
        return Measured(first, complete, _memory(process.pid))
    finally:
        process.terminate()
        process.wait()


def _wait(began: float, done: Callable[[], bool]) -> float:
    while not done():
        if time.perf_counter() - began > _PATIENCE:
            return float("nan")
        time.sleep(0.02)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", choices=["wide", "many"], default="wide")
    options = parser.parse_args()
    corpus = CORPORA[options.corpus]
    contenders = _contenders()
    results: dict[str, list[Measured]] = {contender.name: [] for contender in contenders}
    with tempfile.TemporaryDirectory() as place:
        size = write_corpus(corpus, Path(place))
        print(
            f"{options.corpus}: {corpus.points:,} points in {corpus.runs} runs, {size / 1e6:.0f} MB; "
            f"{platform.platform()}, {os.cpu_count()} cores"
        )
        for _ in range(options.rounds):
            for contender in contenders:
                results[contender.name].append(
                    _measure(contender, Path(place), corpus.runs, tag_names(corpus.tags)[0])
                )
    print(f"{'median of ' + str(options.rounds):20} {'first points':>13} {'all loaded':>11} {'memory':>9}")
    for name, measured in results.items():
        median = [
            statistics.median(getattr(m, field) for m in measured)
            for field in ("first", "complete", "memory")
        ]
        print(f"{name:20} {median[0]:11.2f} s {median[1]:9.2f} s {median[2]:6.0f} MB")


if __name__ == "__main__":
    main()
