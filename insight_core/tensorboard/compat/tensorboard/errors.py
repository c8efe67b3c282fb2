"""Errors whose text may be shown to whoever asked, each with its HTTP status."""

from __future__ import annotations


class PublicError(RuntimeError):
    """``headers`` are (name, value) pairs that the answer carries as well."""

    http_code = 500

    def __init__(self, details: object) -> None:
        super().__init__(details)
        self.headers: list[tuple[str, str]] = []


class InvalidArgumentError(PublicError):
    http_code = 400

    def __init__(self, details: object = None) -> None:
        super().__init__(_text("Invalid argument", details))


class NotFoundError(PublicError):
    http_code = 404

    def __init__(self, details: object = None) -> None:
        super().__init__(_text("Not found", details))


class UnauthenticatedError(PublicError):
    """``challenge`` is the value of the header WWW-Authenticate, which a 401 must have."""

    http_code = 401

    def __init__(self, details: object = None, *, challenge: str) -> None:
        super().__init__(_text("Unauthenticated", details))
        self.headers.append(("WWW-Authenticate", challenge))


class PermissionDeniedError(PublicError):
    http_code = 403

    def __init__(self, details: object = None) -> None:
        super().__init__(_text("Permission denied", details))


def _text(kind: str, details: object) -> str:
    return kind if details is None else f"{kind}: {details}"
