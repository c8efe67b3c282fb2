"""The Images page as browser tests see it: a logdir, and what is shown of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.waiting import until
from tests.support.pictures import png

WIDTH, HEIGHT = 16, 12


def pixels(step: int, add: int = 0) -> NDArray[np.uint8]:
    """Column and row tell where a pixel is, blue tells the step."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    blue = np.full_like(rows, step % 256)
    return np.stack((columns * 10 + add, rows * 10, blue), axis=-1).astype(np.uint8)


def write_pictures(directory: Path) -> None:
    """Two runs of one tag at other steps, a batch, a run with bad records, a picture of another size."""
    for run, steps, add in (("one", range(30), 0), ("two", range(0, 30, 3), 5)):
        with EventWriter(directory / run) as writer:
            for step in steps:
                writer.image("eyes", step, png(pixels(step, add)), WIDTH, HEIGHT)
    with EventWriter(directory / "batch") as writer:
        for step in range(2):
            batch = [png(np.full((4, 4), 50 * sample + step)) for sample in range(3)]
            writer.images_tf2("digits", step, batch, 4, 4)
    with EventWriter(directory / "bad") as writer:
        good = png(pixels(7))
        for step, encoded in enumerate((good, b"<svg onload='document.title=1'/>", good[:60], b"", good)):
            writer.image("broken", step, encoded, WIDTH, HEIGHT)
    with EventWriter(directory / "wide", "mindspore") as writer:
        writer.image("eyes", 0, png(np.zeros((3, 9, 3))), 9, 3)


def open_images(page: Page, url: str, fragment: str = "", *, language: str = "en") -> None:
    page.goto(f"{url}#tab=image&locale={language}&theme=light{fragment and '&' + fragment}")
    expect(page.get_by_test_id("images")).to_be_attached()


def shown(where: Locator) -> list[int]:
    """RGBA of the pixel at (3, 2) of the picture that is shown."""
    found = where.locator(".layer > *").first.evaluate(
        """picture => {
            const context = new OffscreenCanvas(1, 1).getContext('2d');
            context.drawImage(picture, 3, 2, 1, 1, 0, 0, 1, 1);
            return [...context.getImageData(0, 0, 1, 1).data];
        }"""
    )
    return [int(value) for value in found]


def expect_pixel(page: Page, where: Locator, value: list[int]) -> None:
    expect(where.locator(".layer > *").first).to_be_attached()
    until(page, lambda: shown(where) == value)


def hover_pixel(page: Page, where: Locator, x: float, y: float, size: tuple[int, int]) -> None:
    """Moves the pointer to a place of a picture, in its own pixels."""
    box = where.locator(".layer > *").first.bounding_box()
    assert box is not None
    page.mouse.move(
        box["x"] + (x + 0.5) * box["width"] / size[0], box["y"] + (y + 0.5) * box["height"] / size[1]
    )


def expect_url(page: Page, part: str) -> None:
    page.wait_for_function("part => decodeURIComponent(location.hash).includes(part)", arg=part)
