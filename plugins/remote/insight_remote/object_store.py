"""Files in S3, Google Cloud Storage or Azure Blob Storage, by obstore."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import obstore
from obstore import exceptions
from obstore.store import from_url

from insight_core.plugin import FileChanged, InvalidArgument, RemoteFile

_PAGE = 1000  # files that one request lists, at most
_ENDPOINTS = (
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_ENDPOINT",
)
_REFUSED = ("ExpiredToken", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "InvalidToken")
_SYSTEM = re.compile(r'(?:message|error): "([^"]+)"')
_SAID = re.compile(r"<Code>([^<]+)</Code>.*?<Message>([^<]*)</Message>", re.S)
_REQUEST = re.compile(
    r"^Generic \w+ error: (?:Error performing list request: )?Error performing (\w+ [^ ?]+)\S* in \S+ - "
)
_LONGEST_ANSWER = timedelta(seconds=60)


class ObjectStoreFiles:
    """Implements ``RemoteFiles``. Credentials and endpoints are those of the environment.

    Raises InvalidArgument for a location that cannot be.
    """

    def __init__(self, location: str) -> None:
        try:
            # requests are retried, and counted, by the host
            self._store = from_url(
                location.replace("s3a://", "s3://", 1),
                client_options={"allow_http": _is_plain(), "timeout": _LONGEST_ANSWER},
                retry_config={"max_retries": 0},
                **profile_of(location),
            )
        except (exceptions.BaseError, ValueError) as error:
            raise InvalidArgument(f"{location}: {cause_of(error)}") from error

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
        """The store closes its connections when it is no longer used."""


def profile_of(location: str) -> dict[str, Any]:
    """Credentials and region of a profile in ``~/.aws``, by boto3 if it is installed."""
    if not location.startswith("s3") or "AWS_ACCESS_KEY_ID" in os.environ:
        return {}
    given = os.environ.get("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials")
    is_there = "AWS_PROFILE" in os.environ or os.path.exists(os.path.expanduser(given))
    if not is_there:
        return {}
    try:
        import boto3
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError:
        return {}
    session = boto3.Session()
    if session.get_credentials() is None:
        return {}
    region = {"region": session.region_name} if session.region_name else {}
    return {"credential_provider": Boto3CredentialProvider(session), **region}


def _is_plain() -> bool:
    """Whether an endpoint without TLS is asked for, such as a MinIO on this machine."""
    return any(os.environ.get(name, "").startswith("http://") for name in _ENDPOINTS) or (
        '"http://' in os.environ.get("GOOGLE_SERVICE_ACCOUNT_KEY", "")
    )


def _as_os_error(error: exceptions.BaseError) -> OSError:
    refused = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
    text = cause_of(error)
    if refused or any(code in str(error) for code in _REFUSED):
        return PermissionError(text)
    return OSError(text)


def cause_of(error: BaseException) -> str:
    """What the store says, or else the system; of obstore's text neither durations nor its values."""
    text, _, values = str(error).partition("\n\nDebug source")
    if (said := _SAID.search(text)) is not None:
        return f"{said[1]}: {said[2]}"
    if (request := _REQUEST.match(text)) is None:
        return text
    inner = _SYSTEM.findall(values)
    return f"{request[1]}: {inner[-1] if inner else text[request.end() :]}"
