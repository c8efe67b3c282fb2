"""From a loss that explodes to the picture of that step, by keys alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture(scope="module")
def exploding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Noise of 4000 points in two runs: one jumps at step 3107, the other is NaN from step 2001 on."""
    logs = tmp_path_factory.mktemp("exploding")
    picture = png(np.zeros((2, 3), np.uint8))
    values = 1 + 0.01 * np.random.default_rng(1).normal(size=4000)
    jumping, broken = values.copy(), values.copy()
    jumping[3107:] += 1
    broken[2001:] = np.nan
    for run, losses in (("jumping", jumping), ("broken", broken)):
        with EventWriter(logs / run, "tensorboard") as writer:
            writer.scalar_block(["loss"], range(4000), losses.reshape(-1, 1).tolist())
            for step in range(0, 4000, 100):
                writer.image("sample", step, picture, 3, 2, channels=1)
    return logs


@pytest.mark.parametrize(
    ("language", "condition", "run", "step", "picture"),
    [("en", "nonfinite", "broken", 2001, "2,000"), ("zh-CN", "jump", "jumping", 3107, "3,100")],
)
def test_the_first_step_is_found_and_its_picture_shown(
    page: Page,
    shared: Serve,
    exploding: Path,
    language: str,
    condition: str,
    run: str,
    step: int,
    picture: str,
) -> None:
    page.goto(shared("--logdir", exploding) + f"#locale={language}&theme=light&tab=scalar")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    page.keyboard.press("n")
    dialog = page.locator('[data-dialog="first"]')
    dialog.locator('[data-control="first-kind"]').select_option(condition)
    dialog.locator('[data-action="first-find"]').press("Enter")
    found = dialog.locator('[data-action="first-go"]')
    expect(found).to_have_count(1)
    expect(found).to_contain_text(f"{step:,}")
    expect(found).to_have_attribute("data-run", run)
    expect(dialog.get_by_role("status")).to_contain_text("8,000")
    expect(page).to_have_url(re.compile(f"cursor={step}"))
    found.press("Enter")
    page.keyboard.press("Control+k")
    palette = page.locator('[data-dialog="palette"]')
    palette.get_by_role("combobox").fill("Images at step" if language == "en" else "步的图像")
    expect(palette.get_by_role("option").first).to_contain_text(f"{step:,}")
    page.keyboard.press("Enter")
    label = page.locator('[data-plugin="image"]').get_by_test_id("step-label").first
    expect(label).to_contain_text(picture)
    expect(label).to_contain_text(f"{step:,}")


def test_the_search_is_in_the_palette_before_scalars_is_opened_and_once_afterwards(
    page: Page, shared: Serve, exploding: Path
) -> None:
    page.goto(shared("--logdir", exploding) + "#locale=en&theme=light&tab=image&runs=broken")
    expect(page.locator('[data-plugin="image"]').get_by_test_id("step-label").first).to_be_visible()
    command = page.get_by_role("option").filter(has_text="Find the first step where…")
    dialog = page.locator('[data-dialog="first"]')
    for _ in range(2):
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("combobox").fill("first step")
        expect(command).to_have_count(1)
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("loss")
        expect(page).not_to_have_url(re.compile("dialog="))
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
