"""Samples of a long training: 10,000 a step, 500 steps, 50 GB.

    python -m benchmarks.samples [--steps 500] [--rows 10000] [--growing]

One file of rollouts is written as verl writes it, and linked as the file of every step; with ``--growing``
its rows are written to one file instead, step after step. Prints the processor time of the host until all is
indexed, its memory and that of the index on disk; then, of answers to a page: the first screen (overview, the
last step, its first sample), the next sample, all steps sorted by a score, and a search up to its first hits
and for a word that no sample has. At the end the host starts again with the index of the first time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
from attrs import field, frozen

from benchmarks.processes import Failed, Program, free_port, started

_GROUP = 8  # samples of a prompt
_WORDS = 5000
_LOOKS = 40  # samples that are looked at, one after the other
_PATIENCE = 7200.0
_ROUTES = "/data/plugin/samples/"


def write_step(path: Path, rows: int, step: int | None = None) -> int:
    """Writes the rollouts of a step, of 9 kB each on average; returns how many bytes."""
    drawn = random.Random(0 if step is None else step)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(drawn.choices(letters, k=drawn.randint(2, 9))) for _ in range(_WORDS)]
    text = " ".join(drawn.choices(words, k=60 * _WORDS))

    def some(count: int) -> str:
        at = drawn.randrange(len(text) - count)
        return text[at : at + count]

    with path.open("a", encoding="utf-8") as file:
        for number in range(rows):
            if number % _GROUP == 0:
                asked = f"<|im_start|>user\n{number}: {some(600)}<|im_end|>\n<|im_start|>assistant\n"
            said = f"<think>\n{some(drawn.randint(3000, 14000))}\n</think>\n\nThe answer is {number}."
            row: dict[str, Any] = {"input": asked, "output": said, "gts": str(number)}
            row |= {"score": drawn.random(), "format": 1.0, "advantage": drawn.gauss(0, 1)}
            row |= {"response_length": drawn.randint(500, 4096)} | ({} if step is None else {"step": step})
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return file.tell()


@frozen
class _Host:
    """A host of samples, asked as its page does; no answer is that of an earlier question."""

    program: Program
    port: int
    count: Iterator[int] = field(factory=itertools.count)

    def ask(self, route: str, **query: object) -> Any:  # noqa: ANN401 - of JSON
        text = urlencode({"run": "run", **query, "question": next(self.count)}, doseq=True)
        with urlopen(f"http://127.0.0.1:{self.port}{_ROUTES}{route}?{text}", timeout=_PATIENCE) as answer:
            return json.load(answer)

    def is_indexed(self) -> bool:
        try:
            answer = self.ask("overview")
        except OSError:  # it begins, or has not found the run yet
            return False
        return bool(answer["indexed"] >= answer["bytes"])

    def worked(self) -> float:
        """Seconds of a processor of the host itself: workers end when there is nothing to index."""
        return self.program.processor_time() - self.program.children_processor_time()

    def measured(self, what: str, asks: Iterator[Callable[[], object]]) -> None:
        """Prints what each of these takes: processor time of the host, and by the clock."""
        took, worked = [], []
        for ask in asks:
            used, began = self.worked(), time.perf_counter()
            ask()
            took.append(1000 * (time.perf_counter() - began))
            worked.append(1000 * (self.worked() - used))
        times = f"p50 {np.quantile(took, 0.5):.0f} ms, p95 {np.quantile(took, 0.95):.0f} ms"
        print(f"{what}: {np.mean(worked):.1f} ms of a processor, {times}", flush=True)


@contextmanager
def _host(place: Path) -> Iterator[_Host]:
    port = free_port()
    command = [sys.executable, "-m", "insight_core.cli", "--logdir", str(place / "logs")]
    command += ["--cache-dir", str(place / "cache"), "--state-dir", str(place / "state")]
    with started([*command, "--port", str(port)], port=port) as program:
        yield _Host(program, port)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--growing", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as name:
        place = Path(name)
        size = _written(place, options.steps, options.rows, options.growing)
        with _host(place) as host:
            _index(host, size, "indexed")
            kept = sum(file.stat().st_size for file in (place / "cache").rglob("*") if file.is_file())
            print(f"index on disk: {kept / 1e6:.0f} MB", flush=True)
            _look(host)
            print(f"memory: {host.program.peak_memory():.0f} MB", flush=True)
        with _host(place) as host:
            _index(host, size, "started again with the index")


def _written(place: Path, steps: int, rows: int, growing: bool) -> int:
    """Writes the logs; returns their bytes."""
    if growing:
        path = place / "logs/run/rollouts/samples.jsonl"
        path.parent.mkdir(parents=True)
        return [write_step(path, rows, step) for step in range(1, steps + 1)][-1]
    one = place / "step.jsonl"
    size = write_step(one, rows)
    (place / "logs/run/rollout").mkdir(parents=True)
    for step in range(1, steps + 1):
        os.link(one, place / f"logs/run/rollout/{step}.jsonl")
    return size * steps


def _index(host: _Host, size: int, what: str) -> None:
    took = host.program.wait(host.is_indexed, pause=0.2, patience=_PATIENCE)
    worked = host.program.processor_time()
    print(f"{size / 1e9:.1f} GB {what} in {took:.1f} s: {worked:.1f} s of a processor, ", end="")
    print(f"{host.program.peak_memory():.0f} MB of memory", flush=True)


def _look(host: _Host) -> None:
    steps = host.ask("overview")["steps"]
    drawn = random.Random(1)

    def screen() -> None:
        host.ask("overview")
        line = host.ask("rows", step=steps[-1], limit=100)["samples"][0]
        host.ask("sample", id=line["id"], size=line["size"])

    def samples() -> Iterator[Callable[[], object]]:
        for step in drawn.choices(steps, k=_LOOKS):
            line = drawn.choice(host.ask("rows", step=step, limit=100)["samples"])
            yield lambda line=line: host.ask("sample", id=line["id"], size=line["size"])  # type: ignore[misc]

    host.measured("first screen", itertools.repeat(screen, 5))
    host.measured("next sample", samples())
    steps_shown = (lambda step=step: host.ask("rows", step=step) for step in drawn.choices(steps, k=10))
    host.measured("another step", steps_shown)
    host.measured("all steps by a score", itertools.repeat(lambda: host.ask("rows", sort="score", desc=1), 3))
    everywhere = itertools.repeat(lambda: host.ask("rows", where=["score > 0.9999"]), 3)
    host.measured("all steps with a condition", everywhere)
    host.measured("search to its first hits", itertools.repeat(lambda: _found(host, "answer is 77"), 3))
    _search_all(host)


def _found(host: _Host, word: str) -> None:
    start: int | None = 0
    while start is not None:
        answer = host.ask("search", q=word, start=start)
        if answer["samples"]:
            return
        start = answer["next"]
    raise Failed(f"no sample has {word!r}")


def _search_all(host: _Host) -> None:
    used, began = host.worked(), time.perf_counter()
    start, answers = 0, 0
    while start is not None and time.perf_counter() - began < 60:
        answer = host.ask("search", q="no sample says this", start=start)
        start, answers = answer["next"], answers + 1
        share = 1.0 if start is None else start / answer["of"]
    worked, took = host.worked() - used, time.perf_counter() - began
    print(f"search for a word that is nowhere: {100 * share:.0f} % in {took:.1f} s, ", end="")
    print(f"{answers} answers, {worked:.1f} s of a processor", flush=True)


if __name__ == "__main__":
    main()
