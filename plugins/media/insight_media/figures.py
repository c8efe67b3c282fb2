"""Plotly and Vega-Lite figures as data: checked here, drawn by the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from insight_core.plugin import Reason
from insight_media.item import Item
from insight_media.json_texts import parsed

_MOST_BYTES = 32 << 20


def figure_of(item: Item) -> Mapping[str, Any]:
    """The JSON object of a figure. Raises ValueError with a Reason for anything else."""
    value = parsed(item.content, _MOST_BYTES)
    if not isinstance(value, dict):
        raise ValueError(Reason("the figure is not a JSON object", "media_not_object"))
    if item.kind == "plotly" and not isinstance(value.get("data"), list):
        raise ValueError(Reason("the Plotly figure has no list 'data'", "media_no_traces"))
    return value
