"""The page: index.html, told of the tabs that are there, with the policy that its own scripts need."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from werkzeug import Request, Response
from werkzeug.routing import Map

from insight_core.plugin import Route, Unavailable
from insight_core.references import reference
from insight_core.web.answers import CONTENT_SECURITY_POLICY, json_answer, tag_by_content
from insight_core.web.assets import asset_answer
from insight_core.web.front_ends import front_end, shared_modules
from insight_core.web.mounted_plugins import MountedPlugins
from insight_core.web.mounting import NOT_FOUND, UrlRule, rule_of
from insight_core.web.state.saved import SavedStore, start_of_page
from insight_record.formats.json_text import encode_json

_DESCRIPTION = reference("insight_core.web.openapi:description")  # imported when it is asked for
_PLACE = b'<script type="application/json" id="%s">{}</script>'
_INLINE = re.compile(rb"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL | re.IGNORECASE)


def page_rules(
    page: Path, plugins: MountedPlugins, saved: SavedStore, urls: Callable[[], Sequence[Map]]
) -> list[UrlRule]:
    """The page in the directory ``page``, its files, and what is asked of the host as a whole."""

    def index(request: Request) -> Response:
        """The page."""
        start = start_of_page(saved.now(), saved.logs())
        return _page_answer(page, {"tabs": _tabs_of(plugins, page), "start": start}, request)

    def health(request: Request) -> Response:
        """Whether the host listens."""
        return json_answer({"status": "ok"})

    routes = [
        Route("/", index, answers=["*/*", "text/html"], codes={503: ["unavailable"]}),
        Route("/static/<path:name>", partial(asset_answer, page), codes=NOT_FOUND),
        Route("/healthz", health, answers=["application/json"]),
        Route("/openapi.json", partial(_DESCRIPTION, urls), answers=["*/*", "application/json"]),
    ]
    return [rule_of(route) for route in routes]


def _page_answer(page: Path, told: Mapping[str, Mapping[str, object]], request: Request) -> Response:
    """index.html of the directory ``page``, with JSON values in its scripts of these ids.

    Its inline scripts, the import map among them, are allowed by their hash. The policy goes with a 304 too:
    a browser replaces the one it kept by that of the latest answer.
    """
    path = page / "index.html"
    if not path.is_file():
        raise Unavailable(f"the page is not built: {path} is missing")
    content = path.read_bytes()
    for name, value in told.items():
        place = _PLACE % name.encode()
        text = encode_json(value).replace(b"<", b"\\u003c")
        content = content.replace(place, place.replace(b"{}", text), 1)
    answer = tag_by_content(request, Response(content, content_type="text/html; charset=utf-8"))
    answer.headers["Content-Security-Policy"] = policy_of(content)
    return answer


def _tabs_of(plugins: MountedPlugins, page: Path) -> dict[str, object]:
    """Of each plugin with a front end that can be shown: its module, and the shared modules it imports."""
    tabs: dict[str, object] = {}
    shared = shared_modules(page)
    for mounted in plugins:
        if mounted.plugin.frontend is not None and mounted.plugin.tab:
            found = front_end(mounted.plugin.frontend, shared)
            if found.error is None:
                name = str(mounted.plugin.name)
                tabs[name] = {
                    "module": found.module_path(name),
                    "imports": shared.with_imports(found.manifest.imports),
                }
    return tabs


@lru_cache(maxsize=8)
def policy_of(html: bytes) -> str:
    """The host's policy, and the hash of every inline script of this document that a browser would run."""
    hashes = [
        base64.b64encode(hashlib.sha256(found["text"]).digest()).decode()
        for found in _INLINE.finditer(html)
        if b"src=" not in found["attributes"] and b"application/json" not in found["attributes"]
    ]
    allowed = "".join(f" 'sha256-{each}'" for each in hashes)
    return CONTENT_SECURITY_POLICY.replace(" 'wasm-unsafe-eval'", f" 'wasm-unsafe-eval'{allowed}")
