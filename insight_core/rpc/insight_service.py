"""The gRPC service ``insight.data.v1.DataProvider``: one RPC per ``DataProvider`` method."""

from __future__ import annotations

import io
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias, TypeVar

from google.protobuf.message import Message

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider, NotComputed, PayloadStream, SeriesKey
from insight_core.plugin.data.computations import Computation
from insight_core.rpc.errors import Context, TooMuch, printable, stream, unary
from insight_core.rpc.messages import (
    attempts_of,
    changes_message,
    claim_message,
    damage_message,
    key_of,
    notice_message,
    query_of,
    record_parts,
    run_message,
    scalar_parts,
)
from insight_core.rpc.schema import insight_data_pb2 as messages
from insight_core.rpc.schema.services import PIECE
from insight_core.rpc.series_tables import fields_of, table_responses

HEARTBEAT = 10.0  # seconds without changes after which a watcher gets a message anyway
WAITING = 32  # calls that may wait for changes at the same time
_SLICE = 1.0  # seconds between checks whether the caller is still connected
_PAUSE = 0.05  # seconds of changes that are reported together
_LONGEST_WAIT = 60.0  # seconds
_ENVELOPE = 6  # maximum overhead of a part in bytes: field key and length
_KEYS = 32  # series whose every point is held in memory for one answer

ComputationsOf: TypeAlias = Callable[[str], Mapping[str, Computation]]  # of a plugin; by their names
Part = TypeVar("Part", bound=Message)


