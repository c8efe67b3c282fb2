"""Bytes that the Metrics page receives, and requests that it makes, where runs are many or series long."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, Request, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.asking import data_requests
from tests.browser.cards import card
from tests.browser.waiting import until
from tests.waiting import eventually

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

KILOBYTE = 1000


class Received:
    """Bytes of everything that a page receives, heads and live events included, as they come."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self._counted: dict[object, float] = {}  # of answers that have not ended
        self._open: set[object] = set()  # requests, but for live events, which have no end
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", lambda event: self._open.add(event["requestId"]))
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._count)
        session.on("Network.loadingFinished", self._finish)
        session.on("Network.loadingFailed", lambda event: self._open.discard(event["requestId"]))

    def _answered(self, event: dict[str, Any]) -> None:
        if "event-stream" in event["response"]["mimeType"]:
            self._open.discard(event["requestId"])

    def _count(self, event: dict[str, Any]) -> None:
        known = self._counted.get(event["requestId"], 0)
        self._counted[event["requestId"]] = known + event["encodedDataLength"]
        self.bytes += event["encodedDataLength"]

    def _finish(self, event: dict[str, Any]) -> None:
        self.bytes += event["encodedDataLength"] - self._counted.pop(event["requestId"], 0)
        self._open.discard(event["requestId"])

    def is_all(self) -> bool:
        """Whether nothing is under way."""
        return not self._open


def write(directory: Path, tags: list[str], steps: int, seed: int) -> EventWriter:
    """Falling losses with noise; the writer stays open."""
    writer = EventWriter(directory, start_time=1_700_000_000.0 + seed)
    falling = np.exp(-np.arange(steps) / (steps / 5))[:, None]
    noise = np.random.default_rng(seed).normal(0, 0.03, (steps, len(tags)))
    writer.scalar_block(tags, range(steps), falling + noise)
    writer.flush()
    return writer


def tags_of(count: int) -> list[str]:
    return [f"t{number:02d}" for number in range(count)]


def have_all_points(page: Page, count: int) -> None:
    """Waits for every card that is drawn."""
    statuses = page.get_by_test_id("card-status")
    expect(statuses.first).to_be_visible()
    page.wait_for_function(
        """text => {
            const cards = [...document.querySelectorAll('[data-testid="card"]')];
            const status = (card) => card.querySelector('[data-testid="card-status"]')?.textContent;
            return cards.length > 0 && cards.every((card) => status(card)?.includes(text));
        }""",
        arg=f"{count:,} points",
    )


def test_a_first_load_of_forty_of_a_hundred_runs_asks_once_and_receives_less_than_a_megabyte(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    for number in range(100):
        write(tmp_path / f"run_{number:03d}", tags_of(20), 1000, number).close()
    selected = ",".join(f"run_{number:03d}" for number in range(100) if number % 5 < 2)
    received = Received(page)
    asked = data_requests(page, "/data/plugin/scalar/")
    page.set_viewport_size({"width": 1280, "height": 800})
    url = serve("--logdir", tmp_path)
    eventually(lambda: page.request.get(f"{url}data/run_table").json()["progress"]["loaded_once"])
    with page.expect_response("**/scalar/layouts"):  # what the tab asks for last
        page.goto(f"{url}#runs={selected}&locale=en")
    have_all_points(page, 40_000)
    until(page, received.is_all)
    assert [urlsplit(url).path.rpartition("/")[2] for url in asked] == ["cards", "layouts"]
    assert 100 * KILOBYTE < received.bytes <= 1000 * KILOBYTE


def test_a_drag_of_the_smoothing_slider_asks_once_and_for_cards_on_the_screen_only(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """Series are too long to be in the page with every point."""
    for number in range(30):
        write(tmp_path / f"run_{number:03d}", tags_of(12), 3000, number).close()
    asked: list[set[str]] = []

    def note(request: Request) -> None:
        if "/plugin/scalar/cards" in request.url:
            query = request.post_data or urlsplit(request.url).query
            asked.append({json.loads(one)["tag"] for one in parse_qs(query)["card"]})

    received = Received(page)
    page.set_viewport_size({"width": 1280, "height": 600})
    page.goto(f"{serve('--logdir', tmp_path)}#runs=all&locale=en")
    have_all_points(page, 90_000)
    until(page, received.is_all)
    seen = set(
        page.locator('[data-testid="card"]').evaluate_all(
            """cards => cards.filter((card) => {
                const box = card.querySelector('.plot').getBoundingClientRect();
                return box.top < innerHeight && box.bottom > 0;
            }).map((card) => card.dataset.tag)"""
        )
    )
    assert 0 < len(seen) < page.locator('[data-testid="card"]').count()
    page.on("request", note)
    slider = page.locator("#smoothing").bounding_box()
    assert slider is not None
    middle = slider["y"] + slider["height"] / 2
    page.mouse.move(slider["x"] + 5, middle)
    page.mouse.down()
    for position in range(1, 21):
        page.mouse.move(slider["x"] + slider["width"] * position / 21, middle)
    page.mouse.up()
    until(page, lambda: asked)
    assert asked == [seen]
    last = card(page, "t11")
    expect(last).to_be_visible()
    until(page, lambda: any("t11" in tags for tags in asked[1:]))  # cards on the way may come before it


def test_a_step_of_eight_growing_runs_is_at_most_twenty_kilobytes(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    tags, steps = tags_of(6), 3000
    page.set_viewport_size({"width": 1280, "height": 1600})
    with ExitStack() as files:
        writers = [
            files.enter_context(write(tmp_path / f"run_{number}", tags, steps, number)) for number in range(8)
        ]
        received = Received(page)
        page.goto(f"{serve('--logdir', tmp_path)}#runs=all&locale=en")
        have_all_points(page, 8 * steps)
        expect(page.locator('[data-live="live"]')).to_be_attached()

        def grow(step: int) -> None:
            for writer in writers:
                writer.scalar_block(tags, [step], np.full((1, len(tags)), 0.5))
                writer.flush()
            have_all_points(page, 8 * (step + 1))
            until(page, received.is_all)

        for step in (steps, steps + 1):  # the cards ask for columns that have room for what comes
            grow(step)
        before = received.bytes
        for step in range(steps + 2, steps + 7):
            grow(step)
        assert (received.bytes - before) / 5 <= 20 * KILOBYTE
