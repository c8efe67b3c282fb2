"""A plugin of TensorBoard, held so that what it does wrong is its own failure."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from attrs import frozen
from tensorboard import errors
from werkzeug.test import run_wsgi_app

from insight_core.stock.calls import MOST_OVERDUE, Call, Calls, Overdue
from insight_core.stock.requests import as_tensorboard_asks, text_answer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from tensorboard.plugins.base_plugin import TBContext

log = logging.getLogger(__name__)

ROUTE_DEADLINE = 120.0  # seconds until an answer begins: a plugin may read a large file first
ACTIVE_DEADLINE = 10.0  # seconds after which one that does not say whether it is active counts as failed
_FRESH = 5.0  # seconds for which is_active is not asked again
_NAME = re.compile(r"[A-Za-z0-9_-]+")


class Refused(Exception):
    """The plugin breaks a rule of TensorBoard's contract; the text says which."""


class Loader(Protocol):
    """What makes a plugin, once flags are defined and fixed; ``load`` may give None."""

    def load(self, context: TBContext) -> object: ...


@frozen
class _ClassLoader:
    plugin_class: Callable[[TBContext], object]

    def load(self, context: TBContext) -> object:
        return self.plugin_class(context)


def loader_of(made: object) -> Loader:
    """What an entry point gave, as a loader: a TBPlugin, a TBLoader or an instance of one, by what it has.

    The class may be derived from the real TBPlugin or from our own. Raises Refused.
    """
    if isinstance(made, type):
        if callable(getattr(made, "get_plugin_apps", None)):
            return _ClassLoader(made)
        if callable(getattr(made, "load", None)):
            return cast(Loader, made())
    elif callable(getattr(made, "load", None)):
        return cast(Loader, made)
    raise Refused(f"its entry point gives {made!r}, neither a TBPlugin nor a TBLoader")


@frozen
class Frontend:
    """FrontendMetadata, checked."""

    tab_name: str
    disable_reload: bool = False
    remove_dom: bool = False
    es_module_path: str | None = None
    element_name: str | None = None
    is_ng_component: bool = False


