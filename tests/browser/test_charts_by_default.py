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


def test_single_values_are_sorted_bars_in_a_closed_last_section(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    for run, accuracy in (("a", 0.5), ("b", 0.9), ("c", 0.7)):
        with EventWriter(tmp_path / run) as writer:
            writer.scalar_block(["loss", "system/cpu"], STEPS, [[1.0, 2.0] for _ in STEPS])
            writer.scalar_block(["hparam/accuracy"], [0], [[accuracy]])
    open_page(page, serve("--logdir", tmp_path))
    sections = page.locator(".groups > .group")
    expect(sections).to_have_count(3)
    expect(sections.nth(1).get_by_role("button").first).to_have_attribute(
        "aria-expanded", "false"
    )  # the machine
    section = sections.last
    head = section.get_by_role("heading").get_by_role("button")
    expect(head).to_have_text(re.compile("Single values"))
    expect(head).to_have_attribute("aria-expanded", "false")
    head.press("Enter")
    bars = card(page, "hparam/accuracy").locator("[data-run-bar]")
    expect(bars).to_have_count(3)
    assert [bar.get_attribute("data-run-bar") for bar in bars.all()] == ["b", "c", "a"]
    page.reload()
    expect(bars).to_have_count(3)


def test_the_font_is_the_hosts_own_comes_late_and_has_its_licence_next_to_it(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.scalar_block(["loss"], STEPS, [[1.0] for _ in STEPS])
    url = serve("--logdir", tmp_path)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, url)
    page.wait_for_function("document.fonts.size > 0 && document.fonts.check('13px Inter')")
    assert sum(one.endswith(".woff2") for one in asked) == 1
    host = url.partition("?")[0].rstrip("/")
    assert all(one.startswith(host) for one in asked)
    assert ".woff2" not in page.request.get(url).text()  # nothing waits for it
    licences = page.request.get(f"{host}/static/licenses.txt").text()
    assert "@fontsource-variable/inter" in licences
    assert "SIL OPEN FONT LICENSE" in licences
