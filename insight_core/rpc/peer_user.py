"""Finds out whether a connection over loopback comes from a process of this user (Linux).

The kernel is asked about the client's socket through netlink (sock_diag(7), ``struct inet_diag_req_v2`` and
``struct inet_diag_msg`` of linux/inet_diag.h). One question about one connection takes 0.02 ms on a machine
with any number of sockets; /proc/net/tcp tells the same, but lists all of them.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from attrs import frozen

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_PEER = re.compile(r"ipv[46]:\[?([0-9a-fA-F.:]+)\]?:([0-9]{1,5})")
_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY = 20  # SOCK_DIAG_BY_FAMILY
_HEADER = struct.Struct("=IHHII")  # struct nlmsghdr: length, type, flags, sequence, port
_REQUEST = struct.Struct("=BBBxI")  # family, protocol, extensions, states
_PORTS = struct.Struct("!HH16s16s")  # source and destination: ports, addresses
_NO_COOKIE = b"\xff" * 8
_ANSWER = struct.Struct("=BBBB48sIIIII")  # family, state, timer, retransmits, id, four numbers, user, inode
_ESTABLISHED = 1  # the user of a socket in another state may be gone, and is then 0
_PATIENCE = 1.0  # seconds for an answer of the kernel


@frozen
class SameUser:
    """Recognises clients of this user at a server that listens on loopback addresses only."""

    bound: Sequence[Address]
    port: int
    user: int

    @classmethod
    def at(cls, bound: Sequence[Address], port: int) -> SameUser | None:
        """None where users cannot be told apart: no netlink, another address than loopback, a user without a
        number of its own in a container.
        """
        if not hasattr(socket, "AF_NETLINK") or not all(each.is_loopback for each in bound):
            return None
        user = os.geteuid()
        return None if user == _unmapped_user() else cls(bound, port, user)

    def has(self, peer: str) -> bool:
        """Whether a peer, as gRPC names it (``ipv4:127.0.0.1:4711``), is a process of this user."""
        found = _PEER.fullmatch(unquote(peer))
        if found is None:
            return False
        try:
            address = _plain(ipaddress.ip_address(found[1]))
            users = [
                user
                for own in self.bound
                if own.version == address.version
                and (user := _user_of((address, int(found[2])), (own, self.port))) is not None
            ]
        except (OSError, ValueError, struct.error):
            return False
        return bool(users) and all(user == self.user for user in users)


def _user_of(source: tuple[Address, int], destination: tuple[Address, int]) -> int | None:
    """The user whose socket is connected from ``source`` to ``destination``; None if nobody is."""
    family = socket.AF_INET if source[0].version == 4 else socket.AF_INET6
    ports = _PORTS.pack(source[1], destination[1], source[0].packed, destination[0].packed)
    body = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 1 << _ESTABLISHED)
    body += ports + struct.pack("=I", 0) + _NO_COOKIE
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(_PATIENCE)
        kernel.send(_HEADER.pack(_HEADER.size + len(body), _BY_FAMILY, 1, 1, 0) + body)
        answer = kernel.recv(1 << 12)
    if _HEADER.unpack_from(answer)[1] != _BY_FAMILY:  # an error: no such socket
        return None
    family, state, _, _, place, *_, user, _ = _ANSWER.unpack_from(answer, _HEADER.size)
    from_port, to_port, from_address, to_address = _PORTS.unpack_from(place)
    ends = (_address(family, from_address), from_port), (_address(family, to_address), to_port)
    if state != _ESTABLISHED or ends != (source, destination):  # the kernel may name the listening socket
        return None
    return int(user)


def _address(family: int, packed: bytes) -> Address:
    if family == socket.AF_INET:
        return ipaddress.IPv4Address(packed[:4])
    return _plain(ipaddress.IPv6Address(packed))


def _plain(address: Address) -> Address:
    """The IPv4 address of an IPv4-mapped one."""
    return getattr(address, "ipv4_mapped", None) or address


def _unmapped_user() -> int:
    """The number that stands for every user outside of a container."""
    try:
        return int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return 65534
