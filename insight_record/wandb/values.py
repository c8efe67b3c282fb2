"""Numbers and other values of what a script logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from insight_record.arrays import array_of
from insight_record.summary_writer import SummaryWriter
from insight_record.wandb.media import KINDS, Histogram, Image, LoggedValue, Plotly, Table, When


def values_of(tag: str, value: Any) -> Iterator[tuple[str, float | LoggedValue]]:  # noqa: ANN401
    """Numbers and other values of what was logged under a tag.

    Members of a mapping become ``a.b``, pictures of a list ``a/0``, ``a/1``; an array of several numbers is a
    histogram, and a list of numbers a text. None is left out. Raises TypeError for what W&B refuses, too.
    """
    if value is None:
        return
    if isinstance(value, (bool, int, float)):
        yield tag, float(value)
    elif isinstance(value, KINDS):
        yield tag, value
    elif isinstance(value, str):
        yield tag, _Text(value)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from values_of(f"{tag}.{name}", one)
    elif isinstance(value, (list, tuple)):
        yield from _values_of_list(tag, value)
    elif make := _kind_of(value):
        yield tag, make(value)
    else:
        array = array_of(value)
        if array.dtype.kind not in "biufV":
            raise TypeError(f"{tag}: a {type(value).__name__} cannot be recorded")
        yield tag, float(array.reshape(-1)[0]) if array.size == 1 else Histogram(array)


def _values_of_list(tag: str, values: Sequence[Any]) -> Iterator[tuple[str, float | LoggedValue]]:
    if any(isinstance(one, KINDS) for one in values):
        for number, one in enumerate(values):
            yield from values_of(f"{tag}/{number}", one)
    elif values:
        yield tag, _Text(json.dumps(values, ensure_ascii=False, default=str))


def _kind_of(value: Any) -> Callable[[Any], LoggedValue] | None:  # noqa: ANN401
    if hasattr(value, "to_plotly_json"):
        return Plotly
    if hasattr(value, "itertuples"):
        return lambda frame: Table(dataframe=frame)
    is_picture = hasattr(value, "savefig") or (hasattr(value, "convert") and hasattr(value, "getbands"))
    return Image if is_picture else None


class _Text:
    """A text, which is shown as Markdown."""

    def __init__(self, text: str) -> None:
        self._text = text

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        writer.add_text(tag, self._text, **when)
