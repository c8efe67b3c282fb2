"""Points of more runs than a link can name are saved too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, Request, Route, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card

NAMES = [f"{'a_long_name_of_a_run_' * 4}{number:03}" for number in range(121)]


@pytest.fixture
def long_names(tmp_path: Path) -> Path:
    for name in NAMES:
        with EventWriter(tmp_path / name) as writer:
            writer.scalar_block(["x"], np.arange(5), np.zeros((5, 1)))
    return tmp_path


def _refuse(route: Route) -> None:
    route.fulfill(status=503, json={"error": "the disk is away"})


def _leave_unanswered(route: Route) -> None:
    route.abort()


def test_a_table_of_more_runs_than_a_link_can_name_is_saved(
    page: Page, serve: Callable[..., str], long_names: Path
) -> None:
    page.goto(f"{serve('--logdir', long_names)}#locale=en&theme=light&runs={','.join(NAMES[:-1])}")
    expect(card(page, "x").get_by_test_id("card-status")).to_contain_text("300 points, all kept")  # 60 lines
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/scalar/series" in request.url:
            asked.append(request.method)

    page.on("request", note)
    card(page, "x").locator('[data-action="export"]').click()
    with page.expect_download() as started:
        card(page, "x").locator('[data-action="export-csv"]').click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert started.value.suggested_filename == "x.csv"
    assert asked == ["POST"]
    assert len(lines) == 1 + 5 * 120
    assert {line.split(",")[0] for line in lines[1:]} == set(NAMES[:-1])
    expect(card(page, "x").get_by_test_id("card-status")).to_contain_text("300 points")  # the page stays


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(_refuse, "the disk is away"), (_leave_unanswered, "the host did not answer")],
    ids=["refused", "unreachable"],
)
def test_a_table_that_cannot_be_saved_says_why(
    page: Page, serve: Callable[..., str], long_names: Path, answer: Callable[[Route], None], reason: str
) -> None:
    page.goto(f"{serve('--logdir', long_names)}#locale=en&theme=light&runs={','.join(NAMES[:-1])}")
    expect(card(page, "x").get_by_test_id("card-status")).to_contain_text("300 points, all kept")
    page.route("**/series", answer)
    card(page, "x").locator('[data-action="export"]').click()
    card(page, "x").locator('[data-action="export-csv"]').click()
    expect(page.get_by_text(f"Could not save x.csv: {reason}")).to_be_visible()
