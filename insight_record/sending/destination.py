"""Where recordings are sent: the address of a host, the token for it, and the limit of what waits here."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_TO, _TOKEN, _TOKEN_FILE = "INSIGHT_RECORD_TO", "INSIGHT_RECORD_TOKEN", "INSIGHT_RECORD_TOKEN_FILE"
SPOOL_SIZE = 1 << 30  # bytes that wait to be sent
_SPOOL, _ALLOW_HTTP = "INSIGHT_RECORD_SPOOL", "INSIGHT_RECORD_ALLOW_HTTP"


@dataclass(frozen=True)
class Destination:
    """A host that was started with ``--receive DIR``; raises ValueError for an address that cannot be.

    ``url``: ``https://HOST/PREFIX``; ``http://`` is for this machine only, unless ``allow_http``: everybody
    on the way could read the token. ``spool``: the directory below which files wait until they are sent, by
    default that of ``INSIGHT_RECORD_SPOOL`` or of temporary files; at most ``spool_size`` bytes of one
    process wait, what is recorded beyond is dropped and counted. The token is that of the variable
    ``INSIGHT_RECORD_TOKEN``, or the first line of the file that ``INSIGHT_RECORD_TOKEN_FILE`` names.
    """

    url: str
    allow_http: bool = False
    spool: str | os.PathLike[str] | None = None
    spool_size: int = SPOOL_SIZE

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"to={self._shown()!r} is not the address of a host, such as https://HOST")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError(f"to={self._shown()!r}: leave the token out, and set {_TOKEN} to it")
        allowed = self.allow_http or os.environ.get(_ALLOW_HTTP) == "1"
        if parts.scheme == "http" and not (allowed or _is_loopback(parts.hostname)):
            raise ValueError(
                f"to={self.url!r}: over http everybody on the way can read the token; use https or an ssh "
                f"tunnel, or accept the risk with Destination(..., allow_http=True) or {_ALLOW_HTTP}=1"
            )
        _ = parts.port  # raises ValueError

    def _shown(self) -> str:
        """The address without what may be a secret."""
        return re.sub(r"//[^/@]*@|[?#].*", lambda found: "//" if found[0].startswith("//") else "", self.url)

    def token(self) -> str:
        """The token for the host. Raises ValueError if it is missing or malformed."""
        token = os.environ.get(_TOKEN, "").strip()
        path = os.environ.get(_TOKEN_FILE, "")
        if not token and path:
            try:
                token = Path(path).expanduser().read_text(encoding="utf-8").partition("\n")[0].strip()
            except (OSError, ValueError) as error:
                raise ValueError(f"{_TOKEN_FILE}={path}: {error}") from None
        if not re.fullmatch(r"[!-~]+", token):
            raise ValueError(
                f"to={self.url!r} needs the token that the host printed when it was started with --receive: "
                f"set {_TOKEN}, or {_TOKEN_FILE} to a file with it"
            )
        return token

    def spool_directory(self) -> str | None:
        """The directory below which files wait; None: that of temporary files."""
        return os.fspath(self.spool) if self.spool is not None else os.environ.get(_SPOOL) or None


def destination_of(to: str | Destination | None) -> Destination | None:
    """What ``to`` means: the variable ``INSIGHT_RECORD_TO`` if it is None; "" is no destination."""
    to = os.environ.get(_TO, "") if to is None else to
    if isinstance(to, Destination) or not to:
        return to or None
    return Destination(to)


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    import ipaddress

    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
