"""Errors whose text may be shown to the user."""

from __future__ import annotations

from insight_record.formats.reason import Reason


class InsightError(Exception):
    """An error with a text for the user, in English; ``status`` is its HTTP status.

    ``code`` is a word for programs, from which the page takes a text in the user's language: that of
    ``reason.<code>`` in the messages of the tab, or its own. ``details`` are JSON values that this text
    names, or a ``Reason``. The text itself may be a ``Reason`` that has both. Without a ``code`` an error
    has that of its class.
    """

    status = 500
    code = "internal"

    def __init__(self, *args: object, code: str | None = None, **details: object) -> None:
        super().__init__(*args)
        if args and isinstance(reason := args[0], Reason) and code is None:
            code, details = reason.code or None, {**reason.details}
        if code is not None:
            self.code = code
        self.details = details


class NotFound(InsightError):
    """The run, tag, record or plugin that was asked for does not exist."""

    status = 404
    code = "not_found"


class InvalidArgument(InsightError):
    """A parameter has a value that is not accepted; the text says which values are."""

    status = 400
    code = "invalid_argument"


class Forbidden(InsightError):
    """The request does not come from the host's own page, or its sender may not save."""

    status = 403
    code = "forbidden"


class Undecodable(InsightError):
    """A payload that cannot be read, or whose bytes do not hold what its claim promises."""

    status = 422
    code = "undecodable"


class TooLarge(InsightError):
    """An answer beyond its limit; the text says what to ask for instead."""

    status = 413
    code = "too_large"


class Unavailable(InsightError):
    """The data cannot be reached now; the same request may succeed later."""

    status = 503
    code = "unavailable"
