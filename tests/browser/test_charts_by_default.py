"""What charts of scalars show before anybody has set anything, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.scalars_page import open_page

pytestmark = pytest.mark.browser

STEPS = range(30)


def write_sweep(logdir: Path, runs: int = 26) -> None:
    """Runs whose loss falls from about 2, and one whose loss explodes."""
    for run in range(runs):
        with EventWriter(logdir / f"run{run:02}") as writer:
            losses = [(2 + run / 50) * (0.1 + 0.9 * 0.9**step) for step in STEPS]
            writer.scalar_block(["loss"], STEPS, [[loss] for loss in losses])
    with EventWriter(logdir / "diverged") as writer:
        writer.scalar_block(["loss"], STEPS, [[2 + 770 * (step / 29) ** 4] for step in STEPS])


def test_a_diverged_run_flattens_no_others_and_a_chip_shows_it(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    write_sweep(tmp_path)
    url = serve("--logdir", tmp_path)
    open_page(page, url)
    loss = card(page, "loss")
    chip = loss.locator('[data-action="clip"]')
    expect(chip).to_have_text(re.compile(r"^clipped at 2\.\d+$"))
    chip.press("Enter")
    expect(chip).to_have_text("Outliers shown")
    expect(page).to_have_url(re.compile(r"scalar\.whole=loss"))
    page.reload()
    expect(chip).to_have_text("Outliers shown")
    chip.press("Enter")
    expect(chip).to_contain_text("clipped at")
    page.locator('.toolbar [data-action="outliers"]').click()
    expect(page.locator('.toolbar [data-action="outliers"]')).to_have_text("Outliers shown")
    expect(page).to_have_url(re.compile(r"scalar\.outliers=0"))
    expect(chip).to_have_count(0)
    open_page(page, url, "locale=zh-CN&scalar.outliers=1")  # as the last release wrote it
    page.reload()
    expect(chip).to_contain_text("截断于")
