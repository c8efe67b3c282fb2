"""Which Host headers are answered: a page of another site must not read this host by DNS rebinding."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_WILDCARDS = {"", "0.0.0.0", "::"}


class HostNames:
    """The names a host answers to.

    Always those of the loopback interface and of the address it is bound to. When it is bound to
    every interface also any IP address (rebinding needs a name) and the name of the machine.
    """

    def __init__(self, bound: str, allowed: Iterable[str] = ()) -> None:
        names = {_bare(name) for name in allowed}
        self._any_name = "*" in names
        self._allowed = names - {"*", ""}
        self._any_address = bound.strip("[]") in _WILDCARDS
        self._names = names | {"localhost", _bare(bound)}
        if self._any_address:
            self._names |= {socket.gethostname().lower()}

    def is_own_page(self, origin: str | None, host: str | None) -> bool:
        """Whether an Origin header is that of our page, as the browser addresses it.

        That is the Host of the request itself, port and all, or, where a proxy changes the Host, a name that
        was allowed as such.
        """
        if origin is None or host is None:
            return False
        try:
            address = urlsplit(origin).netloc.lower()
        except ValueError:  # brackets that are no IPv6 address
            return False
        return bool(address) and (address == host.strip().lower() or _bare(address) in self._allowed)

    def allow(self, header: str | None) -> bool:
        """Whether a request with this Host header (any port) is answered."""
        if header is None:  # HTTP/1.0 without a Host: no browser
            return True
        if self._any_name:
            return True
        name = _bare(header)
        if not name:
            return False
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or self._any_address


def _bare(header: str) -> str:
    """The name without port, brackets, a final dot and capitals; empty if it is no host."""
    text = header.strip().lower()
    if text.count(":") > 1 and not text.startswith("["):  # an IPv6 address as the command line has it
        return text
    name, bracket, port = text.partition("]") if text.startswith("[") else text.partition(":")
    if bracket == "]":
        name = name[1:]
        if port and not port.startswith(":"):
            return ""
        port = port[1:]
    if port and not port.isdecimal():
        return ""
    return name.removesuffix(".")
