"""The tab of findings: what is wrong with the selected runs, in the user's language, and where to look."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A run whose loss diverges from step 200 on, one with NaN, a healthy one."""
    falling = np.exp(-np.linspace(0, 3, 300))
    diverges, broken = falling.copy(), falling.copy()
    diverges[200:] += np.linspace(0, 9, 100)
    broken[40:] = np.nan
    for run, values in (("broken", broken), ("diverges", diverges), ("fine", falling)):
        with EventWriter(tmp_path / "logs" / run) as writer:
            for step, value in enumerate(values):
                writer.scalar("train/loss (x)", 10 * step, float(value))
    return tmp_path / "logs"


@pytest.mark.parametrize(
    ("language", "saw", "done"),
    [
        ("en", "train/loss (x) is NaN first at step 400; such values: 260", "2 problems in 2 of 3 runs"),
        ("zh-CN", "train/loss (x) 在第 400 步首次出现 NaN", "3 个训练中的 2 个有 2 个问题"),
    ],
)
def test_findings_of_the_selected_runs_lead_to_their_places(
    page: Page,
    serve: Callable[..., str],
    logs: Path,
    violations: Callable[[Page], list[str]],
    language: str,
    saw: str,
    done: str,
) -> None:
    page.goto(f"{serve('--logdir', logs)}#locale={language}&theme=dark&tab=diagnose")
    rows = page.locator("[data-finding]:not([data-severity=good])")
    status = page.locator('[data-plugin="diagnose"] [role="status"]')
    expect(status).to_contain_text(done)
    expect(rows).to_have_count(2)
    expect(page.locator('[data-finding="nonfinite"]')).to_contain_text(saw)
    assert violations(page) == []
    page.locator(".rules summary").last.press("Enter")
    expect(page.locator('[data-rule="diagnose/overfitting"]')).to_be_visible()
    page.locator('[data-finding="nonfinite"] [data-action="open-finding"]').press("Enter")
    card = page.locator('[data-plugin="scalar"]').get_by_test_id("card")
    expect(card).to_have_count(1)
    expect(page).to_have_url(re.compile(r"runs=broken(&|$)"))
    expect(page).to_have_url(re.compile(r"cursor=400(&|$)"))
    page.go_back()
    expect(rows).to_have_count(2)


def test_a_run_without_faults_says_what_was_checked(
    page: Page, serve: Callable[..., str], logs: Path
) -> None:
    page.goto(f"{serve('--logdir', logs)}#locale=en&tab=diagnose&diagnose.run=fine")
    status = page.locator('[data-plugin="diagnose"] [role="status"]')
    expect(status).to_contain_text("No problems in 3 runs")
    expect(page.locator(".nothing")).to_contain_text("Nothing wrong was found in 3 runs")
    expect(page.locator("[data-finding]:not([data-severity=good])")).to_have_count(0)


def test_the_menu_of_a_run_and_the_run_table_lead_to_findings(
    page: Page, serve: Callable[..., str], logs: Path
) -> None:
    url = serve("--logdir", logs)
    columns = "run/status,diagnose/findings,diagnose/worst"
    page.goto(f"{url}#locale=en&tab=scalar&table=1&columns={columns}")
    cell = page.locator('[data-run="broken"]').get_by_text("Error", exact=True)
    expect(cell).to_be_visible()
    page.goto(f"{url}#locale=en&tab=scalar")
    page.locator('.ih-run[data-run="broken"]').click(button="right")
    page.get_by_role("menuitem", name="Look for faults").click()
    expect(page.locator('[data-finding="nonfinite"]')).to_have_count(1)
    expect(page.locator('[data-finding="divergence"]')).to_have_count(0)
