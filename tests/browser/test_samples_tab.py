"""Samples in a real browser: what changed since a step, groups, searches, live files, hostile text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

STEPS = 6
EVIL = "<img src=x onerror=document.title='owned'>\u202e\x1b[31m"


def _run(logs: Path, run: str = "run", right_from: int = 3) -> Path:
    directory = logs / run / "rollout"
    directory.mkdir(parents=True)
    with EventWriter(logs / run) as writer:
        for step in range(1, STEPS + 1):
            rows = []
            for number in range(16):
                question = number // 4
                is_right = step >= right_from + question
                said = f"<think>attempt {number}</think>It is {question * 2 if is_right else 'unknown'}."
                row = {
                    "input": f"Double {question}?",
                    "output": said,
                    "gts": str(question * 2),
                    "score": float(is_right),
                }
                rows.append(json.dumps({**row, "advantage": number % 4 - 1.5, "step": step}))
            (directory / f"{step}.jsonl").write_text("\n".join(rows) + "\n")
            writer.scalar("reward/mean", step, sum(step >= right_from + one for one in range(4)) / 4)
    return directory


def test_reward_rises_what_changed_takes_three_clicks(page: Page, serve: Serve, tmp_path: Path) -> None:
    """From the chart of the reward: its last point, the question, the prompt."""
    _run(tmp_path)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples&samples.step=3")
    chart = page.get_by_test_id("chart-score").locator("[role=img]")
    expect(chart).to_have_attribute("aria-label", f"score: percentiles at {STEPS} steps")
    box = chart.bounding_box()
    assert box is not None
    clicks = 0

    chart.click(position={"x": box["width"] - 22, "y": box["height"] / 2})
    clicks += 1
    expect(page).to_have_url(re.compile(rf"samples\.step={STEPS}"))
    page.locator('[data-action="what-changed"]').click()
    clicks += 1
    summary = page.get_by_test_id("changes-summary")
    expect(summary).to_contain_text("4 shared prompts · 4 rose · 0 fell")
    page.locator(".pairs button", has_text="Double 3?").click()
    clicks += 1
    difference = page.get_by_test_id("difference")
    expect(difference.locator("del")).to_contain_text("unknown")
    expect(difference.locator("ins")).to_contain_text("6")
    assert clicks == 3


def test_a_point_of_a_curve_leads_to_its_samples_and_back(page: Page, serve: Serve, tmp_path: Path) -> None:
    _run(tmp_path)
    url = serve("--logdir", tmp_path)
    page.goto(f"{url}#tab=samples&samples.step=4")  # as the menu "Samples at step 4" of a chart says it
    expect(page.get_by_test_id("sample-facts")).to_contain_text("Step4")
    page.locator('[data-action="to-curves"]').click()
    expect(page).to_have_url(re.compile(r"tab=scalar"))


def test_groups_steps_conditions_and_search(page: Page, serve: Serve, tmp_path: Path) -> None:
    _run(tmp_path)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples&samples.step=4")
    count = page.get_by_test_id("samples-count")
    expect(count).to_have_text("16 samples")
    page.locator('[data-value="group"], [role="radio"]', has_text="Group").first.click()
    expect(page.get_by_test_id("beside").locator("article")).to_have_count(4)
    page.locator('[role="radio"]', has_text="Over steps").click()
    expect(page.get_by_test_id("over-steps").locator("button")).to_have_count(STEPS)
    page.locator(".samples-where").fill("score > 0.5, advantage < 0")
    expect(count).to_have_text("4 samples")
    page.locator(".samples-where").fill("")
    page.locator(".samples-search").fill("double 2")
    page.locator('[data-action="all-steps"]').click()
    expect(count).to_have_text("24 samples")


def test_a_file_that_is_written_appears_and_hostile_text_is_inert(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    directory = _run(tmp_path)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples")
    expect(page.get_by_test_id("samples-count")).to_have_text("16 samples")
    row = {"input": EVIL, "output": f"said {EVIL}", "score": 0.0, "step": 7}
    (directory / "7.jsonl").write_text(json.dumps(row) + "\n")
    expect(page.get_by_test_id("samples-count")).to_have_text("1 sample")
    turns = page.locator(".turns")
    shown = "said " + EVIL.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")
    expect(turns.locator(".completion pre").filter(has_text="said")).to_have_text(shown)
    assert turns.locator("img").count() == 0
    assert page.title() != "owned"


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_the_tab_fits_the_window(page: Page, serve: Serve, tmp_path: Path, width: int) -> None:
    _run(tmp_path)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples")
    expect(page.get_by_test_id("samples-list").or_(page.get_by_test_id("sample")).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
