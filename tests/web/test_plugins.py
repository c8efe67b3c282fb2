"""A plugin that misbehaves is on its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest
from werkzeug import Request, Response
from werkzeug.exceptions import TooManyRequests
from werkzeug.test import Client

from insight_core.plugin import NotFound, Plugin, PluginContext, Route, Unavailable
from insight_core.plugin.http import json_response, text, texts
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings

GOOD = Plugin("scalar", "Scalars", order=1)


def _ok(request: Request) -> Response:
    return Response("ok")


def _plugin(*routes: Any, **fields: Any) -> Plugin:  # noqa: ANN401
    return Plugin("bad", "Bad", routes=lambda data: routes, **fields)


def _listing(client: Client) -> dict[str, Any]:
    listing: dict[str, Any] = json.loads(client.get("/data/plugins_listing").data)
    return listing


def _fail(*_: object) -> NoReturn:
    raise RuntimeError("secret detail")


def _exit(*_: object) -> NoReturn:
    raise SystemExit(1)


@pytest.mark.parametrize(
    ("plugin", "reason"),
    [
        (Plugin("bad", "Bad", routes=_fail), "RuntimeError: secret detail"),
        (Plugin("bad", "Bad", routes=_exit), "SystemExit: 1"),
        (Plugin("bad", "Bad", routes=lambda ctx: None), "TypeError"),
        (_plugin("/x"), "gave a str, not a Route"),
        (
            Plugin("bad", "Bad", routes=lambda ctx: [Route("/x", cast(Any, 3))]),
            "its view is a int, not a function",
        ),
        (_plugin(Route("/<nope:x>", _ok)), "nope"),
        (_plugin(Route("/<x", _ok)), "bad"),
        (
            _plugin(Route("/x", _ok), Route("/x/", "theirs.views:answer")),
            f"test_plugins.py:{_ok.__code__.co_firstlineno} and theirs.views:answer",
        ),
        (
            _plugin(Route("/x/<int:step>", _ok), Route("/x/<int:number>", _ok)),
            "two routes answer GET /x/<int:number>",
        ),
        (_plugin(Route("/x", _ok, methods=cast(Any, "GET"))), "the methods of /x"),
        (_plugin(Route("/x/<int:step>", _ok, reads=[text("step")])), "are the argument step of its view"),
        (_plugin(Route("/x", _ok, reads=[text("by"), texts("by")])), "are the argument by of its view"),
        (_plugin(Route("/x", _ok, reads=cast(Any, ["by"]))), "what /x reads is not made by"),
        (_plugin(Route("/static/x", _ok), frontend=Path("/nowhere")), "/static/x"),
    ],
)
def test_routes_that_cannot_be_made(host_of: Callable[..., Host], plugin: Plugin, reason: str) -> None:
    client = Client(host_of(plugin, GOOD))
    assert client.get("/data/plugin/bad/x").status_code == 404
    row = _listing(client)["bad"]
    assert reason in row["error"]
    assert (row["enabled"], row["loading_mechanism"]) == (False, {"type": "NONE"})
    assert client.get("/data/plugin/scalar/tags").status_code == 200


@pytest.mark.parametrize("view", [_fail, _exit, lambda request: "text", lambda request: None])
def test_a_view_that_fails_is_a_500_without_detail(
    host_of: Callable[..., Host],
    view: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = Client(host_of(_plugin(Route("/x", view)), GOOD))
    answer = client.get("/data/plugin/bad/x")
    assert answer.status_code == 500
    assert answer.json == {
        "error": "plugin bad failed to answer; the log of the host says why",
        "code": "failed",
        "details": {"who": "plugin bad"},
    }
    assert "plugin" not in answer.headers.get("ETag", "")
    assert "bad failed on GET /data/plugin/bad/x" in caplog.text
    assert client.get("/data/plugin/scalar/tags").status_code == 200


@pytest.mark.parametrize(
    ("error", "status", "answered"),
    [
        (NotFound("no such thing"), 404, {"error": "no such thing", "code": "not_found"}),
        (Unavailable("later"), 503, {"error": "later", "code": "unavailable"}),
        (TooManyRequests("slowly"), 429, {"error": "slowly", "code": "unavailable"}),
        (
            NotFound("no layer 7", code="no_layer", layer=7),
            404,
            {"error": "no layer 7", "code": "no_layer", "details": {"layer": 7}},
        ),
    ],
)
def test_errors_meant_for_the_user_reach_him_with_code_and_details(
    host_of: Callable[..., Host], error: Exception, status: int, answered: object
) -> None:
    def view(request: Request) -> Response:
        raise error

    answer = Client(host_of(_plugin(Route("/x", view)))).get("/data/plugin/bad/x")
    assert (answer.status_code, answer.json) == (status, answered)


def test_a_route_takes_path_variables_and_its_own_methods(host_of: Callable[..., Host]) -> None:
    def view(request: Request, name: str) -> Response:
        return Response(f"{request.method} {name}")

    client = Client(host_of(_plugin(Route("/file/<path:name>", view, methods=("GET", "POST")))))
    assert client.get("/data/plugin/bad/file/a/b").data == b"GET a/b"
    assert client.post("/data/plugin/bad/file/a/b").data == b"POST a/b"
    assert client.put("/data/plugin/bad/file/a/b").status_code == 405


def test_tags_of_its_own_win(host_of: Callable[..., Host]) -> None:
    assert Client(host_of(_plugin(Route("/tags", _ok)))).get("/data/plugin/bad/tags").data == b"ok"


def test_an_answer_keeps_its_own_validator(host_of: Callable[..., Host]) -> None:
    def own(request: Request) -> Response:
        return Response("x", headers={"ETag": '"mine"', "Cache-Control": "max-age=5"})

    def live(request: Request) -> Response:
        return Response("x", headers={"Cache-Control": "no-store"})

    client = Client(host_of(_plugin(Route("/own", own), Route("/live", live))))
    answer = client.get("/data/plugin/bad/own")
    assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"mine"', "max-age=5")
    assert "ETag" not in client.get("/data/plugin/bad/live").headers


def test_listing_in_tab_order_with_front_ends(
    host_of: Callable[..., Host], page_directory: Path, provider: FakeProvider
) -> None:
    (page_directory / "index.js").write_text("export default {}")
    whole = Plugin("scalar", "Scalars", titles={"zh-CN": "标量"}, frontend=page_directory, order=5)
    unbuilt = Plugin("unbuilt", "Unbuilt", frontend=page_directory / "missing")
    bare = Plugin("bare", "Bare", order=1)
    client = Client(host_of(whole, unbuilt, bare))
    listing = _listing(client)
    assert list(listing) == ["bare", "scalar", "unbuilt"]
    assert listing["scalar"] == {
        "disable_reload": False,
        "enabled": True,
        "remove_dom": False,
        "tab_name": "Scalars",
        "loading_mechanism": {
            "type": "ES_MODULE",
            "module_path": listing["scalar"]["loading_mechanism"]["module_path"],
            "api_version": 1,
        },
        "titles": {"zh-CN": "标量"},
    }
    assert client.get("/data/plugin/scalar/static/index.js").data == b"export default {}"
    assert (listing["bare"]["enabled"], listing["bare"]["loading_mechanism"]) == (False, {"type": "NONE"})
    assert "not built" in listing["unbuilt"]["error"]


def test_the_listing_asks_no_series(
    host_of: Callable[..., Host], provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be a million of them."""
    monkeypatch.setattr(provider, "series", _fail)
    listing = _listing(Client(host_of(Plugin("scalar", "Scalars"), Plugin("bare", "Bare"))))
    assert (listing["scalar"]["enabled"], listing["bare"]["enabled"]) == (True, False)


