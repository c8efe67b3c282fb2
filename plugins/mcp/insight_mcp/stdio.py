"""The Model Context Protocol over stdin and stdout: a line for each message."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO

from attrs import field, frozen

from insight_mcp.protocol import INVALID_REQUEST, Protocol, Reply, RpcError, decoded

_LARGEST = 1 << 20  # bytes of a line
_THREADS = 4


def serve(protocol: Protocol, reader: BinaryIO, writer: BinaryIO) -> None:
    """Answers lines until the input ends; then those under way are answered."""
    connection = _Connection(protocol, writer)
    with ThreadPoolExecutor(_THREADS, "mcp") as pool:
        while line := reader.readline(_LARGEST + 1):
            if len(line) > _LARGEST:
                while line and not line.endswith(b"\n"):
                    line = reader.readline(_LARGEST)
                connection.refuse(RpcError(INVALID_REQUEST, f"a message has at most {_LARGEST} bytes"))
            elif line.strip():
                connection.receive(line, pool.submit)


@frozen(eq=False)
class _Connection:
    protocol: Protocol
    writer: BinaryIO
    _writing: threading.Lock = field(factory=threading.Lock)
    _open: set[str | int] = field(factory=set)  # requests that were not answered
    _cancelled: set[str | int] = field(factory=set)

    def receive(self, line: bytes, submit: Callable[..., object]) -> None:
        try:
            message = decoded(line)
        except RpcError as error:
            self.refuse(error)
            return
        if isinstance(message, Mapping):
            if message.get("method") == "notifications/cancelled":
                self._cancel(message.get("params"))
                return
            identity = message.get("id")
            if isinstance(identity, str | int):
                with self._writing:
                    self._open.add(identity)
        submit(self._answer, message)

    def refuse(self, error: RpcError) -> None:
        self._write(self.protocol.refused(error), None)

    def _cancel(self, params: object) -> None:
        identity = params.get("requestId") if isinstance(params, Mapping) else None
        with self._writing:
            if identity in self._open:
                self._cancelled.add(identity)

    def _answer(self, message: object) -> None:
        identity = message.get("id") if isinstance(message, Mapping) else None
        with self._writing:
            if isinstance(identity, str | int) and identity in self._cancelled:  # before its turn came
                self._open.discard(identity)
                self._cancelled.discard(identity)
                return
        self._write(self.protocol.answer(message), identity if isinstance(identity, str | int) else None)

    def _write(self, reply: Reply, identity: str | int | None) -> None:
        with self._writing:
            is_cancelled = identity in self._cancelled
            if identity is not None:
                self._open.discard(identity)
                self._cancelled.discard(identity)
            if reply.body is None or is_cancelled:
                return
            self.writer.write(json.dumps(reply.body, ensure_ascii=True, allow_nan=False).encode() + b"\n")
            self.writer.flush()
