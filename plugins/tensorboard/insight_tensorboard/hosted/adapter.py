"""Wraps a plugin made for TensorBoard, so that its errors and hanging calls affect nothing else."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from attrs import frozen
from tensorboard import errors
from werkzeug.wsgi import ClosingIterator

from insight_core.plugin import own
from insight_core.plugin.own import DEFAULT_LIMITS, Busy, Calls, Limits, Overdue, Question, request_line
from insight_tensorboard.hosted.answers import Answer, BrokenRule
from insight_tensorboard.hosted.requests import as_tensorboard_asks, text_answer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from tensorboard.plugins.base_plugin import TBContext

log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9_-]+")


class Refused(Exception):
    """The plugin breaks a rule of TensorBoard's contract, which the text names."""


class PluginLoader(Protocol):
    """Creates a plugin after its flags are defined and fixed."""

    def load(self, context: TBContext) -> object:
        """The plugin; None if something that it needs is missing."""


@frozen
class _ClassLoader:
    plugin_class: Callable[[TBContext], object]

    def load(self, context: TBContext) -> object:
        return self.plugin_class(context)


def loader_of(made: object) -> PluginLoader:
    """The loader of an entry point's object: a TBPlugin, a TBLoader or an instance of a TBLoader.

    Objects are recognised by their methods. Raises Refused.
    """
    if isinstance(made, type):
        if callable(getattr(made, "get_plugin_apps", None)):
            return _ClassLoader(made)
        if callable(getattr(made, "load", None)):
            return cast(PluginLoader, made())
    elif callable(getattr(made, "load", None)):
        return cast(PluginLoader, made)
    raise Refused(f"its entry point gives {made!r}, neither a TBPlugin nor a TBLoader")


def is_experimental(made: object) -> bool:
    """Whether a loader or plugin is marked with TensorBoard's ``ExperimentalPlugin``."""
    return any(kind.__name__ == "ExperimentalPlugin" for kind in type(made).__mro__)


@frozen
class Frontend:
    """TensorBoard's FrontendMetadata, checked."""

    tab_name: str
    disable_reload: bool = False
    remove_dom: bool = False
    es_module_path: str | None = None
    element_name: str | None = None
    is_ng_component: bool = False


class TensorBoardPlugin:
    """A loaded plugin. TensorBoard's own application can use it as a TBPlugin.

    Its routes answer within ``limits.view`` and raise only PublicErrors; ``is_active`` runs in another thread
    than requests and never raises. ``changed`` is called when the plugin begins or stops to fail. Raises
    Refused, and errors of the plugin.
    """

    def __init__(
        self,
        plugin: Any,  # noqa: ANN401
        changed: Callable[[], None],
        limits: Limits = DEFAULT_LIMITS,
        *,
        is_experimental: bool = False,
    ) -> None:
        if not callable(getattr(plugin, "get_plugin_apps", None)):
            raise Refused(f"its loader gives {plugin!r}, no TBPlugin")
        name = getattr(plugin, "plugin_name", None)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise Refused(f"its plugin_name is {name!r}: letters, digits, _ and - are allowed")
        self.plugin_name: str = name
        self.instance = plugin
        self.is_experimental = is_experimental  # then only users who ask for it see it
        self._calls = Calls(f"plugin {name}", limits, changed)
        self._frontend = _frontend(plugin, name)
        self._exact, self._prefixes = _routes(plugin.get_plugin_apps())
        names = getattr(plugin, "data_plugin_names", lambda: (name,))
        self._data_plugins = _names(names())
        self._activity = Question(self._calls, lambda: plugin.is_active(), changed)

    # --- as a TBPlugin ---

    def get_plugin_apps(self) -> Mapping[str, WSGIApplication]:
        """The isolated WSGI applications, by route."""
        routes = {route: self._guarded(app) for route, app in self._exact.items()}
        return routes | {f"{prefix}*": self._guarded(app) for prefix, app in self._prefixes.items()}

    def data_plugin_names(self) -> frozenset[str]:
        """Names of the plugins whose data it shows."""
        return self._data_plugins

    def frontend_metadata(self) -> Frontend:
        """Its tab and the module or element that shows it."""
        return self._frontend

    def is_active(self) -> bool:
        """The latest answer; waits as long as a listing does."""
        return self.active_by(time.monotonic() + self._calls.limits.listing)

    # --- to the host ---

    def routes(self) -> list[str]:
        """Its routes, for messages; prefixes end in ``*``."""
        return [*self._exact, *(f"{prefix}*" for prefix in self._prefixes)]

    def app_for(self, path: str) -> WSGIApplication | None:
        """The application for ``path`` below the plugin's: of an exact route, else of the longest prefix."""
        path = path[:-1] if path.endswith("/") and path != "/" else path
        found = self._exact.get(path)
        if found is None:
            found = next((app for prefix, app in self._prefixes.items() if path.startswith(prefix)), None)
        return None if found is None else as_tensorboard_asks(self._guarded(found))

    def ask(self) -> None:
        """Starts to ask whether it is active, unless the last answer is recent."""
        self._activity.ask()

    def active_by(self, until: float) -> bool:
        """The latest answer by ``until`` (monotonic seconds); False before the first."""
        self.ask()
        return self._activity.answer(until)

    @property
    def error(self) -> str | None:
        """Why the plugin cannot be shown, in one line."""
        return self._calls.busy or self._activity.error

    @property
    def warnings(self) -> list[str]:
        """Requests that failed and have not succeeded since, one line each, the latest first."""
        return self._calls.troubles

    def _guarded(self, app: WSGIApplication) -> WSGIApplication:
        def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            request = request_line(environ)
            made = Answer(app, environ)
            try:
                call = self._calls.start(request, made.make, self._calls.limits.view, limited=True)
                status, headers = made.begin(call)
            except errors.PublicError:
                self._calls.forget(request)
                raise
            except Busy as error:
                return self._refusal(str(error), 503)(environ, start_response)
            except Exception as error:
                made.close()
                self._fails(request, error)
                if isinstance(error, Overdue):
                    return self._refusal(str(error), 504)(environ, start_response)
                refusal = f"{request} failed; the log of the host says why"
                return self._refusal(refusal, 500)(environ, start_response)
            if not any(name.lower() == "x-content-type-options" for name, _ in headers):
                headers = [*headers, ("X-Content-Type-Options", "nosniff")]
            start_response(status, headers)
            return ClosingIterator(self._watched(made, request), made.close)

        return answer

    def _watched(self, made: Answer, request: str) -> Iterator[bytes]:
        """The body; if it fails, the answer breaks off and the failure becomes a warning."""
        try:
            yield from made
        except Exception as error:
            self._fails(request, error)
            raise ConnectionAbortedError(f"plugin {self.plugin_name} broke off") from error
        self._calls.forget(request)

    def _refusal(self, text: str, status: int) -> WSGIApplication:
        return text_answer(f"plugin {self.plugin_name}: {text}", status)

    def _fails(self, request: str, error: BaseException) -> None:
        text = str(error) if isinstance(error, Overdue) else f"{request} failed: {in_one_line(error)}"
        quiet = isinstance(error, (Overdue, BrokenRule))
        log.error("plugin %s: %s", self.plugin_name, text, exc_info=None if quiet else error)
        self._calls.note(request, text)


