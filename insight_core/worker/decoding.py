"""Decodes payloads in worker processes that all decoders of this process share."""

from __future__ import annotations

import io
import pickle
import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

from insight_core.references import Reference
from insight_core.worker.job import PieceSource, WaitedJob, WorkerFailed, WorkerLimits, WorkerSource
from insight_core.worker.link import WorkerLink
from insight_core.worker.pool import Workers
from insight_record.formats.reason import Reason

LIMITS = WorkerLimits(memory=1 << 30, seconds=60.0, deadline=90.0, answer=64 << 20)
AT_ONCE = 2  # processes
SMALL = 1 << 20  # bytes of a payload that costs less to decode here than to send
_starting = threading.Lock()


def decode_apart(
    function: str, data: bytes | Iterable[bytes], *arguments: object, unpacks: bool = False
) -> Any:  # noqa: ANN401 - what the function returns
    """What ``function(data, *arguments)`` returns, called in a worker, whose limits are LIMITS.

    For payloads that take much memory or time to decode. Bytes of up to SMALL are decoded in this process,
    unless the format ``unpacks`` them to more; pieces never. ``arguments`` are values of JSON. The result is
    pickled: a worker has the rights of this process, and runs no code but that of installed packages. So that
    the limit of its bytes is one of memory too, it should hold arrays, texts and bytes rather than many small
    objects.

    Raises ValueError with a Reason, as decoders do, and the other InsightErrors of the function.
    """
    if isinstance(data, bytes) and len(data) <= SMALL and not unpacks:
        return Reference(function)(data, *arguments)
    source: WorkerSource = io.BytesIO(data) if isinstance(data, bytes) else PieceSource(data)
    job = WaitedJob(f"{__name__}:decoded", {"name": function, "arguments": arguments}, lambda _: source)
    job.imports = (function.partition(":")[0],)
    with _starting:
        _workers().start(job)
    try:
        answer = job.result()
    except WorkerFailed as error:
        if error.status != WorkerFailed.status:
            raise
        raise ValueError(Reason.of(error)) from error
    return pickle.loads(answer)


def decoded(link: WorkerLink, name: str, arguments: Iterable[object]) -> bytes:
    """Calls a decoder, in the worker."""
    data = link.open("data").read()
    return pickle.dumps(Reference(name)(data, *arguments), pickle.HIGHEST_PROTOCOL)


def end_decoders() -> None:
    """Ends the processes of ``decode_apart``, if there are any; a later call starts others."""
    with _starting:
        if _workers.cache_info().currsize:
            _workers().close()
            _workers.cache_clear()


@cache
def _workers() -> Workers:
    return Workers(LIMITS, AT_ONCE)
