"""The PR curves tab, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with a curve of three thresholds at two steps, one of them damaged at the last."""
    logdir = tmp_path_factory.mktemp("curves")
    rows = np.array(
        [[8, 6, 2], [4, 1, 0], [0, 3, 4], [0, 2, 6], [8 / 12, 6 / 7, 1], [1, 0.75, 0.25]], np.float32
    )
    for run in ("one", "two"):
        with EventWriter(logdir / run) as writer:
            writer.tensor("val/pr", 1, rows, plugin="pr_curves")
            writer.tensor("val/pr", 2, rows if run == "one" else rows[:3], plugin="pr_curves")
    return logdir


def test_a_threshold_is_read_chosen_on_the_curve_and_kept_in_the_link(
    page: Page, shared: Serve, logs: Path
) -> None:
    url = shared("--logdir", logs)
    page.goto(f"{url}#tab=pr_curves&locale=en")
    curves = card(page, "val/pr")
    one = curves.locator('[data-run="one"] td')
    expect(one).to_have_text(["6", "1", "3", "2", "0.857", "0.750", "0.800", "0.845"])
    expect(curves.locator(".unread")).to_contain_text("has the shape [3, 3], not [6, thresholds]")
    plot = curves.locator(".plot [role=img]")
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] - 16, "y": box["height"] / 2})  # recall 1: the first threshold
    page.mouse.move(0, 0)
    expect(one).to_have_text(["8", "4", "0", "0", "0.667", "1.000", "0.800", "0.845"])
    expect(page).to_have_url(re.compile(r"pr_curves\.threshold=0(&|$)"))
    curves.get_by_role("button", name="Previous step").click()
    expect(curves.locator("[data-run]")).to_have_count(2)
    page.locator('[data-control="view"] [data-value="roc"]').click()
    expect(one.last).to_have_text("0.781")
