"""Errors whose text may be shown to the user."""

from __future__ import annotations


class InsightError(Exception):
    """An error with a text for the user; ``status`` is its HTTP status."""

    status = 500


class NotFound(InsightError):
    """The run, tag, record or plugin that was asked for does not exist."""

    status = 404


class InvalidArgument(InsightError):
    """A parameter has a value that is not accepted; the text says which values are."""

    status = 400


class Undecodable(InsightError):
    """A payload that cannot be read, or whose bytes do not hold what its claim promises."""

    status = 422


class TooLarge(InsightError):
    """An answer beyond its limit; the text says what to ask for instead."""

    status = 413


class Unavailable(InsightError):
    """The data cannot be reached now; the same request may succeed later."""

    status = 503
