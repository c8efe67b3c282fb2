"""Answers of the host's own routes, and what every answer has in common."""

from __future__ import annotations

import gzip
import json
import urllib.request
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.plugin import InvalidArgument, Messages, Plugin, Reason
from insight_core.plugin.data import Damage, Progress
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.http_server import Server
from tests.hosts import with_hooks


def _json(answer: Any) -> Any:  # noqa: ANN401
    assert answer.headers["Content-Type"] == "application/json"
    return json.loads(answer.data)


def test_health(client: Client) -> None:
    assert _json(client.get("/healthz")) == {"status": "ok"}


def test_runs_come_by_start_time(client: Client) -> None:
    assert _json(client.get("/data/runs")) == ["early", "late"]


def test_environment_has_tensorboards_keys(host_of: Callable[..., Host]) -> None:
    answer = _json(Client(host_of(window_title="Mine")).get("/data/environment"))
    assert set(answer) == {
        "version",
        "data_location",
        "window_title",
        "experiment_name",
        "experiment_description",
        "creation_time",
    }
    assert (answer["data_location"], answer["window_title"]) == ("some/logs", "Mine")
    assert answer["creation_time"] == 100.0


def test_kinds_of_unread_files_are_counted_when_somebody_asks(host_of: Callable[..., Host]) -> None:
    asked: list[int] = []

    def unread() -> list[Reason]:
        asked.append(1)
        return [Reason("Checkpoints of models: 3", "unread_checkpoints", files=3)]

    client = Client(host_of(unread_files=unread))
    client.get("/data/run_table")
    assert not asked
    [kind] = _json(client.get("/data/unread"))["unread"]
    assert kind == {
        "error": "Checkpoints of models: 3",
        "code": "unread_checkpoints",
        "details": {"files": 3},
    }
    assert _json(Client(host_of()).get("/data/unread")) == {"unread": []}


def test_what_programs_ask_tensorboard_at_the_root(host_of: Callable[..., Host]) -> None:
    client = Client(host_of(window_title="Mine"))
    assert {path: _json(client.get(f"/data/{path}")) for path in ("logdir", "window_properties")} == {
        "logdir": {"logdir": "some/logs"},
        "window_properties": {"window_title": "Mine"},
    }
    assert _json(client.get("/data/experiments")) == []
    assert _json(client.get("/data/experiment_runs")) == []
    assert _json(client.get("/data/notifications")) == {"notifications": []}


def test_run_table(host_of: Callable[..., Host], provider: FakeProvider) -> None:
    provider.add_damage(Damage("late", "late/events", 12, "bad CRC", 3))
    provider.set_progress(Progress(5, 10, False))
    notices = [Reason("The log directory /x does not exist.", "logdir_missing", path="/x")]
    client = Client(host_of(notices=lambda: notices))
    answer = client.get("/data/run_table")
    table = _json(answer)
    assert table["generation"] == provider.generation()
    assert table["progress"] == {"bytes_read": 5, "bytes_total": 10, "loaded_once": False}
    assert table["notices"] == [
        {
            "error": "The log directory /x does not exist.",
            "code": "logdir_missing",
            "details": {"path": "/x"},
        }
    ]
    assert {run["name"]: run["damage"] for run in table["runs"]} == {"late": 1, "early": 0}
    assert table["follows"] is True
    assert _json(Client(host_of(follows=False)).get("/data/run_table"))["follows"] is False
    notices.clear()  # says something new although no data came
    again = client.get("/data/run_table", headers={"If-None-Match": answer.headers["ETag"]})
    assert _json(again)["notices"] == []


def test_damage_of_all_runs_or_one(client: Client, provider: FakeProvider) -> None:
    provider.add_damage(Damage("late", "late/events", 12, "bad CRC", 3))
    entry = {"run": "late", "file": "late/events", "offset": 12, "reason": "bad CRC", "skipped": 3}
    assert _json(client.get("/data/damage"))["damage"] == [entry]
    assert _json(client.get("/data/damage?run=early"))["damage"] == []


