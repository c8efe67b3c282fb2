"""What shorter forms of the steps in memory would save, and what pictures of a long series would pay.

    python -m benchmarks.step_columns [--rounds 15] [--keep DIR]

A point takes 20 bytes: its step (8), its wall time (8), and its value in single precision as the file has it
(4). The kernels that make pictures read steps as int64. Of ten million points in one series: bytes a point
of each form of the steps, and processor time to turn them into that column, for a first picture, which reads
all, and for a later one, which reads about 256,000 points. The pictures are measured in the same run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TypeAlias

import insight_scalar
import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import kept_corpus, run_name, tag_names
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.providers.local import LocalProvider

Make: TypeAlias = Callable[[], NDArray[np.int64]]

_WINDOW = 256_000  # points
_BLOCK = 4096  # points of which steps are one arithmetic sequence, or differ by less than 2**16
_OTHERS = 12  # bytes of wall time and value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the corpus is, or stays")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace:
        corpus = kept_corpus("very_deep", options.keep or Path(workspace))
        provider = LocalProvider([Logdir(str(corpus.logdir))], [insight_scalar.insight_plugin()], watch=False)
        key = SeriesKey(run_name(0), tag_names(1)[0])
        with closing(provider):
            provider.load()
            began = time.process_time()
            _picture(provider, key, (None, None))
            first = 1e3 * (time.process_time() - began)
            later = _milliseconds(lambda: _picture(provider, key, (3_000_000, 7_000_000)), options.rounds)
            steps = provider.scalars("scalar", [key])[key].steps
    print(f"{20:5} B a point, int64: first picture {first:.1f} ms, later {later:.2f} ms of a processor")
    for name, size, whole, part in _forms(steps):
        for some, column in ((whole, steps), (part, steps[:_WINDOW])):
            assert np.array_equal(some(), column)
        first, later = (_milliseconds(each, options.rounds) for each in (whole, part))
        print(f"{_OTHERS + size:5.1f} B a point, {name}: {first:.1f} ms more at first, {later:.2f} ms later")


def _picture(provider: LocalProvider, key: SeriesKey, window: tuple[int | None, int | None]) -> None:
    provider.scalars("scalar", [key], ScalarQuery(window=window, width=1000))


def _forms(steps: NDArray[np.int64]) -> list[tuple[str, float, Make, Make]]:
    """Name, bytes a point, and functions that make int64 of all steps and of those of a window."""
    starts = steps[::_BLOCK].copy()
    strides = steps[1::_BLOCK] - steps[0 : len(steps) - 1 : _BLOCK]
    offsets = (steps - np.repeat(starts, _BLOCK)[: len(steps)]).astype(np.uint16)
    small = steps.astype(np.int32)
    within = np.arange(_BLOCK)

    def sequence(count: int) -> NDArray[np.int64]:
        blocks = -(-count // _BLOCK)
        return (starts[:blocks, None] + strides[:blocks, None] * within).reshape(-1)[:count]

    def from_offsets(count: int) -> NDArray[np.int64]:
        blocks = -(-count // _BLOCK)
        return np.repeat(starts[:blocks], _BLOCK)[:count] + offsets[:count]

    forms = (
        ("int32", 4.0, lambda count: small[:count].astype(np.int64)),
        ("uint16 from the start of a block", 2 + 8 / _BLOCK, from_offsets),
        ("sequences, as long as steps are regular", 16 / _BLOCK, sequence),
    )
    return [
        (name, size, lambda make=make: make(len(steps)), lambda make=make: make(_WINDOW))  # type: ignore[misc]
        for name, size, make in forms
    ]


def _milliseconds(work: Callable[[], object], rounds: int) -> float:
    costs = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        costs.append(1e3 * (time.process_time() - began))
    return median(costs)


if __name__ == "__main__":
    main()
