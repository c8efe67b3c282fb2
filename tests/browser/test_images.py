"""What a user does on the Images page, done in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.images_page import (
    HEIGHT,
    WIDTH,
    expect_pixel,
    expect_url,
    hover_pixel,
    open_images,
    pixels,
)
from tests.browser.places import box_of
from tests.browser.waiting import until
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_pictures_of_all_frameworks(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_images(page, shared("--logdir", sample_logs))
    for tag, run, size, count in (
        ("input_data/auto", "mindspore/lenet_lr0.01", "256 \N{MULTIPLICATION SIGN} 128", "3 of 3"),
        ("inputs", "torch/lr0.2_seed0", "64 \N{MULTIPLICATION SIGN} 16", "6 of 6"),
        ("sequential/conv/kernel/image", "keras/fit/train", "3 \N{MULTIPLICATION SIGN} 3", "5 of 5"),
    ):
        expect(card(page, tag, run).get_by_test_id("card-status")).to_contain_text(size)
        expect(card(page, tag, run).get_by_test_id("step-count")).to_have_text(count)


def test_every_step_by_slider_and_keyboard(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one = card(page, "eyes", "one")
    expect(one.get_by_test_id("step-label")).to_have_text("step 29")
    expect_pixel(page, one, [30, 20, 29, 255])
    slider = one.locator('[data-control="step"]')
    slider.fill("4")
    expect_pixel(page, one, [30, 20, 4, 255])
    slider.press("ArrowRight")
    expect(one.get_by_test_id("step-label")).to_have_text("step 5")
    expect_pixel(page, one, [30, 20, 5, 255])
    slider.press("Home")
    expect(one.get_by_test_id("step-count")).to_have_text("1 of 30")
    slider.press("PageDown")
    slider.press("ArrowRight")
    expect_url(page, "image.steps=eyes,one=1")
    page.locator('[data-control="time"] [data-value="relative"]').click()
    expect(one.get_by_test_id("step-label")).to_have_text("1 s")
    page.locator('[data-control="time"] [data-value="wall"]').click()
    expect(one.get_by_test_id("step-label")).to_contain_text("2023")
    page.reload()
    expect_pixel(page, card(page, "eyes", "one"), [30, 20, 1, 255])


def test_playing_shows_every_step_and_never_an_empty_place(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one = card(page, "eyes", "one")
    one.locator('[data-control="step"]').fill("20")
    expect_pixel(page, one, [30, 20, 20, 255])
    before = one.get_by_test_id("stage").bounding_box()
    one.evaluate(
        """card => {
            const layer = card.querySelector('.layer');
            window.seen = []; window.empty = 0;
            const look = () => {
                const picture = layer.firstChild;
                if (!picture || !picture.complete || layer.childNodes.length !== 1) window.empty++;
                else {
                    const index = new URL(picture.src).searchParams.get('index');
                    if (window.seen.at(-1) !== index) window.seen.push(index);
                }
            };
            new MutationObserver(look).observe(layer, { attributes: true, childList: true, subtree: true });
            look();
        }"""
    )
    one.locator('[data-action="play"]').click()
    one.locator('[data-control="speed"]').select_option("25")
    expect(one.get_by_test_id("step-count")).to_have_text("30 of 30")
    expect_pixel(page, one, [30, 20, 29, 255])
    expect(one.locator('[data-action="play"]')).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.empty") == 0
    assert page.evaluate("window.seen") == [str(index) for index in range(20, 30)]
    assert one.get_by_test_id("stage").bounding_box() == before


def test_the_value_of_the_pixel_under_the_pointer(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures), "image.brightness=150")
    two = card(page, "eyes", "two")
    expect_pixel(page, two, [35, 20, 27, 255])
    hover_pixel(page, two, 9, 4, (WIDTH, HEIGHT))
    expect(two.get_by_test_id("pixel")).to_contain_text("(9, 4)")
    expect(two.get_by_test_id("pixel")).to_contain_text("95 40 27")
    page.mouse.move(5, 5)
    expect(two.get_by_test_id("pixel")).to_have_count(0)


def test_a_large_picture_is_shown_smaller_until_it_is_looked_at(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (900, 1200, 3), np.uint8)
    with EventWriter(tmp_path / "run") as writer:
        writer.image("photo", 0, png(noise), 1200, 900)
    open_images(page, serve("--logdir", tmp_path))
    photo = card(page, "photo", "run")
    picture = photo.locator(".layer img")
    expect(picture).to_have_attribute("src", re.compile("/thumbnail"))
    before = box_of(picture)
    hover_pixel(page, photo, 700, 400, (1200, 900))
    expect(picture).to_have_attribute("src", re.compile("/image[?]"))
    until(page, lambda: box_of(picture) == pytest.approx(before, abs=1))
    hover_pixel(page, photo, 702, 400, (1200, 900))

    def read() -> bool:
        column, row, *value = map(int, re.findall(r"\d+", photo.get_by_test_id("pixel").inner_text()))
        return abs(column - 702) <= 3 and value == noise[row, column].tolist()

    until(page, read)


def test_samples_of_a_batch(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    batch = card(page, "digits", "batch")
    expect(batch.get_by_test_id("sample-count")).to_have_text("0\N{EN DASH}2")
    expect_pixel(page, batch, [1, 1, 1, 255])
    batch.locator('[data-control="sample"]').fill("2")
    expect_pixel(page, batch, [101, 101, 101, 255])
    batch.locator('[data-control="step"]').press("ArrowLeft")
    expect_pixel(page, batch, [100, 100, 100, 255])
    expect_url(page, "image.sample=digits,batch=2")
    expect(card(page, "eyes", "one").locator('[data-control="sample"]')).to_have_count(0)


def test_brightness_and_contrast_of_all_and_of_one(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one, two = card(page, "eyes", "one"), card(page, "eyes", "two")
    filters = [where.locator(".layer img") for where in (one, two)]
    page.locator('[data-control="brightness"]').fill("150")
    for picture in filters:
        expect(picture).to_have_css("filter", "brightness(1.5)")
    one.hover()
    one.locator('[data-action="light"]').click()
    one.locator('[data-control="card-contrast"]').fill("50")
    expect(filters[0]).to_have_css("filter", "brightness(1.5) contrast(0.5)")
    expect(filters[1]).to_have_css("filter", "brightness(1.5)")
    expect_url(page, "image.light=eyes,one=150,50")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("light")).to_have_count(0)
    page.locator('[data-action="light-reset-all"]').click()
    for picture in filters:
        expect(picture).to_have_css("filter", "none")
    expect(page.locator('[data-action="light-reset-all"]')).to_be_disabled()


def test_actual_size_full_screen_zoom_and_pan(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one = card(page, "eyes", "one")
    picture = one.locator(".layer img")
    expect(picture).to_be_visible()
    one.hover()
    one.locator('[data-action="actual"]').click()
    expect(picture).to_have_css("width", f"{WIDTH}px")
    one.locator('[data-action="actual"]').click()
    one.get_by_test_id("stage").dblclick()
    expect_url(page, "image.full=eyes;one")
    until(page, lambda: box_of(one.get_by_test_id("stage"))["width"] > 1000)
    stage = box_of(one.get_by_test_id("stage"))
    hover_pixel(page, one, 4, 6, (WIDTH, HEIGHT))
    expect(one.get_by_test_id("pixel")).to_contain_text("(4, 6)")
    width = box_of(picture)["width"]
    page.mouse.wheel(0, -400)
    until(page, lambda: box_of(picture)["width"] > 1.5 * width)
    expect(one.get_by_test_id("pixel")).to_contain_text("(4, 6)")
    expect_url(page, "image.zoom=")
    zoomed = box_of(picture)
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] - 40, middle[1] - 25, steps=4)
    page.mouse.up()
    until(page, lambda: box_of(picture)["x"] - zoomed["x"] == pytest.approx(-40, abs=1))
    until(page, lambda: box_of(picture)["y"] - zoomed["y"] == pytest.approx(-25, abs=1))
    panned = box_of(picture)
    one.locator('[data-control="step"]').press("ArrowLeft")  # another step is seen at the same place
    expect_pixel(page, one, [30, 20, 28, 255])
    assert picture.bounding_box() == pytest.approx(panned, abs=0.5)
    page.keyboard.press("Escape")
    page.wait_for_function(
        "() => !location.hash.includes('image.full') && !location.hash.includes('image.zoom')"
    )


def test_the_tab_key_reaches_every_tool_of_a_card(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures), "image.tags=eyes")
    expect(card(page, "eyes", "one").locator(".layer img")).to_be_visible()
    page.locator('[data-control="tag-filter"]').focus()
    reached: list[str] = []
    while "fullscreen" not in reached:
        assert len(reached) < 30, reached
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.dataset.action"))
    assert reached[-6:] == ["actual", "light", "compare", "view-table", "download", "fullscreen"]
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("comparison")).to_be_visible()


def test_a_bad_record_is_an_error_in_its_place(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    bad = card(page, "broken", "bad")
    expect_pixel(page, bad, [30, 20, 7, 255])
    before = bad.bounding_box()
    cell = bad.get_by_test_id("error-cell")
    for index, cause in ((3, "the picture is empty"), (2, "cut off|ends"), (1, "not a PNG, JPEG")):
        bad.locator('[data-control="step"]').fill(str(index))
        expect(cell).to_contain_text(f"step {index} (record {index})")
        expect(cell).to_contain_text("'broken' of run 'bad'")
        expect(cell).to_have_text(re.compile(cause))
    until(page, lambda: bad.bounding_box() == before)
    assert page.locator("svg[onload]").count() == 0
    bad.locator('[data-control="step"]').fill("0")
    expect(cell).to_have_count(0)
    expect_pixel(page, bad, [30, 20, 7, 255])
    expect_pixel(page, card(page, "eyes", "one"), [30, 20, 29, 255])


def test_a_picture_is_saved_as_it_was_logged(page: Page, shared: Serve, pictures: Path) -> None:
    open_images(page, shared("--logdir", pictures))
    one = card(page, "eyes", "one")
    one.locator('[data-control="step"]').fill("3")
    expect_pixel(page, one, [30, 20, 3, 255])
    one.hover()
    with page.expect_download() as download:
        one.locator('[data-action="download"]').click()
    assert download.value.suggested_filename == "one_eyes_3.png"
    assert Path(download.value.path()).read_bytes() == png(pixels(3))


def test_how_many_were_kept_is_said(page: Page, serve: Serve, pictures: Path) -> None:
    open_images(page, serve("--logdir", pictures, "--samples-per-plugin", "image=10"))
    expect(card(page, "eyes", "one").get_by_test_id("card-status")).to_contain_text("kept 10 of 30 records")
    expect(card(page, "eyes", "one").get_by_test_id("step-count")).to_have_text("10 of 10")
