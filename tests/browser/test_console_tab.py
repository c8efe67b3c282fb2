"""Console logs in a real browser: following, searches, steps, links to lines, hostile bytes, phones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

LINES = 3000
BAR = "".join(f"\r{percent}%|##| {percent}/100 [00:01<00:02]" for percent in range(0, 101, 10))
FAILURE = (
    'Traceback (most recent call last):\n  File "/home/me/train.py", line 7, in <module>\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
)


def _run(logs: Path, run: str, end: str = "") -> Path:
    with EventWriter(logs / run) as writer:
        for step in range(0, 100, 10):
            writer.scalar("train/loss", step, 1 / (1 + step))
    path = logs / run / "train.log"
    lines = [f"\x1b[32mINFO\x1b[0m step {step} loss 0.{step}" for step in range(LINES)]
    path.write_text("\n".join([*lines, BAR]) + "\n" + end, encoding="utf-8")
    return path


def _shown(page: Page) -> list[int]:
    return [int(number) for number in page.locator(".line").evaluate_all("a => a.map(e => e.dataset.line)")]


def test_a_log_opens_at_its_end_and_follows_it(page: Page, serve: Serve, tmp_path: Path) -> None:
    path = _run(tmp_path, "run")
    page.goto(f"{serve('--logdir', tmp_path)}#tab=console")
    last = page.locator(f'[data-line="{LINES + 1}"]')
    expect(last).to_contain_text("100%|##| 100/100")
    expect(last.locator(".note")).to_have_text("↻ 10")
    assert len(_shown(page)) < 100
    with path.open("a") as file:
        file.write("the very newest line\n")
    expect(page.get_by_text("the very newest line")).to_be_in_viewport(ratio=0.9)
    log = page.get_by_role("log")
    log.press("Control+Home")
    expect(page.locator('[data-line="1"]')).to_be_in_viewport()
    expect(page.locator('[data-action="follow"]')).to_have_attribute("aria-pressed", "false")
    with path.open("a") as file:
        file.write("another one\n")
    expect(page.get_by_test_id("console-status")).to_contain_text(f"{LINES + 3:,} lines")
    expect(page.locator('[data-line="1"]')).to_be_in_viewport()  # who reads is not moved
    page.keyboard.press("e")
    expect(page.get_by_text("another one")).to_be_in_viewport()


def test_a_line_is_in_the_address_and_a_step_leads_to_its_line_and_back(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    _run(tmp_path, "run")
    url = serve("--logdir", tmp_path)
    page.goto(f"{url}#tab=console&console.step=1234")
    chosen = page.locator(".line.chosen")
    expect(chosen).to_have_attribute("data-line", "1235")
    expect(chosen).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"console\.line=1235"))
    page.locator('[data-line="1240"] .number').click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"console\.line=1235-1240"))
    page.reload()
    expect(page.locator(".line.chosen")).to_have_count(6)
    page.goto(f"{url}#tab=console&console.line=51")
    page.locator('[data-action="to-curves"]').click()
    expect(page).to_have_url(re.compile(r"tab=scalar"))


def test_a_search_of_all_runs_shows_where_and_the_keys_go_there(
    page: Page, serve: Serve, tmp_path: Path, violations: Callable[[Page], list[str]]
) -> None:
    _run(tmp_path, "a")
    _run(tmp_path, "b", FAILURE)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=console&locale=en&theme=dark")
    expect(page.get_by_role("log")).to_be_visible()
    page.keyboard.press("s")
    page.keyboard.type("step 1?99[89] ")
    page.locator('[data-action="regex"]').click()
    count = page.get_by_test_id("console-hits")
    expect(count).to_have_attribute("data-count", "4")
    page.locator('[data-action="all-runs"]').click()
    expect(count).to_have_attribute("data-count", "8")
    expect(page.get_by_test_id("console-found").locator("li")).to_have_count(8)
    page.get_by_role("log").focus()
    for _ in range(5):
        page.keyboard.press("n")
    expect(count).to_contain_text("5 of 8")
    expect(page.locator(".line.chosen")).to_contain_text("step 998 ")
    expect(page.locator(".line.chosen")).to_be_in_viewport()
    assert violations(page) == []


def test_a_failed_run_says_why_in_its_row_and_its_finding_leads_to_the_line(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    _run(tmp_path, "fine")
    _run(tmp_path, "failed", FAILURE)
    url = serve("--logdir", tmp_path)
    page.goto(f"{url}#tab=diagnose&locale=en")
    finding = page.locator("li", has_text="CUDA out of memory")
    expect(finding).to_contain_text("/home/me/train.py:7")
    finding.get_by_role("button", name="Open").click()
    expect(page.locator(".line.chosen")).to_have_attribute("data-line", str(LINES + 2))
    page.keyboard.press("|")
    cell = page.get_by_title("torch.OutOfMemoryError").first
    expect(cell).to_contain_text("torch.OutOfMemoryError: CUDA out of memory.")


def test_whatever_a_log_holds_is_text_and_fits_on_a_phone(page: Page, serve: Serve, tmp_path: Path) -> None:
    path = _run(tmp_path, "run")
    path.write_bytes(
        b"step 1 \x1b]0;title\x07<img src=x onerror='window.hacked=1'>\xff\xfe\n"
        + b"\x1b[31m<script>window.hacked=2</script>\x1b[999;999H\n"
        + b"wide " * 400
        + b"\n"
    )
    page.set_viewport_size({"width": 390, "height": 780})
    page.goto(f"{serve('--logdir', tmp_path)}#tab=console&locale=zh-CN&theme=light&console.wrap=1")
    expect(page.locator('[data-line="2"] .ansi1')).to_have_text("<script>window.hacked=2</script>")
    expect(page.locator('[data-line="1"]')).to_contain_text("<img src=x")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    height = page.locator('[data-line="3"]').bounding_box()
    assert height is not None
    assert height["height"] > 100  # wrapped
