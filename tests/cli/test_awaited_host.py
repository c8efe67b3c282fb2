"""Requests that come before the host is there."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from werkzeug.test import Client

from insight_core.cli.awaited_host import AwaitedHost
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

    from insight_core.web import Host


class _Host:
    """Stands for the host."""

    closed = 0

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [f"answer to {environ['PATH_INFO']}".encode()]

    def close(self) -> None:
        self.closed += 1


def test_requests_wait_for_the_host_and_are_answered_by_it() -> None:
    awaited, answers, asking = AwaitedHost(), dict[str, str](), threading.Barrier(4)

    def ask(path: str) -> None:
        asking.wait(PATIENCE)
        answers[path] = Client(awaited).get(path).text

    threads = [threading.Thread(target=ask, args=(path,), daemon=True) for path in ("/a", "/b", "/c")]
    for thread in threads:
        thread.start()
    asking.wait(PATIENCE)
    assert not answers
    awaited.come(cast("Host", _Host()))
    for thread in threads:
        thread.join(PATIENCE)
    assert answers == {path: f"answer to {path}" for path in ("/a", "/b", "/c")}
    assert Client(awaited).get("/later").text == "answer to /later"


def test_a_server_that_stops_closes_the_host_if_it_came() -> None:
    awaited, host = AwaitedHost(), _Host()
    awaited.close()
    awaited.come(cast("Host", host))
    awaited.close()
    assert host.closed == 1
