"""Alerts arrive at real webhooks and commands once, whatever the target does."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import repeat
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, Mock

import insight_alerts
import numpy as np
import pytest
from attrs import evolve
from insight_alerts.delivery import WAITING, Courier, NotSent, send
from insight_alerts.routes import AlertService, journal_path
from insight_alerts.rules import AlertRules, Target, rules_of
from werkzeug.test import Client

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.waiting import eventually

MESSAGE = {"id": "1", "text": "r: loss is nan", "run": "a\0b", "tag": "loss; touch /tmp/x", "step": None}


class Hook(HTTPServer):
    """A webhook that answers with these statuses, one after the other, then with 200."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.statuses: list[int] = []
        self.bodies: list[dict[str, Any]] = []
        self.address = f"http://127.0.0.1:{self.server_port}/hook"

    def has(self, count: int) -> bool:
        """Whether it was called so often."""
        return len(self.bodies) == count


class _Answer(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append({"path": self.path, **json.loads(body)})
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 200)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def courier() -> Iterator[Callable[..., Courier]]:
    opened: list[Courier] = []

    def make(*targets: Target, pauses: tuple[float, ...] = (0.01, 0.01)) -> Courier:
        opened.append(Courier({target.name: target for target in targets}, pauses))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def test_a_webhook_that_fails_is_tried_again_until_it_answers(
    hook: Hook, courier: Callable[..., Courier]
) -> None:
    hook.statuses = [503, 429]
    sent = courier(Target("chat", hook.address))
    sent.send(("chat",), MESSAGE)
    eventually(lambda: len(hook.bodies) == 3)
    sent.send(("chat",), {**MESSAGE, "id": "2"})
    eventually(lambda: len(hook.bodies) == 4)
    assert [body["id"] for body in hook.bodies] == ["1", "1", "1", "2"]
    assert hook.bodies[0]["tag"] == MESSAGE["tag"]
    assert sent.failures_of("1") == {}


@pytest.mark.parametrize(("status", "tries"), [(404, 1), (500, 3)])
def test_a_webhook_that_refuses_is_a_failure_with_its_reason(
    hook: Hook, courier: Callable[..., Courier], status: int, tries: int
) -> None:
    hook.statuses = [status] * tries
    sent = courier(Target("chat", hook.address))
    sent.send(("chat",), MESSAGE)
    assert eventually(lambda: sent.failures_of("1")) == {"chat": f"HTTP {status}"}
    assert len(hook.bodies) == tries


def test_a_webhook_that_does_not_speak_http_is_tried_again_and_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"SSH-2.0-server\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(NotSent, match="SSH-") as found:
            send(Target("hook", f"http://127.0.0.1:{server.getsockname()[1]}/"), MESSAGE)
        thread.join()
    assert found.value.again


def test_a_redirection_is_not_followed(hook: Hook) -> None:
    hook.statuses = [302]
    with pytest.raises(NotSent, match="HTTP 302"):
        send(Target("chat", hook.address), MESSAGE)
    assert [body["path"] for body in hook.bodies] == ["/hook"]


def test_a_target_that_hangs_delays_no_other_and_its_queue_is_bounded(
    hook: Hook, courier: Callable[..., Courier], tmp_path: Path
) -> None:
    go = tmp_path / "go"
    waits = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)"
    slow = Target("slow", command=(sys.executable, "-c", waits))
    sent = courier(slow, Target("chat", hook.address))
    for number in range(WAITING + 2):  # one is being sent, at least one of the last two does not fit
        sent.send(("slow",), {**MESSAGE, "id": str(number)})
    sent.send(("chat",), MESSAGE)
    eventually(lambda: hook.bodies)
    dropped = {**sent.failures_of(str(WAITING)), **sent.failures_of(str(WAITING + 1))}
    assert "waited for it" in dropped["slow"]
    sent.close()
    go.touch()


