"""Bytes of one record from ``/data/blob`` of a host, in ranges: a file of any size needs little memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from urllib.parse import unquote

from attrs import frozen

from insight_core.plugin import InsightError
from insight_core.plugin.data import PayloadStream
from insight_core.providers.http_client.decoding import claim_of
from insight_core.providers.http_client.session import BeyondEnd, HttpAnswer, HttpSession
from insight_core.providers.payload_streams import stream_of_pieces

_ROUTE = "data/blob"
_CLAIM = "X-Insight-Claim"
_AT_ONCE = 32 << 20  # bytes that are asked for at a time; of a record the host reads all each time


@frozen
class Blob:
    """One record, which the ``parameters`` of the route name."""

    session: HttpSession
    parameters: Sequence[tuple[str, str]]

    def stream(self, offset: int, length: int | None) -> PayloadStream:
        """The bytes from ``offset`` on, at most ``length``; its size is that of the whole record."""
        first, size = b"", None
        if length != 0:
            with suppress(BeyondEnd):
                answer, first, size = self._read(offset, None if length is None else offset + length)
        if size is None:
            answer = self.session.ask("HEAD", _ROUTE, self.parameters)
            size = int(answer.headers["Content-Length"])
        stop = max(offset, size if length is None else min(size, offset + length))
        claim = answer.headers.get(_CLAIM)
        if claim is None:
            raise InsightError("the host is older than this client and sends no bytes of records: update it")
        return stream_of_pieces(
            self._pieces(first, offset, stop), stop - offset, size, claim_of(unquote(claim)), lambda: None
        )

    def _pieces(self, first: bytes, offset: int, stop: int) -> Iterator[bytes]:
        yield first
        offset += len(first)
        while offset < stop:
            _, piece, _ = self._read(offset, stop)
            yield piece
            offset += len(piece)

    def _read(self, start: int, stop: int | None) -> tuple[HttpAnswer, bytes, int]:
        """Some of the bytes, and the size of the whole record."""
        end = start + _AT_ONCE if stop is None else min(stop, start + _AT_ONCE)
        answer = self.session.ask("GET", _ROUTE, self.parameters, {"Range": f"bytes={start}-{end - 1}"})
        whole = answer.headers.get("Content-Range", "").rpartition("/")[2]
        return answer, answer.body, int(whole) if whole else len(answer.body)
