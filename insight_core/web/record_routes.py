"""Views that every plugin with a decoder has: ``/tags``, ``/records``, ``/value`` and ``/blob``."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import cast
from urllib.parse import quote

from werkzeug import Request, Response
from werkzeug.exceptions import RequestedRangeNotSatisfiable

from insight_core.encoding import MAX_ENCODED
from insight_core.http.tags import streamed_tags_response
from insight_core.plugin import (
    FileName,
    NotFound,
    Plugin,
    PluginContext,
    RecordDecoder,
    TooLarge,
    encode_json,
)
from insight_core.plugin.data import DataProvider, RecordPlace, record_at
from insight_core.plugin.http import bytes_response, is_pinned, records_response
from insight_core.web.answers import not_modified
from insight_core.web.content_tags import content_tag
from insight_core.web.value_cache import DecodedValues
from insight_record.formats.reason import ReasonKind

_PIECE = 1 << 18  # bytes that are read at a time
_LARGE_VALUE = ReasonKind(
    "large_value", "{place}: its JSON has {size:,} bytes, more than {most:,}; /blob has the bytes"
)
_PLACE_GONE = ReasonKind("place_gone", "{place} has disappeared")


def tags(ctx: PluginContext, request: Request) -> Response:
    """Every series of the plugin."""
    return streamed_tags_response(ctx.data, {ctx.name: {}})


def records(ctx: PluginContext, request: Request) -> Response:
    """Steps, wall times and sizes of one series."""
    return records_response(request, ctx.data, ctx.name)


def value(ctx: PluginContext, plugin: Plugin, request: Request, place: RecordPlace) -> Response:
    """One record, decoded and encoded by the plugin."""
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
        raise TooLarge(_LARGE_VALUE(place=str(place), size=len(body), most=MAX_ENCODED))
    return bytes_response(body, "application/json", immutable=is_pinned(request))


def blob(ctx: PluginContext, request: Request, place: RecordPlace) -> Response:
    """The bytes of one record or claimed file, or the range of them that the request names."""
    return blob_response(request, ctx.data, place)


def blob_response(request: Request, data: DataProvider, place: RecordPlace) -> Response:
    """The bytes of one record of a plugin, or of an unclaimed one; its claim is a header of the answer."""
    tag = content_tag(data.location().encode(errors="replace"), repr(place).encode(errors="replace"))
    if request.if_none_match.contains_weak(tag):
        return not_modified(tag)
    where = place.plugin, place.key, place.index, place.attempts
    asked = _range(request, tag)
    start, end = asked or (0, None)
    if start < 0:  # counted from the end, which has to be known first
        with data.open_payload(*where, length=0) as nothing:
            start = max(0, start + nothing.size)
    stream = data.open_payload(*where, offset=start, length=None if end is None else end - start)
    try:
        if record_at(data, *where) != place:
            raise NotFound(_PLACE_GONE(place=str(place)))
        if asked is not None and start >= stream.size:
            raise RequestedRangeNotSatisfiable(stream.size)
    except BaseException:
        stream.close()
        raise
    end = stream.size if end is None else min(end, stream.size)
    name = f"{place.key.run}_{place.key.tag}_{place.step}.bin"
    if isinstance(stream.claim, FileName):
        name = posixpath.basename(place.key.tag)
    answer = bytes_response(b"", "application/octet-stream", filename=name, immutable=is_pinned(request))
    answer.response = iter(partial(stream.file.read, _PIECE), b"")
    answer.call_on_close(stream.close)
    answer.content_length = end - start
    answer.accept_ranges = "bytes"
    answer.set_etag(tag)
    answer.headers["X-Insight-Claim"] = quote(str(stream.claim), safe=" :/*?[]!")
    if end - start < stream.size:
        answer.status_code = 206
        answer.content_range.set(start, end, stream.size)
    return answer


def _range(request: Request, tag: str) -> tuple[int, int | None] | None:
    """First byte and end of the requested range; None: everything, as RFC 9110 allows for several ranges.

    A negative first byte counts from the end of the payload; the end None is the end of the payload.
    """
    asked = request.range if request.method == "GET" else None
    if asked is None or asked.units != "bytes" or len(asked.ranges) != 1:
        return None
    if "If-Range" in request.headers and request.if_range.etag != tag:
        return None
    start, end = asked.ranges[0]
    return start, end
