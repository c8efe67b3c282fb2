"""Hosts with tokens: the printed address, the page that asks for the token, guests, users of a proxy."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.conftest import Serve

pytestmark = pytest.mark.browser

WITH_TOKEN = {"INSIGHT_HOST_TOKEN": "1"}
GUEST = "a-token-of-guests"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    return tmp_path / "logs"


@pytest.fixture
def guests(tmp_path: Path) -> Path:
    file = tmp_path / "guests"
    file.touch(mode=0o600)
    file.write_text(GUEST)
    return file


def test_the_printed_address_opens_a_page_that_lives(page: Page, serve: Serve, logs: Path) -> None:
    url = serve("--logdir", logs, environment=WITH_TOKEN)
    bare = url.partition("?")[0]
    page.goto(f"{url}#locale=en")
    run = page.locator('[data-run="run"]')
    expect(run).to_be_visible()
    assert page.url.startswith(f"{bare}#")
    page.reload()
    expect(run).to_be_visible()
    with EventWriter(logs / "later") as writer:
        writer.scalar("loss", 0, 1.0)
    expect(page.locator('[data-run="later"]')).to_be_visible()  # by the stream of events
    assert page.evaluate("() => document.cookie") == ""
    [cookie] = page.context.cookies()
    assert cookie["value"] not in url


def test_a_page_asks_for_the_token_without_javascript(
    browser: Browser, serve: Serve, logs: Path, violations: Callable[[Page], list[str]]
) -> None:
    bare, _, token = serve("--logdir", logs, environment=WITH_TOKEN).partition("?token=")
    context = browser.new_context(java_script_enabled=False, locale="zh-CN")
    page = context.new_page()
    page.goto(bare)
    page.get_by_label("令牌").fill("wrong")
    page.get_by_role("button", name="打开").click()
    expect(page.get_by_role("alert")).to_contain_text("令牌不正确")
    page.get_by_label("令牌").fill(token)
    page.keyboard.press("Enter")
    expect(page).to_have_title("insight-host")
    assert page.url == bare
    context.close()
    for scheme in ("light", "dark"):
        seen = browser.new_context(color_scheme=scheme, locale="en-US", bypass_csp=True).new_page()
        seen.goto(f"{bare}?token=wrong")
        assert violations(seen) == []
        seen.context.close()


def _open_menu(run: Locator) -> None:
    run.hover()
    run.locator('[data-action="run-menu"]').click()


def test_a_guest_looks_and_writes_nothing(page: Page, serve: Serve, logs: Path, guests: Path) -> None:
    url = serve("--logdir", logs, "--read-token-file", guests, environment=WITH_TOKEN)
    bare = url.partition("?")[0]
    page.goto(f"{bare}?token={GUEST}#locale=en")
    run = page.locator('[data-run="run"]')
    expect(run).to_be_visible()
    page.wait_for_load_state("networkidle")
    _open_menu(run)
    expect(page.locator('[data-action="rename"]')).to_have_count(0)
    page.keyboard.press("Escape")
    written = """async () => {
        const { token } = await (await fetch('data/annotations')).json();
        const body = JSON.stringify({ run: 'run', note: 'by a guest' });
        const headers = { 'X-Insight-Token': token };
        const answer = await fetch('data/annotations', { method: 'PUT', body, headers });
        return [answer.status, (await answer.json()).code];
    }"""
    assert page.evaluate(written) == [403, "read_only"]
    page.goto(f"{url}#locale=en")  # the owner
    _open_menu(run)
    expect(page.locator('[data-action="rename"]')).to_have_count(1)
    assert page.evaluate(written)[0] == 200


def test_the_menu_of_a_run_says_who_wrote_a_note(page: Page, serve: Serve, logs: Path) -> None:
    url = serve("--logdir", logs, "--trust-proxy", "X-User", environment=WITH_TOKEN)
    bare, _, token = url.partition("?token=")
    headers = {"Authorization": f"Bearer {token}", "X-User": "alice", "Origin": bare.rstrip("/")}

    def asked(method: str, **more: object) -> dict[str, str]:
        body = json.dumps(more).encode() if more else None
        request = urllib.request.Request(f"{bare}data/annotations", body, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            found: dict[str, str] = json.load(answer)
            return found

    headers["X-Insight-Token"] = asked("GET")["token"]
    asked("PUT", run="run", note="the best")
    page.goto(f"{url}#locale=en")
    run = page.locator('[data-run="run"]')
    run.hover()
    run.locator('[data-action="run-menu"]').click()
    expect(page.locator('[data-author="note"]')).to_have_text(re.compile(r"^Note: alice, .*\d"))
