"""Collects the modules of the page and of tabs, and lets them find each other by name instead of by place."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from attrs import Factory, define

from insight_core.plugin import Get, NotFound

_BESIDE = re.compile(r"""(["'`])\./([\w.-]+\.js)\1""")
_MAP = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)
_MODULE = re.compile(r'<script type="module" src="([^"]+)"')
_STYLES = re.compile(r'<link[^>]*href="([^"]+\.css)"')
PREFIX = "snapshot/"  # of the names by which modules import their neighbours


@define
class Modules:
    """Texts of modules by path, relative to the page."""

    get: Get
    texts: dict[str, str] = Factory(dict)

    def add(self, path: str) -> bool:
        """Adds a module and all that it imports from its directory. False if the module is missing."""
        waiting = [posixpath.normpath(path)]
        while waiting:
            at = waiting.pop()
            if at in self.texts:
                continue
            try:
                text = self.get(f"/{at}").data.decode("utf-8")
            except NotFound:
                if at == posixpath.normpath(path):
                    return False
                continue  # a text that looks like the name of a module
            directory = posixpath.dirname(at)
            self.texts[at] = _BESIDE.sub(rf"\1{PREFIX}{directory}/\2\1", text)
            waiting += [f"{directory}/{name}" for _, name in _BESIDE.findall(text)]
        return True


def page_parts(html: str, modules: Modules) -> tuple[Mapping[str, str], str, str]:
    """Adds the modules of index.html; returns its import map, its first module and its styles."""
    found = _MAP.search(html)
    first = _MODULE.search(html)
    if found is None or first is None:
        raise NotFound("the page has no modules")
    names = {name: posixpath.normpath(path) for name, path in json.loads(found[1])["imports"].items()}
    shell = posixpath.normpath(first[1])
    for path in (*names.values(), shell):
        modules.add(path)
    styles = "\n".join(modules.get(f"/{path}").data.decode("utf-8") for path in _STYLES.findall(html))
    return names, shell, styles
