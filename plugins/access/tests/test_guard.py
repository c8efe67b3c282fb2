"""Who is let in: tokens, cookies, guests, users that a proxy names. And what all others receive."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from werkzeug.datastructures import Headers
from werkzeug.test import Client, TestResponse

from insight_core.web import Host
from tests.guarded_hosts import GUEST, TOKEN, Guarded, guarded_host

BROWSER = {"Accept": "text/html,*/*"}
OWNER, READER = {"Authorization": f"Bearer {TOKEN}"}, {"Authorization": f"Bearer {GUEST}"}


@pytest.fixture
def guarded(tmp_path: Path) -> Callable[..., Guarded]:
    return partial(guarded_host, tmp_path)


def _cookie(answer: TestResponse) -> str:
    return answer.headers["Set-Cookie"]


def _paths(host: Host) -> list[tuple[str, str]]:
    """Method and path of every URL of the host and its plugins, the plugin's own names put in."""
    maps = [host._map, *(mounted._map for mounted in host._plugins)]
    found = [
        (method, re.sub(r"<[^>]*>", "test", rule.rule))
        for each in maps
        for rule in each.iter_rules()
        for method in rule.methods or ()
    ]
    assert len(found) > 40
    return found


def test_every_route_is_refused_without_and_answered_with_the_token(
    guarded: Callable[..., Guarded],
) -> None:
    start = guarded()
    client, host = start.client(), start.host
    client.get("/data/plugin/test/who", headers=OWNER)  # waits for its routes
    more = [(method, path) for path in ("/", "/nothing", "*") for method in ("GET", "OPTIONS", "POST")]
    for method, path in [*_paths(host), *more]:
        refused = client.open(path, method=method)
        if path == "/healthz" and method in ("GET", "HEAD"):  # for probes of containers
            assert (refused.status_code, refused.data) == (
                200,
                b"" if method == "HEAD" else b'{"status":"ok"}',
            )
            continue
        assert refused.status_code == 401, (method, path)
        assert b"loss" not in refused.data
        if path == "/data/events":
            continue  # it has no end
        answered = client.open(path, method=method, headers=OWNER)
        assert answered.status_code in (200, 204, 400, 403, 404, 405), (method, path, answered.status)
        answered.close()


@pytest.mark.parametrize(
    "given",
    [
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": f"Bearer {TOKEN.upper()}"},
        {"Authorization": "Bearer \xe9\xff"},
        {"Cookie": f"insight-host={TOKEN}"},
        {"Cookie": "insight-host="},
        {"X-User": "alice"},
        {"Remote-User": "alice"},
    ],
)
def test_nothing_else_is_a_token(guarded: Callable[..., Guarded], given: dict[str, str]) -> None:
    client = Client(guarded().app, use_cookies=False)  # with cookies it drops the header
    assert client.get("/data/runs", headers=given).status_code == 401


def test_a_program_receives_json_and_a_browser_a_page(guarded: Callable[..., Guarded]) -> None:
    client = guarded().client()
    program = client.get("/data/runs")
    assert (program.json or {})["code"] == "unauthenticated"
    browser = client.get("/", headers=BROWSER)
    assert browser.mimetype == "text/html"
    assert '<input id="token" name="token"' in browser.text
    assert '<html lang="en">' in browser.text
    chinese = client.get("/", headers={**BROWSER, "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    assert '<html lang="zh-CN">' in chinese.text
    assert "%" not in re.sub(r"\d%", "", chinese.text), "a text is missing"
    for answer in (program, browser):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("other", ["other=\xff\xfe", "other=\xff; ", "\xff", "=;;=", 'other="a;b"'])
def test_cookies_of_other_servers_do_not_matter(guarded: Callable[..., Guarded], other: str) -> None:
    """Cookies know no ports: every server of this machine may set some, with bytes that are not UTF-8."""
    client = Client(guarded().app, use_cookies=False)  # with cookies it drops the header
    host = {"Host": "localhost:6006"}
    assert client.get("/data/runs", headers={**host, "Cookie": other}).status_code == 401
    pair = _cookie(client.get(f"/?token={TOKEN}", headers={**host, "Cookie": other})).partition(";")[0]
    for cookies in (f"{other}; {pair}", f"{pair}; {other}"):
        assert client.get("/data/runs", headers={**host, "Cookie": cookies}).status_code == 200


def test_guests_get_no_token_of_the_page(guarded: Callable[..., Guarded]) -> None:
    client = guarded().client()
    for path in ("/data/annotations", "/data/saved/page", "/data/saved/plugin/test"):
        for token, gets_it in ((TOKEN, True), (GUEST, False)):
            answer = client.get(path, headers={"Authorization": f"Bearer {token}"}).get_json()
            assert (answer["writable"], answer["token"] is not None) == (gets_it, gets_it)


def test_the_first_visit_sets_a_cookie_and_drops_the_token_from_the_address(
    guarded: Callable[..., Guarded],
) -> None:
    client = guarded().client()
    answer = client.get(f"/data/runs?a=%20b&token={TOKEN}&token=old&c", headers={"Host": "localhost:6006"})
    assert answer.status_code == 303
    assert answer.headers["Location"] == "./runs?a=%20b&c"
    assert TOKEN not in str(answer.headers)
    assert re.fullmatch(r"insight-host-6006=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax", _cookie(answer))
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    pair = _cookie(answer).partition(";")[0]
    plain = Client(client.application, use_cookies=False)  # with cookies it drops the header
    for port, status in ((6006, 200), (6007, 401)):
        headers = {"Host": f"localhost:{port}", "Cookie": pair}
        assert plain.get("/data/runs", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/", "./"),
        ("/a%3Ab/c%20d", "./c%20d"),
        ("/x//evil.example", "./evil.example"),
        ("/x/%2F%2Fevil", "./evil"),
    ],
)
def test_the_redirect_stays_on_this_host(guarded: Callable[..., Guarded], path: str, location: str) -> None:
    answer = guarded().client().get(f"{path}?token={TOKEN}")
    assert (answer.status_code, answer.headers["Location"]) == (303, location)


HTTPS = {"base_url": "https://logs.example"}
BY_LINK = {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}
IN_FRAME = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}


