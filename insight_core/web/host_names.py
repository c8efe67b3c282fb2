"""Checks Host and Origin headers, to block DNS rebinding and requests of other sites."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_WILDCARDS = {"", "0.0.0.0", "::"}


class HostNames:
    """The names that the host answers to.

    These are loopback names, the bound address, the address at which the connection arrived and, if the
    host is bound to all interfaces, the name of the machine.
    """

    def __init__(self, bound: str, allowed: Iterable[str] = ()) -> None:
        names = {_bare(name) for name in allowed}
        self._any_name = "*" in names
        self._allowed = names - {"*", ""}
        self._names = names | {"localhost", _bare(bound)}
        if bound.strip("[]") in _WILDCARDS:
            self._names |= {socket.gethostname().lower()}

    def is_own_page(self, origin: str | None, host: str | None) -> bool:
        """Whether an Origin header is that of the host's own page.

        It must equal the Host of the request, with port, or be a name that was allowed (for a proxy that
        changes the Host).
        """
        if origin is None or host is None:
            return False
        try:
            address = urlsplit(origin).netloc.lower()
        except ValueError:  # brackets without an IPv6 address
            return False
        return bool(address) and (address == host.strip().lower() or _bare(address) in self._allowed)

    def allow(self, header: str | None, arrived_at: str | None = None) -> bool:
        """Whether a request with this Host header (any port) is accepted.

        ``arrived_at`` is the local address of the connection.
        """
        if header is None:  # HTTP/1.0 without a Host: not a browser
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
    """An IP address without its scope; the IPv4 address if it is an IPv4-mapped IPv6 address."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _bare(header: str) -> str:
    """The lower-case name without port, brackets and final dot; empty if it is not a host."""
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
