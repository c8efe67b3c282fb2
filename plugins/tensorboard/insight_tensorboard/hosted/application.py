"""Serves TensorBoard's own page, and the routes of the plugins that come with TensorBoard, on our data."""

from __future__ import annotations

import argparse
import base64
import copy
import hashlib
import json
import logging
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tensorboard.backend import http_util
from werkzeug import Request, Response

from insight_tensorboard.hosted.adapter import Frontend

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from tensorboard.plugins.base_plugin import TBContext, TBPlugin

    from insight_tensorboard.hosted.adapter import TensorBoardPlugin

log = logging.getLogger(__name__)
_MOUNT = "/tensorboard"  # of the page
_WITHOUT_SLASH = re.compile(r"/tensorboard|(/tensorboard)?/experiment/[^/]+")  # directories without a slash
_FONTS = "/font-roboto/"  # where TensorBoard's frames request fonts


class TensorBoardApplication:
    """Answers ``/tensorboard/...``, and ``/data/...`` as TensorBoard does.

    The application is created at the first request, and again when more plugins have loaded. ``further``
    returns plugins of other distributions; TensorBoard's own get ``context``. A request for the page first
    calls ``settle``, which waits until all tabs are known. PATH_INFO has no prefix; SCRIPT_NAME has it.
    """

    def __init__(
        self,
        context: TBContext,
        further: Callable[[], Sequence[TensorBoardPlugin]],
        settle: Callable[[], object],
    ) -> None:
        self._context = context
        self._further = further
        self._settle = settle
        self._lock = threading.Lock()
        self._own: list[TBPlugin] | None = None
        self._made: tuple[Sequence[TensorBoardPlugin], WSGIApplication] | None = None

    def takes(self, path: str) -> bool:
        """Whether a path of the host belongs to TensorBoard's page or to an experiment."""
        return path == _MOUNT or path.startswith((f"{_MOUNT}/", "/experiment/", _FONTS))

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if _WITHOUT_SLASH.fullmatch(path):
            return _redirection(environ)(environ, start_response)
        if path in (f"{_MOUNT}/", f"{_MOUNT}/index.html"):
            self._settle()
        if path.startswith(f"{_MOUNT}/"):
            environ = {
                **environ,
                "SCRIPT_NAME": environ.get("SCRIPT_NAME", "") + _MOUNT,
                "PATH_INFO": path[len(_MOUNT) :],
            }
        return self._application()(environ, start_response)

    def _application(self) -> WSGIApplication:
        from tensorboard.backend.application import TensorBoardWSGI  # half a second

        with self._lock:
            further = list(self._further())
            if self._made is None or self._made[0] != further:
                if self._own is None:
                    self._own = _own_plugins(self._context)
                names = {plugin.plugin_name for plugin in self._own}
                plugins = [*self._own, *(plugin for plugin in further if plugin.plugin_name not in names)]
                application = TensorBoardWSGI(
                    plugins,
                    data_provider=self._context.data_provider,
                    experimental_plugins=[each.plugin_name for each in further if each.is_experimental],
                )
                for path in ("/", "/index.html"):
                    application.exact_routes[path] = _with_fonts(application.exact_routes[path])
                self._made = further, application
            return self._made[1]


def _own_plugins(context: TBContext) -> list[TBPlugin]:
    """The plugins that come with TensorBoard, in the order of its tabs."""
    from tensorboard import default  # imports every dashboard
    from tensorboard.backend.application import make_plugin_loader

    context = copy.copy(context)
    # the page uses its own address; the flag would add the prefix a second time
    context.flags = argparse.Namespace(**{**vars(context.flags), "path_prefix": ""})
    instances: dict[str, Any] = context.plugin_name_to_instance
    plugins: list[TBPlugin] = []
    for made in default.get_static_plugins():
        try:
            plugin = make_plugin_loader(made).load(context)
        except Exception:
            log.exception("%r of TensorBoard did not load", made)
            continue
        if plugin is not None:
            instances[plugin.plugin_name] = plugin
            plugins.append(plugin)
    return plugins


def _with_fonts(page: WSGIApplication) -> WSGIApplication:
    """The page with fonts relative to its own address; TensorBoard expects them at the root of the server."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        whole = Response.from_app(page, {**environ, "REQUEST_METHOD": "GET"}, buffered=True)
        whole.set_data(whole.get_data().replace(b"url(/font-roboto/", b"url(font-roboto/"))
        return whole(environ, start_response)

    return answer


def _redirection(environ: WSGIEnvironment) -> Response:
    # relative, so that it works behind a proxy that adds a prefix
    request = Request(environ)
    query, name = request.query_string.decode("latin1"), request.path.rpartition("/")[2]
    answer = Response(status=301)
    answer.headers["Location"] = f"{quote(name, safe='')}/" + (f"?{query}" if query else "")
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def entry_page(request: Request, name: str, frontend: Frontend) -> Response:
    """A page that imports the plugin's module and calls its ``render()``; no other script may run in it."""
    if frontend.es_module_path is None:
        return http_util.Respond(request, "Plugin is not module loadable", "text/plain", code=400)
    script = f"import({json.dumps('.' + frontend.es_module_path)}).then((m) => void m.render());"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = (
        "<!DOCTYPE html>\n"
        f'<head><base href="plugin/{escape(name)}/" /></head>\n'
        f'<body><script type="module">{script}</script></body>\n'
    )
    return http_util.Respond(request, page, "text/html", csp_scripts_sha256s=[digest])
