"""A logdir of many runs on a network file system: until all runs are listed and read, and calls afterwards.

    python -m benchmarks.slow_files [--runs 20000] [--milliseconds 2] [--corpora DIR] [--only ours rust]

A library that is compiled here (slow_files.c, needs gcc) is preloaded into the host and into TensorBoard's
data server: each open, stat, read and list of a file or directory of the logdir takes so much longer, and
nothing reports changes. Prints seconds, processor time, and calls a run and minute.
"""

from __future__ import annotations

import argparse
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.corpus import Corpus, WrittenCorpus, write_corpus
from benchmarks.hosts import get_json, our_command
from benchmarks.processes import Program, free_port, started

_KINDS = ("open", "stat", "read", "list")  # of slow_files.c
_COUNTS = struct.Struct(f"={len(_KINDS)}Q")
_TAGS, _STEPS = 10, 50
_PAUSE = 0.25  # seconds between two questions
_PATIENCE = 600.0
_MINUTE = 60.0
_FINISHED = "Finished load cycle"


class SlowFiles:
    """Calls of a program for files below a directory."""

    def __init__(self, workspace: Path, below: Path, milliseconds: float) -> None:
        self._library = workspace / "slow_files.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", self._library, source, "-ldl"], check=True)
        self._file, self._mounts = workspace / "counts", workspace / "mounts"
        self._below, self._delay = below, round(1000 * milliseconds)
        table = Path("/proc/self/mountinfo").read_text()
        self._mounts.write_text(f"{table}9999 1 0:999 / {below} rw - nfs4 server:/logs rw\n")

    @contextmanager
    def environment(self) -> Iterator[tuple[dict[str, str], Callable[[], dict[str, int]]]]:
        """What a program is started with, and a function that returns its calls so far, by kind."""
        self._file.write_bytes(bytes(_COUNTS.size))
        with self._file.open("r+b") as file, mmap.mmap(file.fileno(), _COUNTS.size) as counts:
            slow = {
                "LD_PRELOAD": str(self._library),
                "SLOW_FILES_BELOW": str(self._below),
                "SLOW_FILES_MICROSECONDS": str(self._delay),
                "SLOW_FILES_COUNTS": str(self._file),
                "SLOW_FILES_MOUNTS": str(self._mounts),
            }

            def calls() -> dict[str, int]:
                return dict(zip(_KINDS, _COUNTS.unpack_from(counts), strict=True))

            yield {**os.environ, **slow}, calls


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--milliseconds", type=float, default=2.0)
    parser.add_argument("--corpora", type=Path, help="where the logs are, or stay")
    parser.add_argument("--only", nargs="+", choices=("ours", "rust"), default=("ours", "rust"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as name:
        workspace = Path(name)
        content = Corpus(options.runs, _TAGS, _STEPS, linked=True)
        logdir = (options.corpora or workspace).absolute() / f"slow-{options.runs}"
        if not logdir.is_dir():
            write_corpus(content, logdir)
        corpus = WrittenCorpus("slow", content, logdir, 0)
        slow = SlowFiles(workspace, logdir, options.milliseconds)
        if "ours" in options.only:
            _own(corpus, slow, workspace)
        if "rust" in options.only:
            _rust(corpus, slow)


def _own(corpus: WrittenCorpus, slow: SlowFiles, workspace: Path) -> None:
    port, content = free_port(), corpus.content
    flags = ["--no-cache", "--state-dir", str(workspace / "state")]
    command = our_command("insight_core.cli", corpus, port, *flags)
    with (
        slow.environment() as (environment, calls),
        started(command, port=port, environment=environment) as program,
    ):

        def lists_all() -> bool:
            return len(get_json(port, "/data/runs") or ()) == content.runs

        def has_all() -> bool:
            page = get_json(port, "/data/catalog?plugin=scalar&limit=1")
            return bool(page and page["total"] == content.runs * content.tags)

        program.wait(lists_all, pause=_PAUSE, patience=_PATIENCE)
        _say("insight-host, all runs listed", program, calls(), content.runs)
        program.wait(has_all, pause=_PAUSE, patience=_PATIENCE)
        _say("insight-host, all runs read", program, calls(), content.runs)
        _say_polling("insight-host", program, calls)


def _rust(corpus: WrittenCorpus, slow: SlowFiles) -> None:
    import tensorboard_data_server  # type: ignore[import-untyped]

    port = free_port()
    command = [str(tensorboard_data_server.server_binary()), "--logdir", str(corpus.logdir)]
    command += ["--port", str(port), "-v"]
    with (
        slow.environment() as (environment, calls),
        started(command, port=port, environment=environment) as program,
    ):
        program.log.await_text(_FINISHED, _PATIENCE)
        _say("Rust server, all runs read", program, calls(), corpus.content.runs)
        _say_polling("Rust server", program, calls)


def _say(what: str, program: Program, calls: dict[str, int], runs: int) -> None:
    by_kind = ", ".join(f"{kind} {count / runs:.1f}" for kind, count in calls.items())
    print(f"{what}: {program.elapsed():.1f} s, processor {program.processor_time():.1f} s, a run: {by_kind}")
    sys.stdout.flush()


def _say_polling(who: str, program: Program, calls: Callable[[], dict[str, int]]) -> None:
    """Calls of two minutes in which nothing changes."""
    for _ in range(2):
        before, worked = calls(), program.processor_time()
        time.sleep(_MINUTE)
        made = {kind: count - before[kind] for kind, count in calls().items()}
        processor = program.processor_time() - worked
        print(f"{who}, in a minute afterwards: {made}, processor {processor:.1f} s")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
