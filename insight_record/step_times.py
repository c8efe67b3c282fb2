"""Records how long each step of a rank takes, as JSON lines that the tab Performance shows for all ranks."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO

from insight_record.sending import place_of_rank
from insight_record.sending.destination import Destination

_STEP = "step"


class StepTimes:
    """Writes a line for each step, and for each span within one, of one rank.

    ``directory``: that of the run, the same for all ranks and all starts of the job. The file is
    ``directory/structured_logs/insight.global_rank_<rank>.<start>.jsonl``, in the format of TorchTitan's
    structured logger. ``rank``: that of the process by default, 0 without a launcher. Raises OSError if the
    file cannot be made. With ``to`` it is sent to a host, see ``SummaryRecord``. Not for several threads.

        times = StepTimes("runs/a")
        for step in range(1000):
            with times.step(step):
                with times.span("data"):
                    batch = next(batches)
                train(batch)
                if step % 100 == 0:
                    with times.span("checkpoint"):
                        save()
        times.close()
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        rank: int | None = None,
        *,
        to: str | Destination | None = None,
    ) -> None:
        place, self._rank = place_of_rank(directory, rank, to, "structured_logs")
        self._step: int | None = None
        start = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3).upper()}"
        path = place / f"insight.global_rank_{self._rank}.{start}.jsonl"
        self._file: TextIO = path.open("x", encoding="utf-8", buffering=1)  # a line at a time

    @contextmanager
    def step(self, number: int) -> Iterator[None]:
        """Around all of a step with this number."""
        self._step = int(number)
        with self.span(_STEP):
            yield

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Around a part of the last step that was begun; spans named like checkpoint or save count as
        checkpointing. Raises ValueError before the first step, and for a name that is not a word."""
        if self._step is None:
            raise ValueError(f"span({name!r}) before the first step: call step(number) first")
        if not name.isidentifier():
            raise ValueError(f"span({name!r}): use letters, digits and _")
        step, begin = self._step, time.perf_counter_ns()
        try:
            yield
        finally:
            self._write(name, step, (time.perf_counter_ns() - begin) / 1e6)

    def close(self) -> None:
        """Ends the file."""
        self._file.close()

    def __enter__(self) -> StepTimes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, name: str, step: int, milliseconds: float) -> None:
        line = {
            "global_rank": self._rank,
            "step": step,
            "time_us": time.time_ns() // 1000,
            "log_type": "event",
            "log_type_name": f"{name}_end",
            "value": milliseconds,
        }
        self._file.write(json.dumps(line) + "\n")
