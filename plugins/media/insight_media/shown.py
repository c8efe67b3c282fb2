"""Makes the answer for an item, by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from insight_core.plugin import Reason, ReasonKind
from insight_media.confusion import confusion_matrix_of, measures_of
from insight_media.item import Item, parsed
from insight_media.tables import table_of

MOST_TEXT = 1 << 20  # Letters of a Markdown text that are shown.
_LONG_TEXT = ReasonKind("media_long_text", "the text has more than {most:,} letters")
_MOST_BYTES = 32 << 20


def shown(item: Item) -> dict[str, object]:
    """``figure``, ``table``, ``matrix`` or ``text``; nothing of what the page shows from its address.

    Raises ValueError with a Reason for content that cannot be shown, Unavailable without pyarrow.
    """
    match item.kind:
        case "plotly" | "vega":
            return {"figure": figure_of(item)}
        case "table":
            table = table_of(item)
            columns = [list(column) for column in table.columns]
            return {
                "table": {"names": table.names, "columns": columns, "rows": table.rows, "width": table.width}
            }
        case "confusion":
            matrix = confusion_matrix_of(item.content)
            measures = measures_of(matrix)
            return {
                "matrix": {
                    "labels": matrix.labels,
                    "counts": matrix.counts.tolist(),
                    "accuracy": measures.accuracy,
                    "precision": measures.precision,
                    "recall": measures.recall,
                    "f1": measures.f1,
                    "support": measures.support,
                }
            }
        case "text":
            text = item.content[: 4 * MOST_TEXT].decode("utf-8", "replace")
            if len(text) > MOST_TEXT:
                raise ValueError(_LONG_TEXT(most=MOST_TEXT))
            return {"text": text}
        case _:
            return {}


def figure_of(item: Item) -> Mapping[str, Any]:
    """The JSON object of a figure. Raises ValueError with a Reason for anything else."""
    value = parsed(item.content, _MOST_BYTES)
    if not isinstance(value, dict):
        raise ValueError(Reason("the figure is not a JSON object", "media_not_object"))
    if item.kind == "plotly" and not isinstance(value.get("data"), list):
        raise ValueError(Reason("the Plotly figure has no list 'data'", "media_no_traces"))
    return value