@pytest.mark.parametrize(
    ("asked", "headers", "rule"),
    [
        ({}, {}, "SameSite=Lax"),
        ({}, BY_LINK, "SameSite=Lax"),
        (HTTPS, {}, "SameSite=Lax; Secure"),
        ({}, {**BY_LINK, "Host": "logs.example"}, "SameSite=Lax; Secure"),  # behind a proxy with TLS
        ({}, {**BY_LINK, "Host": "[::1]:6006"}, "SameSite=Lax"),
        ({}, {**IN_FRAME, "Sec-Fetch-Site": "same-site"}, "SameSite=Lax"),
        ({}, {**IN_FRAME, "Sec-Fetch-Dest": "document"}, "SameSite=Lax"),
        ({}, IN_FRAME, "SameSite=None; Secure; Partitioned"),
    ],
)
def test_the_cookie_is_as_strict_as_the_place_of_the_page_allows(
    guarded: Callable[..., Guarded], asked: dict[str, str], headers: dict[str, str], rule: str
) -> None:
    client = guarded().client()
    answer = client.get(f"/?token={TOKEN}", headers=headers, base_url=asked.get("base_url"))
    assert _cookie(answer).partition("HttpOnly; ")[2] == rule


def test_below_a_prefix_the_cookie_is_for_the_prefix(guarded: Callable[..., Guarded]) -> None:
    answer = guarded(settings={"path_prefix": "/a/b"}).client().get(f"/a/b/?token={TOKEN}")
    assert "; Path=/a/b; " in _cookie(answer)


def _send(client: Client, token: str, **headers: str) -> TestResponse:
    fields = Headers({**BROWSER, **{name.replace("_", "-"): text for name, text in headers.items()}})
    return client.post("/?token=wrong&a=1", data={"token": token}, headers=fields)


def test_the_form_lets_in(guarded: Callable[..., Guarded]) -> None:
    client = guarded().client()
    wrong = _send(client, "wrong")
    assert wrong.status_code == 401
    assert 'role="alert"' in wrong.text
    assert 'role="alert"' not in client.get("/", headers=BROWSER).text
    right = _send(client, f" {TOKEN} ", Sec_Fetch_Site="same-origin")
    assert (right.status_code, right.headers["Location"]) == (303, "./?a=1")
    assert client.get("/data/runs").status_code == 200  # the client has the cookie


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_no_other_site_can_make_a_user_a_guest(
    guarded: Callable[..., Guarded], headers: dict[str, str]
) -> None:
    assert _send(guarded().client(), GUEST, **headers).status_code == 401


def test_a_form_in_a_foreign_frame_gets_the_cookie_of_a_foreign_frame(
    guarded: Callable[..., Guarded],
) -> None:
    client = guarded(settings={"frame_ancestors": ["https://notebooks.example"]}).client()
    shown = client.get("/", headers={**BROWSER, **IN_FRAME})
    assert 'name="framed" value="1"' in shown.text
    assert "frame-ancestors 'self' https://notebooks.example" in shown.headers["Content-Security-Policy"]
    answer = client.post("/", data={"token": TOKEN, "framed": "1"}, headers=BROWSER)
    assert _cookie(answer).endswith("SameSite=None; Secure; Partitioned")


