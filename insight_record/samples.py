"""Records what a model said, and how it was rewarded, as JSON lines that the tab Samples shows."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from threading import Lock
from types import TracebackType
from typing import Any

from insight_record.arrays import array_of
from insight_record.sending import place_of_rank
from insight_record.sending.destination import Destination


class SampleWriter:
    """Appends samples of a training to a file in the directory of its run.

    ``directory``: that of the run, in which other records of it may lie. Each rank writes a file of its own,
    ``samples.jsonl`` or ``samples_rank<n>.jsonl``; ``rank`` is that of the process by default. Samples are in
    the file when the call returns. With ``to`` it is sent to a host, see ``SummaryRecord``. Raises OSError
    if the file cannot be written. Thread-safe.

        samples = SampleWriter("runs/a")
        for step in range(steps):
            completions = model.generate(prompts)
            samples.add_samples(step, prompts, completions, rewards={"correct": scores})
        samples.close()
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        rank: int | None = None,
        *,
        to: str | Destination | None = None,
    ) -> None:
        place, found = place_of_rank(directory, rank, to)
        name = f"samples_rank{found}.jsonl" if found else "samples.jsonl"
        self._file = (place / name).open("a", encoding="utf-8")
        self._lock = Lock()

    def add_samples(
        self,
        step: int,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        rewards: Any = None,  # noqa: ANN401
        *,
        advantages: Any = None,  # noqa: ANN401
        lengths: Any = None,  # noqa: ANN401
        groups: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        truncated: Sequence[bool] | None = None,
        **columns: Sequence[Any],
    ) -> None:
        """Records samples of one step.

        A prompt or completion is a text, or a list of messages (``{"role": ..., "content": ...}``, with
        ``tool_calls`` and pictures as in OpenAI's). ``rewards`` are a number for each sample, or several by
        name: ``{"correct": [...], "format": [...]}``. ``lengths`` are tokens of completions. Samples of one
        ``group`` are shown together, by default those of one prompt. Further ``columns`` are kept with the
        sample; those of numbers are scores. Arrays may be of any library. Raises ValueError for a column of
        another length than ``prompts``.
        """
        by_name = rewards if isinstance(rewards, Mapping) else {} if rewards is None else {"reward": rewards}
        numbers = {"advantage": advantages, "length": lengths, **by_name}
        found: dict[str, Sequence[Any]] = {
            "prompt": prompts,
            "completion": completions,
            **{name: _numbers(values) for name, values in numbers.items() if values is not None},
        }
        others = {"group": groups, "reference": references, "truncated": truncated, **columns}
        found |= {name: list(values) for name, values in others.items() if values is not None}
        for name, values in found.items():
            if len(values) != len(prompts):
                raise ValueError(f"{name}: {len(values)} values for {len(prompts)} prompts")
        rows = zip(*found.values(), strict=True)
        lines = [
            json.dumps({"step": int(step), **dict(zip(found, row, strict=True))}, default=_plain)
            for row in rows
        ]
        with self._lock:
            self._file.write("".join(f"{line}\n" for line in lines))
            self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> SampleWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _numbers(values: Any) -> list[float | None]:  # noqa: ANN401
    """One number for each sample; None for what is not finite, which JSON cannot say."""
    return [
        number if math.isfinite(number) else None
        for number in array_of(values).astype(float).ravel().tolist()
    ]


def _plain(value: Any) -> Any:  # noqa: ANN401
    """What JSON does not know: arrays and numbers of libraries as lists and numbers, all else as text."""
    try:
        return array_of(value).tolist()
    except (TypeError, ValueError):
        return str(value)