def test_damage_comes_with_the_texts_of_its_codes_alone(provider: FakeProvider) -> None:
    texts = {
        "reason.m_seen": "seen",
        "reason.m_cause": "cause",
        "reason.m_other": "other",
        "tab": "of the tab",
    }
    messages = [Messages("zh-CN", texts), Messages("en", {})]
    module = with_hooks(messages=lambda: messages)
    client = Client(Host(Registry.of([("m", lambda: module)]), provider))
    assert _json(client.get("/data/damage")) == {"damage": [], "messages": {}}
    reason = Reason("it is cut", "m_seen", cause=Reason("no space", "m_cause"))
    provider.add_damage(Damage("late", "late/events", 12, reason))
    assert _json(client.get("/data/damage"))["messages"] == {
        "zh-CN": {"reason.m_seen": "seen", "reason.m_cause": "cause"}
    }


def test_tags_of_every_plugin(client: Client) -> None:
    assert _json(client.get("/data/plugin/scalar/tags"))["late"] == {
        "loss": {
            "display_name": "",
            "description": "",
            "points": 2,
            "first_step": 0,
            "last_step": 1,
            "attempts": 1,
            "kept": 2,
            "last_value": 2.0,
            "claims": [],
        }
    }


def test_changes(client: Client, provider: FakeProvider) -> None:
    before = provider.generation()
    provider.add_scalars("late", "acc", [1.0])
    answer = _json(client.get(f"/data/changes?since={before}"))
    assert answer["generation"] == provider.generation()
    assert (answer["runs"], answer["series"]) == (False, {"scalar": {"late": ["acc"]}})
    quiet = _json(client.get(f"/data/changes?since={provider.generation()}"))
    assert (quiet["runs"], quiet["series"]) == (False, {})
    assert _json(client.get("/data/changes?since=999999"))["series"] is None
    assert _json(client.get("/data/changes?since=00000000-1"))["series"] is None
    for text in ("-1", "x", "1.5", "", "²", "9" * 30):
        refused = client.get("/data/changes", query_string={"since": text})
        assert refused.status_code == 400
        assert "since" in _json(refused)["error"]


