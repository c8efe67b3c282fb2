"""The Profiler page with profiles that frameworks wrote: every view of each, in both languages and themes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from tests.browser.profiler_page import go, open_page, views_of

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

SHARED = Path(__file__).parents[3] / "shared/data"
# directory of ../shared/data, and views that its profiles have at least
SAMPLES = {
    "torch_profile": {"overview", "operators", "steps", "memory"},
    "torch_gpu_traces": {"overview", "operators", "kernels", "steps"},
    "keras/fit": {"overview", "operators"},
    "mindspore_profile/graph_old": {"overview", "operators", "memory"},
    "mindspore_profile/minddata": {"pipeline"},
    "mindinsight_fixtures/run_1": {"overview", "operators", "steps", "pipeline"},
    "mindinsight_fixtures/run_2": {"overview", "operators", "steps", "pipeline"},
    "mindinsight_fixtures/profiler": {"overview", "steps", "pipeline", "flops", "shapes"},
    "mindinsight_fixtures/cluster_propose": {"overview", "steps", "communication", "cluster"},
    "mindinsight_fixtures/parallel_strategy": {"strategy"},
}
TEXTS = "element => [...element.querySelectorAll('*')].flatMap(e => [e.title, e.ariaLabel, e.placeholder])"
CONTENT = "table, .grid, .figure, .facts, .key-figures"
OVERLAP = """element => {
  const box = (place) => element.querySelector(place).getBoundingClientRect();
  const [bar, tabs] = [box('.toolbar'), box('.views')];
  const wide = document.documentElement.scrollWidth > innerWidth;
  return wide || (bar.bottom > tabs.top + 1 && bar.right > tabs.left + 1);
}"""


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    name: str = request.param
    if not (SHARED / name).is_dir():
        pytest.skip(f"no sample profiles at {SHARED / name}")
    shutil.copytree(SHARED / name, tmp_path / "logs" / name)
    return name, tmp_path / "logs"


def check_view(panel: Locator, view: str) -> None:
    shown = panel.locator(f'#profiler-view[data-view="{view}"]')
    expect(shown.locator(f"{CONTENT} >> visible=true").first).to_be_visible()
    expect(shown.locator(".problem")).to_have_count(0)
    expect(shown.locator('[aria-busy="true"]')).to_have_count(0)
    for width in (1280, 1920):
        panel.page.set_viewport_size({"width": width, "height": 800})
        assert not panel.evaluate(OVERLAP)
    words = [text for text in panel.evaluate(TEXTS) if text] + panel.inner_text().split("\n")
    keys = [
        text for text in words if re.fullmatch(r"(view|column|category|note|steps|memory)(\.[a-z_]+)+", text)
    ]
    assert keys == []


def test_every_view_of_real_profiles(
    page: Page, serve: Serve, sample: tuple[str, Path], violations: Callable[[Page], list[str]]
) -> None:
    name, logs = sample
    troubles: list[str] = []

    def told(message: ConsoleMessage) -> None:
        # a view may be asked for before anything of its profile is read
        if message.type == "error" and "503" not in message.text:
            troubles.append(message.text)

    page.on("console", told)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    url = serve("--logdir", logs)
    # of several ranks in one directory the newest is the one with the least
    chosen = {"run": name, "profile": ".#0"} if name == "mindinsight_fixtures/profiler" else {}
    for locale, theme in (("en", "light"), ("zh-CN", "dark")):
        panel = open_page(page, url, locale=locale, theme=theme, **chosen)
        expect(panel.get_by_test_id("reading")).to_have_count(0)
        views = views_of(panel)
        assert SAMPLES[name] <= set(views) | {"overview"}
        for view in views:
            if view == "timeline":  # test_profiler_timeline.py
                continue
            go(panel, view)
            if view == "compare":
                expect(panel.get_by_test_id("empty")).to_be_visible()
            else:
                check_view(panel, view)
            assert violations(page) == [], view
    assert troubles == []


def test_advice_leads_to_its_evidence(page: Page, serve: Serve, tmp_path: Path) -> None:
    source = SHARED / "mindinsight_fixtures/cluster_propose"
    if not source.is_dir():
        pytest.skip(f"no sample profiles at {source}")
    shutil.copytree(source, tmp_path / "logs/run/profiler")
    panel = open_page(page, serve("--logdir", tmp_path / "logs"))
    advice = panel.locator("[data-advice]").first
    expect(advice).to_be_visible()
    advice.locator('[data-action="advice"]').first.click()
    expect(panel.get_by_role("tab", selected=True)).to_have_text("Step trace")
    go(panel, "cluster")
    # the ranks of a stage work equally long; the long first step of ranks 2 and 3 is waiting for data
    expect(panel.get_by_test_id("warm-up")).to_contain_text("step 1")
    expect(panel.locator("[data-straggler]")).to_have_count(0)
    expect(panel.locator('[data-figure="ranks"]').get_by_test_id("column")).to_have_count(4)
    panel.get_by_test_id("grid-cluster").locator('[data-row="1"]').click()
    expect(panel.get_by_test_id("about")).to_contain_text("rank 1")