def test_a_command_gets_its_message_without_a_shell(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    program = (
        "import json, os, sys; json.dump([json.load(sys.stdin), sys.argv[2],"
        " {k: v for k, v in os.environ.items() if k.startswith('INSIGHT_ALERT_')}], open(sys.argv[1], 'w'))"
    )
    send(Target("c", command=(sys.executable, "-c", program, str(out), "$(touch x); `touch y`")), MESSAGE)
    message, argument, environment = json.loads(out.read_text())
    assert message == MESSAGE
    assert argument == "$(touch x); `touch y`"
    assert environment["INSIGHT_ALERT_TAG"] == "loss; touch /tmp/x"
    assert (environment["INSIGHT_ALERT_RUN"], environment["INSIGHT_ALERT_STEP"]) == ("ab", "")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("/no/such/program",), "No such file"),
        ((sys.executable, "-c", "import sys; sys.exit('no mail today')"), "ended with 1: no mail today"),
    ],
)
def test_a_command_that_fails_says_why(command: tuple[str, ...], reason: str) -> None:
    with pytest.raises(NotSent, match=reason):
        send(Target("c", command=command), MESSAGE)


def test_a_command_has_ended_though_what_it_started_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_alerts.delivery._COMMAND", 2.0)
    send(Target("c", command=("sh", "-c", "sleep 4 &")), MESSAGE)
    with pytest.raises(NotSent, match=r"ended with 3: no mail$"):
        send(Target("c", command=("sh", "-c", "sleep 4 & echo no mail >&2; exit 3")), MESSAGE)


RULES = """
[target.chat]
webhook = "{address}"
[[rule]]
name = "broken"
when = "nan"
"""


def _service(rules: AlertRules, data: FakeProvider, state: Path | None) -> AlertService:
    registry = Registry.of([("alerts", lambda: insight_alerts)])
    registry.take_flags({"alerts": rules})
    return AlertService(evolve(Host(registry, data).context_of("alerts"), state_directory=state), rules)


def test_an_alert_is_sent_once_though_hosts_restart_and_what_is_new_follows(
    hook: Hook, tmp_path: Path
) -> None:
    rules = rules_of(tomllib.loads(RULES.format(address=hook.address)))
    data = FakeProvider()
    now = time.time()
    data.add_scalars("a", "loss", [1.0, np.nan], wall_times=[now, now])
    data.add_scalars("old", "loss", [np.nan], wall_times=[now - 25 * 3600])
    for number in range(2):
        service = _service(rules, data, tmp_path)
        service.start()
        eventually(partial(hook.has, 1 + number))
        data.add_scalars(f"later{number}", "loss", [np.inf], wall_times=[now])
        eventually(partial(hook.has, 2 + number))
        service.close()
    runs = [body["run"] for body in hook.bodies]
    assert runs == ["a", "later0", "later1"]
    assert [alert.run for alert in service.journal.after(0, 10)[1]] == runs


def test_while_the_journal_cannot_be_written_no_series_is_read_again_and_no_alert_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_alerts.routes._AGAIN", 0.01)
    data = FakeProvider()
    data.add_scalars("a", "loss", [1.0])
    data.add_scalars("b", "loss", [np.nan], wall_times=[time.time()])
    service = _service(rules_of(tomllib.loads('[[rule]]\nname = "r"\nwhen = "nan"')), data, tmp_path)
    failures = [OSError(28, "No space left on device")] * 3
    add = Mock(wraps=service.journal.add, side_effect=[*failures, *repeat(DEFAULT, 9)])
    monkeypatch.setattr(service.journal, "add", add)
    scalars = Mock(wraps=data.scalars)
    monkeypatch.setattr(data, "scalars", scalars)
    service.start()
    eventually(lambda: service.journal.after(0, 10)[0] == 1)
    service.close()
    assert [key.run for asked in scalars.call_args_list for key in asked.args[1]] == ["a", "b"]


def test_logs_of_other_places_have_other_journals(tmp_path: Path) -> None:
    assert journal_path(tmp_path, "/a") != journal_path(tmp_path, "/b")
    assert journal_path(None, "/a") is None


def test_without_rules_nothing_is_followed_and_there_is_no_route() -> None:
    data = FakeProvider()
    before = threading.enumerate()
    registry = Registry.of([("alerts", lambda: insight_alerts)])
    assert not registry.failures
    client = Client(Host(registry, data))
    assert client.get("/data/plugin/alerts/found").status_code == 404
    assert client.get("/data/plugins_listing").get_json()["alerts"]["enabled"] is False
    new = [one.name for one in threading.enumerate() if one not in before]
    assert not [name for name in new if name.startswith("alerts")]
