"""What the processes of a host take, sampled while they run (proc(5))."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

_EVERY = 0.2  # seconds


@frozen
class Sample:
    """What the processes have together; bytes of memory that is in no file (RssAnon)."""

    at: float  # seconds, monotonic
    memory: int
    descriptors: int
    threads: int


def sample(processes: Sequence[int]) -> Sample:
    """Raises OSError if one of the processes has ended."""
    memory = descriptors = threads = 0
    for number in processes:
        lines = Path(f"/proc/{number}/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines)
        memory += 1024 * int(status["RssAnon"].split()[0])
        threads += int(status["Threads"])
        descriptors += len(list(Path(f"/proc/{number}/fd").iterdir()))
    return Sample(time.monotonic(), memory, descriptors, threads)


class Sampler(threading.Thread):
    """Takes samples until ``end``."""

    def __init__(self, processes: Callable[[], Sequence[int]]) -> None:
        super().__init__(name="sampler", daemon=True)
        self.samples: list[Sample] = []
        self._processes = processes
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(_EVERY):
            try:
                self.samples.append(sample(self._processes()))
            except (OSError, KeyError):  # a process ended: whoever waits for it finds out
                continue

    def end(self) -> None:
        self._ended.set()
        self.join()


def ends(samples: Sequence[Sample], warm_up: float, of: Callable[[Sample], int]) -> tuple[int, int]:
    """The least of the first and of the last quarter of what follows the first ``warm_up`` seconds.

    What is taken for a moment comes and goes: threads that wait for a slow disk, an answer that is made. What
    piles up stays.
    """
    after = [one for one in samples if one.at >= samples[0].at + warm_up]
    quarter = max(1, len(after) // 4)
    first, last = after[:quarter], after[-quarter:]
    return min(map(of, first)), min(map(of, last))
