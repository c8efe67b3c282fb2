"""Decides on which addresses a host may listen: those of this machine, and any with token and TLS."""

from __future__ import annotations

import ipaddress
import socket

from insight_core.plugin import InvalidArgument


def is_of_this_machine_only(bound: str) -> bool:
    """Whether an address, as --host has it, is reached from this machine only.

    True as well for a name that is unknown: the host says why it cannot listen there.
    """
    bare = bound.strip("[]")
    try:
        return ipaddress.ip_address(bare.partition("%")[0]).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(bare or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return True
    addresses = {str(each[4][0]).partition("%")[0] for each in found}
    return all(ipaddress.ip_address(address).is_loopback for address in addresses)


def open_because(bound: str, *, has_token: bool, encrypted: bool) -> str | None:
    """Returns what other machines can do to a host that listens there; None if they can do nothing."""
    if is_of_this_machine_only(bound) or (has_token and encrypted):
        return None
    if has_token:
        return "without TLS, whoever is on the network between can read the token and everything else"
    if encrypted:
        return "without a token, everybody who reaches this address can look and write"
    return "without a token and TLS, everybody who reaches this address can look and write"


def refuse_open(bound: str, reason: str) -> None:
    """Raises InvalidArgument, which says what to do."""
    raise InvalidArgument(
        f"--host {bound} is reached from other machines: {reason}. Leave --host out, and run there "
        "`ssh -L 6006:localhost:6006 THIS_MACHINE`; or give --tls-cert and --tls-key and no --no-token; "
        "or accept the risk with --insecure"
    )
