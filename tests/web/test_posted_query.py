"""POST with parameters in the body reads what GET reads, without the limit of a URL."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.plugin import Plugin, Route
from insight_core.web import Host, posted_query
from insight_core.web.http_server import Server

RUNS = [f"a run of some length/{number:05}/ü&=+" for number in range(5000)]


def _echo(request: Request) -> Response:
    body = json.dumps([request.method, list(request.args.items(multi=True)), request.get_data(as_text=True)])
    return Response(body, mimetype="application/json")


def _write(request: Request) -> Response:
    return Response(f"wrote {request.get_data(as_text=True)}")


def _read_item(request: Request, number: int) -> Response:
    return Response(f"item {number}")


def _write_item(request: Request, name: str) -> Response:
    return Response(f"wrote {name}")


@pytest.fixture
def host(host_of: Callable[..., Host]) -> Host:
    routes = [Route("/echo", _echo), Route("/own", _echo), Route("/own", _write, methods=("POST",))]
    routes += [Route("/item/<int:number>", _read_item), Route("/item/<name>", _write_item, methods=("POST",))]
    return host_of(Plugin("scalar", "Scalars", routes=lambda ctx: routes))


@pytest.fixture
def client(host: Host) -> Client:
    return Client(host)


ECHO = "/data/plugin/scalar/echo"


def _posted(client: Client, data: Any, **options: Any) -> Any:  # noqa: ANN401
    answer = client.post(f"{ECHO}?tag=x", data=data, **options)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_a_form_and_a_json_object_are_read_as_the_query_of_a_get(client: Client) -> None:
    asked = [("tag", "x"), *(("run", run) for run in RUNS), ("width", "600")]
    expected = ["GET", [[name, value] for name, value in asked], ""]
    form = urlencode(asked[1:])
    assert len(form) > 200_000  # more than any URL, and than one field of a form by werkzeug's default
    assert _posted(client, form, content_type="application/x-www-form-urlencoded") == expected
    body = json.dumps({"run": RUNS, "width": 600})
    assert _posted(client, body, content_type="application/json") == expected
    assert _posted(client, None) == ["GET", [["tag", "x"]], ""]


def test_values_of_json_are_those_of_a_query(client: Client) -> None:
    body = json.dumps({"from": 1.5, "flags": [True, False], "at": -3, "none": None, "name": "\udcff"})
    _, pairs, _ = _posted(client, body, content_type="application/json")
    assert pairs[1:-1] == [["from", "1.5"], ["flags", "1"], ["flags", "0"], ["at", "-3"]]


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        ("{", "application/json", "the body is not JSON"),
        ("[1]", "application/json", "not a JSON object"),
        ('{"run": {"a": 1}}', "application/json", "run must be text"),
        ('{"run": ["a", null]}', "application/json", "run must be text"),
        ("[" * 100_000, "application/json", "the body is not JSON"),
        ("x", "text/plain", "not 'text/plain'"),
    ],
)
def test_a_body_that_has_no_parameters_is_refused(client: Client, body: str, kind: str, reason: str) -> None:
    answer = client.post(ECHO, data=body, content_type=kind)
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["code"] == "invalid_argument"
    assert reason in answer.json["error"]


def test_more_parameters_than_there_are_runs_are_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posted_query, "_MOST", 3)
    assert len(_posted(client, {"run": ["a", "b", "c"]})[1]) == 4  # with that of the URL
    many = {"run": ["a", "b", "c", "d"]}
    for answer in (client.post(ECHO, data=many), client.post(ECHO, json=many)):
        assert (answer.status_code, (answer.json or {})["code"]) == (413, "too_large")
        assert "at most 3 parameters" in (answer.json or {})["error"]


def test_a_post_route_of_the_plugin_gets_the_request_itself(client: Client) -> None:
    assert client.post("/data/plugin/scalar/own", data="text").text == "wrote text"
    assert client.get("/data/plugin/scalar/own").status_code == 200


def test_a_post_route_of_another_pattern_is_not_taken_for_reading(client: Client) -> None:
    assert client.get("/data/plugin/scalar/item/3").text == "item 3"
    assert client.post("/data/plugin/scalar/item/3").text == "wrote 3"


def test_routes_of_the_host_for_every_plugin_are_read_by_post_too(client: Client) -> None:
    asked = client.get("/data/plugin/scalar/tags")
    assert (client.post("/data/plugin/scalar/tags").data, asked.status_code) == (asked.data, 200)
    allowed = client.options("/data/plugin/scalar/tags").headers["Allow"]
    assert set(allowed.split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}
    assert client.post("/data/runs").status_code == 405
    assert client.post("/data/plugin/scalar/static/index.js").status_code in (404, 405)


def test_other_sites_cannot_post(client: Client) -> None:
    refused = client.post(ECHO, data="", headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403
    same = client.post(ECHO, data="", headers={"Sec-Fetch-Site": "same-origin"})
    assert same.status_code == 200


def test_a_query_too_long_for_a_url_arrives_over_http(host: Host, serve: Callable[[Any], Server]) -> None:
    server = serve(host)
    form = urlencode([("run", run) for run in RUNS])
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", f"{ECHO}?{form}")
    assert connection.getresponse().status == 414
    connection.close()
    connection.request("POST", ECHO, form, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    assert [value for _, value in json.load(answer)[1]] == RUNS
    connection.close()
