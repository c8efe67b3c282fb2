"""Tokens of the command line: what is printed, what is answered, and binds that are refused."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cli.conftest import Serving
from tests.tensorboard.installed import install

Run = Callable[..., CompletedProcess[str]]
Serve = Callable[..., Serving]
WITH_TOKEN = {"INSIGHT_HOST_TOKEN": "1"}


def _status(url: str, token: str = "") -> int:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def _middleware(place: Path, hook: str) -> Path:
    """A directory with a module that wraps the application, as pip would leave it."""
    site = install(place / "site", {"wrapping": "wrapping"}, "wrapping", group="insight.middleware")
    (site / "wrapping.py").write_text(f"from insight_core.plugin import hookimpl\n@hookimpl\n{hook}")
    return site


def test_the_printed_address_opens_the_page_and_nothing_else_does(serve: Serve, tmp_path: Path) -> None:
    host = serve("--logdir", str(tmp_path), "--path-prefix", "/a/b", env=WITH_TOKEN)
    bare, _, token = host.url.partition("?token=")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/a/b/", bare)
    assert len(token) >= 43
    assert [_status(f"{bare}{path}") for path in ("", "data/runs", "data/events", "healthz/")] == [401] * 4
    assert _status(f"{bare}healthz") == 200  # probes of containers have no token
    assert _status(f"{bare}healthz", token) == 200
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with browser.open(host.url, timeout=60) as answer:
        assert answer.url == bare
        assert answer.status == 200
    host.process.terminate()
    _, said = host.process.communicate(timeout=60)
    assert token not in said


@pytest.mark.parametrize(
    ("flags", "is_said"),
    [(("--host", "0.0.0.0", "--insecure"), True), (("--host", "127.0.0.1"), False)],
)
def test_a_start_without_the_guard_says_who_can_look(
    serve: Serve, tmp_path: Path, flags: tuple[str, ...], is_said: bool
) -> None:
    host = serve("--logdir", str(tmp_path), *flags, "--disable-plugin", "access")
    host.process.terminate()
    _, said = host.process.communicate(timeout=60)
    assert ("other machines can look and write" in said) == is_said


@pytest.mark.parametrize(
    ("body", "starts"),
    [("return app", False), ("settings.declare_guard(); return app", True)],
    ids=["no guard", "a guard"],
)
def test_beyond_this_machine_a_host_needs_a_guard_whoever_left_it_out(
    run: Run, serve: Serve, tmp_path: Path, body: str, starts: bool
) -> None:
    site = _middleware(tmp_path, f"def insight_wrap_app(app, settings):\n    {body}\n")
    flags = ("--logdir", str(tmp_path), "--host", "0.0.0.0", "--disable-plugin", "access")
    if starts:
        assert _status(f"{serve(*flags, env={'PYTHONPATH': str(site)}).url}healthz") == 200
        return
    for environment in ({}, {"PYTHONPATH": str(site)}):
        done = run(*flags, "--port", "0", env=environment)
        assert done.returncode == 1
        assert "no plugin guards the host" in done.stderr
        assert "--insecure" in done.stderr


def test_other_middleware_is_behind_the_token(serve: Serve, tmp_path: Path) -> None:
    """A page that another module answers itself is guarded, too."""
    site = _middleware(
        tmp_path,
        "def insight_wrap_app(app):\n"
        "    def answer(environ, start_response):\n"
        "        start_response('200 OK', [('Content-Length', '4')])\n"
        "        return [b'open']\n"
        "    return answer\n",
    )
    host = serve("--logdir", str(tmp_path), env={**WITH_TOKEN, "PYTHONPATH": str(site)})
    bare, _, token = host.url.partition("?token=")
    assert (_status(bare), _status(bare, token)) == (401, 200)
