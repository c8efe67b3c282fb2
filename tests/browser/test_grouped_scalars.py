"""Runs that are grouped by columns of the run list, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.figures_page import open_figure, saved
from tests.lineage_samples import write_run

pytestmark = pytest.mark.browser


def test_seeds_of_a_configuration_are_one_line_with_an_interval(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    for rate in (0.1, 0.5):
        for seed in range(3):
            directory = tmp_path / f"{rate}_{seed}"
            write_run(directory, {"lr": rate, "seed": float(seed)}, {})
            with EventWriter(directory) as writer:
                writer.scalar_block(["loss"], range(20), [[rate + seed] for _ in range(20)])
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en&theme=light")
    here = card(page, "loss")
    expect(here.get_by_test_id("card-status")).to_contain_text("120 points")
    page.locator('[data-action="group-by"]').focus()
    page.keyboard.press("Enter")
    column = page.locator('[data-column="lineage/lr"]')
    expect(column).not_to_be_checked()
    while not column.evaluate("box => box === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(column).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator('[data-action="group-by"]')).to_be_focused()
    page.locator('[data-action="bands"]').click()
    page.locator('[data-control="spread"]').select_option("ci95")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"group=lineage/lr.*scalar\.spread=ci95"))
    page.reload()
    expect(here.get_by_test_id("card-status")).to_contain_text("2 groups · 6 runs")
    expect(page.get_by_test_id("run-groups").locator("[data-group]")).to_have_text(["0.13", "0.53"])
    here.get_by_role("img").hover()
    row = page.get_by_test_id("tooltip").locator("tbody tr").filter(has_text="lr=0.1")
    half = 4.302652729749462 / 3**0.5  # t of two degrees of freedom, and a standard deviation of 1
    cells = [f"{value:.6g}" for value in (1.1, 1.1 - half, 1.1 + half)]
    expect(row.locator("td")).to_have_text(
        ["", "lr=0.1", *(cell.replace("-", "\u2212") for cell in cells), "3", re.compile(r"\d+")]
    )
    page.locator('[data-action="bands"]').click()
    page.locator('[data-control="centre"]').select_option("median")
    expect(page.locator('[data-control="spread"]')).to_have_value("iqr")


def test_ten_groups_of_two_hyperparameters_look_different_in_panel_chart_and_exported_figure(
    page: Page, serve: Callable[..., str], tmp_path: Path, violations: Callable[[Page], list[str]]
) -> None:
    for rate in (0.001, 0.003, 0.01, 0.03, 0.1):
        for optimizer in ("adam", "sgd"):
            for seed in range(2):
                directory = tmp_path / f"{rate}_{optimizer}_{seed}"
                write_run(directory, {"lr": rate, "optimizer": optimizer, "only": 1.0}, {})
                with EventWriter(directory) as writer:
                    writer.scalar_block(["loss"], range(5), [[rate + seed] for _ in range(5)])
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{serve('--logdir', tmp_path)}#locale=en&theme=light")
    expect(card(page, "loss").get_by_test_id("card-status")).to_contain_text("100 points")
    page.locator('[data-action="group-by"]').click()
    menu = page.get_by_role("dialog", name="Group runs")
    menu.locator('[data-column="lineage/lr"]').check()
    menu.locator('[data-column="lineage/optimizer"]').check()
    expect(menu.locator('[data-column="lineage/only"]')).to_have_count(0)  # one value: no groups
    assert violations(page) == []
    page.keyboard.press("Escape")
    rows = page.get_by_test_id("run-groups").locator("[data-group]")
    expect(rows).to_have_count(10)
    looks = rows.locator(".ih-swatch").evaluate_all("all => all.map(one => one.getAttribute('style'))")
    assert len(set(looks)) == 10
    expect(card(page, "loss").get_by_test_id("card-status")).to_contain_text("10 groups · 20 runs")
    card(page, "loss").locator('[data-action="export"]').click()
    with page.expect_download() as download:
        page.locator('[data-action="export-svg"]').click()
    picture = download.value.path().read_text(encoding="utf-8")
    labels = {
        f"lr={rate:g} · optimizer={one}"
        for rate in (0.001, 0.003, 0.01, 0.03, 0.1)
        for one in ("adam", "sgd")
    }
    assert all(f">{label}<" in picture for label in labels)
    dialog = open_figure(page, "loss")
    _, content = saved(page, dialog, "svg")
    sheet = ElementTree.fromstring(content)
    texts = ["".join(text.itertext()) for text in sheet.iter("{http://www.w3.org/2000/svg}text")]
    assert "lr · optimizer" in texts  # the columns once, the values at the lines
    names = [text.split(" · ") for text in texts if re.fullmatch(r"[0-9.]+ · (adam|sgd)", text)]
    assert {f"lr={rate} · optimizer={one}" for rate, one in names} == labels
    lines = [one.attrib for one in sheet.iter("{http://www.w3.org/2000/svg}line")]
    samples = [one for one in lines if one["y1"] == one["y2"] and float(one["x2"]) - float(one["x1"]) == 20]
    assert len({(one["stroke"], one.get("stroke-dasharray")) for one in samples}) == 10