class InsightService:
    """Serves ``provider``; ``version`` is that of insight-host. Each instance has a new boot id."""

    def __init__(self, provider: DataProvider, version: str, computations: ComputationsOf) -> None:
        self._provider = provider
        self._computations = computations
        self._version = version
        self._boot = uuid.uuid4().hex
        self._places = threading.Semaphore(WAITING)
        self._ending = threading.Event()

    def end(self) -> None:
        """Ends every wait within a second."""
        self._ending.set()

    @unary
    def Info(self, request: messages.InfoRequest) -> messages.InfoResponse:
        """Version, location, generation and boot id."""
        return messages.InfoResponse(
            version=self._version,
            boot_id=self._boot,
            location=printable(self._provider.location()),
            generation=self._provider.generation(),
        )

    @unary
    def Plugins(self, request: messages.PluginsRequest) -> messages.PluginsResponse:
        """See ``DataProvider.plugins``."""
        return messages.PluginsResponse(names=sorted(self._provider.plugins()))

    @stream
    def Runs(self, request: messages.RunsRequest, context: Context) -> Iterator[messages.RunsResponse]:
        """See ``DataProvider.runs``, and ``DataProvider.notices``."""
        for runs in _portions(map(run_message, self._provider.runs())):
            yield messages.RunsResponse(runs=runs)
        if notices := self._provider.notices():
            yield messages.RunsResponse(notices=map(notice_message, notices))

    @stream
    def SeriesTables(
        self, request: messages.SeriesTablesRequest, context: Context
    ) -> Iterator[messages.SeriesTablesResponse]:
        """See ``DataProvider.series_tables``."""
        runs = request.runs.names if request.HasField("runs") else None
        tags = request.tags.names if request.HasField("tags") else None
        fields = fields_of(request.fields)
        yield from table_responses(self._provider.series_tables(request.plugin, fields, runs=runs, tags=tags))

    @stream
    def Scalars(
        self, request: messages.ScalarsRequest, context: Context
    ) -> Iterator[messages.ScalarsResponse]:
        """See ``DataProvider.scalars``; streams parts of columns."""
        for parts in _portions(self._scalar_parts(request)):
            yield messages.ScalarsResponse(parts=parts)

    def _scalar_parts(self, request: messages.ScalarsRequest) -> Iterator[messages.ScalarPart]:
        query = query_of(request.query)
        indices: dict[SeriesKey, int] = {}
        for index, asked in enumerate(request.keys):
            indices.setdefault(key_of(asked), index)
        keys = list(indices)
        # decimated columns are small, and clients request few runs at a time
        count = _KEYS if query.width is None else max(1, len(keys))
        for start in range(0, len(keys), count):
            answers = self._provider.scalars(request.plugin, keys[start : start + count], query)
            for key, columns in answers.items():
                yield from scalar_parts(indices[key], columns)

    @stream
    def Records(
        self, request: messages.RecordsRequest, context: Context
    ) -> Iterator[messages.RecordsResponse]:
        """See ``DataProvider.records``; streams parts of columns."""
        attempts = attempts_of(request.all_attempts)
        yield from record_parts(self._provider.records(request.plugin, key_of(request.key), attempts))

    @stream
    def Payload(
        self, request: messages.PayloadRequest, context: Context
    ) -> Iterator[messages.PayloadResponse]:
        """See ``DataProvider.open_payload``; streams chunks of bytes."""
        for name in ("limit", "offset", "length"):
            if getattr(request, name) < 0:
                raise InvalidArgument(f"the {name} {getattr(request, name)} is not 0 or more bytes")
        place = request.plugin, key_of(request.key), request.index, attempts_of(request.all_attempts)
        whole: int | None = None
        if request.HasField("limit"):
            payload = self._provider.payload(*place, limit=request.limit)
            opened = PayloadStream(io.BytesIO(payload.data), len(payload.data), payload.claim)
            size = opened.size
        else:
            length = request.length if request.HasField("length") else None
            opened = self._provider.open_payload(*place, offset=request.offset, length=length)
            whole = opened.size
            size = max(0, whole - request.offset)
            size = size if length is None else min(size, length)
        with opened as stream:
            claim = claim_message(stream.claim)
            first = stream.file.read(max(0, PIECE - claim.ByteSize()))
            yield messages.PayloadResponse(claim=claim, size=size, whole=whole, data=first)
            while piece := stream.file.read(PIECE):
                yield messages.PayloadResponse(data=piece)

    @stream
    def Compute(
        self, request: messages.ComputeRequest, context: Context
    ) -> Iterator[messages.ComputeResponse]:
        """See ``insight_core.plugin.compute``; streams pieces of answers."""
        computation = self._computations(request.plugin).get(request.name)
        if computation is None:
            raise NotComputed(f"plugin {request.plugin} computes no {request.name!r} here")
        for answer in computation(self._provider, request.request):
            for start in range(0, max(1, len(answer)), PIECE):
                more = start + PIECE < len(answer)
                yield messages.ComputeResponse(data=answer[start : start + PIECE], more=more)

    @stream
    def Damage(self, request: messages.DamageRequest, context: Context) -> Iterator[messages.DamageResponse]:
        """See ``DataProvider.damage``."""
        found = self._provider.damage(request.run if request.HasField("run") else None)
        for damage in _portions(map(damage_message, found)):
            yield messages.DamageResponse(damage=damage)

    @unary
    def Progress(self, request: messages.ProgressRequest) -> messages.ProgressResponse:
        """See ``DataProvider.progress``."""
        progress = self._provider.progress()
        return messages.ProgressResponse(
            bytes_read=progress.bytes_read,
            bytes_total=progress.bytes_total,
            loaded_once=progress.loaded_once,
        )

    @unary
    def Changes(self, request: messages.ChangesRequest) -> messages.ChangesResponse:
        """See ``DataProvider.changes``."""
        if not request.timeout >= 0:
            raise InvalidArgument(f"the timeout {request.timeout} is not 0 or more seconds")
        if not request.timeout:
            return changes_message(self._provider.changes(request.since))
        with self._waiting():
            ends = time.monotonic() + min(request.timeout, _LONGEST_WAIT)
            while True:
                left = ends - time.monotonic()
                changes = self._provider.changes(request.since, timeout=max(0.0, min(left, _SLICE)))
                if changes.generation != request.since or left <= _SLICE or self._ending.is_set():
                    return changes_message(changes)

    @stream
    def Watch(self, request: messages.WatchRequest, context: Context) -> Iterator[messages.ChangesResponse]:
        """Streams changes: one message immediately, one per change, and one every ten seconds without a
        change.
        """
        with self._waiting():
            changes = self._provider.changes(request.since)
            while True:
                yield changes_message(changes)
                since, told = changes.generation, time.monotonic()
                self._ending.wait(_PAUSE)
                while changes.generation == since and time.monotonic() - told < HEARTBEAT:
                    if self._ending.is_set() or not context.is_active():
                        return
                    changes = self._provider.changes(since, timeout=_SLICE)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise TooMuch(f"{WAITING} calls wait for changes already")
        try:
            yield
        finally:
            self._places.release()


def _portions(parts: Iterable[Part]) -> Iterator[Sequence[Part]]:
    """Groups parts into messages below the size limit; a part that is too large is sent alone."""
    portion: list[Part] = []
    size = 0
    for part in parts:
        own = part.ByteSize() + _ENVELOPE
        if portion and size + own > PIECE:
            yield portion
            portion, size = [], 0
        portion.append(part)
        size += own
    if portion:
        yield portion
