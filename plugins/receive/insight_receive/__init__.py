"""Receive: writes runs that other machines send by HTTP into a directory that the host shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from insight_core.plugin import AppSettings, Option, hookimpl

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


@hookimpl
def insight_options() -> Iterable[Option]:
    """The flags."""
    return [
        Option(
            "receive",
            "write runs that insight_record sends from other machines below this directory, and show them "
            "(default: accept none)",
            metavar="DIR",
        ),
        Option(
            "receive-token-file",
            "take the token of senders from this file, which nobody else may read (default: a new one for "
            "each start)",
            metavar="FILE",
        ),
        Option(
            "receive-quota",
            "limit of all files below the directory of --receive, as in 500M or 20G (default 20G)",
            default=20 << 30,
            type="insight_receive.usage:size",
            metavar="SIZE",
        ),
        Option(
            "receive-run-quota",
            "limit of the files of one run there (default 5G)",
            default=5 << 30,
            type="insight_receive.usage:size",
            metavar="SIZE",
        ),
    ]


@hookimpl
def insight_logdirs(options: Mapping[str, Any]) -> Iterable[str]:
    """The directory of ``--receive``."""
    return [options["receive"]] if options["receive"] else []


@hookimpl(tryfirst=True)  # senders have a token of their own, which the guard does not know
def insight_wrap_app(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    """Answers senders, with ``--receive``. Raises InvalidArgument for flags that cannot be."""
    if not settings.options["receive"]:
        return app
    from insight_receive.starting import received

    return received(app, settings)
