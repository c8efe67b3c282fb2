"""The cookie by which a browser that had the token once is known."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

_FRAMES = {"embed", "frame", "iframe", "object"}  # of Sec-Fetch-Dest


def cookie_name(environ: Mapping[str, Any]) -> str:
    """The name has the port that the browser asked, for cookies of one name do not know ports.

    It is that of the Host header: behind tunnels, hosts on several machines have one port of their own.
    """
    _, _, port = environ.get("HTTP_HOST", "").rpartition(":")
    return f"insight-host-{port}" if port.isascii() and port.isdecimal() else "insight-host"


def cookie_of(environ: Mapping[str, Any]) -> str:
    """The value that the browser sent; empty without one."""
    wanted = cookie_name(environ)
    for pair in environ.get("HTTP_COOKIE", "").split(";"):  # those of other servers may be no UTF-8
        name, _, value = pair.partition("=")
        if name.strip() == wanted:
            return str(value.strip())
    return ""


def is_in_foreign_frame(environ: Mapping[str, Any]) -> bool:
    """Whether a page of another site shows this one in a frame, as notebooks in Colab and VS Code do."""
    site, destination = environ.get("HTTP_SEC_FETCH_SITE"), environ.get("HTTP_SEC_FETCH_DEST")
    return site == "cross-site" and destination in _FRAMES


def set_cookie(environ: Mapping[str, Any], value: str, path: str, *, in_foreign_frame: bool) -> str:
    """The header Set-Cookie; the cookie lives until the browser is closed.

    ``Lax``: links from other sites work, and their forms and scripts do not have it. A frame in a page of
    another site gets no such cookie: there it is ``None``, which browsers take with ``Secure`` only, and
    ``Partitioned``, so that it is sent in frames of that site alone.
    """
    rule = "SameSite=None; Secure; Partitioned" if in_foreign_frame else "SameSite=Lax"
    if not in_foreign_frame and _is_encrypted(environ):
        rule += "; Secure"
    return f"{cookie_name(environ)}={value}; Path={path}; HttpOnly; {rule}"


def _is_encrypted(environ: Mapping[str, Any]) -> bool:
    """Whether the browser asked by https; behind a proxy, Sec-Fetch-Site tells.

    Browsers send it by https, and to this machine.
    """
    if environ.get("wsgi.url_scheme") == "https":
        return True
    return "HTTP_SEC_FETCH_SITE" in environ and not _is_this_machine(environ.get("HTTP_HOST", ""))


def _is_this_machine(host: str) -> bool:
    name = host.rpartition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
