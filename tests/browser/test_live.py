"""A page that stays open while logs grow, are replaced, come and go."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.asking import data_requests

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def write(directory: Path, tags: list[str], steps: int, start_time: float = 1_700_000_000.0) -> EventWriter:
    writer = EventWriter(directory, start_time=start_time)
    writer.scalar_block(tags, range(steps), np.ones((steps, len(tags))) * np.arange(steps)[:, None])
    writer.flush()
    return writer


def append(writer: EventWriter, tags: list[str], step: int) -> None:
    writer.scalar_block(tags, [step], np.full((1, len(tags)), float(step)))
    writer.flush()


def status(page: Page, tag: str) -> Locator:
    return page.locator(f'[data-testid="card"][data-tag="{tag}"]').get_by_test_id("card-status")


def open_page(page: Page, url: str, fragment: str = "locale=en&theme=light") -> None:
    page.goto(f"{url}#{fragment}")
    expect(page.get_by_test_id("card").first).to_be_attached()
    expect(page.locator('[data-live="live"]')).to_be_attached()


def picture(page: Page, tag: str) -> str:
    """What is drawn on a card, without what lies above it."""
    canvas = page.locator(f'[data-testid="card"][data-tag="{tag}"] canvas').first
    return str(canvas.evaluate("canvas => canvas.toDataURL()"))


def test_a_point_appears_and_nothing_else_moves(page: Page, serve: Serve, tmp_path: Path) -> None:
    tags = ["acc", "loss"]
    quiet = write(tmp_path / "quiet", ["other"], 10)
    quiet.close()
    with write(tmp_path / "run", tags, 100) as writer:
        with page.expect_response("**/data/saved/plugin/scalar"):  # what the tab has saved, once
            open_page(page, serve("--logdir", tmp_path))
        expect(status(page, "loss")).to_contain_text("100 points")
        expect(status(page, "other")).to_contain_text("10 points")
        before = picture(page, "loss")
        field = page.locator("#run-filter")
        field.focus()
        scrolled = page.evaluate("() => scrollY")
        asked = data_requests(page)
        append(writer, tags, 100)
        expect(status(page, "loss")).to_contain_text("101 points")
        expect(status(page, "acc")).to_contain_text("101 points")
        page.wait_for_function(
            "before => document.querySelector('[data-tag=loss] canvas')?.toDataURL() !== before", arg=before
        )
        expect(field).to_be_focused()
        assert page.evaluate("() => scrollY") == scrolled
        asked = [url for url in asked if "/plugin/diagnose" not in url]  # it asks every quarter of a minute
        assert asked
        assert all("/scalar/cards?" in url for url in asked), asked
        cards = [json.loads(card) for url in asked for card in parse_qs(urlsplit(url).query)["card"]]
        assert {card["tag"] for card in cards} == set(tags)
        assert all("from" in card for card in cards), cards  # what is there already is not sent again


def test_a_reading_and_a_zoom_stay(page: Page, serve: Serve, tmp_path: Path) -> None:
    with write(tmp_path / "run", ["loss"], 100) as writer:
        open_page(page, serve("--logdir", tmp_path), "locale=en&theme=light&scalar.zoom=loss%3D20%2C60")
        place = page.locator('[data-testid="card"][data-tag="loss"] [role="img"]')
        expect(status(page, "loss")).to_contain_text("100 points")
        address = page.url
        place.hover(position={"x": 200, "y": 60})
        tooltip = page.get_by_test_id("tooltip")
        expect(tooltip).to_contain_text("Relative")
        expect(tooltip).not_to_contain_text("…")  # exact values have come
        words = tooltip.inner_text()
        for step in range(100, 105):
            append(writer, ["loss"], step)
        expect(status(page, "loss")).to_contain_text("105 points")
        expect(tooltip).to_be_visible()
        assert tooltip.inner_text() == words
        assert page.url == address


def test_a_run_that_appears(page: Page, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path / "first", ["loss"], 10).close()
    open_page(page, serve("--logdir", tmp_path))
    expect(status(page, "loss")).to_contain_text("10 points")
    writer = write(tmp_path / "deep/down/second", ["loss", "new"], 5, start_time=1_700_001_000.0)
    expect(page.locator('[data-run="deep/down/second"]')).to_be_visible()
    expect(status(page, "loss")).to_contain_text("15 points")
    expect(status(page, "new")).to_contain_text("5 points")
    append(writer, ["loss", "new"], 5)
    writer.close()
    expect(status(page, "new")).to_contain_text("6 points")


def test_a_logdir_that_appears(page: Page, serve: Serve, tmp_path: Path) -> None:
    page.goto(serve("--logdir", tmp_path / "not/yet") + "#locale=en")
    expect(page.locator('[data-live="live"]')).to_be_attached()
    write(tmp_path / "not/yet/run", ["loss"], 7).close()
    expect(status(page, "loss")).to_contain_text("7 points")


def test_a_run_that_is_deleted(page: Page, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path / "stays", ["loss"], 10).close()
    write(tmp_path / "goes", ["loss", "gone"], 5).close()
    open_page(page, serve("--logdir", tmp_path))
    expect(status(page, "loss")).to_contain_text("15 points")
    expect(status(page, "gone")).to_contain_text("5 points")
    shutil.rmtree(tmp_path / "goes")
    expect(page.locator('[data-run="goes"]')).to_have_count(0)
    expect(status(page, "loss")).to_contain_text("10 points")
    expect(page.locator('[data-testid="card"][data-tag="gone"]')).to_have_count(0)


@pytest.mark.parametrize("aside", [True, False], ids=["moved into place", "rewritten"])
def test_a_file_that_is_replaced(page: Page, serve: Serve, tmp_path: Path, aside: bool) -> None:
    with write(tmp_path / "run", ["loss"], 50) as writer:
        path = writer.path
    open_page(page, serve("--logdir", tmp_path))
    expect(status(page, "loss")).to_contain_text("50 points")
    target = tmp_path / ("other_place" if aside else "run") / path.name
    with EventWriter(target, start_time=1_700_000_500.0) as writer:
        writer.scalar_block(["loss"], range(8), np.zeros((8, 1)))
    if aside:
        os.replace(target, path)
    expect(status(page, "loss")).to_contain_text("8 points")


def test_a_page_in_the_background_asks_nothing_until_it_is_seen(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    with write(tmp_path / "run", ["loss"], 10) as writer:
        url = serve("--logdir", tmp_path)
        with page.expect_response("**/data/plugin/diagnose/recent_findings*"):  # the last of its start
            open_page(page, url)
        expect(status(page, "loss")).to_contain_text("10 points")
        hide = """hidden => {
            Object.defineProperty(document, 'visibilityState', {
                configurable: true, get: () => (hidden ? 'hidden' : 'visible'),
            });
            document.dispatchEvent(new Event('visibilitychange'));
        }"""
        page.evaluate(hide, True)
        asked = data_requests(page)
        with page.context.new_page() as seen:
            open_page(seen, url)
            append(writer, ["loss"], 10)
            expect(status(seen, "loss")).to_contain_text("11 points")
        assert asked == []
        page.evaluate(hide, False)
        expect(status(page, "loss")).to_contain_text("11 points")


def test_a_host_that_reads_once_does_not_promise_more(page: Page, serve: Serve, tmp_path: Path) -> None:
    page.goto(f"{serve('--logdir', tmp_path / 'none', '--reload-interval', '0')}#locale=en")
    expect(page.locator("[data-live]")).to_have_text("Read once")
    expect(page.get_by_text("Logs are read once, when the host starts")).to_be_visible()
    expect(page.get_by_text("automatically")).to_have_count(0)
    expect(page.get_by_text("as soon as it does")).to_have_count(0)
    expect(page.get_by_text(f"The log directory {tmp_path / 'none'} does not exist.")).to_be_visible()