def test_a_failed_load_is_listed(provider: FakeProvider, page_directory: Path) -> None:
    registry = Registry.of([("broken", _fail)], distribution="their-package")
    row = _listing(Client(Host(registry, provider, HostSettings(page=page_directory))))["broken"]
    place = f"tests/web/test_plugins.py:{_fail.__code__.co_firstlineno + 1}"
    assert row["error"] == f"RuntimeError: secret detail ({place}) (from their-package)"
    assert row["loading_mechanism"] == {"type": "NONE"}


@pytest.mark.parametrize("is_active", [_fail, _exit])
def test_is_active_that_raises_counts_as_no(host_of: Callable[..., Host], is_active: Any) -> None:  # noqa: ANN401
    listing = _listing(Client(host_of(_plugin(is_active=is_active), GOOD)))
    assert (listing["bad"]["enabled"], listing["scalar"]["enabled"]) == (False, True)
    assert listing["bad"]["error"].startswith("is_active() failed: ")


def test_a_plugin_has_an_address_of_its_own_at_the_root(host_of: Callable[..., Host]) -> None:
    def routes(ctx: PluginContext) -> list[Route]:
        return [
            Route("/", lambda request: json_response("root"), methods=("POST",)),
            Route("/<int:number>", lambda request, number: json_response(number)),
        ]

    client = Client(host_of(Plugin("x", "X", routes=routes, address="/x-y")))
    assert client.post("/x-y").get_json() == client.post("/data/plugin/x/").get_json() == "root"
    assert client.get("/x-y").status_code == 405
    assert client.get("/x-y/7").get_json() == 7
    assert client.get("/x-y/tags").status_code == client.get("/x").status_code == 404
    assert {"/x-y", "/x-y/{number}"} <= client.get("/openapi.json").get_json()["paths"].keys()
    for address in ("/data", "/static", "/healthz", "x", "/a/b", "/A"):
        with pytest.raises(ValueError, match="has not the form: a slash and one word"):
            Plugin("x", "X", address=address)
