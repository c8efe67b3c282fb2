"""``POST /mcp``: one message of the Model Context Protocol in, one answer out (Streamable HTTP)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from werkzeug import Request, Response

from insight_core.plugin import Forbidden, InvalidArgument, PluginContext, Route, TooLarge
from insight_core.plugin.http import headers, json_response
from insight_mcp.calling import Tools
from insight_mcp.protocol import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEGACY,
    METHOD_NOT_FOUND,
    MODERN,
    PARSE_ERROR,
    SUPPORTED,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Protocol,
    Reply,
    RpcError,
    decoded,
    unsupported,
)
from insight_mcp.toolbox import TOOLS

_ANY = ("*/*", "application/json")
_LARGEST = 1 << 20  # bytes of a message
_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``/``, which is ``/mcp`` too."""
    protocol = Protocol([tool.described() for tool in TOOLS], Tools(lambda: ctx).call)
    return [
        Route(
            "/",
            partial(_answer, ctx, protocol),
            methods=("POST",),
            only_reads=True,
            also_reads=[headers("Origin")],
            answers=_ANY,
        )
    ]


def _answer(ctx: PluginContext, protocol: Protocol, request: Request) -> Response:
    """The answer to one message of the Model Context Protocol, JSON in the body."""
    origin = request.headers.get("Origin")
    if origin is not None and not ctx.own_page.is_own(origin, request.environ.get("HTTP_HOST")):
        raise Forbidden("only pages of this host and programs may ask here")
    if request.mimetype != "application/json":
        raise InvalidArgument("the body must be of type application/json")
    if (request.content_length or 0) > _LARGEST:
        raise TooLarge(f"a message has at most {_LARGEST} bytes")
    try:
        message = decoded(request.get_data(cache=False))
    except RpcError as error:
        reply = protocol.refused(error)
    else:
        reply = protocol.answer(message, partial(_check, request))
    return _response(reply)


def _response(reply: Reply) -> Response:
    if reply.body is None:
        return Response(status=202)
    answer = json_response(reply.body)
    answer.status_code = 200 if reply.code is None else _STATUS.get(reply.code, 200)
    answer.cache_control.no_store = True
    return answer


def _check(request: Request, message: Mapping[str, Any], is_modern: bool) -> None:
    """Raises RpcError for headers that do not fit the message, or that lack what its revision asks for."""
    version = request.headers.get("MCP-Protocol-Version")
    if not is_modern:
        if version is not None and version not in LEGACY:
            raise _modern_without_meta() if version == MODERN else unsupported(version)
        return
    params = message["params"]
    expected = {"MCP-Protocol-Version": params["_meta"][VERSION_KEY], "Mcp-Method": message["method"]}
    if message["method"] == "tools/call":
        expected["Mcp-Name"] = params.get("name")
    for name, value in expected.items():
        given = request.headers.getlist(name)
        if len(given) != 1 or _plain(given[0]) != value:
            raise RpcError(HEADER_MISMATCH, f"Header mismatch: {name} is not what the body says")


def _modern_without_meta() -> RpcError:
    return RpcError(
        INVALID_PARAMS, f"params._meta must have {VERSION_KEY}, as each request of {SUPPORTED[0]}"
    )


def _plain(value: str) -> str | None:
    """The value of a header, which may be Base64 of UTF-8: ``=?base64?…?=``; None if that is malformed."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, ValueError):
        return None
