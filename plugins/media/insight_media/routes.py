"""The HTTP side of the media plugin: what a record shows as JSON, and its content for players and frames."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from attrs import frozen
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.data import RecordPlace
from insight_core.plugin.http import (
    Reader,
    bytes_response,
    flag,
    headers,
    is_pinned,
    json_response,
    record_of,
    text,
)
from insight_media.item import Item
from insight_media.shown import shown

# A page in the frame has no origin, loads nothing and sends nothing; its styles and pictures are in it.
_FRAME = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; "
    "font-src data:; form-action 'none'; base-uri 'none'"
)
# Around a page with scripts that is opened in a window of its own: there it could navigate, and so send.
_WINDOW = "default-src 'none'; frame-src 'self'; style-src 'unsafe-inline'; base-uri 'none'"
_SCRIPTS = "; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; worker-src blob:"
_CODES = {503: ("media_no_pyarrow",)}
_CONTENT = ("*/*", "application/octet-stream", "text/html")
_INLINE = ("video", "picture")  # kinds that a browser shows from an address


def _is_in_frame(request: Request) -> bool:
    """Whether a frame shows the answer. Over http, browsers say so to this machine only (Sec-Fetch-Dest)."""
    destination = request.headers.get("Sec-Fetch-Dest")
    return flag("framed")(request) if destination is None else destination in ("iframe", "frame")


_FRAMED = Reader("framed", _is_in_frame, (*flag("framed").parameters, *headers("Sec-Fetch-Dest").parameters))


def routes(ctx: PluginContext[Item]) -> Sequence[Route]:
    """Routes for the description of a record and for its content."""
    views = _Views(ctx)
    place = record_of(ctx.data, ctx.name)
    flags = [flag("download"), flag("scripts"), _FRAMED]
    step = text("step", "step")  # in the name of the file
    return [
        Route("/item", views.item, reads=[place], answers=["application/json"], codes=_CODES),
        Route("/content", views.content, reads=[place, *flags, step], answers=_CONTENT),
    ]


@frozen
class _Views:
    ctx: PluginContext[Item]

    def item(self, request: Request, *, place: RecordPlace) -> Response:
        """``kind``, ``media_type``, ``size`` and, by kind, ``figure``, ``table``, ``matrix`` or ``text``."""
        item = self.ctx.values.at(place)
        try:
            content = shown(item)
        except ValueError as error:
            raise place.undecodable(error) from error
        described = {"kind": item.kind, "media_type": item.media_type, "size": len(item.content)}
        return json_response({**described, **content}, immutable=is_pinned(request))

    def content(
        self, request: Request, *, place: RecordPlace, download: bool, scripts: bool, framed: bool, step: str
    ) -> Response:
        """The bytes as recorded; HTML for a frame without an origin, whose scripts run with ``scripts=1``.

        ``framed=1`` says that the request comes from a frame, for browsers that do not say so themselves.
        """
        item = self.ctx.values.at(place)
        pinned = is_pinned(request)
        if item.kind == "html" and not download:
            if scripts and not framed:
                return _window(request)
            answer = bytes_response(item.content, "text/html; charset=utf-8", immutable=pinned)
            sandbox = "sandbox allow-scripts; " if scripts else "sandbox; "
            answer.headers["Content-Security-Policy"] = sandbox + _FRAME + (_SCRIPTS if scripts else "")
            return answer
        if item.kind in _INLINE and not download:
            answer = bytes_response(item.content, item.media_type, immutable=pinned)
            return answer.make_conditional(request, accept_ranges=True, complete_length=len(item.content))
        return bytes_response(
            item.content, "application/octet-stream", filename=_file_name(place, step, item), immutable=pinned
        )


def _window(request: Request) -> Response:
    """A page that shows the requested one in a frame, which can navigate nowhere else."""
    address = f"?{request.query_string.decode('latin1')}&framed=1"
    page = (
        "<!doctype html><style>html,body,iframe{margin:0;border:0;width:100%;height:100%}</style>"
        f'<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" src="{escape(address)}"></iframe>'
    )
    answer = bytes_response(page.encode(), "text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = _WINDOW
    return answer


_SUFFIXES = {
    "text/html": "html",
    "text/markdown": "md",
    "text/csv": "csv",
    "application/vnd.apache.arrow.stream": "arrows",
    "application/vnd.apache.arrow.file": "arrow",
    "image/gif": "gif",
}


def _file_name(place: RecordPlace, step: str, item: Item) -> str:
    subtype = item.media_type.partition("/")[2]
    suffix = _SUFFIXES.get(item.media_type, "json" if subtype.endswith("+json") else subtype)
    return f"{place.key.tag}_{step}.{suffix}"
