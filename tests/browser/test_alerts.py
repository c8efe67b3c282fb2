"""Alerts, installed by pip: told in the page wherever the user is, and by a command that tests rules."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

RULES = """
[[rule]]
name = "Loss is broken"
when = "nan"
tag = "^train/loss"
[[rule]]
name = "Run is over"
when = "ended"
"""


def _write(logs: Path, run: str, *values: float, when: float) -> None:
    with EventWriter(logs / run, start_time=when) as writer:
        for step, value in enumerate(values):
            writer.scalar("train/loss (x)", 10 * step, value)


def test_a_new_alert_is_told_in_the_page_and_leads_to_the_card_at_its_step(
    page: Page,
    serve: Serve,
    tmp_path: Path,
    violations: Callable[[Page], list[str]],
) -> None:
    logs, file, now = tmp_path / "logs", tmp_path / "alerts.toml", time.time()
    file.write_text(RULES)
    _write(logs, "healthy", 1, 2, 3, when=now)
    _write(logs, "before", 1, float("nan"), when=9e12)  # no date of JavaScript is so late
    url = serve("--logdir", logs, "--alerts", file)
    with page.expect_response(lambda found: "/alerts/found" in found.url and found.json()["total"] == 1):
        page.goto(f"{url}#locale=zh-CN&theme=light&tab=scalar")
    tab = page.locator("#tab-diagnose")  # found before the page was opened: no notice
    expect(page.locator(".ih-toast")).to_have_count(0)
    _write(logs, "broken", 1, 2, float("inf"), when=now)
    expect(page.locator(".ih-toast")).to_contain_text("train/loss (x)")
    tab.click()
    mode = page.locator('[data-plugin="diagnose"]').get_by_role("radio", name="告警")
    expect(mode).to_have_text("告警 2")
    mode.click()
    rows = page.locator("[data-alert]")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Loss is broken")
    expect(rows.first).to_contain_text("broken")
    expect(rows.last.locator("time")).to_have_text("9000000000010")
    expect(page.locator('[data-plugin="alerts"]').get_by_role("radio", checked=True)).to_have_text("告警")
    assert violations(page) == []
    rows.first.locator('[data-action="open-alert"]').press("Enter")
    card = page.locator('[data-plugin="scalar"]').get_by_test_id("card")
    expect(card).to_have_count(1)
    expect(page).to_have_url(re.compile(r"runs=broken(&|$)"))
    expect(page).to_have_url(re.compile(r"cursor=20(&|$)"))
    expect(card.locator(".plot")).to_have_attribute("data-marks", "1")
    card.locator('[data-action="export"]').click()
    page.locator('[data-action="view-table"]').click()
    page.locator("dialog [role=grid]").press("Control+End")
    expect(page.locator("dialog").get_by_text("Loss is broken")).to_be_visible()  # a mark of the chart
    page.reload()
    expect(page.locator("#panel-alerts")).to_have_count(1)
    tab.click()
    expect(mode).to_have_text("告警")


def test_without_rules_there_is_no_tab(page: Page, serve: Serve, tmp_path: Path) -> None:
    _write(tmp_path, "broken", float("nan"), when=time.time())
    page.goto(serve("--logdir", tmp_path) + "#locale=en&theme=light")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    expect(page.locator("#panel-diagnose")).to_have_count(1)
    expect(page.locator("#panel-alerts")).to_have_count(0)


def _command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "insight_core.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ, timeout=300)


def test_rules_are_tested_on_logs_and_send_nothing_unless_asked(tmp_path: Path) -> None:
    logs, file, sent, now = tmp_path / "logs", tmp_path / "alerts.toml", tmp_path / "sent", time.time()
    program = f"import os; open({str(sent)!r}, 'a').write(os.environ['INSIGHT_ALERT_RUN'] + '\\n')"
    file.write_text(f"{RULES}[target.file]\ncommand = [{sys.executable!r}, '-c', {program!r}]\n")
    _write(logs, "healthy", 1, 2, 3, when=now)
    _write(logs, "a\nb", 1, float("nan"), when=now)
    _write(logs, "old", 1, float("nan"), when=now - 90_000)
    _write(logs, "far", 1, float("nan"), when=1e17)  # a time that the system cannot write as a date
    test = ("alerts", "test", file, "--logdir", logs)
    done = _command(*test)
    assert done.returncode == 0, done.stderr
    lines = [line.split("  ", 1)[-1] for line in done.stdout.splitlines()]
    assert sorted(lines[:-1]) == [
        "Loss is broken: train/loss (x) of a\\nb is nan at step 10",
        "Loss is broken: train/loss (x) of far is nan at step 10",
        "Loss is broken: train/loss (x) of old is nan at step 10 (older than 24 hours: not sent)",
        "Run is over: old has ended (stopped) (older than 24 hours: not sent)",
    ]
    assert not sent.exists()
    assert _command(*test, "--send").returncode == 0
    assert sent.read_text() == "a\nb\nfar\n"
    file.write_text('[[rule]]\nname = "r"\nwhen = "often"\n')
    for wrong in (_command(*test), _command("--logdir", logs, "--alerts", file)):
        assert wrong.returncode == 2
        assert f"--alerts: {file}: rule 'r': when is 'often', not one of nan" in wrong.stderr