def test_a_guest_sees_everything_and_changes_nothing(guarded: Callable[..., Guarded]) -> None:
    client = guarded().client()
    for path in ("/", "/data/runs", "/data/plugin/test/who"):
        assert client.get(path, headers=READER).status_code == 200
    answer = client.get("/data/annotations", headers=READER).json or {}
    assert not answer["writable"]
    assert answer["reason"]
    assert not (client.get("/data/saved/page", headers=READER).json or {})["writable"]
    token = (client.get("/data/annotations", headers=OWNER).json or {})["token"]
    own = {"Origin": "http://localhost", "X-Insight-Token": token}
    for method, path in (
        ("PUT", "/data/annotations"),
        ("PUT", "/data/saved/page"),
        ("DELETE", "/data/saved/plugin/test?name=a&version=1"),
        ("POST", "/data/plugin/test/write"),
    ):
        body = {"run": "a", "note": "by a guest"} if "annotations" in path else {}
        refused = client.open(path, method=method, json=body, headers={**READER, **own})
        assert (refused.status_code, (refused.json or {})["code"]) == (403, "read_only"), path
    for path in ("/data/plugin/test/posted", "/data/plugin/test/tags"):  # both only read
        assert client.post(path, headers=READER).status_code == 200
    assert (client.get("/data/annotations", headers=OWNER).json or {})["writable"]
    written = client.put("/data/annotations", json={"run": "a", "note": "n"}, headers={**OWNER, **own})
    assert written.status_code == 200


def test_a_guest_stays_one_with_a_cookie(guarded: Callable[..., Guarded]) -> None:
    client = guarded().client()
    assert client.get(f"/?token={GUEST}").status_code == 303
    assert client.post("/data/plugin/test/write").status_code == 403
    assert client.get(f"/?token={TOKEN}").status_code == 303
    assert client.post("/data/plugin/test/write").status_code == 200


def _who(client: Client, headers: dict[str, str]) -> object:
    answer = client.get("/data/plugin/test/who", headers=headers)
    return (answer.json or {})["user"] if answer.status_code == 200 else answer.status_code


def test_only_a_proxy_with_the_token_names_the_user(guarded: Callable[..., Guarded]) -> None:
    client = guarded(trust_proxy="X-User").client()
    assert _who(client, {**OWNER, "X-User": "alice"}) == "alice"
    assert _who(client, {**OWNER, "X-User": "Zo\xc3\xab"}) == "Zoë"
    assert _who(client, {**OWNER, "X-Other": "alice"}) is None
    assert _who(client, OWNER) is None
    answer = client.get("/data/plugin/test/who", headers={**OWNER, "X-User": "mallory,alice"})
    assert (answer.json or {})["header"] is None, "nobody behind the guard believes it"
    assert _who(client, {**OWNER, "X-User": "mallory,alice"}) is None  # of a client, and of the proxy
    assert _who(client, {"X-User": "alice"}) == 401
    client.get(f"/?token={TOKEN}")
    assert _who(client, {"X-User": "alice"}) is None  # whoever has the token may not be somebody else
    assert client.post("/data/plugin/test/write", headers={**READER, "X-User": "bob"}).status_code == 403


def test_without_a_token_every_client_is_named_or_refused(guarded: Callable[..., Guarded]) -> None:
    client = guarded(token=False, token_file=None, read_token_file=None, trust_proxy="X-User").client()
    assert _who(client, {"X-User": "alice"}) == "alice"
    assert _who(client, {}) == 401
    assert _who(client, {"X-User": " "}) == 401


def test_without_trust_proxy_no_header_names_a_user(guarded: Callable[..., Guarded]) -> None:
    assert _who(guarded().client(), {**OWNER, "X-User": "alice", "Remote-User": "alice"}) is None


def test_a_link_holds_the_token_of_guests_and_no_other(guarded: Callable[..., Guarded]) -> None:
    for who in (OWNER, READER):
        answer = guarded().client().get("/data/link", headers=who)
        assert answer.json == {"needs_token": True, "guest_token": GUEST}
        assert answer.headers["Cache-Control"] == "no-store"
    alone = guarded(read_token_file=None).client().get("/data/link", headers=OWNER)
    assert alone.json == {"needs_token": True, "guest_token": None}
    named = guarded(trust_proxy="X-User").client()
    told = named.get("/data/link", headers={**OWNER, "X-User": "alice"})
    assert told.json == {"needs_token": False, "guest_token": None}  # whom the proxy lets in needs no token