def test_an_etag_holds_until_data_comes(client: Client, provider: FakeProvider) -> None:
    for path in ("/data/runs", "/data/plugin/scalar/tags", "/data/damage", "/data/run_table"):
        tag = client.get(path).headers["ETag"]
        held = client.get(path, headers={"If-None-Match": tag})
        assert (held.status_code, held.data) == (304, b"")
        assert held.headers["ETag"] == tag
        assert held.headers["Cache-Control"] == "no-cache"
        provider.add_scalars(f"new run for {path}", "loss", [1.0])
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_an_etag_is_of_one_process(host_of: Callable[..., Host]) -> None:
    tag = Client(host_of()).get("/data/runs").headers["ETag"]
    assert Client(host_of()).get("/data/runs", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("path", ["/data/runs", "/data/nothing", "/", "/static/none", "/healthz"])
def test_every_answer_is_guarded(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "script-src 'self' 'wasm-unsafe-eval'" in headers["Content-Security-Policy"]
    assert headers["Content-Security-Policy"].count("'unsafe-inline'") == 1  # of styles
    assert "Referrer-Policy" in headers
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Security-Policy"].endswith("; frame-ancestors 'self'")
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"


@pytest.mark.parametrize("path", ["/data/runs", "/data/nothing", "/"])
def test_sites_that_may_show_it_in_a_frame(host_of: Callable[..., Host], path: str) -> None:
    sources = ["http://localhost:*", "vscode-webview:"]
    headers = Client(host_of(frame_ancestors=sources)).get(path).headers
    policy = headers["Content-Security-Policy"]
    assert policy.endswith("; frame-ancestors 'self' http://localhost:* vscode-webview:")
    assert "X-Frame-Options" not in headers  # it cannot name them, and would forbid them


def test_errors_are_json(client: Client) -> None:
    missing = client.get("/data/nothing")
    assert missing.status_code == 404
    assert "error" in _json(missing)
    wrong = client.post("/data/runs")
    assert wrong.status_code == 405
    assert set(wrong.headers["Allow"].split(", ")) == {"GET", "HEAD"}
    assert "error" in _json(wrong)


def test_options_name_the_methods(client: Client) -> None:
    for path, methods in (
        ("/data/runs", {"GET", "HEAD", "OPTIONS"}),
        ("*", {"DELETE", "GET", "HEAD", "POST", "PUT", "OPTIONS"}),
    ):
        answer = client.open(method="OPTIONS", environ_overrides={"PATH_INFO": path})
        assert (answer.status_code, answer.data) == (204, b"")
        assert set(answer.headers["Allow"].split(", ")) == methods
    assert client.options("/data/nothing").status_code == 404


def test_one_slash_at_the_end_does_not_matter(client: Client) -> None:
    assert client.get("/data/plugin/scalar/tags/").status_code == 200


def test_gzip_only_for_text_that_is_large_and_asked_for(
    host_of: Callable[..., Host], provider: FakeProvider
) -> None:
    client = Client(host_of(Plugin("scalar", "Scalars")))
    small = client.get("/data/runs", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small.headers
    for index in range(200):
        provider.add_scalars(f"run {index}", "loss", [1.0])
    plain = client.get("/data/runs")
    for accept in ("gzip;q=0", "gzip;q=0, *", "identity", ""):
        refused = client.get("/data/runs", headers={"Accept-Encoding": accept})
        assert "Content-Encoding" not in refused.headers, accept
        assert "Accept-Encoding" in refused.headers["Vary"]
    for accept in ("gzip", "br, gzip;q=0.5", "*"):
        zipped = client.get("/data/runs", headers={"Accept-Encoding": accept})
        assert zipped.headers["Content-Encoding"] == "gzip", accept
        assert gzip.decompress(zipped.data) == plain.data
        assert int(zipped.headers["Content-Length"]) == len(zipped.data)
    repeated = [client.get("/data/runs", headers={"Accept-Encoding": "gzip"}).data for _ in range(2)]
    assert repeated[0] == repeated[1]


def test_head_is_get_without_the_body(client: Client) -> None:
    for path in ("/", "/data/runs", "/static/style.css", "/data/events"):
        head = client.head(path)
        assert (head.status_code, head.data) == (200, b"")
    assert (
        client.head("/data/runs").headers["Content-Length"]
        == client.get("/data/runs").headers["Content-Length"]
    )


@pytest.mark.parametrize("prefix", ["/foo/bar", "foo/bar", "/foo/bar/", "//foo//bar//"])
def test_a_prefix_is_before_everything(host_of: Callable[..., Host], prefix: str) -> None:
    client = Client(host_of(path_prefix=prefix))
    bare = client.get("/foo/bar?x=1")
    assert (bare.status_code, bare.headers["Location"]) == (301, "bar/?x=1")
    assert client.get("/foo/bar/").status_code == 200
    assert client.get("/foo/bar/data/runs").status_code == 200
    for path in ("/", "/data/runs", "/foo", "/foo/barx", "/foo/bard/data/runs"):
        assert client.get(path).status_code == 404


def test_a_prefix_over_a_socket(host_of: Callable[..., Host], serve: Callable[[Host], Server]) -> None:
    server = serve(host_of(path_prefix="/foo/bar"))
    with urllib.request.urlopen(f"{server.url}foo/bar") as answer:
        assert answer.url.endswith("/foo/bar/")
        assert b"<title>page</title>" in answer.read()


def test_behind_a_proxy_script_name_changes_nothing(host_of: Callable[..., Host]) -> None:
    client = Client(host_of())
    proxied = {"SCRIPT_NAME": "/proxy"}
    assert client.get("/data/runs", environ_overrides=proxied).status_code == 200
    listing = client.get("/data/plugins_listing", headers={"X-Forwarded-Prefix": "/proxy"}).data
    assert b"/proxy" not in listing


@pytest.mark.parametrize("prefix", ["/a/../b", "/a b", "/a?b", "/a%2fb", "/a#b"])
def test_a_prefix_that_no_url_can_have_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidArgument, match="path prefix"):
        HostSettings(path_prefix=prefix)


def test_names_that_are_not_ascii(client: Client, provider: FakeProvider) -> None:
    provider.add_scalars("运行/1\udcff", "损失", np.array([1.0]))
    assert "运行/1\udcff" in _json(client.get("/data/runs"))


def test_no_path_breaks_the_host(client: Client) -> None:
    for path in ("/%ff%fe", "/data//runs", "/data/plugin/", "/data/plugin/none/tags", "/" + "x" * 9000):
        assert client.get(path).status_code == 404
