"""The compiled scanner and its oracle in Python, read side by side."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from insight_core.formats.batch import Batch
from insight_core.formats.event import Metadata
from insight_core.ingest.scanner import _kernel
from insight_core.ingest.scanner.scanner import CHUNK, Scanner
from insight_core.plugin import Dialect
from tests.oracles.pure_scanner import PureScanner

MakeScanner = Callable[..., Scanner]
BOTH: tuple[MakeScanner, MakeScanner] = (PureScanner, _kernel.CompiledScanner)


class Reading:
    """All that scans of a file gave, in comparable form: numbers as text, so that NaN equals NaN."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.position = 0
        self.points: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
        self.numbers: dict[str, list[tuple[object, ...]]] = defaultdict(list)  # by tag, of whatever field
        self.metadata: dict[str, Metadata] = {}
        self.flaws: list[object] = []
        self.sessions: dict[int, int] = {}  # smallest step at which one begins, by the points before it
        self.first_wall_time: float | None = None
        self.stops: list[object] = []  # where and why scanning stopped, and the dialect

    def follow_in_stretches(self, descriptor: int, size: int, borders: Sequence[int]) -> None:
        """Scans until there is nothing left, and no further than to each border at first."""
        for border in borders:
            while self.position < border:
                batch = self.scanner.scan(descriptor, self.position, size, border)
                self.add(batch)
                if batch.tail is not None or batch.end == size:
                    break
        self.follow(descriptor, size)

    def follow(self, descriptor: int, size: int) -> None:
        """Scans until there is nothing left of ``size`` bytes."""
        for _ in range(10_000):
            batch = self.scanner.scan(descriptor, self.position, size)
            self.add(batch)
            if batch.tail is not None or batch.end == size:
                self.stops.append((batch.end, batch.tail, batch.dialect, self.scanner.dialect))
                return
        raise AssertionError("the scan does not end")

    def add(self, batch: Batch) -> None:
        assert batch.end >= self.position
        self.position = batch.end
        self.flaws += batch.flaws
        if batch.session_step is not None:
            count = sum(map(len, self.points.values()))
            self.sessions[count] = min(batch.session_step, self.sessions.get(count, batch.session_step))
        for block in batch.blocks:
            c = block.columns
            count = len(c)
            numbers: Sequence[object] = [None] * count
            if c.values is not None:
                numbers = [f"{c.values.dtype} {number!r}" for number in c.values.tolist()]
            places: Sequence[object] = [None] * count
            if c.places is not None:
                places = list(zip(*c.places.tolist(), strict=True))
            times = map(repr, c.wall_times.tolist())
            rows = list(zip(c.steps.tolist(), times, numbers, places, strict=True))
            for tag, first, end, ascending in zip(
                block.tags, [0, *block.ends], block.ends, block.ascending, strict=False
            ):
                assert ascending == (c.steps[first:end].tolist() == sorted(c.steps[first:end].tolist()))
                self.points[tag, block.field] += rows[first:end]
                if c.values is not None:
                    self.numbers[tag] += rows[first:end]
        for tag, metadata in batch.metadata.items():
            self.metadata[tag] = self.metadata.get(tag, metadata).continued(metadata)
        if batch.first_wall_time is not None:
            known = self.first_wall_time
            self.first_wall_time = (
                batch.first_wall_time if known is None else min(known, batch.first_wall_time)
            )

    def result(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "scanner"}


@contextmanager
def opened(data: bytes) -> Iterator[int]:
    descriptor = os.memfd_create("events")
    try:
        os.write(descriptor, data)
        yield descriptor
    finally:
        os.close(descriptor)


def read(
    make: MakeScanner,
    data: bytes,
    sizes: Sequence[int],
    guess: Dialect,
    chunk: int,
    number_plugins: frozenset[str],
) -> dict[str, Any]:
    reading = Reading(make(guess, chunk, number_plugins))
    with opened(data) as descriptor:
        for size in sizes:
            reading.follow(descriptor, size)
    return reading.result()


def check(
    data: bytes,
    sizes: Sequence[int],
    guess: Dialect = Dialect.TENSORBOARD,
    chunk: int = CHUNK,
    number_plugins: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """What both give, which must be the same."""
    twin, kernel = (read(make, data, sizes, guess, chunk, number_plugins) for make in BOTH)
    assert kernel == twin
    return kernel
