"""Layouts of TensorBoard's custom scalars: charts of several tags, with or without a margin.

Messages: tensorboard/plugins/custom_scalar/layout.proto.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.protobuf import message_field, text_field
from insight_record.values.tensors import strings_value

# {category: {chart: ["Multiline" or "Margin", tags]}}
Layout: TypeAlias = Mapping[str, Mapping[str, Sequence[str | Sequence[str]]]]

_TAG = "custom_scalars__config__"
_CATEGORY, _TITLE, _CHART, _MULTILINE, _MARGIN, _SERIES = 2, 1, 2, 2, 3, 1


def charts(layout: Layout) -> EncodedValue:
    """The layout of a run. Raises ValueError for a margin chart that has not three tags."""
    content = b"".join(
        message_field(_CATEGORY, text_field(_TITLE, category) + b"".join(_charts(of_category)))
        for category, of_category in layout.items()
    )
    return strings_value(_TAG, [content], "custom_scalars", shape=[])


def _charts(of_category: Mapping[str, Sequence[str | Sequence[str]]]) -> list[bytes]:
    found = []
    for title, (kind, tags) in of_category.items():
        if kind == "Margin":
            if len(tags) != 3:
                raise ValueError(f"a margin chart has a value, a lower and an upper tag, not {list(tags)}")
            series = b"".join(text_field(number, tag) for number, tag in enumerate(tags, 1))
            chart = message_field(_MARGIN, message_field(_SERIES, series))
        else:
            chart = message_field(_MULTILINE, b"".join(text_field(1, tag) for tag in tags))
        found.append(message_field(_CHART, text_field(_TITLE, title) + chart))
    return found
