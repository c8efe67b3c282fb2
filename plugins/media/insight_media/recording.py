"""Records media from a training, with the writers of torch and tensorboardX.

::

    from insight_media import recording
    writer = SummaryWriter("runs/first")
    recording.add(writer, "eval/figure", recording.plotly(figure), step)
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from insight_media.item import (
    ARROW_STREAM,
    CONFUSION_MATRIX,
    CSV,
    GIF,
    HTML,
    MARKDOWN,
    PLOTLY,
    VEGA_LITE,
    Item,
)

_TENSORBOARD = "tensorboard.compat.proto"
_VIDEOS = {b"GIF8": GIF, b"\x1a\x45\xdf\xa3": "video/webm", b"OggS": "video/ogg"}


def html(text: str) -> Item:
    """A page of HTML, with its styles and pictures in it: it is shown in a frame that loads nothing."""
    return Item(HTML, text.encode())


def markdown(text: str) -> Item:
    """A text in Markdown."""
    return Item(MARKDOWN, text.encode())


def video(content: bytes | str | Path) -> Item:
    """A file that browsers play (MP4, WebM, Ogg, GIF), or its bytes. Raises ValueError for other files."""
    data = content if isinstance(content, bytes) else Path(content).read_bytes()
    found = "video/mp4" if data[4:8] == b"ftyp" else _VIDEOS.get(data[:4])
    if found is None:
        raise ValueError("not a video that browsers play: convert it to MP4, WebM, Ogg or GIF")
    return Item(found, data)


def table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Item:
    """A table of texts and numbers, as CSV."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(names)
    lines.writerows(rows)
    return Item(CSV, text.getvalue().encode())


def arrow_table(table: Any) -> Item:  # noqa: ANN401
    """A ``pyarrow.Table``, or what ``pyarrow.table`` takes: a pandas or polars frame, a mapping."""
    import pyarrow as pa

    made = table if isinstance(table, pa.Table) else pa.table(table)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, made.schema) as stream:
        stream.write_table(made)
    return Item(ARROW_STREAM, sink.getvalue())


def confusion_matrix(matrix: ArrayLike, labels: Sequence[str] | None = None) -> Item:
    """Counts by true class (rows) and predicted class (columns), as scikit-learn's ``confusion_matrix``."""
    value = {"matrix": np.asarray(matrix).tolist(), "labels": None if labels is None else list(labels)}
    return Item(CONFUSION_MATRIX, json.dumps(value).encode())


def plotly(figure: Any) -> Item:  # noqa: ANN401
    """A figure of plotly, or the mapping that its ``to_plotly_json`` gives."""
    return Item(PLOTLY, _json_of(figure))


def vega_lite(chart: Any) -> Item:  # noqa: ANN401
    """A chart of Altair with its data, or a Vega-Lite specification as a mapping."""
    return Item(VEGA_LITE, _json_of(chart))


def add(writer: Any, tag: str, item: Item, step: int) -> None:  # noqa: ANN401
    """Writes an item with a ``SummaryWriter`` of torch or tensorboardX."""
    package = "tensorboardX.proto" if type(writer).__module__.startswith("tensorboardX") else _TENSORBOARD
    summaries, tensors, shapes, types = (
        import_module(f"{package}.{name}_pb2") for name in ("summary", "tensor", "tensor_shape", "types")
    )
    tensor = tensors.TensorProto(
        dtype=types.DT_STRING,
        tensor_shape=shapes.TensorShapeProto(dim=[shapes.TensorShapeProto.Dim(size=2)]),
        string_val=[item.media_type.encode(), item.content],
    )
    claimed = summaries.SummaryMetadata.PluginData(plugin_name="media")
    metadata = summaries.SummaryMetadata(plugin_data=claimed)
    value = summaries.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)
    writer.file_writer.add_summary(summaries.Summary(value=[value]), step)


def _json_of(figure: Any) -> bytes:  # noqa: ANN401
    if hasattr(figure, "to_json"):
        return str(figure.to_json()).encode()
    return json.dumps(figure).encode()
