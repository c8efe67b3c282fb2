"""Runs the queries of clients in worker processes, so that a query cannot take the host's memory or time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from insight_core.plugin import InsightError, Unavailable, encode_json
from insight_core.plugin.sql import ContributedTable
from insight_core.plugin.worker import WorkerFailed, WorkerJob, WorkerLimits, Workers
from insight_query.limits import ANSWER, THREADS, QueryLimits, answer_too_large, too_much_memory, too_slow
from insight_query.scanned_table import QueryReading, ScannedTable
from insight_query.sent_table import described, sent_rows

OVERHEAD = 128 << 20  # bytes of the process besides the memory of its query: threads, and the answer
GRACE = 3.0  # seconds until a query is killed that DuckDB does not end
IDLE = 120.0  # seconds that a process waits for another query
_LIMITS = QueryLimits()
_APART = "insight_query.answering"


def query_workers(at_once: int) -> Workers:
    """Processes for queries, ``at_once`` of them at most."""
    deadline = _LIMITS.seconds + GRACE
    limits = WorkerLimits(_LIMITS.memory + OVERHEAD, THREADS * deadline, deadline, ANSWER)
    return Workers(limits, at_once, idle=IDLE)


def warm_up(workers: Workers) -> None:
    """Starts a process, if none runs, so that the first query need not wait for it."""
    if not workers.pids:
        workers.start(_WarmUp())


def ask(workers: Workers, sql: str, tables: Sequence[ContributedTable], rows: int) -> bytes:
    """The answer of a query as a JSON object: ``columns``, ``values`` by column, ``rows``, ``is_cut``, what
    was ``read`` for it and ``seconds``.

    Raises InvalidArgument, QueryTooLarge and what a table raises; see ``engine.query``.
    """
    began = time.monotonic()
    reading = QueryReading(began + _LIMITS.seconds + GRACE, _LIMITS)
    scanned = {one.table.name: ScannedTable(one, reading) for one in tables}
    arguments = {"sql": sql, "rows": rows, "tables": described(scanned)}
    try:
        answer = workers.call(f"{_APART}:answered", arguments, lambda wanted: sent_rows(scanned, wanted))
    except WorkerFailed as error:
        raise _explained(error, reading) from error
    read = {"rows": reading.rows, "bytes": reading.bytes}
    rest = encode_json({"read": read, "seconds": round(time.monotonic() - began, 3)})
    return answer[:-1] + b"," + rest[1:]


class _WarmUp(WorkerJob):
    function = f"{_APART}:warm"

    def begin(self) -> Mapping[str, object]:
        return {}

    def is_done(self, answer: bytes) -> None: ...

    def has_failed(self, failure: WorkerFailed) -> None: ...


def _explained(error: WorkerFailed, reading: QueryReading) -> InsightError:
    if reading.error is not None:
        return reading.error
    if error.code in ("worker_seconds", "worker_deadline"):
        return too_slow(_LIMITS)
    if error.code == "worker_answer":
        return answer_too_large(ANSWER)
    # a library may end a process that has no memory left
    if error.code in ("worker_memory", "worker_died"):
        return too_much_memory(_LIMITS)
    return Unavailable(str(error)) if error.code == "worker_not_started" else error
