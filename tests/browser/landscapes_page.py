"""What tests of the Landscape page share: a bowl with its paths, and how the page is looked at."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from insight_landscape import compute
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page, expect

FORMS = ("contour", "topographic", "surface")
AXIS = np.linspace(-1, 1, 21)
ACROSS, DOWN = {"w": np.array([[1.0, 0.0]])}, {"w": np.array([[0.0, 1.0]])}


def bowl(parameters: dict[str, NDArray[Any]]) -> float:
    x, y = parameters["w"][0]
    return float(x * x + 2 * y * y)


def bowls(logs: Path) -> Path:
    """Two runs, each with the path of a training and a final landscape."""
    for run, place in (("a", 0.0), ("b", 0.5)):
        way = [{"w": np.array([[x, y]])} for x, y in ((0.9, 0.8), (0.6, 0.2), (0.2, 0.3), (0.0, place))]
        compute(bowl, way, log_dir=logs / run, directions=(ACROSS, DOWN), size=21, step_per_epoch=5)
        compute(bowl, way[-1], log_dir=logs / run, directions=(ACROSS, DOWN), size=21)
    return logs


def opened(page: Page, url: str, more: str = "", locale: str = "en") -> Locator:
    page.goto(f"{url}#locale={locale}&theme=light&tab=landscape{more}")
    panel = page.get_by_test_id("landscapes")
    expect(panel).to_be_visible()
    return panel


def drawn(panel: Locator, form: str, count: int = 1) -> Locator:
    """The first picture, once it is drawn in this form."""
    found = panel.get_by_test_id("picture").first
    expect(found).to_have_attribute("data-drawn", f"{form} {count}")
    return found


def pixels(found: Locator) -> NDArray[Any]:
    """What is on the screen in its place."""
    return np.asarray(Image.open(io.BytesIO(found.screenshot())).convert("RGB")).astype(int)


def changed(found: Locator, before: NDArray[Any], by: int = 40) -> float:
    """The share of its pixels that have become another colour."""
    return float((abs(pixels(found) - before).max(-1) > by).mean())


def vivid(found: Locator, by: int = 60) -> float:
    """The share of its pixels that are not nearly gray."""
    colours = pixels(found)
    return float((colours.max(-1) - colours.min(-1) > by).mean())


def pick(panel: Locator, control: str, value: str) -> None:
    panel.locator(f'[data-control="{control}"] [data-value="{value}"]').click()
