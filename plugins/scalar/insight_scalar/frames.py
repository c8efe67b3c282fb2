"""An answer of several parts that are sent as they are made, each preceded by its length."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable, Iterator

from safetensors.numpy import load
from werkzeug import Request, Response

from insight_core.plugin.http import Column
from insight_core.plugin.lab import accepts_gzip
from insight_record.formats.safetensors import safetensors_parts

_LEVEL = 4  # of gzip, as for other answers
_GZIP = 31  # window bits of zlib that mean the gzip format


def columns_frame(columns: dict[str, Column], metadata: dict[str, bytes]) -> bytes:
    """Columns by name as safetensors, with texts as its metadata."""
    return b"".join(
        safetensors_parts(columns, {name: text.decode("utf-8") for name, text in metadata.items()})
    )


def frame_parts(frame: bytes) -> tuple[dict[str, Column], dict[str, bytes]]:
    """The columns and the metadata of ``columns_frame``."""
    size = int.from_bytes(frame[:8], "little")
    metadata = json.loads(frame[8 : 8 + size]).get("__metadata__", {})
    return load(frame), {name: text.encode() for name, text in metadata.items()}


def framed_response(request: Request, frames: Iterable[bytes]) -> Response:
    """Sends each frame when it is made: its length as uint32, little-endian, then its bytes.

    The answer is compressed for clients that accept gzip, and flushed after each frame. What goes wrong
    before the first one is raised here.
    """
    made = iter(frames)
    first = next(made, None)
    every = () if first is None else itertools.chain([first], made)
    parts = (len(frame).to_bytes(4, "little") + frame for frame in every)
    compressed = accepts_gzip(request)
    answer = Response(_compressed(parts) if compressed else parts, content_type="application/octet-stream")
    answer.vary.add("Accept-Encoding")
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _compressed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for part in parts:
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
