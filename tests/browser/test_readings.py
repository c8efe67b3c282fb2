"""The tooltip of curves: exact values, orders, and how it goes."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cards import card
from tests.browser.scalars_page import open_page, status

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_the_tooltip_reads_exact_values(page: Page, shared: Serve, sample_logs: Path) -> None:
    url = shared("--logdir", sample_logs)
    open_page(page, url)
    expect(status(page, "train/loss")).to_contain_text("288 points")
    plot = card(page, "train/loss").locator("canvas").last
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tooltip = page.get_by_test_id("tooltip")
    expect(tooltip).to_contain_text("torch/lr0.2_seed0")
    with urllib.request.urlopen(
        f"{url}data/plugin/scalar/series?tag=train/loss&run=torch/lr0.2_seed0"
    ) as answer:
        [series] = json.load(answer)["series"]
    shown = {float(text) for text in re.findall(r"\d\.\d{3,}", tooltip.inner_text())}
    assert any(abs(value - s) < 1e-3 for value in series["values"] for s in shown)


def test_a_reading_is_sorted_and_goes_with_escape(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs), "locale=en&theme=light&scalar.order=name")
    expect(status(page, "train/loss")).to_contain_text("288 points")
    plot = card(page, "train/loss").get_by_role("img")
    tooltip = page.get_by_test_id("tooltip")
    plot.hover()
    names = [f"torch/lr{run}" for run in ("0.02_seed0", "0.02_seed1", "0.2_seed0")]  # decimals are numbers
    expect(tooltip.locator("tbody .name")).to_have_text(names)
    page.keyboard.press("Escape")
    expect(tooltip).to_have_count(0)
    plot.click()
    tooltip.locator('[data-control="tooltip-order"]').select_option("highest")
    page.wait_for_function(
        """() => {
            const cells = document.querySelectorAll('[data-testid=tooltip] tbody td:nth-child(3)');
            const values = [...cells].map(cell => Number(cell.textContent));
            return values.length === 3 && values[0] > values[1] && values[1] > values[2];
        }"""
    )
    expect(page).to_have_url(re.compile(r"scalar\.order=highest"))


def test_a_chart_of_one_line_has_a_narrow_reading(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    page.locator('[data-run="torch/lr0.02_seed0"]').dblclick()
    expect(status(page, "train/loss")).to_contain_text("96 points")
    card(page, "train/loss").get_by_role("img").hover()
    rows = page.get_by_test_id("tooltip").locator("tr")
    expect(rows.first).to_contain_text("lr0.02_seed0")
    expect(rows.nth(1)).to_have_text(re.compile(r"^Value\d"))


@pytest.mark.parametrize("how", ["button", "back"])
def test_no_tooltip_stays_behind_when_a_card_leaves_the_full_screen(
    page: Page, shared: Serve, sample_logs: Path, how: str
) -> None:
    open_page(page, shared("--logdir", sample_logs))
    here = card(page, "train/loss")
    expect(status(page, "train/loss")).to_contain_text("288 points")
    here.locator('[data-action="fullscreen"]').click()
    expect(page.locator(".card.full")).to_have_count(1)
    box = here.locator("canvas").last.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    expect(page.locator(".tooltip.pinned")).to_have_count(1)
    if how == "back":
        page.go_back()
    else:
        here.locator('[data-action="fullscreen"]').click()
    expect(page.locator(".card.full")).to_have_count(0)
    expect(page.get_by_test_id("tooltip")).to_have_count(0)
