"""Access: a token for every start, guests who only look, and users that a proxy names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from insight_core.plugin import AppSettings, Option, hookimpl

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


@hookimpl
def insight_options() -> Iterable[Option]:
    """The flags."""
    return [
        Option(
            "token",
            "accept only clients with a token, a new one for each start (default)",
            type=bool,
            default=True,
        ),
        Option("token-file", "take the token from this file, which nobody else may read", metavar="FILE"),
        Option(
            "read-token-file",
            "also accept the token in this file, for guests, who see everything and save nothing",
            metavar="FILE",
        ),
        Option(
            "trust-proxy",
            "header in which a proxy names the user; believed in requests with the token of the host in "
            "'Authorization: Bearer', and in all with --no-token",
            metavar="HEADER",
        ),
    ]


@hookimpl
def insight_wrap_app(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    """The guard, unless everybody is accepted. Raises InvalidArgument for flags that cannot be."""
    from insight_access.wrapping import wrap

    return wrap(app, settings)
