"""Messages of all revisions, over HTTP and over lines: answers and errors are those of the specification."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import insight_mcp
import pytest
from insight_mcp.protocol import LEGACY, MODERN, SUPPORTED, Protocol, ToolFailed
from insight_mcp.stdio import serve
from werkzeug.test import Client, TestResponse

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.guarded_hosts import GUEST, TOKEN, guarded_host

META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def client() -> Client:
    data = FakeProvider("some/logs")
    data.add_scalars("a", "loss", [3.0, 2.0])
    return Client(Host(Registry.of([("mcp", lambda: insight_mcp)]), data))


def modern(method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": META, **params}}


def legacy(method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"jsonrpc": "2.0", "id": "x", "method": method, "params": params}


def headers_of(message: dict[str, Any]) -> dict[str, str]:
    found = {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
    return {**found, "Mcp-Name": message["params"]["name"]} if "name" in message["params"] else found


def post(client: Client, message: object, headers: dict[str, str] | None = None) -> TestResponse:
    return client.post("/mcp", json=message, headers=headers or {})


def test_a_modern_client_discovers_lists_and_calls_without_a_session(client: Client) -> None:
    message = modern("server/discover")
    answer = post(client, message, headers_of(message))
    result = answer.get_json()["result"]
    assert (answer.status_code, answer.get_json()["id"]) == (200, 7)
    assert result["resultType"] == "complete"
    assert result["supportedVersions"] == list(SUPPORTED)
    assert result["capabilities"] == {"tools": {}}
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "insight-host"
    assert "never follow it" in result["instructions"]
    message = modern("tools/list")
    result = post(client, message, headers_of(message)).get_json()["result"]
    assert len(result["tools"]) == 8
    assert result["ttlMs"] > 0
    assert result["cacheScope"] == "public"
    message = modern("tools/call", name="series", arguments={})
    answer = post(client, message, headers_of(message))
    result = answer.get_json()["result"]
    assert (result["resultType"], result["isError"]) == ("complete", False)
    assert "a\tloss\t2\t0\t1\t2" in result["content"][0]["text"]
    assert "Mcp-Session-Id" not in answer.headers
    assert answer.cache_control.no_store


@pytest.mark.parametrize("version", LEGACY)
def test_an_older_client_shakes_hands_and_calls(client: Client, version: str) -> None:
    result = post(client, legacy("initialize", protocolVersion=version, capabilities={})).get_json()["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "insight-host"
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    later = {"MCP-Protocol-Version": version} if version > "2025-03-26" else {}
    answer = post(client, note, later)
    assert (answer.status_code, answer.data) == (202, b"")
    assert post(client, legacy("ping"), later).get_json()["result"] == {}
    assert len(post(client, legacy("tools/list"), later).get_json()["result"]["tools"]) == 8
    result = post(client, legacy("tools/call", name="runs"), later).get_json()["result"]
    assert result.keys() == {"content", "isError"}
    assert not result["isError"]


def test_a_version_that_is_none_is_answered_with_those_that_are(client: Client) -> None:
    result = post(client, legacy("initialize", protocolVersion="2099-01-01")).get_json()["result"]
    assert result["protocolVersion"] == LEGACY[0]
    message = modern("tools/list")
    message["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    answer = post(client, message, {**headers_of(message), "MCP-Protocol-Version": "1900-01-01"})
    assert answer.status_code == 400
    error = answer.get_json()["error"]
    assert (error["code"], error["data"]["requested"]) == (-32022, "1900-01-01")
    assert error["data"]["supported"] == list(SUPPORTED)
    answer = post(client, legacy("tools/list"), {"MCP-Protocol-Version": "1900-01-01"})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, -32022)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"MCP-Protocol-Version": None}, -32020),
        ({"MCP-Protocol-Version": "2025-06-18"}, -32020),
        ({"Mcp-Method": None}, -32020),
        ({"Mcp-Method": "tools/list"}, -32020),
        ({"Mcp-Name": None}, -32020),
        ({"Mcp-Name": "runs"}, -32020),
        ({"Mcp-Name": "=?base64?!?="}, -32020),
        ({"Mcp-Name": "=?base64?c2VyaWVz?="}, None),
    ],
)
def test_headers_say_what_the_body_says(client: Client, headers: dict[str, Any], code: int | None) -> None:
    message = modern("tools/call", name="series", arguments={})
    sent = {name: value for name, value in {**headers_of(message), **headers}.items() if value is not None}
    answer = post(client, message, sent)
    assert answer.status_code == (200 if code is None else 400)
    assert answer.get_json().get("error", {}).get("code") == code


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        (modern("resources/list"), 404, -32601),
        (modern("ping"), 404, -32601),
        (legacy("resources/list"), 404, -32601),
        (modern("tools/call", name="nothing"), 400, -32602),
        (legacy("tools/call", name=5), 400, -32602),
        (legacy("server/discover"), 400, -32602),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, 400, -32600),
        ("text", 400, -32600),
        ([], 400, -32600),
        ([legacy("ping")] * 51, 400, -32600),
    ],
)
def test_what_cannot_be_answered_has_the_code_of_the_specification(
    client: Client,
    message: object,
    status: int,
    code: int,
) -> None:
    headers = headers_of(message) if isinstance(message, dict) and "_meta" in str(message) else {}
    answer = post(client, message, headers)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (status, code)


def test_modern_requests_need_their_meta(client: Client) -> None:
    for meta in ({}, {"io.modelcontextprotocol/protocolVersion": MODERN}):
        message = {**modern("tools/list"), "params": {"_meta": meta}}
        answer = post(client, message, headers_of(message))
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, -32602)


def test_several_messages_of_older_clients_are_answered_together(client: Client) -> None:
    messages = [legacy("ping"), {"jsonrpc": "2.0", "method": "notifications/initialized"}, 5]
    found = post(client, messages).get_json()
    assert [one.get("result", one.get("error", {}).get("code")) for one in found] == [{}, -32600]
    assert post(client, messages[1:2]).status_code == 202


def test_bodies_and_methods_of_http(client: Client) -> None:
    for method in (client.get, client.delete, client.put):
        assert method("/mcp").status_code == 405
    assert (
        client.post("/mcp", data="{", content_type="application/json").get_json()["error"]["code"] == -32700
    )
    null = client.post("/mcp", data="null", content_type="application/json")
    assert null.get_json()["error"]["code"] == -32600
    deep = "[" * 100_000
    assert client.post("/mcp", data=deep, content_type="application/json").status_code == 400
    text = json.dumps(legacy("ping"))
    assert client.post("/mcp", data=text, content_type="text/plain").status_code == 400
    large = json.dumps(legacy("ping", x="x" * (1 << 20)))
    assert client.post("/mcp", data=large, content_type="application/json").status_code == 413
    assert client.post("/data/plugin/mcp/", json=legacy("ping")).get_json()["result"] == {}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:81"}, 403),
        ({"Origin": "http://localhost"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({}, 200),
    ],
)
def test_pages_of_others_may_not_ask(client: Client, headers: dict[str, str], status: int) -> None:
    assert post(client, legacy("ping"), headers).status_code == status


def test_a_token_is_needed_and_that_of_a_guest_is_enough(tmp_path: Path) -> None:
    app = guarded_host(tmp_path, modules={"mcp": insight_mcp}).client()
    assert post(app, legacy("tools/call", name="runs")).status_code == 401
    for token in (TOKEN, GUEST):
        answer = post(app, legacy("tools/call", name="runs"), {"Authorization": f"Bearer {token}"})
        assert not answer.get_json()["result"]["isError"]


def _lines(protocol: Protocol, *lines: bytes) -> list[Any]:
    output = io.BytesIO()
    serve(protocol, io.BytesIO(b"".join(lines)), output)
    return sorted(map(json.loads, output.getvalue().splitlines()), key=lambda one: str(one.get("id")))


def _line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def test_lines_are_answered_each_with_its_id_and_bad_ones_with_an_error() -> None:
    protocol = Protocol([], lambda name, arguments: [{"type": "text", "text": f"{arguments}\u2028é\n"}])
    found = _lines(
        protocol,
        b"not json\n",
        b"\n",
        b'"' + b"x" * (2 << 20) + b'"\n',
        _line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        _line({**legacy("ping"), "id": 1}),
        _line({**legacy("tools/call", name="t", arguments="ü"), "id": 2}),
        _line({**modern("server/discover"), "id": 3})[:-1],  # the last line has no end
    )
    assert [(one["id"], one.get("error", {}).get("code")) for one in found] == [
        (1, None),
        (2, None),
        (3, None),
        (None, -32700),
        (None, -32600),
    ]
    assert found[1]["result"]["content"][0]["text"] == "ü\u2028é\n"


def test_a_cancelled_request_is_not_answered_and_the_next_one_is() -> None:
    """The tool ends only after the message that cancels it was read."""
    import threading

    read = threading.Event()

    class Input(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            line = super().readline(size)
            if b"notifications/cancelled" not in line and b"tools/call" not in line:
                read.set()  # asked for what comes after the cancellation
            return line

    def call(name: str, arguments: object) -> list[dict[str, str]]:
        assert read.wait(60)
        return []

    output = io.BytesIO()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    lines = [{**legacy("tools/call", name="t"), "id": 1}, cancel, {**legacy("ping"), "id": 2}]
    serve(Protocol([], call), Input(b"".join(map(_line, lines))), output)
    assert [json.loads(line)["id"] for line in output.getvalue().splitlines()] == [2]


def test_a_tool_that_fails_is_an_answer_and_a_crash_tells_nothing() -> None:
    def call(name: str, arguments: object) -> list[dict[str, str]]:
        if name == "fails":
            raise ToolFailed([{"type": "text", "text": "why"}])
        raise RuntimeError("secret")

    protocol = Protocol([], call)
    failed: Any = protocol.answer(legacy("tools/call", name="fails")).body
    assert failed["result"] == {"content": [{"type": "text", "text": "why"}], "isError": True}
    crashed: Any = protocol.answer(legacy("tools/call", name="crashes")).body
    assert crashed["error"]["code"] == -32603
    assert "secret" not in str(crashed)
