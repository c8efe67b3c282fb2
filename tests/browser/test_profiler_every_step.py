"""Every step of every rank: the heat map, the rank that is slow, zooming by drags, the wheel and keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.places import box_of
from tests.browser.profiler_page import go, open_page
from tests.browser.touching import middle, pinch, swipe
from tests.rank_step_logs import write_attempt

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
_SLOW, _SINCE, _LAST = 5, 120, 400


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight ranks, of which one is slow since a step; all start again once."""
    logs = tmp_path_factory.mktemp("steps")

    def work(rank: int, step: int) -> float:
        return 0.05 if rank == _SLOW and step >= _SINCE else 0.0

    end = write_attempt(logs / "job", 8, range(1, 201), work=work)
    write_attempt(logs / "job", 8, range(181, _LAST + 1), attempt=1, at=end + 3, work=work)
    return logs


def _shows(panel: Locator, first: int, last: int) -> None:
    name = re.compile(rf"steps {first} to {last}$")
    expect(panel.locator(".heat-map canvas")).to_have_attribute("aria-label", name)


def _drag(page: Page, canvas: Locator, begin: float, end: float) -> None:
    box = canvas.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + begin * box["width"], y)
    page.mouse.down()
    for part in (0.3, 0.6, 1.0):
        page.mouse.move(box["x"] + (begin + part * (end - begin)) * box["width"], y)
    page.mouse.up()


def test_a_rank_that_stays_slow_is_named_above_the_map_of_its_span(
    page: Page, shared: Serve, job: Path
) -> None:
    panel = open_page(page, shared("--logdir", job))
    go(panel, "every_step")
    slow = panel.locator(f'[data-straggler="{_SLOW}"]')
    expect(slow).to_contain_text(f"median of the ranks in fetch since step {_SINCE}")
    expect(panel.locator("[data-straggler]")).to_have_count(1)
    _shows(panel, 1, _LAST)
    canvas = panel.locator(".heat-map canvas")
    colors = canvas.evaluate(
        """(canvas) => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const at = (row, column) => {
            const x = Math.floor(((column + 0.5) / 400) * canvas.width);
            const y = Math.floor(((row + 0.5) / 8) * canvas.height);
            return [...data.slice(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3)].join();
          };
          return [at(5, 50), at(5, 300), at(4, 300)];
        }"""
    )
    assert colors[1] not in (colors[0], colors[2])
    expect(panel.get_by_test_id("goodput")).to_contain_text("in 2 starts of the job")


def test_a_drag_the_wheel_and_keys_zoom_over_steps_and_back(page: Page, shared: Serve, job: Path) -> None:
    panel = open_page(page, shared("--logdir", job), "every_step")
    canvas = panel.locator(".heat-map canvas")
    _shows(panel, 1, _LAST)
    canvas.scroll_into_view_if_needed()
    _drag(page, canvas, 0.7501, 0.2501)  # from right to left is the same
    _shows(panel, 101, 301)
    expect(page).to_have_url(re.compile(r"profiler\.of-steps=101-301"))
    page.keyboard.down("Shift")
    _drag(page, canvas, 0.5, 0.25)  # a quarter of what is shown
    page.keyboard.up("Shift")
    _shows(panel, 151, 351)
    page.go_back()
    _shows(panel, 1, _LAST)
    canvas.hover(position={"x": 1, "y": 20})
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    expect(canvas).to_have_attribute(
        "aria-label", re.compile(r"steps [12] to 2\d\d$")
    )  # that at the pointer stays
    expect(panel.locator('[data-action="all-steps"]')).to_be_visible()
    canvas.press("0")
    _shows(panel, 1, _LAST)
    expect(panel.locator('[data-action="all-steps"]')).to_have_count(0)
    canvas.press("+")
    _shows(panel, 101, 300)
    canvas.press("+")
    _shows(panel, 151, 250)
    canvas.press("-")
    _shows(panel, 101, 300)
    canvas.press("-")
    _shows(panel, 1, _LAST)
    canvas.press("ArrowRight")
    expect(page.get_by_test_id("tooltip")).to_contain_text("rank 0 · step 1")
    canvas.press("Enter")  # the steps around the first
    _shows(panel, 1, 26)
    panel.locator('[data-action="all-steps"]').click()
    _shows(panel, 1, _LAST)


def test_two_fingers_zoom_over_steps_around_their_middle(touched: Page, shared: Serve, job: Path) -> None:
    panel = open_page(touched, shared("--logdir", job), "every_step")
    canvas = panel.locator(".heat-map canvas")
    _shows(panel, 1, _LAST)
    canvas.scroll_into_view_if_needed()
    x, y = middle(canvas)
    pinch(touched, x, y, (30, 40, 60))  # twice as far apart
    half = re.compile(r"steps (100|101|102) to (299|300|301)$")
    expect(canvas).to_have_attribute("aria-label", half)
    expect(touched).to_have_url(re.compile(r"profiler\.of-steps=10[012]-(299|30[01])"))
    width = box_of(canvas)["width"]
    left = x - width / 4
    pinch(touched, left, y, (60, 30))
    _shows(panel, 1, _LAST)
    swipe(touched, left, y, by=(width / 2, 0))
    expect(canvas).to_have_attribute("aria-label", re.compile(r"steps 10[012] to 30[0-2]$"))


def test_a_press_shows_the_steps_around_a_cell(page: Page, shared: Serve, job: Path) -> None:
    panel = open_page(page, shared("--logdir", job), "every_step")
    canvas = panel.locator(".heat-map canvas")
    _shows(panel, 1, _LAST)
    canvas.click()
    _shows(panel, 176, 226)


@pytest.mark.parametrize("width", [390, 1280])
def test_texts_in_chinese_and_dark(page: Page, shared: Serve, job: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    panel = open_page(page, shared("--logdir", job), "every_step", locale="zh-CN", theme="dark")
    expect(panel.locator(f'[data-straggler="{_SLOW}"]')).to_contain_text(f"自第 {_SINCE} 步起")
    title = panel.locator('[data-figure="every-step"] h3')
    expect(title).to_have_attribute("title", re.compile("拖动可选取一段步"))
    light = panel.locator(".heat-map canvas").evaluate(
        "(canvas) => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[0]"
    )
    assert light < 128
    assert page.evaluate("document.documentElement.scrollWidth") <= width
