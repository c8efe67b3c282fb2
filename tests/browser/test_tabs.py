"""What all tabs do alike, in a real browser: filter, full screen, languages, states without data, sliders."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.header import choose_in_page_menu
from tests.browser.waiting import until
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

TABS = ("scalar", "image", "histogram", "tensor")
TITLES = {
    "scalar": ("Metrics", "指标"),
    "image": ("Images", "图像"),
    "histogram": ("Histograms", "参数分布"),
    "tensor": ("Tensors", "张量"),
    "text": ("Text", "文本"),
}
# what comes into sight is noticed when a picture is drawn
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
each_tab = pytest.mark.parametrize("tab", TABS)


def write(logdir: Path, run: str, steps: range) -> EventWriter:
    writer = EventWriter(logdir / run)
    for step in steps:
        append(writer, step)
    writer.flush()
    return writer


def append(writer: EventWriter, step: int) -> None:
    """One point of every kind, two tags each."""
    for tag in ("a/first", "b"):
        writer.scalar(f"scalar/{tag}", step, float(step))
        writer.image(f"image/{tag}", step, png(np.full((4, 6), step * 20 % 256)), 6, 4)
        writer.histogram(f"histogram/{tag}", step, np.arange(10.0) + step)
        writer.tensor(f"tensor/{tag}", step, np.arange(6.0).reshape(2, 3) + step)
        writer.text(f"text/{tag}", step, f"{step}")


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of three steps."""
    logs = tmp_path_factory.mktemp("one")
    write(logs, "run", range(3)).close()
    return logs


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("two")
    for run in ("one", "two"):
        write(logs, run, range(3)).close()
    return logs


def opened(page: Page, url: str, tab: str, more: str = "") -> Locator:
    """The panel of a tab, once it has cards."""
    page.goto(f"{url}#locale=en&theme=light&tab={tab}{more}")
    panel = page.locator(f'[data-plugin="{tab}"]')
    expect(panel.get_by_test_id("card").first).to_be_visible()
    return panel


@each_tab
def test_tags_are_filtered_and_the_filter_is_in_the_url(
    page: Page, shared: Serve, logdir: Path, tab: str
) -> None:
    panel = opened(page, shared("--logdir", logdir), tab)
    expect(panel.get_by_test_id("card")).to_have_count(2)
    expect(panel.get_by_test_id("tag-count")).to_have_text("2 of 2 tags")
    page.keyboard.press("t")
    page.keyboard.type("first$")
    expect(panel.get_by_test_id("card")).to_have_count(1)
    expect(page).to_have_url(re.compile(rf"{tab}\.tags=first"))
    page.reload()
    expect(panel.get_by_test_id("card")).to_have_count(1)
    panel.locator('[data-control="tag-filter"]').fill("nothing like it")
    expect(panel.get_by_test_id("empty")).to_contain_text("No tag matches the filter")
    panel.locator('[data-action="clear-filter"]').click()
    expect(panel.get_by_test_id("card")).to_have_count(2)


@each_tab
def test_a_card_fills_the_screen_and_escape_ends_it(
    page: Page, shared: Serve, logdir: Path, tab: str
) -> None:
    panel = opened(page, shared("--logdir", logdir), tab)
    here = panel.get_by_test_id("card").first
    tag = here.get_attribute("data-tag")
    here.hover()
    page.keyboard.press("f")
    full = panel.locator(".card.full")
    expect(full).to_have_attribute("data-tag", tag or "")
    expect(full.locator("h3")).to_contain_text("first")
    page.reload()
    expect(full).to_have_count(1)
    page.keyboard.press("Escape")
    expect(full).to_have_count(0)
    expect(page).not_to_have_url(re.compile(rf"{tab}\.full="))


@each_tab
def test_groups_close_and_stay_closed(page: Page, shared: Serve, two_runs: Path, tab: str) -> None:
    panel = opened(page, shared("--logdir", two_runs), tab)
    heading = panel.locator("h2 [aria-expanded]").first
    cards = panel.get_by_test_id("card")
    until(page, lambda: cards.count() == (2 if tab == "scalar" else 4))
    before = cards.count()
    heading.click()
    expect(heading).to_have_attribute("aria-expanded", "false")
    until(page, lambda: cards.count() < before)
    page.reload()
    expect(heading).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("tab", TITLES)
