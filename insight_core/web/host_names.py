"""Which Host headers are answered: a page of another site must not read this host by DNS rebinding."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_WILDCARDS = {"", "0.0.0.0", "::"}


class HostNames:
    """The names a host answers to.

    Always those of the loopback interface, of the address it is bound to, and the address at which the
    connection arrived. When it is bound to every interface also the name of the machine.
    """

    def __init__(self, bound: str, allowed: Iterable[str] = ()) -> None:
        names = {_bare(name) for name in allowed}
        self._any_name = "*" in names
        self._allowed = names - {"*", ""}
        self._names = names | {"localhost", _bare(bound)}
        if bound.strip("[]") in _WILDCARDS:
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

    def allow(self, header: str | None, arrived_at: str | None = None) -> bool:
        """Whether a request with this Host header (any port) is answered.

        ``arrived_at`` is the address of this machine to which the client connected.
        """
        if header is None:  # HTTP/1.0 without a Host: no browser
            return True
        if self._any_name:
            return True
        name = _bare(header)
        if not name:
            return False
        if name in self._names:
            return True
        address = _address(name)
        return address is not None and (address.is_loopback or address == _address(arrived_at or ""))


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address without its scope; one of IPv4 if IPv6 only carries it."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


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
