"""Makes a snapshot: the page, its tabs and their data in one HTML file that works offline."""

from __future__ import annotations

import base64
import gzip
import json
import posixpath
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from attrs import Factory, define

from insight_core.plugin import Get, InsightError, InvalidArgument, NotFound, encode_json
from insight_reports.view import REPORTS, SharedView

_RUNTIME = Path(__file__).parent / "runtime.js"
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "media-src data: blob:; worker-src blob:; form-action 'none'; base-uri 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{styles}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. 此页面需要 JavaScript。</noscript>
<script type="application/json" id="tabs">{{}}</script>
<script type="application/json" id="start">{{}}</script>
<script type="text/plain" id="snapshot">{packed}</script>
<script nonce="{nonce}">{runtime}</script>
</body>
</html>
"""
_BESIDE = re.compile(r"""(["'`])\./([\w.-]+\.js)\1""")
_MAP = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)
_MODULE = re.compile(r'<script type="module" src="([^"]+)"')
_STYLES = re.compile(r'<link[^>]*href="([^"]+\.css)"')
PREFIX = "snapshot/"  # of the names by which modules import their neighbours


def snapshot(get: Get, view: SharedView, made: datetime) -> str:
    """The HTML of a file that shows ``view``. Raises InvalidArgument if no tab of it can be saved.

    Nothing of the logs is outside of the packed part, which is base64: no name in it is ever markup.
    """
    modules = Modules(get)
    names, shell, styles = page_parts(get("/").data.decode("utf-8"), modules)
    table = _json(get, "/data/run_table", columns="all")
    annotations = _json(get, "/data/annotations")
    archived = {run for run, said in annotations["runs"].items() if said.get("archived")}
    rows = [{**row, "archived": row["name"] in archived} for row in table["runs"]]
    runs = view.runs(rows)
    tabs, parts, missing = _tabs(get, view, rows, modules)
    if not tabs:
        raise InvalidArgument("no tab of this view can be saved as a file", code="reports_nothing")
    header: dict[str, Any] = {
        "state": {**view.state, **({} if view.state.get("tab") in tabs else {"tab": next(iter(tabs))})},
        "answers": _answers(get, view, table, annotations, runs) | {"data/plugins_listing": tabs},
        "made": f"{made:%Y-%m-%d %H:%M} UTC",
        "day": made.isoformat(),
        "isReport": view.report is not None,
        "missing": missing,
        "imports": names,
        "prefix": PREFIX,
        "shell": shell,
        "modules": {path: len(text.encode()) for path, text in modules.texts.items()},
        "data": {name: len(data) for name, data in parts.items()},
    }
    start = encode_json(header)
    content = [len(start).to_bytes(4, "little"), start]
    content += [text.encode() for text in modules.texts.values()] + list(parts.values())
    packed = base64.b64encode(gzip.compress(b"".join(content), 9, mtime=0)).decode("ascii")
    nonce = secrets.token_urlsafe(16)
    return _PAGE.format(
        policy=_POLICY.format(nonce=nonce),
        nonce=nonce,
        title=escape(view.name),
        styles=styles,
        packed=packed,
        runtime=_RUNTIME.read_text(encoding="utf-8"),
    )


def _json(get: Get, path: str, **parameters: str | list[str]) -> Any:  # noqa: ANN401
    return json.loads(get(path, **parameters).data)


def _tabs(
    get: Get, view: SharedView, rows: Sequence[Mapping[str, Any]], modules: Modules
) -> tuple[dict[str, Any], dict[str, bytes], dict[str, list[str]]]:
    """The listing of the tabs in the file, their data by plugin, and titles of the other tabs."""
    tabs: dict[str, Any] = {}
    data: dict[str, bytes] = {}
    missing: dict[str, list[str]] = {"en": [], "zh-CN": []}
    for name, listed in _json(get, "/data/plugins_listing").items():
        module = listed["loading_mechanism"].get("module_path")
        if name == REPORTS:
            if view.report is not None:
                modules.add(module)
                del listed["loading_mechanism"]["contributions_path"]
                tabs[name] = listed
            continue
        directory = posixpath.dirname(module or "")
        views = view.parts(name, rows)
        is_module = listed["loading_mechanism"]["type"] == "ES_MODULE"
        if not listed["enabled"] or not views:
            continue
        if not is_module or not modules.add(f"{directory}/snapshot.js"):
            for locale, titles in missing.items():
                titles.append(listed.get("titles", {}).get(locale) or listed["tab_name"])
            continue
        modules.add(module)
        if path := listed["loading_mechanism"].get("contributions_path"):
            modules.add(path)
        data[name] = get(f"/data/plugin/{name}/snapshot", view=[json.dumps(one) for one in views]).data
        tabs[name] = {**listed, "snapshot": f"{directory}/snapshot.js"}
    return tabs, data, missing


def _answers(
    get: Get, view: SharedView, table: dict[str, Any], annotations: Mapping[str, Any], runs: list[str]
) -> dict[str, Any]:
    """Answers of the host by path; what needs more than one path is in the script of the file."""
    kept = set(runs)
    places = [place for place, row in enumerate(table["runs"]) if row["name"] in kept]
    columns = [
        {**column, "values": [column["values"][place] for place in places]} for column in table.pop("columns")
    ]
    damage = _json(get, "/data/damage")
    saved: dict[str, Any] = {
        "generation": 0,
        "writable": False,
        "reason": None,
        "token": "",
        "damage": None,
        "entries": [],
    }
    answers: dict[str, Any] = {
        "data/run_table": {**table, "runs": [table["runs"][place] for place in places], "follows": False},
        "data/run_columns": {"columns": columns, "column_errors": []},
        "data/environment": {**_json(get, "/data/environment"), "data_location": ""},
        "data/annotations": {
            **annotations,
            "writable": False,
            "token": "",
            "runs": {run: said for run, said in annotations["runs"].items() if run in kept},
            "written": {},  # names of users are not for whoever receives the file
        },
        "data/damage": {**damage, "damage": [one for one in damage["damage"] if one["run"] in kept]},
        "data/saved/page": saved,
        f"data/saved/plugin/{REPORTS}": saved,
    }
    if where := view.state.get("filter"):
        try:
            matches = _json(get, "/data/run_matches", where=where)
        except InsightError:
            pass  # a filter by name, which the page evaluates
        else:
            answers["data/run_matches"] = {"runs": [run for run in matches["runs"] if run in kept]}
    if view.report is not None:
        path = f"data/saved/plugin/{REPORTS}"
        entry = _json(get, f"/{path}", name=view.report)
        answers[path] = {**saved, "entries": [{"name": view.report, "version": entry["version"]}]}
        answers[f"{path}?name"] = entry
        if (named := view.table_columns) is not None:
            cells = _json(get, f"/data/plugin/{REPORTS}/runs", column=named)
            for column in cells["columns"]:
                column["values"] = {run: cell for run, cell in column["values"].items() if run in kept}
            answers[f"data/plugin/{REPORTS}/runs"] = cells
    return answers


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
