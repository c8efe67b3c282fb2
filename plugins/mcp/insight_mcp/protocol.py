"""The Model Context Protocol: what a JSON-RPC message is answered with, of stateless and older revisions.

Of https://modelcontextprotocol.io/specification: revision 2026-07-28, in which each request says its
version in ``_meta``, and the revisions before it, which begin with ``initialize``. Nothing is kept between
two messages.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from attrs import frozen

from insight_mcp.untrusted import TOLD

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # The newest first.
SUPPORTED = (MODERN, *LEGACY)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
_NAME = "insight-host"
_KEPT = {"ttlMs": 3_600_000, "cacheScope": "public"}  # tools are the same for all, until the next version
_INSTRUCTIONS = f"Reads training logs; changes nothing. Begin with describe. {TOLD}"
_MOST_IN_BATCH = 50

CallTool = Callable[[str, object], list[dict[str, str]] | None]  # None: unknown tool
log = logging.getLogger("insight.plugin.mcp")


class RpcError(Exception):
    """A JSON-RPC error: ``text`` is ours, never text of a log or of a client."""

    def __init__(self, code: int, text: str, data: object = None) -> None:
        super().__init__(text)
        self.code, self.text, self.data = code, text, data


class ToolFailed(Exception):
    """A tool that cannot answer; ``content`` says why."""

    def __init__(self, content: list[dict[str, str]]) -> None:
        super().__init__()
        self.content = content


@frozen
class Reply:
    """The answer to a message; without ``body`` if none is needed. ``code`` is that of an error."""

    body: object = None
    code: int | None = None


@frozen(eq=False)
class Protocol:
    """Answers messages with tools: their ``definitions``, and ``call(name, arguments)``."""

    definitions: list[dict[str, Any]]
    call: CallTool

    def answer(
        self, message: object, check: Callable[[Mapping[str, Any], bool], None] | None = None
    ) -> Reply:
        """The reply to a decoded message, or to several of them (revisions before 2025-06-18).

        ``check(message, is_modern)`` raises RpcError for a message that its headers do not fit.
        """
        if isinstance(message, list):
            return self._batch(message, check)
        identity = message.get("id") if isinstance(message, Mapping) else None
        known = identity if isinstance(identity, str | int) and not isinstance(identity, bool) else None
        try:
            return self._one(message, known, check)
        except RpcError as error:
            return _error(known, error)
        except Exception:
            log.exception("a message could not be answered")
            return _error(known, RpcError(INTERNAL, "internal error: the log of the host says why"))

    @staticmethod
    def refused(error: RpcError) -> Reply:
        """The reply to bytes that are not a message."""
        return _error(None, error)

    def _batch(
        self, messages: list[object], check: Callable[[Mapping[str, Any], bool], None] | None
    ) -> Reply:
        if not messages or len(messages) > _MOST_IN_BATCH:
            return _error(None, RpcError(INVALID_REQUEST, f"a batch has 1 to {_MOST_IN_BATCH} messages"))
        replies = [self.answer(one, check) for one in messages if not isinstance(one, list)]
        bodies = [reply.body for reply in replies if reply.body is not None]
        return Reply(bodies or None)

    def _one(
        self,
        message: object,
        identity: str | int | None,
        check: Callable[[Mapping[str, Any], bool], None] | None,
    ) -> Reply:
        if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
            raise RpcError(INVALID_REQUEST, "a message is a JSON-RPC 2.0 object")
        method, params = message.get("method"), message.get("params", {})
        if method is None and ("result" in message or "error" in message):
            return Reply()  # an answer, although nothing was asked
        if not isinstance(method, str) or not isinstance(params, Mapping):
            raise RpcError(INVALID_REQUEST, "method must be a string, params an object")
        if "id" not in message:
            return Reply()  # a notification: initialized, cancelled
        if identity is None:
            raise RpcError(INVALID_REQUEST, "id must be a string or an integer")
        meta = params.get("_meta")
        is_modern = isinstance(meta, Mapping) and VERSION_KEY in meta
        if check is not None:
            check(message, is_modern)
        if is_modern or method == "server/discover":
            _check_meta(meta)
            result = self._modern(method, params)
        else:
            result = self._legacy(method, params)
        return Reply({"jsonrpc": "2.0", "id": identity, "result": result})

    def _modern(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        about = {"resultType": "complete", "_meta": {_SERVER_KEY: _identity()}}
        if method == "server/discover":
            return {
                **about,
                **_KEPT,
                "supportedVersions": list(SUPPORTED),
                "capabilities": {"tools": {}},
                "instructions": _INSTRUCTIONS,
            }
        if method == "tools/list":
            return {**about, **_KEPT, "tools": self.definitions}
        if method == "tools/call":
            return {**about, **self._called(params)}
        raise RpcError(METHOD_NOT_FOUND, "the methods are server/discover, tools/list and tools/call")

    def _legacy(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            asked = params.get("protocolVersion")
            return {
                "protocolVersion": asked if asked in LEGACY else LEGACY[0],
                "capabilities": {"tools": {}},
                "serverInfo": _identity(),
                "instructions": _INSTRUCTIONS,
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": self.definitions}
        if method == "tools/call":
            return self._called(params)
        raise RpcError(METHOD_NOT_FOUND, "the methods are initialize, ping, tools/list and tools/call")

    def _called(self, params: Mapping[str, Any]) -> dict[str, Any]:
        name = params.get("name")
        try:
            content = self.call(name, params.get("arguments")) if isinstance(name, str) else None
        except ToolFailed as failure:
            return {"content": failure.content, "isError": True}
        if content is None:
            names = ", ".join(one["name"] for one in self.definitions)
            raise RpcError(INVALID_PARAMS, f"unknown tool; the tools are {names}")
        return {"content": content, "isError": False}


def decoded(data: bytes) -> object:
    """The message in these bytes. Raises RpcError."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "not valid JSON in UTF-8") from None


def unsupported(requested: object) -> RpcError:
    """The error for a version that is none of ours."""
    data = {"supported": list(SUPPORTED), "requested": requested if isinstance(requested, str) else ""}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _check_meta(meta: object) -> None:
    if not isinstance(meta, Mapping):
        raise RpcError(INVALID_PARAMS, f"params._meta must have {VERSION_KEY} and {CAPABILITIES_KEY}")
    asked = meta.get(VERSION_KEY)
    if not isinstance(asked, str):
        raise RpcError(INVALID_PARAMS, f"params._meta must have {VERSION_KEY}, a string")
    if asked != MODERN:
        raise unsupported(asked)
    if not isinstance(meta.get(CAPABILITIES_KEY), Mapping):
        raise RpcError(INVALID_PARAMS, f"params._meta must have {CAPABILITIES_KEY}, an object")


def _error(identity: str | int | None, error: RpcError) -> Reply:
    told: dict[str, object] = {"code": error.code, "message": error.text}
    if error.data is not None:
        told["data"] = error.data
    body: dict[str, object] = {"jsonrpc": "2.0", "error": told}
    if identity is not None:
        body["id"] = identity
    elif error.code in (PARSE_ERROR, INVALID_REQUEST):
        body["id"] = None  # as JSON-RPC has it where the request cannot be told
    return Reply(body, error.code)


def _identity() -> dict[str, str]:
    try:
        found = version(_NAME)
    except PackageNotFoundError:
        found = "unknown"
    return {"name": _NAME, "version": found}
