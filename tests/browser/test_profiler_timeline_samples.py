"""The timeline of profiles that frameworks wrote, in both languages and themes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from tests.browser.profiler_page import open_page

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

SHARED = Path(__file__).parents[3] / "shared/data"
# directory of ../shared/data, the run and the profile in it, a name to look for
SAMPLES = {
    "torch_profile": (".", "", "aten::convolution"),
    "torch_gpu_traces": (".", "", "cudaLaunchKernel"),
    "keras/fit": ("train", "", "Mul"),
    "mindspore_profile/graph_old": (".", "", "Conv2D"),
    "mindinsight_fixtures/run_1": ("normal_run/profiler", "", "Op"),
    "mindinsight_fixtures/profiler": (".", ".#0", "Add"),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_timelines_of_real_profiles(page: Page, serve: Serve, sample: str) -> None:
    if not (SHARED / sample).is_dir():
        pytest.skip(f"no sample profiles at {SHARED / sample}")
    run, profile, name = SAMPLES[sample]
    troubles: list[str] = []

    def told(message: ConsoleMessage) -> None:
        # the timeline may be asked for before anything of its profile is read
        if message.type == "error" and "503" not in message.text:
            troubles.append(message.text)

    page.on("console", told)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    url = serve("--logdir", SHARED / sample)
    chosen = {"run": run, "profile": profile} if profile else {}
    for locale, theme in (("en", "light"), ("zh-CN", "dark")):
        panel = open_page(page, url, "timeline", locale=locale, theme=theme, **chosen)
        canvas = panel.get_by_test_id("timeline-canvas")
        expect(canvas).to_have_attribute("data-bars", re.compile(r"^[1-9]"))
        for width in (1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        canvas.focus()
        for key in ("w", "w", "Enter"):
            page.keyboard.press(key)
        expect(panel.get_by_test_id("slice-panel").locator('[data-fact="duration"]')).to_be_visible()
        page.keyboard.press("e")
        page.keyboard.type(name)
        expect(panel.get_by_test_id("timeline-found").locator("[data-found]").first).to_be_visible()
        page.keyboard.press("Enter")
        expect(panel.get_by_test_id("slice-panel").locator("> header h3")).to_have_text(
            re.compile(name, re.IGNORECASE)
        )
        expect(panel.locator(".problem")).to_have_count(0)
    assert troubles == []
