"""The roofline of a profile: points and rows that belong together, ceilings that the user gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.profiler_page import open_page
from tests.training_traces import Machine

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
_FLOPS, _BYTES = 2 * 2048**3, 2 * 3 * 2048**2


def _trace(device: str) -> str:
    """Three steps with a product of 2048 x 2048 that takes 25 µs, and one of 64 x 64 that takes 5."""
    machine = Machine(device={"id": 0, "name": device, "computeMajor": 9})
    for number in range(3):
        with machine.span(f"ProfilerStep#{number}", "user_annotation"):
            for size, microseconds in ((2048, 25.0), (64, 5.0)):
                shapes = {"Input Dims": [[size, size]] * 2, "Input type": ["c10::BFloat16"] * 2}
                with machine.span("aten::mm", "cpu_op", **shapes):
                    machine.launch("nvjet_tst_128x256_64x4_1x2_h_bz_TNT", microseconds)
            machine.work(200.0)
    return machine.trace().decode()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, shared: Serve) -> str:
    logs = tmp_path_factory.mktemp("roofline")
    for run, device in (("known", "NVIDIA H200"), ("unknown", "A device of tomorrow")):
        path = Path(logs, run, "a.pt.trace.json")
        path.parent.mkdir()
        path.write_text(_trace(device), encoding="utf-8")
    return shared("--logdir", logs, "--no-token")


def test_a_point_and_its_row_are_chosen_together(page: Page, url: str) -> None:
    panel = open_page(page, url, "flops", run="known")
    points = panel.get_by_test_id("operator-point")
    expect(points).to_have_count(2)
    assert [one.get_attribute("data-bound") for one in points.all()] == ["compute", "neither"]
    expect(panel.locator("[data-roof=memory], [data-roof=half]")).to_have_count(2)
    drawing = panel.locator("[data-figure=roofline] svg.drawing")
    drawing.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(points.first).to_have_attribute("aria-selected", "true")
    opened = panel.get_by_test_id("grid-roofline-operators").locator(".line.open")
    expect(opened).to_have_count(1)
    expect(opened).to_contain_text("[[2048, 2048], [2048, 2048]]")
    panel.get_by_test_id("grid-roofline-operators").get_by_text("[[64, 64], [64, 64]]").click()
    expect(points.nth(1)).to_have_attribute("aria-selected", "true")


def test_ceilings_that_are_given_bind_and_are_kept_in_the_address(page: Page, url: str) -> None:
    panel = open_page(page, url, "flops", run="unknown")
    points = panel.get_by_test_id("operator-point")
    expect(points.first).to_have_attribute("data-bound", "")
    expect(panel.locator("[data-roof]")).to_have_count(0)
    for name, value in (("memory", _BYTES / 25e-6 / 1e12 * 4), ("half", _FLOPS / 25e-6 / 1e12 * 1.25)):
        field = panel.locator(f"[data-control=ceiling-{name}]")
        field.fill(f"{value:.4g}")
        field.press("Tab")
    expect(points.first).to_have_attribute("data-bound", "compute")
    expect(panel.locator("[data-fact=mfu] .value")).to_contain_text("%")
    address = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_test_id("operator-point").first).to_have_attribute("data-bound", "compute")
    page.get_by_test_id("ceilings").locator("summary").click()
    page.locator("[data-action=ceilings-reset]").click()
    expect(page.get_by_test_id("operator-point").first).to_have_attribute("data-bound", "")


def test_the_overview_says_the_same_mfu(page: Page, url: str) -> None:
    panel = open_page(page, url, "flops", run="known")
    shown = panel.locator("[data-fact=mfu] .value").inner_text()
    panel = open_page(page, url, "overview", run="known")
    said = panel.locator("[data-fact=of_peak] [data-fact=mfu]").inner_text()
    assert round(float(shown.rstrip("%")), 0) == pytest.approx(float(said.split()[-2]), abs=0.51)
