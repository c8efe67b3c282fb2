"""Samples as JSON: lines of a list with the beginning of their text, and one sample whole."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from insight_core.plugin import NotFound, PluginContext, Reason, Undecodable
from insight_samples.all_formats import format_of
from insight_samples.formats import Row, SampleFormat
from insight_samples.images import SampleImage, without_images
from insight_samples.indexing import EMPTY, IS_REPEATED, SCORE, TRUNCATED, repetition_of
from insight_samples.messages import MessagePart, SampleMessage, flat
from insight_samples.rows import json_text
from insight_samples.sample import Sample, sample_of
from insight_samples.selection import Chosen
from insight_samples.sources import SampleFile, SampleSource, rows_at
from insight_samples.summaries import length_of

_SHOWN = 240  # characters of a text in a list
_LARGEST = 4 << 20  # bytes of a row that is read for a list
_MOST_OTHERS = 200_000  # characters of all that is not shown elsewhere
_GONE = "samples_gone"


def listed(ctx: PluginContext, of: Chosen, *, characters: int = 0) -> list[dict[str, Any]]:
    """A line of a list for each sample, with the beginnings of its texts.

    ``characters``: so many of all that was asked and said, with the roles, as ``texts``.
    """
    lines: list[dict[str, Any]] = [{} for _ in range(len(of))]
    by_file: dict[int, list[int]] = {}
    for place, part in enumerate(of.part.tolist()):
        by_file.setdefault(part, []).append(place)
    if not len(of):
        return lines
    columns, lengths = of.columns, length_of(of.columns)
    names = [name for name in columns if name.startswith(SCORE)]
    for part, places in by_file.items():
        file = of.parts[part].file
        where = [(int(columns["offset"][place]), int(columns["size"][place])) for place in places]
        read = [place for place, (_, size) in enumerate(where) if size <= _LARGEST]
        rows = (
            dict(zip(read, rows_at(ctx, file, [where[place] for place in read]), strict=True)) if read else {}
        )
        for at, place in enumerate(places):
            flags = int(columns["flags"][place])
            lines[place] = {
                "id": f"{file.id}:{where[at][0]}",
                "size": where[at][1],
                "step": int(columns["step"][place]),
                "prompt": f"{int(columns['prompt'][place]):016x}",
                "group": f"{int(columns['group'][place]):016x}",
                "length": number(lengths[place]),
                "advantage": number(columns["advantage"][place]),
                "scores": {name.removeprefix(SCORE): number(columns[name][place]) for name in names},
                "signs": signs_of(flags),
                **_beginnings(file.path, rows.get(at), characters),
            }
    return lines


def signs_of(flags: int) -> list[str]:
    """What is odd about a sample, in words for programs."""
    signs = ((EMPTY, "empty"), (TRUNCATED, "truncated"), (IS_REPEATED, "repeated"))
    return [word for sign, word in signs if flags & sign]


def sample_at(
    ctx: PluginContext, source: SampleSource, name: str, size: int
) -> tuple[Sample, Row, SampleFile, SampleFormat]:
    """A sample by its id and size. Raises NotFound, Undecodable."""
    of_file, _, offset = name.rpartition(":")
    file = source.file(of_file)
    if not offset.isdecimal():
        raise NotFound(f"there is no sample {name!r}", code=_GONE)
    [row] = rows_at(ctx, file, [(int(offset), size)], has_images=True)
    of = None if row is None else format_of(file.path, row)
    if row is None or of is None:
        raise NotFound("the file has another sample at this place by now", code=_GONE)
    return sample_of(row, of), row, file, of


def whole(sample: Sample, row: Row, file: SampleFile, of: SampleFormat) -> dict[str, Any]:
    """A sample with its messages; ``rest`` is what the row has besides, as JSON."""
    prompt, completion = sample.messages()
    said = sample.completion_text
    shown = {id(value) for value in (sample.prompt, sample.completion)}
    rest = {name: value for name, value in row.items() if id(value) not in shown}
    text = json_text(without_images(rest))
    reference = sample.reference
    return {
        "step": file.step if sample.step is None else sample.step,
        "file": file.path,
        "format": of.name,
        **_sides(prompt, completion),
        "scores": {name: number(value) for name, value in sample.scores.items()},
        "advantage": number(sample.advantage),
        "tokens": number(sample.length),
        "characters": len(said),
        "prompt_tokens": number(sample.prompt_length),
        "reference": None
        if reference is None
        else reference
        if isinstance(reference, str)
        else json_text(reference),
        "group": sample.group,
        "truncated": sample.is_truncated,
        "repetition": round(repetition_of(said), 3),
        "rest": text[:_MOST_OTHERS],
        "cut": max(0, len(text) - _MOST_OTHERS),
    }


def number(value: Any) -> float | None:  # noqa: ANN401 - a number of numpy
    """A number for JSON; None for NaN."""
    value = float(value)
    return None if math.isnan(value) else value


def _beginnings(path: str, row: Row | None, characters: int) -> Mapping[str, Any]:
    of = None if row is None else format_of(path, row)
    if row is None or of is None:
        return {"said": None, "asked": None}
    sample = sample_of(row, of)
    said = flat(sample.completion)
    thought, _, answer = said.rpartition("</think>")  # what came of it says more than how it began
    return {
        "said": (answer.lstrip() or thought)[:_SHOWN],
        "asked": flat(sample.prompt)[-_SHOWN:],
        "characters": len(said),
        **({"texts": [_text(side)[:characters] for side in sample.messages()]} if characters else {}),
    }


def _text(messages: Sequence[SampleMessage]) -> str:
    return "\n".join(
        f"{message.role}: {part.text or part.kind}" for message in messages for part in message.parts
    )


def image_at(sample: Sample, name: str) -> tuple[bytes, str]:
    """The bytes of an image of a sample by its name, and their type. Raises NotFound, Undecodable."""
    number, _, digest = name.partition("-")
    images = [part.image for side in sample.messages() for one in side for part in one.parts if part.image]
    if not number.isdecimal() or int(number) >= len(images) or images[int(number)].digest != digest:
        raise NotFound("the file has another sample at this place by now", code=_GONE)
    raw, header = images[int(number)].content()
    return raw, header.mimetype


def _sides(*sides: Sequence[SampleMessage]) -> dict[str, list[dict[str, Any]]]:
    """The messages of prompt and completion; their images are counted through both."""
    numbers = itertools.count()
    said = [
        [
            {"role": message.role, "parts": [_part(part, numbers) for part in message.parts]}
            for message in messages
        ]
        for messages in sides
    ]
    return {"prompt": said[0], "completion": said[1]}


def _part(part: MessagePart, numbers: Iterator[int]) -> dict[str, Any]:
    named = {"name": part.name} if part.name else {}
    if part.kind == "image":
        return {"kind": "image", **named, **_image(part.image, numbers)}
    return {"kind": part.kind, "text": part.text, **named, **({"size": part.size} if part.size else {})}


def _image(image: SampleImage | None, numbers: Iterator[int]) -> dict[str, Any]:
    """What the route ``image`` gives it by, and its size; without, a text says where it is or what it is."""
    if image is None:
        return {"text": ""}
    number = next(numbers)
    if not image.data:
        return {"text": image.where}
    try:
        _, header = image.content()
    except Undecodable as error:
        return {**Reason.of(error).fields("text")}
    shape = {"width": header.width, "height": header.height}
    return {"text": header.name, "image": f"{number}-{image.digest}", **shape}
