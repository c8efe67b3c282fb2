"""What the Scalars page asks for while runs are selected, hidden, and growing."""

from __future__ import annotations

import json
import time
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, Request, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


class Asked:
    """Requests for series: the runs of each card (None: all) by tag, and the size of answers."""

    def __init__(self, page: Page) -> None:
        self.requests = 0
        self.cards: list[tuple[str, list[str] | None]] = []
        self.bytes = 0
        self.answered = 0
        page.on("request", self._note)
        page.on("requestfinished", self._measure)
        page.on("requestfailed", self._count)

    def _note(self, request: Request) -> None:
        if "/plugin/scalar/cards" in request.url:
            self.requests += 1
            query = parse_qs(request.post_data or urlsplit(request.url).query)
            for card in map(json.loads, query["card"]):
                named = query.get("run")
                runs = [named[place] for place in card["runs"]] if named and "runs" in card else named
                self.cards.append((card["tag"], runs))

    def _measure(self, request: Request) -> None:
        if "/plugin/scalar/cards" in request.url:
            self.bytes += request.sizes()["responseBodySize"]
        self._count(request)

    def _count(self, request: Request) -> None:
        if "/plugin/scalar/cards" in request.url:
            self.answered += 1

    def are_answered(self) -> bool:
        return self.answered == self.requests > 0

    def forget(self) -> None:
        self.requests = self.answered = self.bytes = 0
        self.cards.clear()


def write(directory: Path, tags: list[str], steps: int) -> EventWriter:
    writer = EventWriter(directory)
    seed = zlib.crc32(directory.name.encode())  # runs that are alike would compress to nothing
    chance = np.random.default_rng(seed)
    writer.scalar_block(tags, range(steps), chance.random((steps, len(tags))))
    writer.flush()
    return writer


def counts(page: Page, tag: str, text: str) -> None:
    expect(card(page, tag).get_by_test_id("card-status")).to_contain_text(text)


def toggle(page: Page, run: str) -> None:
    page.locator(f'[data-run="{run}"]').click()


@pytest.fixture
def hundred(tmp_path: Path) -> Path:
    for number in range(100):
        write(tmp_path / f"run_{number:02d}", ["acc", "loss"], 30).close()
    return tmp_path


def test_one_more_run_of_a_hundred_asks_for_that_run_only(page: Page, serve: Serve, hundred: Path) -> None:
    asked = Asked(page)
    others = ",".join(f"run_{number:02d}" for number in range(100) if number != 7)
    page.goto(f"{serve('--logdir', hundred)}#locale=en&scalar.lines=all&runs={others}")
    for tag in ("acc", "loss"):
        counts(page, tag, f"{99 * 30:,} points")
    until(page, asked.are_answered)
    everything = asked.bytes
    asked.forget()
    toggle(page, "run_07")
    for tag in ("acc", "loss"):
        counts(page, tag, f"{100 * 30:,} points")
    assert sorted(asked.cards) == [("acc", ["run_07"]), ("loss", ["run_07"])]
    assert asked.requests == 1
    until(page, asked.are_answered)
    assert asked.bytes < everything / 10


def test_hiding_and_showing_runs_asks_for_nothing(page: Page, serve: Serve, hundred: Path) -> None:
    asked = Asked(page)
    page.goto(f"{serve('--logdir', hundred)}#locale=en&scalar.lines=all&runs=all")
    for tag in ("acc", "loss"):
        counts(page, tag, "3,000 points")
    asked.forget()
    for run, left in (("run_03", 2970), ("run_05", 2940), ("run_03", 2970), ("run_05", 3000)):
        toggle(page, run)
        for tag in ("acc", "loss"):
            counts(page, tag, f"{left:,} points")
    assert asked.cards == []


def test_growing_runs_are_asked_for_once_a_second_and_card(page: Page, serve: Serve, tmp_path: Path) -> None:
    tags = [f"t{number}" for number in range(6)]
    page.set_viewport_size({"width": 1600, "height": 1400})
    with ExitStack() as files:
        writers = [files.enter_context(write(tmp_path / f"run_{number}", tags, 50)) for number in range(8)]
        asked = Asked(page)
        page.goto(f"{serve('--logdir', tmp_path)}#locale=en")
        for tag in tags:
            counts(page, tag, "400 points")
        expect(page.locator('[data-live="live"]')).to_be_attached()
        asked.forget()
        begun = time.monotonic()
        for step in range(50, 90):
            for writer in writers:
                writer.scalar_block(tags, [step], np.full((1, len(tags)), 0.5))
                writer.flush()
                page.wait_for_timeout(10)
        for tag in tags:
            counts(page, tag, "720 points")
        seconds = time.monotonic() - begun
        refreshes = Counter(tag for tag, _ in asked.cards)
        assert set(refreshes) == set(tags)
        assert max(refreshes.values()) <= seconds + 1, (refreshes, seconds)


def test_a_long_series_that_grows_is_fetched_by_its_end(page: Page, serve: Serve, tmp_path: Path) -> None:
    """One answer has every point of two long series, the next ones only what came."""
    with ExitStack() as files:
        writers = [files.enter_context(write(tmp_path / name, ["loss"], 20_000)) for name in ("a", "b")]
        asked = Asked(page)
        page.goto(f"{serve('--logdir', tmp_path)}#locale=en")
        counts(page, "loss", "40,000 points")
        expect(page.locator('[data-live="live"]')).to_be_attached()
        until(page, asked.are_answered)
        whole = asked.bytes
        for step in range(20_000, 20_006):
            until(page, asked.are_answered)
            asked.forget()
            for writer in writers:
                writer.scalar_block(["loss"], [step], np.full((1, 1), 0.5))
                writer.flush()
            counts(page, "loss", f"{2 * (step + 1):,} points")
        until(page, asked.are_answered)
        assert asked.requests <= 2
        assert asked.bytes / asked.requests < whole / 10
