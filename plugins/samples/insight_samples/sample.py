"""One sample of a row: prompt, completion, scores, and what is known of its length and its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from insight_samples.formats import Row, SampleFormat
from insight_samples.images import SampleImage, images_in, images_of
from insight_samples.messages import SampleMessage, divided, flat, messages_of, with_images

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
    """A row by roles. ``prompt`` and ``completion`` are as the file has them; ``length`` is in tokens.

    ``images`` and ``said_images`` are those of columns, beside what stands in messages.
    """

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
    images: Sequence[SampleImage] = ()
    said_images: Sequence[SampleImage] = ()

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
        return (
            with_images(messages_of(self.prompt, "user"), self.images, "user"),
            with_images(messages_of(self.completion, "assistant"), self.said_images, "assistant"),
        )

    def all_images(self) -> tuple[Sequence[SampleImage], Sequence[SampleImage]]:
        """The images of prompt and completion, by which samples with equal texts are told apart."""
        return (
            [*images_in(self.prompt), *self.images],
            [*images_in(self.completion), *self.said_images],
        )


def sample_of(row: Row, of: SampleFormat) -> Sample:
    """What a row of this format says."""
    if of.convert is not None:
        row = of.convert(row)
    has = of.roles(row)
    prompt, completion = has.get("prompt"), has.get("completion")
    if (prompt is None or completion is None) and "messages" in has:
        before, after = divided(_unwrapped(has["messages"]))
        prompt = before if prompt is None else prompt
        completion = after if completion is None else completion
    step = has.get("step")
    return Sample(
        step=int(step) if isinstance(step, int | float) and math.isfinite(step) else None,
        prompt=_unwrapped(prompt),
        completion=_unwrapped(completion),
        scores=of.scores_of(row),
        advantage=_number(has.get("advantage")),
        length=_number(has.get("length")),
        prompt_length=_number(has.get("prompt_length")),
        group=str(has.get("group", "")),
        reference=has.get("reference"),
        is_truncated=_is_truncated(has.get("finish")),
        images=list(images_of(has.get("images"))),
        said_images=list(images_of(has.get("said_images"))),
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
