"""One sample of a row: prompt, completion, scores, and what is known of its length and its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from insight_samples.formats import Row, SampleFormat
from insight_samples.messages import SampleMessage, divided, flat, messages_of

_CUT = (
    "length",
    "max_tokens",
    "max_length",
    "model_length",
    "truncated",
    "truncated_length",
    "content_length",
)


@frozen
class Sample:
    """A row by roles. ``prompt`` and ``completion`` are as the file has them; ``length`` is in tokens."""

    step: int | None
    prompt: Any
    completion: Any
    scores: Mapping[str, float]
    advantage: float
    length: float
    prompt_length: float
    group: str
    reference: Any
    is_truncated: bool | None

    @property
    def prompt_text(self) -> str:
        """All text of the prompt, by which equal prompts are found."""
        return flat(self.prompt)

    @property
    def completion_text(self) -> str:
        """All text of the completion."""
        return flat(self.completion)

    def messages(self) -> tuple[Sequence[SampleMessage], Sequence[SampleMessage]]:
        """The messages of prompt and completion."""
        return messages_of(self.prompt, "user"), messages_of(self.completion, "assistant")


def sample_of(row: Row, of: SampleFormat) -> Sample:
    """What a row of this format says."""
    if of.convert is not None:
        row = of.convert(row)
    prompt, completion = of.role(row, "prompt"), of.role(row, "completion")
    messages = of.role(row, "messages") if prompt is None or completion is None else None
    if messages is not None:
        before, after = divided(_unwrapped(messages))
        prompt = before if prompt is None else prompt
        completion = after if completion is None else completion
    step = of.role(row, "step")
    return Sample(
        step=int(step) if isinstance(step, int | float) and math.isfinite(step) else None,
        prompt=_unwrapped(prompt),
        completion=_unwrapped(completion),
        scores=of.scores_of(row),
        advantage=_number(of.role(row, "advantage")),
        length=_number(of.role(row, "length")),
        prompt_length=_number(of.role(row, "prompt_length")),
        group="" if (group := of.role(row, "group")) is None else str(group),
        reference=of.role(row, "reference"),
        is_truncated=_is_truncated(of.role(row, "finish")),
    )


def _unwrapped(value: Any) -> Any:  # noqa: ANN401 - of JSON
    """Without lists around one value, as batches of one row are written."""
    while isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict):
        value = value[0]
    return value


def _number(value: Any) -> float:  # noqa: ANN401 - of JSON
    value = _unwrapped(value)
    return float(value) if isinstance(value, int | float) else math.nan


def _is_truncated(finish: Any) -> bool | None:  # noqa: ANN401 - of JSON
    finish = _unwrapped(finish)
    if isinstance(finish, bool | int):
        return bool(finish)
    return finish.rpartition(".")[2].lower() in _CUT if isinstance(finish, str) and finish else None
