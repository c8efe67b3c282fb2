"""Routes of the profiler over a logdir."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import insight_profiler
from insight_profiler.views.routes import routes
from werkzeug import Request
from werkzeug.test import EnvironBuilder, TestResponse

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Unavailable
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import client_of
from tests.waiting import eventually

_PATIENCE = 60.0  # seconds, on a machine that does much else
Get = Callable[..., dict[str, Any]]


@contextmanager
def asked_about(logdir: Path, name: str, events: Iterable[object]) -> Iterator[Callable[..., TestResponse]]:
    """What asks about a trace of these events, once it is read: ``get("slices", width=10)``."""
    (logdir / "run").mkdir(parents=True)
    trace = {"schemaVersion": 1, "traceEvents": list(events)}
    (logdir / "run" / name).write_text(json.dumps(trace), encoding="utf-8")
    with client_of(logdir, profiler=insight_profiler) as client:

        def get(path: str, **parameters: Any) -> TestResponse:  # noqa: ANN401
            query = {"run": "run", "profile": name, **parameters}
            return client.get(f"/data/plugin/profiler/{path}", query_string=query)

        eventually(lambda: get("profile").get_json()["state"] != "reading")
        yield get


@contextmanager
def served_profiles() -> Iterator[Callable[[Path], Get]]:
    """Opens logdirs; each answers requests by route name, waiting until profiles are read."""
    opened: list[tuple[Host, LocalProvider]] = []

    def open_logs(logdir: Path) -> Get:
        registry = Registry.of([("profiler", lambda: insight_profiler)])
        provider = LocalProvider([Logdir(str(logdir))], registry.plugins.values(), watch=False)
        provider.load()
        host = Host(registry, provider)
        opened.append((host, provider))
        made = routes(host.context_of("profiler"))
        views = {route.path.removeprefix("/"): route.view for route in made}

        def get(route: str, **parameters: str) -> dict[str, Any]:
            end = time.monotonic() + _PATIENCE
            while time.monotonic() < end:
                request = Request(EnvironBuilder(query_string=parameters).get_environ())
                try:
                    answer: dict[str, Any] = json.loads(views[route](request).get_data())
                except Unavailable:  # the profile is being read
                    answer = {"state": "reading"}
                reading = answer.get("state") == "reading" or any(
                    one["state"] == "reading" for one in answer.get("others", ())
                )
                if not reading:
                    return answer
                time.sleep(0.02)
            raise AssertionError(f"{route} has not finished: {answer}")

        return get

    try:
        yield open_logs
    finally:
        for host, provider in opened:
            host.close()
            provider.close()
