"""Samples in a real browser: what changed since a step, groups, searches, live files, hostile text."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

STEPS = 6
FIXTURES = Path(__file__).parents[2] / "plugins/samples/tests/fixtures"
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
    page.get_by_role("radio", name="What changed").click()
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
    """The menu of the point has the samples of its run; from there the curve of the score comes back."""
    _run(tmp_path, "first")
    _run(tmp_path, "second")
    with EventWriter(tmp_path / "without") as writer:
        writer.scalar("reward/mean", 1, 2.0)
        writer.scalar("loss", 1, 2.0)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=scalar&scalar.tags=reward&runs=second")
    chart = page.locator(".plot [role=img]")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] - 20, "y": box["height"] / 2})
    page.locator('.step-tabs [data-action="open-samples"]').click()
    expect(page.get_by_test_id("sample-facts")).to_contain_text(f"Step{STEPS}")
    expect(page).to_have_url(re.compile(r"one=second|run=second"))
    page.locator('[data-action="to-curves"]').click()
    expect(page).to_have_url(re.compile(r"tab=scalar"))
    expect(page).to_have_url(re.compile(r"scalar\.tags=[^&]*reward"))


def test_keys_lead_from_a_point_to_its_samples(page: Page, serve: Serve, tmp_path: Path) -> None:
    _run(tmp_path)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=scalar&scalar.tags=reward")
    chart = page.locator(".plot [role=img]")
    expect(chart).to_be_visible()
    page.keyboard.press("Tab")  # a focus that keys have moved is shown, and a reading says what it reads
    chart.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator('.step-tabs [data-action="open-samples"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("sample-facts")).to_contain_text(f"Step{STEPS}")


def test_a_run_without_samples_offers_none_at_its_points(page: Page, serve: Serve, tmp_path: Path) -> None:
    _run(tmp_path)
    with EventWriter(tmp_path / "without") as writer:
        for step in range(3):
            writer.scalar("loss", step, 2.0)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=scalar&scalar.tags=loss")
    page.locator(".plot [role=img]").click()
    expect(page.locator('.step-tabs [data-action="note-here"]')).to_be_visible()
    expect(page.locator('.step-tabs [data-action="open-samples"]')).to_have_count(0)


def test_texts_are_rendered_when_asked_for_and_hostile_markup_never(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    directory = _run(tmp_path)
    evil = f"{EVIL} [x](javascript:alert(1)) $\\href{{javascript:alert(1)}}{{y}}$"
    said = f"**so** \\( \\frac{{1}}{{2}} \\) {evil}"
    row = {"input": "?", "output": said, "score": 0.0, "step": 7}
    (directory / "7.jsonl").write_text(json.dumps(row) + "\n")
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples")
    answer = page.locator(".turn.completion")
    expect(answer.locator("pre").filter(has_text="**so**")).to_be_visible()
    page.locator('[data-action="render"]').click()
    expect(answer.locator("strong")).to_have_text("so")
    expect(answer.locator("math mfrac")).to_be_visible()
    assert answer.locator("img, script, [href^=javascript], [onerror]").count() == 0
    assert page.title() != "owned"


def test_scores_of_evaluations_have_error_bars_in_metrics(page: Page, serve: Serve, tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "lm_eval", tmp_path / "run" / "lm_eval")
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 500, 1.0)
    page.goto(f"{serve('--logdir', tmp_path)}#tab=scalar&scalar.tags=exact_match")
    chart = page.locator(".plot [role=img]")
    expect(chart).to_have_count(1)  # the errors have no card of their own
    chart.click(position={"x": 60, "y": 60})
    expect(page.get_by_test_id("tooltip")).to_contain_text(re.compile(r"0\.375 ± 0\.18"))


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
    page.locator('[data-control="step"]').select_option("all steps")
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


_IN_ONE_LINE = """toolbar => {
    const places = [...toolbar.children].map(one => one.getBoundingClientRect());
    const shown = places.filter(({ width }) => width > 0);
    const middles = shown.map(({ top, bottom, right }) => [(top + bottom) / 2, right <= innerWidth]);
    return middles.every(([middle, fits]) => fits && Math.abs(middle - middles[0][0]) < 3);
}"""


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
@pytest.mark.parametrize("width", [390, 900, 1280, 1920])
def test_the_tab_fits_the_window_and_its_tools_one_line(
    page: Page, serve: Serve, tmp_path: Path, width: int, locale: str
) -> None:
    validation = _run(tmp_path).parent / "validation_of_held_out_prompts"
    shutil.copytree(tmp_path / "run/rollout", validation)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples&locale={locale}")
    expect(page.get_by_test_id("samples-list").or_(page.get_by_test_id("sample")).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".samples .toolbar").evaluate(_IN_ONE_LINE)
    display = page.locator('[data-action="display"]')
    if width == 390:
        expect(page.locator('.samples .toolbar [data-control="source"]')).to_have_count(0)
        display.click()
    expect(page.locator('.samples [data-control="source"]')).to_be_visible()


def test_where_there_is_nothing_to_compare_no_comparison_is_offered(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    directory = _run(tmp_path)
    for step in range(2, STEPS + 1):
        (directory / f"{step}.jsonl").unlink()
    page.goto(f"{serve('--logdir', tmp_path)}#tab=samples")
    expect(page.get_by_test_id("samples-count")).to_have_text("16 samples")
    expect(page.get_by_role("radio", name="What changed")).to_have_count(0)
    rows = (directory / "1.jsonl").read_text()
    (directory / "7.jsonl").write_text(rows.replace('"step": 1', '"step": 7'))
    expect(page.get_by_role("radio", name="What changed")).to_be_visible()
