"""Opens object stores with the credentials and endpoints of the environment, and words their errors."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from obstore import exceptions
from obstore.store import from_url

from insight_core.plugin import InvalidArgument

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

_ENDPOINTS = (
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_ENDPOINT",
)
_SYSTEM = re.compile(r'(?:message|error): "([^"]+)"')
_SAID = re.compile(r"<Code>([^<]+)</Code>.*?<Message>([^<]*)</Message>", re.S)
_REQUEST = re.compile(
    r"^Generic \w+ error: (?:Error performing list request: )?Error performing (\w+ [^ ?]+)\S* in \S+ - "
)


def open_object_store(
    location: str, retries: RetryConfig, *, timeout: timedelta = timedelta(seconds=30)
) -> ObjectStore:
    """The store at a URL; its keys are below the path of the URL. ``timeout`` is that of a request.

    Raises InvalidArgument for a location that cannot be.
    """
    client: ClientConfig = {"timeout": timeout}
    if is_plain():
        client["allow_http"] = True
    try:
        return from_url(
            location.replace("s3a://", "s3://", 1),
            client_options=client,
            retry_config=retries,
            **profile_of(location),
        )
    except (exceptions.BaseError, ValueError) as error:
        raise InvalidArgument(f"{location}: {cause_of(error)}") from error


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


def is_plain() -> bool:
    """Whether an endpoint without TLS is asked for, such as a MinIO on this machine."""
    return any(os.environ.get(name, "").startswith("http://") for name in _ENDPOINTS) or (
        '"http://' in os.environ.get("GOOGLE_SERVICE_ACCOUNT_KEY", "")
    )


def cause_of(error: BaseException) -> str:
    """What the store says, or else the system; of obstore's text neither durations nor its values."""
    text, _, values = str(error).partition("\n\nDebug source")
    if (said := _SAID.search(text)) is not None:
        return f"{said[1]}: {said[2]}"
    if (request := _REQUEST.match(text)) is None:
        return text
    inner = _SYSTEM.findall(values)
    return f"{request[1]}: {inner[-1] if inner else text[request.end() :]}".rstrip(" :")
