"""Files in S3, Google Cloud Storage or Azure Blob Storage, by obstore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import obstore
from obstore import exceptions

from insight_core.plugin import FileChanged, RemoteFile
from insight_remote.object_stores import cause_of, open_object_store

_PAGE = 1000  # files that one request lists, at most
_REFUSED = ("ExpiredToken", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "InvalidToken")
_LONGEST_ANSWER = timedelta(seconds=60)


class ObjectStoreFiles:
    """Implements ``RemoteFiles``. Credentials and endpoints are those of the environment.

    Raises InvalidArgument for a location that cannot be.
    """

    def __init__(self, location: str) -> None:
        # requests are retried, and counted, by the host
        self._store = open_object_store(location, {"max_retries": 0}, timeout=_LONGEST_ANSWER)

    def pages(self) -> Iterator[Sequence[RemoteFile]]:
        """All files. Raises OSError."""
        try:
            is_empty = True
            for page in obstore.list(self._store, chunk_size=_PAGE):
                is_empty = False
                yield [
                    RemoteFile(
                        each["path"],
                        each["size"],
                        round(each["last_modified"].timestamp() * 1e6) * 1000,
                        each["e_tag"] or each["version"] or "",
                    )
                    for each in page
                ]
            if is_empty:
                yield []
        except exceptions.BaseError as error:
            raise _as_os_error(error) from error

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """A part of an object. Raises FileChanged, OSError."""
        options: Any = {"range": (start, end)}
        if file.version:
            options["if_match"] = file.version
        try:
            return bytes(obstore.get(self._store, file.path, options=options).bytes())
        except (exceptions.PreconditionError, FileNotFoundError) as error:
            raise FileChanged(file.path) from error
        except exceptions.BaseError as error:
            if "416 " in str(error):  # it is shorter now
                raise FileChanged(file.path) from error
            raise _as_os_error(error) from error

    def close(self) -> None:
        """Does nothing: the store closes its connections when it is collected."""


def _as_os_error(error: exceptions.BaseError) -> OSError:
    refused = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
    text = cause_of(error)
    if refused or any(code in str(error) for code in _REFUSED):
        return PermissionError(text)
    return OSError(text)
