"""Limits of a query, and the errors at them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from attrs import frozen

from insight_core.plugin import InsightError

ANSWER = 32 << 20  # bytes of an answer of the route, as JSON
THREADS = 2  # of a query
RATE = 10_000_000  # rows a second: no source gives more


@frozen
class QueryLimits:
    """Limits of a query: ``rows`` of its answer (None: all), ``seconds``, ``memory`` (bytes)."""

    rows: int | None = 10_000
    seconds: float = 30.0
    memory: int = 512 << 20


class QueryTooLarge(InsightError):
    """A query took more memory or time than it may, or its answer is too large."""

    status = 413
    code = "query_too_large"


@runtime_checkable
class LimitedRows(Protocol):
    """Implemented by the ``WantedRows`` of a query with limits."""

    @property
    def limits(self) -> QueryLimits:
        """Those of the query."""


def check_expected(wanted: object, rows: int) -> None:
    """Raises QueryTooLarge if a query cannot read so many rows in its time."""
    if isinstance(wanted, LimitedRows) and rows > wanted.limits.seconds * RATE:
        raise too_much_to_read(wanted.limits, rows)


def too_slow(limits: QueryLimits) -> QueryTooLarge:
    """The error for a query that takes more time than it may."""
    return QueryTooLarge(f"the query was ended after {limits.seconds:g} s: ask for fewer runs, tags or steps")


def too_much_to_read(limits: QueryLimits, rows: int) -> QueryTooLarge:
    """The error for a query that would read more rows than its time allows."""
    return QueryTooLarge(
        f"the query would read {rows:,} rows, which takes longer than {limits.seconds:g} s: add a WHERE on "
        "run, tag or step, ask the table summaries for counts and extremes, or give it more time "
        "(insight-host sql --seconds)"
    )


def too_much_memory(limits: QueryLimits) -> QueryTooLarge:
    """The error for a query that takes more memory than it may."""
    return QueryTooLarge(f"the query needs more than {limits.memory >> 20} MiB: ask for less, or aggregate")


def answer_too_large(most: int) -> QueryTooLarge:
    """The error for an answer of more than ``most`` bytes."""
    return QueryTooLarge(f"the answer has more than {most >> 20} MiB: ask for fewer rows or columns")