def in_one_line(error: BaseException) -> str:
    """An error in one line; rules of the contract need no name of an exception."""
    if isinstance(error, (Refused, BrokenRule)):
        return " ".join(str(error).split())
    return own.in_one_line(error)


def _names(names: object) -> frozenset[str]:
    if not isinstance(names, Iterable):
        raise Refused(f"its data_plugin_names() gives {names!r}, not names")
    return frozenset(name for name in names if isinstance(name, str))


def _routes(
    apps: Mapping[str, WSGIApplication],
) -> tuple[Mapping[str, WSGIApplication], Mapping[str, WSGIApplication]]:
    """Exact routes, and prefixes (``/static/``), the longest first."""
    exact: dict[str, WSGIApplication] = {}
    prefixes: dict[str, WSGIApplication] = {}
    if not isinstance(apps, Mapping):
        raise Refused(f"its get_plugin_apps() gives {apps!r}, not applications by route")
    for route, app in apps.items():
        if not isinstance(route, str) or not route.startswith("/"):
            raise Refused(f"its route {route!r} does not begin with a slash")
        if "*" in route.removesuffix("/*"):
            raise Refused(f"its route {route!r} has a * elsewhere than in a /* at the end")
        if route.endswith("/*"):
            prefixes[route[:-1]] = app
        else:
            exact[route] = app
    return exact, dict(sorted(prefixes.items(), key=lambda item: -len(item[0])))


def _frontend(plugin: Any, name: str) -> Frontend:  # noqa: ANN401
    metadata = plugin.frontend_metadata() if hasattr(plugin, "frontend_metadata") else None
    names = ("es_module_path", "element_name", "is_ng_component")
    module, element, is_built_in = (getattr(metadata, field, None) for field in names)
    if bool(module) + bool(element) + bool(is_built_in) > 1:
        raise Refused("it names more than one of es_module_path, element_name and is_ng_component")
    if module and (not isinstance(module, str) or not module.startswith("/") or module.startswith("//")):
        raise Refused(f"its es_module_path {module!r} is not one of its routes")
    return Frontend(
        tab_name=str(getattr(metadata, "tab_name", None) or name),
        disable_reload=bool(getattr(metadata, "disable_reload", False)),
        remove_dom=bool(getattr(metadata, "remove_dom", False)),
        es_module_path=module,
        element_name=element,
        is_ng_component=bool(is_built_in),
    )
