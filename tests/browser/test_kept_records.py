"""Tabs of payloads say how many records a cache policy kept of how many, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

STEPS = 2000
KEPT = {"image": 10, "histogram": 50, "tensor": 20}  # by MindInsight


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs")
    picture = png(np.zeros((2, 3), np.uint8))
    with EventWriter(logs / "run", "mindspore") as writer:
        for step in range(STEPS):
            writer.image("i", step, picture, 3, 2, channels=1)
            writer.histogram("h", step, [step, step + 1.0])
            writer.tensor("t", step, np.array([step, 2], np.float32))
    return logs


@pytest.mark.parametrize(
    ("language", "text"), [("en", "kept {kept} of 2,000 records"), ("zh-CN", "保留 {kept} / 2,000 条记录")]
)
def test_what_was_not_kept_is_said(page: Page, shared: Serve, logdir: Path, language: str, text: str) -> None:
    url = shared("--logdir", logdir, "--cache-preset", "mindinsight")
    for tab, kept in KEPT.items():
        page.goto(f"{url}#locale={language}&theme=light&tab={tab}")
        card = page.locator(f'[data-plugin="{tab}"]').get_by_test_id("card")
        expect(card.get_by_test_id("card-status")).to_contain_text(text.format(kept=kept))


def test_all_are_kept_by_default(page: Page, serve: Serve, logdir: Path) -> None:
    url = serve("--logdir", logdir)
    for tab in ("image", "tensor"):
        page.goto(f"{url}#locale=en&theme=light&tab={tab}")
        card = page.locator(f'[data-plugin="{tab}"]').get_by_test_id("card")
        expect(card.get_by_test_id("step-count")).to_have_text("2,000 of 2,000")
        expect(card.get_by_test_id("card-status")).not_to_contain_text("kept")
    page.goto(f"{url}#locale=en&theme=light&tab=histogram")
    card = page.locator('[data-plugin="histogram"]').get_by_test_id("card")
    expect(card.get_by_test_id("card-status")).to_contain_text("of 2,000 steps")