class StockPlugin:
    """One plugin that has loaded. To TensorBoard's own application it is a TBPlugin as well.

    Its routes answer within ``ROUTE_DEADLINE``, ``is_active`` is asked beside requests, and neither
    raises. ``changed`` is called when it is found to fail, or to work again. Raises Refused, or what
    the plugin raises.
    """

    def __init__(self, plugin: Any, changed: Callable[[], None]) -> None:  # noqa: ANN401
        name = getattr(plugin, "plugin_name", None)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise Refused(f"its plugin_name is {name!r}: letters, digits, _ and - are allowed")
        self.plugin_name: str = name
        self.instance = plugin
        self._changed = changed
        self._calls = Calls(f"plugin {name}")
        self._frontend = _frontend(plugin, name)
        self._exact, self._prefixes = _routes(plugin.get_plugin_apps(), name)
        names = getattr(plugin, "data_plugin_names", lambda: (name,))
        self._data_plugins = frozenset(names())
        self._lock = threading.Lock()
        self._question: Call[bool] | None = None
        self._waited_for: Call[bool] | None = None
        self._known, self._asked = False, float("-inf")
        self._broken: str | None = None  # how is_active failed
        self._trouble: str | None = None  # what the last route that failed did

    # --- as a TBPlugin ---

    def get_plugin_apps(self) -> Mapping[str, WSGIApplication]:
        routes = {route: self._guarded(app) for route, app in self._exact.items()}
        return routes | {f"{prefix}*": self._guarded(app) for prefix, app in self._prefixes.items()}

    def data_plugin_names(self) -> frozenset[str]:
        return self._data_plugins

    def frontend_metadata(self) -> Frontend:
        return self._frontend

    def is_active(self) -> bool:
        """The newest answer, waited for a second at most."""
        return self.active_by(time.monotonic() + 1.0)

    # --- to the host ---

    def app_for(self, path: str) -> WSGIApplication | None:
        """Who answers ``path`` below that of the plugin: an exact route, else the longest prefix."""
        path = path[:-1] if path.endswith("/") and path != "/" else path
        found = self._exact.get(path)
        if found is None:
            found = next((app for prefix, app in self._prefixes.items() if path.startswith(prefix)), None)
        return None if found is None else as_tensorboard_asks(self._guarded(found))

    def ask(self) -> None:
        """Begins to ask whether it is active, if it is not being asked and was not just now."""
        with self._lock:
            if self._question is None and time.monotonic() - self._asked > _FRESH:
                self._question = self._calls.start(
                    "is_active()", lambda: bool(self.instance.is_active()), self._answered
                )

    def active_by(self, until: float) -> bool:
        """The newest answer there is by ``until`` (monotonic seconds); false before the first."""
        self.ask()
        with self._lock:
            question = self._question
        # a question that kept one listing waiting does not keep the next one waiting too
        if question is not None and question is not self._waited_for:
            question.done.wait(max(0.0, until - time.monotonic()))
            self._waited_for = question
        with self._lock:
            return self._known

    @property
    def error(self) -> str | None:
        """Why it cannot be shown, in one line."""
        with self._lock:
            question, broken = self._question, self._broken
        if question is not None and time.monotonic() - question.begun > ACTIVE_DEADLINE:
            return question.overdue()
        return broken

    @property
    def warning(self) -> str | None:
        """What one of its routes did wrong, in one line; those that hang first."""
        hanging = [text for text in self._calls.overdue(ROUTE_DEADLINE) if not text.startswith("is_active")]
        return hanging[0] if hanging else self._trouble

    def _answered(self, call: Call[bool]) -> None:
        before = self.error, self._known
        with self._lock:
            self._question, self._asked = None, time.monotonic()
            self._known = call.error is None and bool(call.value)
            self._broken = None if call.error is None else f"is_active() failed: {in_one_line(call.error)}"
        if call.error is not None and before[0] != self._broken:
            log.error("is_active of plugin %s failed", self.plugin_name, exc_info=call.error)
        if (self.error, self._known) != before:
            self._changed()

    def _guarded(self, app: WSGIApplication) -> WSGIApplication:
        def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            what = f"{environ.get('REQUEST_METHOD', 'GET')} {environ.get('PATH_INFO', '')}"
            if len(self._calls.overdue(ROUTE_DEADLINE)) >= MOST_OVERDUE:
                return self._refusal("it hangs", 503)(environ, start_response)
            call = self._calls.start(what, lambda: run_wsgi_app(app, environ))
            try:
                body, status, headers = call.result(ROUTE_DEADLINE)
            except Overdue as overdue:
                self._note(str(overdue))
                return self._refusal(str(overdue), 504)(environ, start_response)
            except errors.PublicError:
                raise
            except (Exception, SystemExit) as error:
                log.error("plugin %s failed on %s", self.plugin_name, what, exc_info=error)
                self._note(f"{what} failed: {in_one_line(error)}")
                return self._refusal(f"{what} failed; the log of the host says why", 500)(
                    environ, start_response
                )
            headers.setdefault("X-Content-Type-Options", "nosniff")
            start_response(status, list(headers))
            return body

        return answer

    def _refusal(self, text: str, status: int) -> WSGIApplication:
        return text_answer(f"plugin {self.plugin_name}: {text}", status)

    def _note(self, trouble: str) -> None:
        changed, self._trouble = trouble != self._trouble, trouble
        if changed:
            self._changed()


def in_one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, Refused):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _routes(
    apps: Mapping[str, WSGIApplication], name: str
) -> tuple[Mapping[str, WSGIApplication], Mapping[str, WSGIApplication]]:
    """Exact routes, and prefixes (``/static/``), the longest first."""
    exact: dict[str, WSGIApplication] = {}
    prefixes: dict[str, WSGIApplication] = {}
    for route, app in apps.items():
        if not route.startswith("/"):
            raise Refused(f"its route {route!r} does not begin with a slash")
        if "*" in route.removesuffix("/*"):
            raise Refused(f"its route {route!r} has a * elsewhere than in a /* at the end")
        if route.endswith("/*"):
            prefixes[route[:-1]] = app
        else:
            exact[route] = app
    return exact, dict(sorted(prefixes.items(), key=lambda item: -len(item[0])))


def _frontend(plugin: Any, name: str) -> Frontend:  # noqa: ANN401
    metadata = plugin.frontend_metadata()
    names = ("es_module_path", "element_name", "is_ng_component")
    module, element, is_built_in = (getattr(metadata, field, None) for field in names)
    if bool(module) + bool(element) + bool(is_built_in) > 1:
        raise Refused("it names more than one of es_module_path, element_name and is_ng_component")
    if module and (not module.startswith("/") or module.startswith("//")):
        raise Refused(f"its es_module_path {module!r} is none of its routes")
    return Frontend(
        tab_name=str(getattr(metadata, "tab_name", None) or name),
        disable_reload=bool(getattr(metadata, "disable_reload", False)),
        remove_dom=bool(getattr(metadata, "remove_dom", False)),
        es_module_path=module,
        element_name=element,
        is_ng_component=bool(is_built_in),
    )
