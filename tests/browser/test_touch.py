"""Fingers zoom, move and turn pictures and landscapes; the page scrolls where there is nothing to move."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import landscapes_page
from tests.browser.cards import card
from tests.browser.images_page import open_images
from tests.browser.places import box_of
from tests.browser.touching import middle, pinch, swipe, touch
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_fingers_zoom_a_picture_and_move_it(touched: Page, shared: Serve, pictures: Path) -> None:
    open_images(touched, shared("--logdir", pictures), "image.tags=eyes")
    eyes = card(touched, "eyes", "one")
    shown = eyes.locator(".layer img")
    expect(shown).to_be_visible()
    before = box_of(shown)
    x, y = middle(eyes.get_by_test_id("stage"))
    pinch(touched, x, y, (20, 30, 40, 60))
    expect(shown).to_have_css("image-rendering", "pixelated")
    until(touched, lambda: box_of(shown)["width"] == pytest.approx(3 * before["width"], rel=0.02))
    left = box_of(shown)["x"]
    swipe(touched, x, y, by=(40, 0))
    until(touched, lambda: box_of(shown)["x"] == pytest.approx(left + 40, abs=1.5))


def test_a_finger_on_a_card_scrolls_the_page(touched: Page, shared: Serve, pictures: Path) -> None:
    open_images(touched, shared("--logdir", pictures))
    first = touched.locator('[data-plugin="image"] [data-testid="stage"]').first
    expect(first).to_be_visible()
    swipe(touched, *middle(first), by=(0, -120))
    touched.wait_for_function(
        "() => [...document.querySelectorAll('.ih-plugin')].some(panel => panel.scrollTop > 20)"
    )


def test_fingers_turn_a_surface_and_bring_it_nearer(touched: Page, shared: Serve, landscapes: Path) -> None:
    panel = landscapes_page.opened(touched, shared("--logdir", landscapes), "&landscape.form=surface")
    x, y = middle(landscapes_page.drawn(panel, "surface"))
    swipe(touched, x, y, by=(60, 0))
    expect(touched).to_have_url(re.compile(r"landscape\.azimuth=-59"))
    pinch(touched, x, y, (30, 40, 60))
    expect(touched).to_have_url(re.compile(r"landscape\.zoom=2(&|$)"))
    expect(touched).to_have_url(re.compile(r"landscape\.azimuth=-59"))


def test_fingers_bring_a_plan_nearer(touched: Page, shared: Serve, landscapes: Path) -> None:
    panel = landscapes_page.opened(touched, shared("--logdir", landscapes))
    landscapes_page.drawn(panel, "contour")
    pinch(touched, *middle(panel.get_by_test_id("picture").first), (30, 40, 60))
    expect(touched).to_have_url(re.compile(r"landscape\.window=[\d.]+~[\d.]+~2(\.0\d*)?(&|$)"))


def test_a_tap_reads_a_loss(touched: Page, shared: Serve, landscapes: Path) -> None:
    panel = landscapes_page.opened(touched, shared("--logdir", landscapes))
    touch(touched, [[middle(landscapes_page.drawn(panel, "contour"))]])
    expect(panel.get_by_test_id("loss")).to_be_visible()
