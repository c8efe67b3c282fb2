"""Views that every plugin with a decoder has: ``/tags``, ``/records``, ``/value`` and ``/blob``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import cast

from werkzeug import Request, Response
from werkzeug.exceptions import RequestedRangeNotSatisfiable

from insight_core.plugin import (
    FileName,
    NotFound,
    PayloadStream,
    Plugin,
    PluginContext,
    RecordDecoder,
    TooLarge,
    encode_json,
    record_at,
)
from insight_core.plugin.encoding import MAX_ENCODED
from insight_core.plugin.http.answers import bytes_response
from insight_core.plugin.http.records import is_pinned, record_of, records_response
from insight_core.plugin.http.tags import tags_response
from insight_core.web.answers import content_tag, not_modified
from insight_core.web.decoded import DecodedValues

_PIECE = 1 << 18  # bytes that are read at a time


def tags(ctx: PluginContext, request: Request) -> Response:
    """Every series of the plugin."""
    return tags_response((info, {}) for info in ctx.data.series(ctx.name))


def records(ctx: PluginContext, request: Request) -> Response:
    """Steps, wall times and sizes of one series."""
    return records_response(request, ctx.data, ctx.name)


def value(ctx: PluginContext, plugin: Plugin, request: Request) -> Response:
    """One record, decoded and encoded by the plugin."""
    place = record_of(request, ctx.data, ctx.name)
    found = cast("DecodedValues[object]", ctx.values).read(place)
    body = encode_json(
        {
            "run": place.key.run,
            "tag": place.key.tag,
            "index": place.index,
            "step": place.step,
            "wall_time": place.wall_time,
            "claim": str(found.claim),
            "value": cast(RecordDecoder, plugin.decoder).encode(found.value),
        }
    )
    if len(body) > MAX_ENCODED:
        raise TooLarge(
            f"{place}: its JSON has {len(body):,} bytes, more than {MAX_ENCODED:,}; /blob has the bytes"
        )
    return bytes_response(body, "application/json", immutable=is_pinned(request))


def blob(ctx: PluginContext, request: Request) -> Response:
    """The bytes of one record or claimed file, or the range of them that the request names."""
    data, place = ctx.data, record_of(request, ctx.data, ctx.name)
    tag = content_tag(data.location().encode(errors="replace"), repr(place).encode(errors="replace"))
    if request.if_none_match.contains_weak(tag):
        return not_modified(tag)
    stream = data.open_payload(place.plugin, place.key, place.index, place.attempts)
    try:
        if record_at(data, place.plugin, place.key, place.index, place.attempts) != place:
            raise NotFound(f"{place} is no longer there")
        start, end = _range(request, tag, stream.size) or (0, stream.size)
    except BaseException:
        stream.close()
        raise
    name = f"{place.key.run}_{place.key.tag}_{place.step}.bin"
    if isinstance(stream.claim, FileName):
        name = posixpath.basename(place.key.tag)
    answer = bytes_response(b"", "application/octet-stream", filename=name, immutable=is_pinned(request))
    answer.response = _pieces(stream, start, end)
    answer.call_on_close(stream.close)
    answer.content_length = end - start
    answer.accept_ranges = "bytes"
    answer.set_etag(tag)
    if end - start < stream.size:
        answer.status_code = 206
        answer.content_range.set(start, end, stream.size)
    return answer


def _range(request: Request, tag: str, size: int) -> tuple[int, int] | None:
    """First byte and end of what is asked for; None: everything, as RFC 9110 allows for several ranges."""
    asked = request.range if request.method == "GET" else None
    if asked is None or asked.units != "bytes" or len(asked.ranges) != 1:
        return None
    if "If-Range" in request.headers and request.if_range.etag != tag:
        return None
    start, end = asked.ranges[0]
    start = max(0, start + size) if start < 0 else start
    if start >= size:
        raise RequestedRangeNotSatisfiable(size)
    return start, size if end is None else min(end, size)


def _pieces(stream: PayloadStream, start: int, end: int) -> Iterator[bytes]:
    file, skipped = stream.file, start
    if file.seekable():
        file.seek(start)
        skipped = 0
    while skipped:  # a stream from a data server
        skipped -= len(file.read(min(_PIECE, skipped)))
    left = end - start
    while left and (piece := file.read(min(_PIECE, left))):
        left -= len(piece)
        yield piece