def test_words_follow_the_language(page: Page, shared: Serve, logdir: Path, tab: str) -> None:
    """Keys of catalogues on the screen would be texts that are missing."""
    panel = opened(page, shared("--logdir", logdir), tab)
    english, chinese = TITLES[tab]
    expect(page.get_by_role("tab", name=english, exact=True)).to_have_attribute("aria-selected", "true")
    texts = (
        "element => [...element.querySelectorAll('*')].flatMap(e => [e.title, e.ariaLabel, e.placeholder])"
    )
    for switched in (False, True):
        if switched:
            choose_in_page_menu(page, "locale-zh-CN")
            expect(page.get_by_role("tab", name=chinese, exact=True)).to_be_visible()
            expect(panel.get_by_test_id("tag-count")).to_have_text("2 / 2 个标签")
        panel.get_by_test_id("card").first.hover()
        words = [text for text in panel.evaluate(texts) if text] + panel.inner_text().split("\n")
        keys = [text for text in words if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", text.strip())]
        assert keys == []
        if switched:
            left = [
                text for text in words if re.search(r"\b(the|of|and|step|show|all)\b", text, re.IGNORECASE)
            ]
            assert left == []


@each_tab
def test_what_is_not_there_is_said(page: Page, serve: Serve, tmp_path: Path, tab: str) -> None:
    with EventWriter(tmp_path / "other") as writer:
        writer.text("note", 0, "nothing else")
    url = serve("--logdir", tmp_path)
    page.goto(f"{url}#locale=en&tab={tab}")
    panel = page.locator(f'[data-plugin="{tab}"]')
    empty = panel.get_by_test_id("empty")
    expect(empty).to_contain_text("The selected runs have no")
    write(tmp_path, "run", range(3)).close()
    expect(panel.get_by_test_id("card").first).to_be_visible()
    page.locator('[data-run="run"]').dblclick()
    page.locator('[data-run="run"]').click()
    expect(empty).to_contain_text("No selected run to show")


@each_tab
def test_keys_are_listed(page: Page, shared: Serve, logdir: Path, tab: str) -> None:
    opened(page, shared("--logdir", logdir), tab)
    page.keyboard.press("?")
    listed = page.get_by_role("dialog")
    expect(listed).to_contain_text("Full screen")
    expect(listed).to_contain_text("Go to the tag filter")


@each_tab
def test_nothing_complains_and_nothing_is_asked_of_others(
    page: Page, shared: Serve, sample_logs: Path, tab: str
) -> None:
    url = shared("--logdir", sample_logs)
    said: list[str] = []
    asked: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    panel = opened(page, url, tab)
    for _ in range(4):
        panel.evaluate("(panel) => (panel.querySelector('.ih-plugin') ?? panel).scrollBy(0, 900)")
        page.evaluate(DRAWN)
    page.wait_for_load_state("networkidle")
    assert said == []
    assert [other for other in asked if not other.startswith((url, "data:", "blob:"))] == []


@pytest.mark.parametrize("tab", ["image", "tensor"])
def test_a_slider_follows_the_last_step_until_it_is_moved(
    page: Page, serve: Serve, tmp_path: Path, tab: str
) -> None:
    writer = write(tmp_path, "run", range(3))
    panel = opened(page, serve("--logdir", tmp_path), tab)
    slider = panel.get_by_test_id("card").first.get_by_test_id("step-slider")
    expect(slider).to_contain_text("3 of 3")
    append(writer, 3)
    writer.flush()
    expect(slider).to_contain_text("4 of 4")
    expect(slider.get_by_test_id("step-label")).to_have_text("step 3")
    slider.locator("input").focus()
    page.keyboard.press("ArrowLeft")
    expect(slider.get_by_test_id("step-label")).to_have_text("step 2")
    append(writer, 4)
    writer.flush()
    writer.close()
    expect(slider).to_contain_text("3 of 5")
    expect(page).to_have_url(re.compile(rf"{tab}\.steps="))
    page.reload()
    expect(slider.get_by_test_id("step-label")).to_have_text("step 2")
    slider.locator("input").focus()
    page.keyboard.press("Home")
    expect(slider.get_by_test_id("step-count")).to_have_text("1 of 5")
    page.keyboard.press(" ")
    expect(slider.get_by_test_id("step-count")).to_have_text("5 of 5")


@pytest.mark.parametrize("tab", ["image", "tensor"])
def test_sliders_are_linked_at_the_nearest_step(page: Page, serve: Serve, tmp_path: Path, tab: str) -> None:
    write(tmp_path, "every", range(10)).close()
    write(tmp_path, "some", range(0, 10, 3)).close()
    panel = opened(page, serve("--logdir", tmp_path), tab)
    tag = f"{tab}/a/first"
    every, some = (
        panel.locator(f'[data-tag="{tag}"][data-card-run="{run}"]').get_by_test_id("step-slider")
        for run in ("every", "some")
    )
    for slider in (every, some):
        expect(slider.get_by_test_id("step-label")).to_have_text("step 9")  # there are records to move over
    panel.locator('[data-action="link"]').click()
    every.locator("input").focus()
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    expect(every.get_by_test_id("step-label")).to_have_text("step 7")
    expect(some.get_by_test_id("step-label")).to_have_text("step 6, nearest to step 7")
    expect(page).to_have_url(re.compile(rf"{tab}\.step=7"))
