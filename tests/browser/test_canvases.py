"""Canvases in a real browser: bitmaps as large as their places on the screen, in device pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

# Bitmaps and places of all canvases in sight whose sizes differ.
BLURRED = """async () => {
    const shown = (canvas) => canvas.checkVisibility() && canvas.clientWidth > 0 && canvas.clientHeight > 0;
    const pixels = (start, length) =>
        Math.round((start + length) * devicePixelRatio) - Math.round(start * devicePixelRatio);
    const placeOf = (canvas) => new Promise((resolve) => {
        const observer = new ResizeObserver(([{ devicePixelContentBoxSize: [box] }]) => {
            observer.disconnect();
            const { left, top, width, height } = canvas.getBoundingClientRect();
            const asked = [pixels(left, width), pixels(top, height)];
            const real = [box.inlineSize, box.blockSize]; // of the real screen, while another one is emulated
            const bitmap = [canvas.width, canvas.height];
            const near = (sizes) => sizes.every((size, at) => Math.abs(size - asked[at]) <= 1);
            // an emulated screen does not say between which pixels an edge is
            resolve({ bitmap, place: near(real) ? real : near(bitmap) ? bitmap : asked });
        });
        observer.observe(canvas, { box: 'device-pixel-content-box' });
    });
    const sizes = await Promise.all([...document.querySelectorAll('canvas')].filter(shown).map(placeOf));
    return { seen: sizes.length, blurred: sizes.filter(({ bitmap, place }) => `${bitmap}` !== `${place}`) };
}"""

VIEWS = {
    "scalar": "[data-testid=scalars] canvas",
    "histogram": "[data-testid=histograms] canvas",
    "landscape": "[data-testid=picture][data-drawn^=contour]",
    "landscape&landscape.form=surface": "[data-testid=picture][data-drawn^=surface]",
    "lineage&lineage.analysis=1": "[data-testid=parallel] canvas",
    "profiler&profiler.view=timeline": "[data-testid=timeline-canvas][data-bars]",
}


@pytest.fixture(scope="module", params=(1, 1.25, 1.5, 2))
def screen(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page on a screen with so many device pixels per CSS pixel."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, device_scale_factor=request.param)
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_no_canvas_is_stretched(
    screen: Page, shared: Serve, view: str, sample_logs: Path, landscapes: Path, six_runs: Path, traced: Path
) -> None:
    url = shared(
        *(part for logs in (sample_logs, landscapes, six_runs, traced) for part in ("--logdir", logs))
    )
    screen.goto("about:blank")
    screen.goto(f"{url}#locale=en&theme=light&tab={view}")
    expect(screen.locator(VIEWS[view]).first).to_be_visible()
    until(screen, lambda: not screen.evaluate(BLURRED)["blurred"])
    assert screen.evaluate(BLURRED)["seen"] > 0


def test_a_canvas_follows_the_width_of_the_window(screen: Page, shared: Serve, sample_logs: Path) -> None:
    screen.goto("about:blank")
    screen.goto(f"{shared('--logdir', sample_logs)}#locale=en&theme=light")
    expect(screen.locator(VIEWS["scalar"]).first).to_be_visible()
    for width in (1279, 1283, 1290, 1280):
        screen.set_viewport_size({"width": width, "height": 800})
        until(screen, lambda: not screen.evaluate(BLURRED)["blurred"])
