"""Comparison of pictures of several runs, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cards import card
from tests.browser.images_page import (
    HEIGHT,
    WIDTH,
    expect_pixel,
    expect_url,
    hover_pixel,
    open_images,
)
from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_a_comparison_plays_every_step(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures), "image.compare=eyes;one&image.step=20")
    comparison = page.get_by_test_id("comparison")
    pane = page.locator('[data-testid="pane"][data-run="one"]')
    expect_pixel(page, pane, [30, 20, 20, 255])
    pane.evaluate(
        """pane => {
            window.seen = [];
            const look = () => {
                const index = new URL(pane.querySelector('.layer img').src).searchParams.get('index');
                if (window.seen.at(-1) !== index) window.seen.push(index);
            };
            new MutationObserver(look).observe(
                pane.querySelector('.layer'), { attributes: true, childList: true, subtree: true });
            look();
        }"""
    )
    comparison.locator('[data-action="play"]').click()
    expect(comparison.get_by_test_id("step-count")).to_have_text("30 of 30")
    expect_pixel(page, pane, [30, 20, 29, 255])
    assert page.evaluate("window.seen") == [str(index) for index in range(20, 30)]


def test_runs_side_by_side_with_one_zoom(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one = card(page, "eyes", "one")
    one.hover()
    one.locator('[data-action="compare"]').click()
    panes = page.get_by_test_id("pane")
    expect(panes).to_have_count(3)
    first, second = (page.locator(f'[data-testid="pane"][data-run="{run}"]') for run in ("one", "two"))
    page.get_by_test_id("comparison").locator('[data-control="step"]').fill("10")
    expect_pixel(page, first, [30, 20, 10, 255])
    expect_pixel(page, second, [35, 20, 9, 255])
    expect(second.locator(".at").first).to_have_text("step 9")
    expect(second.locator("figcaption .other")).to_have_count(1)  # it has no step 10
    hover_pixel(page, first, 5, 5, (WIDTH, HEIGHT))
    expect(first.get_by_test_id("pixel")).to_contain_text("50 50 10")
    expect(second.get_by_test_id("pixel")).to_contain_text("55 50 9")
    seen = [pane.locator(".layer img") for pane in (first, second)]
    before = [box_of(picture)["width"] for picture in seen]
    page.mouse.wheel(0, -600)
    until(page, lambda: all(box_of(seen[n])["width"] > before[n] for n in range(2)))
    expect(second.get_by_test_id("pixel")).to_contain_text("(5, 5)")
    until(page, lambda: box_of(seen[0])["width"] == pytest.approx(box_of(seen[1])["width"]))
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("comparison")).to_have_count(0)


def test_the_difference_of_two_runs_and_one_swiped_over_the_other(
    page: Page, shared: Serve, pictures: Path
) -> None:
    open_images(
        page, shared("--logdir", pictures), "image.compare=eyes;one&image.mode=difference&image.with=two"
    )
    comparison = page.get_by_test_id("comparison")
    slider = comparison.locator('[data-control="step"]')
    slider.fill("9")
    found = comparison.get_by_test_id("difference")
    expect(found).to_have_text("Largest difference 5 · mean 1.67 · 192 of 192 pixels differ")
    expect_pixel(page, comparison, [5, 0, 0, 255])
    comparison.locator('[data-control="gain"] [data-value="16"]').click()
    expect_pixel(page, comparison, [80, 0, 0, 255])
    slider.fill("10")
    expect(found).to_contain_text("mean 2 ·")  # step 9 of the other run is the nearest
    with page.expect_download() as download:
        comparison.locator('[data-action="save-difference"]').click()
    assert download.value.suggested_filename == "eyes_10_difference.png"
    comparison.locator('[data-control="mode"] [data-value="swipe"]').click()
    layers = comparison.locator(".layer")
    expect(layers).to_have_count(2)
    expect(layers.nth(1)).to_have_css("clip-path", "inset(0px 0px 0px 50%)")
    divider = comparison.locator('[data-control="swipe"]')
    divider.press("ArrowLeft")
    expect(layers.nth(1)).to_have_css("clip-path", "inset(0px 0px 0px 49%)")
    box = box_of(divider)
    page.mouse.move(box["x"] + 8, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 208, box["y"] + 100, steps=4)
    page.mouse.up()
    expect(divider).not_to_have_attribute("aria-valuenow", "49")
    expect_url(page, "image.swipe=6")
    comparison.locator('[data-control="second"]').select_option("wide")
    comparison.locator('[data-control="mode"] [data-value="difference"]').click()
    expect(comparison.get_by_test_id("error-cell")).to_contain_text(
        "differ in size: 16 \N{MULTIPLICATION SIGN} 12 and 9 \N{MULTIPLICATION SIGN} 3"
    )


def test_linked_sliders_stand_at_the_nearest_step(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one, two = card(page, "eyes", "one"), card(page, "eyes", "two")
    one.locator('[data-control="step"]').fill("4")
    expect(two.get_by_test_id("step-label")).to_have_text("step 27")
    page.locator('[data-action="link"]').click()
    one.locator('[data-control="step"]').fill("11")
    expect(two.get_by_test_id("step-label")).to_have_text("step 12, nearest to step 11")
    expect_pixel(page, two, [35, 20, 12, 255])
    expect_url(page, "image.step=11")


@pytest.mark.parametrize(
    ("fragment", "cover", "places"),
    [
        ("image.full=eyes;one", ".card.full", {"fullscreen", "step"}),
        ("image.compare=eyes;one", ".comparison", {"compare-close", "step"}),
    ],
)
def test_the_tab_key_stays_in_what_covers_the_page(
    page: Page, shared: Serve, pictures: Path, fragment: str, cover: str, places: set[str]
) -> None:
    open_images(page, shared("--logdir", pictures), fragment)
    expect(page.locator(f"{cover} .layer img").first).to_be_visible()
    for key in ("Tab", "Shift+Tab"):
        reached = set()
        for _ in range(25):
            page.keyboard.press(key)
            assert page.evaluate("cover => !!document.activeElement.closest(cover)", cover)
            reached.add(
                page.evaluate("(({ action, control }) => action ?? control)(document.activeElement.dataset)")
            )
        assert reached >= places
