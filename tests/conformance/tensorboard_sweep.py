"""Every route of TensorBoard asked over HTTP, with what a right and a wrong request gets."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from typing import Any, TypeAlias

Exchange: TypeAlias = dict[str, Any]  # status, headers and body of an answer

_HEADERS = (
    "content-type",
    "content-security-policy",
    "x-content-type-options",
    "cache-control",
    "expires",
    "content-encoding",
    "location",
    "allow",
)
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"


class Sweep:
    """The answers of the TensorBoard at ``url``, redirections not followed."""

    def __init__(self, url: str) -> None:
        self._place = urllib.parse.urlsplit(url)

    def everything(self, *, page: bool = True) -> dict[str, Exchange]:
        """Each exchange by its request; without those of the page, only what lies below /data/plugin/."""
        exchanges: dict[str, Exchange] = {}
        for method, path, headers, body in [*(_page() if page else ()), *self._plugins()]:
            name = f"{method} {path}" + "".join(f" {line}: {text}" for line, text in headers.items())
            exchanges[f"{name} {body}" if body else name] = self.exchange(method, path, headers, body)
        return exchanges

    def exchange(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: str = ""
    ) -> Exchange:
        connection = http.client.HTTPConnection(self._place.hostname or "", self._place.port, timeout=60)
        try:
            connection.request(
                method, self._place.path.rstrip("/") + path, body.encode() or None, headers or {}
            )
            answer = connection.getresponse()
            content = answer.read()
            found: Exchange = {"status": answer.status}
            found |= {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
            is_json = answer.headers.get_content_type() == _JSON and "content-encoding" not in found
            found["body"] = json.loads(content) if is_json and content else content
            return found
        finally:
            connection.close()

    def _plugins(self) -> list[tuple[str, str, dict[str, str], str]]:
        run, tag = self._first("scalars")
        form = urllib.parse.urlencode([("tag", tag), ("runs", run), ("runs", "nothing")])
        requests = [
            *_gets("scalars", run, tag, "scalars", "tags", "tags/", "scalars&format=csv"),
            *_gets("custom_scalars", run, tag, "layout", "scalars", "download_data&format=csv"),
            *_gets("hparams", "", "", "experiment", "session_groups", "metric_evals"),
            *_gets("graphs", "nothing", "", "info", "graph", "run_metadata"),
            *_gets("projector", "nothing", "", "runs", "info"),
            *_gets("debugger-v2", "", "", "runs", "alerts"),
            ("POST", "/data/plugin/scalars/scalars_multirun", {"Content-Type": _FORM}, form),
            ("GET", "/data/plugin/scalars/scalars_multirun", {}, ""),
            ("GET", "/data/plugin/scalars/nothing", {}, ""),
            ("POST", "/data/plugin/hparams/experiment", {"Content-Type": _JSON}, "{}"),
            ("POST", "/data/plugin/hparams/experiment", {"Content-Type": _JSON}, "no JSON"),
            ("GET", "/data/plugin/images/individualImage?blob_key=!", {}, ""),
            ("GET", "/data/plugin/timeseries/tags", {}, ""),
            ("GET", "/data/plugin/timeseries/timeSeries", {}, ""),
            ("GET", "/data/plugin/timeseries/imageData?imageId=", {}, ""),
        ]
        [histograms, images] = [self._first(plugin) for plugin in ("histograms", "images")]
        asked: list[dict[str, object]] = [
            {"plugin": "scalars", "tag": tag, "run": run},
            {"plugin": "scalars", "tag": "nothing"},
            {"plugin": "nothing", "tag": tag},
            {"plugin": "images", "tag": tag},
            {"plugin": "images", "run": images[0], "tag": images[1]},
            {"plugin": "images", "run": images[0], "tag": images[1], "sample": 0},
            {"plugin": "histograms", "tag": histograms[1]},
            {"plugin": "histograms", "run": histograms[0], "tag": histograms[1]},
            {"plugin": "scalars"},
        ]
        listed = urllib.parse.urlencode({"requests": json.dumps(asked)})
        requests += [
            ("GET", f"/data/plugin/timeseries/timeSeries?{listed}", {}, ""),
            ("POST", "/data/plugin/timeseries/timeSeries", {"Content-Type": _FORM}, listed),
        ]
        for plugin in ("histograms", "distributions", "images", "audio", "text", "pr_curves"):
            run, tag = self._first(plugin)
            requests += _gets(plugin, run, tag, "tags", plugin)
        run, tag = self._first("mesh")
        requests += _gets("mesh", run, tag, "tags", "meshes", "data")
        return requests

    def _first(self, plugin: str) -> tuple[str, str]:
        tags = self.exchange("GET", f"/data/plugin/{plugin}/tags")["body"]
        return min(((run, min(of)) for run, of in tags.items() if of), default=("nothing", "nothing"))


def _gets(plugin: str, run: str, tag: str, *paths: str) -> list[tuple[str, str, dict[str, str], str]]:
    """Requests for each path: without parameters, for one series, for one that is not there."""
    requests: list[tuple[str, str, dict[str, str], str]] = []
    for path in paths:
        path, _, more = path.partition("&")
        asked = [
            {"run": run, "tag": tag, "sample": "0"},
            {"run": run, "tag": "nothing", "sample": "0"},
            {"run": "nothing", "tag": tag, "sample": "0"},
            {"run": run, "tag": tag, "sample": "99"},
        ]
        for query in ("", *map(urllib.parse.urlencode, asked)):
            parts = "&".join(part for part in (query, more) if part)
            requests.append(("GET", f"/data/plugin/{plugin}/{path}?{parts}".rstrip("?"), {}, ""))
    return requests


def _page() -> list[tuple[str, str, dict[str, str], str]]:
    flags = "X-TensorBoard-Feature-Flags"
    paths = (
        "/",
        "/index.html",
        "/index.js?_file_hash=1",
        "/index.js",
        "/icon_bundle.svg",
        "/favicon.ico",
        "/notifications_note.json",
        "/nothing",
        "/data",
        "/data/nothing",
        "/data/plugin/nothing/tags",
        "/data/environment",
        "/data/logdir",
        "/data/window_properties",
        "/data/runs",
        "/data/runs/",
        "/data/experiments",
        "/data/experiment_runs",
        "/data/notifications",
        "/data/plugins_listing",
        "/data/plugin_entry.html",
        "/data/plugin_entry.html?name=scalars",
        "/data/plugin_entry.html?name=projector",
        "/data/plugin_entry.html?name=nothing",
        "/data/plugin/projector/index.js",
        "/audio",
        "/events",
        "/graphs",
        "/histograms",
        "/images",
        "/experiment",
        "/experiment/one/",
        "/experiment/one/data/runs",
        "/experiment/one/data/plugins_listing",
        "/data/runs?tensorBoardFeatureFlags=%7B%22a%22%3A1%7D",
        "/data/runs?tensorBoardFeatureFlags=no+JSON",
    )
    return [
        *(("GET", path, {}, "") for path in paths),
        ("HEAD", "/", {}, ""),
        ("HEAD", "/data/runs", {}, ""),
        ("POST", "/data/runs", {}, "a=b"),
        ("GET", "/data/runs", {"Accept-Encoding": "gzip"}, ""),
        ("GET", "/data/runs", {"Accept-Encoding": "gzip;q=0"}, ""),
        ("GET", "/index.js", {"Accept-Encoding": "gzip"}, ""),
        ("GET", "/data/runs", {flags: '{"a": 1}'}, ""),
        ("GET", "/data/runs", {flags: "[]"}, ""),
        ("GET", "/data/runs", {"TensorBoard-Experiment-Id": "one"}, ""),
    ]
