"""Files of TensorBoard's projector: vectors, labels and pictures of points.

Configuration: tensorboard/plugins/projector/projector_config.proto, as text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import numbers_of
from insight_record.formats.image_messages import png
from insight_record.values.pictures import arranged, bytes_of, grid

_CONFIGURATION = "projector_config.pbtxt"
_ESCAPED = str.maketrans({"%": "%25", "/": "%2f", "\\": "%5c"})


class Projector:
    """Writes the files of embeddings below the directory of a run, and the configuration that lists them."""

    def __init__(self) -> None:
        self._listed: list[str] = []

    def add(
        self,
        directory: Path,
        vectors: object,
        labels: Sequence[Any] | None,
        pictures: object,
        step: int,
        tag: str,
        header: Sequence[str] | None,
    ) -> None:
        """Writes an embedding [n, d], with a label and a picture [n, C, H, W] for each point if given.

        Raises ValueError for numbers that differ and pictures that are not square, OSError.
        """
        matrix = numbers_of(vectors)
        if matrix.ndim != 2:
            raise ValueError(f"an embedding is [points, dimensions], not {list(matrix.shape)}")
        files = {"tensors.tsv": _rows(matrix)}
        if labels is not None:
            if len(labels) != len(matrix):
                raise ValueError(f"there are {len(matrix)} points and {len(labels)} labels")
            files["metadata.tsv"] = _labels(labels, header)
        size: list[int] = []
        if pictures is not None:
            images = numbers_of(pictures)
            if images.ndim != 4 or len(images) != len(matrix) or images.shape[2] != images.shape[3]:
                shape = f"[{len(matrix)}, channels, size, size]"
                raise ValueError(f"pictures of points are {shape}, not {list(images.shape)}")
            size = [images.shape[3], images.shape[2]]
            files["sprite.png"] = _sprite(images)
        place = Path(str(step).zfill(5)) / tag.translate(_ESCAPED)
        (directory / place).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (directory / place / name).write_bytes(content)
        self._listed.append(_entry(f"{tag}:{str(step).zfill(5)}", place.as_posix(), files.keys(), size))
        (directory / _CONFIGURATION).write_text("".join(self._listed), encoding="utf-8")


def _rows(matrix: NDArray[Any]) -> bytes:
    return "".join("\t".join(map(str, row)) + "\n" for row in matrix.tolist()).encode()


def _labels(labels: Sequence[Any], header: Sequence[str] | None) -> bytes:
    rows: list[Sequence[Any]] = [header, *labels] if header else [[label] for label in labels]
    for row in rows:
        if header and len(row) != len(header):
            raise ValueError(f"metadata_header has {len(header)} names and a label {len(row)} columns")
    return "".join("\t".join(map(_cell, row)) + "\n" for row in rows).encode("utf-8", "replace")


def _cell(label: object) -> str:
    """A label as a cell: blanks instead of line breaks and tabs, which separate points and columns."""
    return " ".join(str(label).splitlines()).replace("\t", " ")


def _sprite(images: NDArray[Any]) -> bytes:
    """Joins all pictures into a square one, row by row, as the projector expects it."""
    each = np.stack([bytes_of(arranged(image, "CHW")) for image in images])[..., :3]
    columns = math.ceil(math.sqrt(len(each)))
    laid = grid(each, columns)
    square = np.zeros((laid.shape[1], laid.shape[1], 3), np.uint8)
    square[: len(laid)] = laid
    return png(square)


def _entry(name: str, place: str, files: Any, size: list[int]) -> str:  # noqa: ANN401
    lines = [f"  tensor_name: {_quoted(name)}"]
    if "metadata.tsv" in files:
        lines.append(f"  metadata_path: {_quoted(f'{place}/metadata.tsv')}")
    if size:
        lines.append("  sprite {")
        lines.append(f"    image_path: {_quoted(f'{place}/sprite.png')}")
        lines += [f"    single_image_dim: {one}" for one in size]
        lines.append("  }")
    lines.append(f"  tensor_path: {_quoted(f'{place}/tensors.tsv')}")
    return "embeddings {\n" + "".join(f"{line}\n" for line in lines) + "}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
