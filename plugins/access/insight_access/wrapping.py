"""Puts the guard around the host as the flags say, and says at the start who is let in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from insight_access.binding import open_because, refuse_open
from insight_access.guard import Guard
from insight_access.keys import Key, Keys, random_token, token_in
from insight_core.plugin import AppSettings, InvalidArgument

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

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
    return Guard(app, keys, settings, header, trusts_all=not options["token"])


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
