"""The middleware of plugin modules around the host: all of it, or the host does not run."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from attrs import evolve

from insight_core.cli.options import Options
from insight_core.isolation import DEFAULT_LIMITS, in_one_line
from insight_core.plugin import AppSettings, Unavailable
from insight_core.registry import Registry

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger(__name__)

_HOOK = "insight_wrap_app"


def app_settings(options: Options) -> AppSettings:
    """What middleware may know of the command line."""
    return AppSettings(options.path_prefix, options.window_title, options.host, options.allowed_host)


def wrapped(app: WSGIApplication, registry: Registry, settings: AppSettings) -> WSGIApplication:
    """``app`` within what the modules wrap around it. Raises Unavailable if one of them fails."""
    for lost in registry.lost_middleware():
        raise Unavailable(
            f"no host runs without the middleware {lost.entry_point} of {lost.distribution}: {lost.reason}; "
            f"repair or uninstall it, or leave it out with --disable-plugin {lost.entry_point}"
        )
    for module in registry.implementing(_HOOK):
        own = evolve(settings, options=module.values)
        try:
            app = module.call(_HOOK, DEFAULT_LIMITS.hook, app=app, settings=own)
        except Exception as error:
            log.debug("%s() of %s failed", _HOOK, module.candidate.name, exc_info=True)
            reason = in_one_line(error)
            raise Unavailable(f"{_HOOK}() of {module.candidate.name} failed: {reason}") from error
        if not callable(app):
            kind = type(app).__name__
            raise Unavailable(
                f"{_HOOK}() of {module.candidate.name} returned a {kind}, not a WSGI application"
            )
    return app
