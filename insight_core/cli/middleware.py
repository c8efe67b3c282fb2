"""The middleware of plugin modules around the host: all of it, or the host does not run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from attrs import evolve, field, frozen

from insight_core.cli.awaited_host import AwaitedHost
from insight_core.cli.flags import Options
from insight_core.isolation import DEFAULT_LIMITS, in_one_line
from insight_core.plugin import AppSettings, InvalidArgument, Unavailable
from insight_core.registry import Registry

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

_HOOK = "insight_wrap_app"


@frozen
class Greeting:
    """What middleware adds to the start: parameters of the address, lines to print, whether it is a guard."""

    lines: list[str] = field(factory=list)
    guarded: threading.Event = field(factory=threading.Event)
    _opened: dict[str, str] = field(factory=dict)
    _printed: dict[str, str] = field(factory=dict)

    def open_with(self, name: str, value: str, *, printed: bool = True) -> None:
        """See insight_core.plugin.AppSettings."""
        self._opened[name] = value
        if printed:
            self._printed[name] = value

    def printed(self, url: str) -> str:
        """The address to print."""
        return _with(url, self._printed)

    def opened(self, url: str) -> str:
        """The address to open in a browser."""
        return _with(url, self._opened)


def _with(url: str, parameters: dict[str, str]) -> str:
    return f"{url}?{urlencode(parameters)}" if parameters else url


def app_settings(options: Options, greeting: Greeting) -> AppSettings:
    """What middleware may know of the command line."""
    return AppSettings(
        path_prefix=options.path_prefix,
        window_title=options.window_title,
        bound_host="localhost" if options.unix_socket is not None else options.host,
        allowed_hosts=options.allowed_host,
        frame_ancestors=options.frame_ancestor,
        encrypted=options.tls_cert is not None,
        open_with=greeting.open_with,
        say=greeting.lines.append,
        insecure=options.insecure,
        declare_guard=greeting.guarded.set,
    )


def wrapped(host: AwaitedHost, registry: Registry, settings: AppSettings) -> WSGIApplication:
    """``host`` within what the modules wrap around it; modules of insight-host are outermost.

    Of these, one that is marked ``tryfirst`` is around the others.
    Raises Unavailable if one of them fails, and the InvalidArgument that one raises.
    """
    for lost in registry.lost_middleware():
        raise Unavailable(
            f"no host runs without the middleware {lost.entry_point} of {lost.distribution}: {lost.reason}; "
            f"repair or uninstall it, or leave it out with --disable-plugin {lost.entry_point}"
        )
    app: WSGIApplication = host
    modules = registry.implementing(_HOOK)  # in the order of discovery, ours come first
    modules.sort(key=lambda module: not (module.is_of_host and module.hooks[_HOOK].tryfirst))
    for module in reversed(modules):
        own = evolve(settings, options=module.values)
        try:
            app = module.call(_HOOK, DEFAULT_LIMITS.hook, app=app, settings=own)
        except InvalidArgument:
            raise
        except Exception as error:
            log.debug("%s() of %s failed", _HOOK, module.candidate.name, exc_info=True)
            reason = in_one_line(error)
            raise Unavailable(f"{_HOOK}() of {module.candidate.name} failed: {reason}") from error
        if not callable(app):
            kind = type(app).__name__
            raise Unavailable(
                f"{_HOOK}() of {module.candidate.name} returned a {kind}, not a WSGI application"
            )
    return app if app is host else _Wrapped(app, host.close)


@frozen(eq=False)
class _Wrapped:
    """Middleware does not know that a server closes the host at its end."""

    app: WSGIApplication
    close: Callable[[], None]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self.app(environ, start_response)
