"""The gallery of the kit: a tab and the address ``/gallery``, which only ``insight-host plugin dev`` adds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import AppSettings, Plugin, PluginContext, hookimpl

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PATH = "/gallery"
# Only the browser knows what follows the "#": language, theme and tag filter go along.
_TO_TAB = b"""<!doctype html><title>Gallery</title>
<script>location.replace("./#tab=gallery&" + (location.hash || location.search).slice(1))</script>
"""
_LAST = 10_000  # behind all other tabs


def _always(ctx: PluginContext) -> bool:
    return True


@hookimpl
def insight_plugin() -> Plugin:
    """The tab."""
    return Plugin(
        name="gallery",
        title="Gallery",
        titles={"zh-CN": "组件库"},
        frontend=Path(__file__).parent / "static",
        is_active=_always,
        order=_LAST,
    )


@hookimpl
def insight_wrap_app(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    """Leads from ``/gallery`` to the tab."""

    def with_gallery(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ.get("PATH_INFO") != settings.path_prefix + PATH:
            return app(environ, start_response)
        headers = [("Content-Type", "text/html"), ("Content-Length", str(len(_TO_TAB)))]
        start_response("200 OK", headers)
        return [_TO_TAB]

    return with_gallery
