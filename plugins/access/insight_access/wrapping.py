"""Puts the guard around the host, decides on which addresses it may listen, and prints who is let in."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from insight_access.keys import Key, Keys
from insight_core.plugin import AppSettings, InvalidArgument
from insight_core.plugin.own import random_token, token_in

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from insight_access.guard import Guard

_NOT_OF_USERS = {"authorization", "connection", "content-length", "content-type", "cookie", "host", "origin"}


def wrap(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    """``app`` behind a guard; ``app`` itself if everybody is let in. Raises InvalidArgument."""
    options = settings.options
    _check(options)
    reason = open_because(settings.bound_host, has_token=options["token"], encrypted=settings.encrypted)
    if reason is not None:
        if not settings.insecure:
            refuse_open(settings.bound_host, reason)
        settings.say(f"--insecure: {reason}.")
    settings.declare_guard()
    keys = Keys(_keys(settings))
    header = options["trust_proxy"]
    if not options["token"]:
        settings.say(_told_without_token(header))
        if header is None and not keys.every:
            return app
    return _Guarded(app, keys, settings)


class _Guarded:
    """``app`` behind a guard, which is imported for the first request: it needs werkzeug."""

    def __init__(self, app: WSGIApplication, keys: Keys, settings: AppSettings) -> None:
        self._app, self._keys, self._settings = app, keys, settings

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self._guard(environ, start_response)

    @cached_property
    def _guard(self) -> Guard:
        from insight_access.guard import Guard

        options = self._settings.options
        return Guard(
            self._app,
            self._keys,
            self._settings,
            options["trust_proxy"],
            trusts_all=not options["token"],
        )


def _check(options: Mapping[str, Any]) -> None:
    if not options["token"]:
        if options["token_file"] is not None:
            raise InvalidArgument("--token-file cannot be combined with --no-token")
        if options["read_token_file"] is not None and options["trust_proxy"] is None:
            raise InvalidArgument("--read-token-file cannot be combined with --no-token")
    header = options["trust_proxy"]
    if header is not None:
        if not re.fullmatch(r"[A-Za-z0-9-]{1,100}", header):
            raise InvalidArgument(f"--trust-proxy {header!r}: not the name of a header such as X-User")
        if header.lower() in _NOT_OF_USERS or header.lower().startswith("sec-"):
            raise InvalidArgument(f"--trust-proxy {header}: this header does not name a user")


def _keys(settings: AppSettings) -> list[Key]:
    options = settings.options
    keys = []
    if options["token_file"] is not None:
        token = token_in(options["token_file"], "--token-file")
        settings.open_with("token", token, printed=False)
        settings.say(f"the token is in {options['token_file']}: open the address with ?token= and the token.")
        keys.append(Key(token, may_save=True))
    elif options["token"]:
        token = random_token()
        settings.open_with("token", token)
        keys.append(Key(token, may_save=True))
    if options["read_token_file"] is not None:
        token = token_in(options["read_token_file"], "--read-token-file")
        if any(token == key.token for key in keys):
            raise InvalidArgument("--read-token-file: guests need another token than that of --token-file")
        keys.append(Key(token, may_save=False))
    return keys


def _told_without_token(header: str | None) -> str:
    if header is None:
        return "--no-token: everybody who reaches this address can look and write."
    return f"--no-token: everybody who reaches this address can be any user, by the header {header}."


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
