"""The Audio tab, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.browser.asking import data_requests
from tests.browser.cards import card
from tests.browser.waiting import until

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
RATE = 8000
STEPS = 10_000


def tone(hertz: float, seconds: float = 1.0) -> bytes:
    """A WAV file of 16 bits."""
    out = io.BytesIO()
    samples = np.sin(np.arange(int(RATE * seconds)) / RATE * 2 * np.pi * hertz) * 20_000
    with wave.open(out, "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", ""))
        writer.writeframes(samples.astype("<i2").tobytes())
    return out.getvalue()


def write_tones(logdir: Path, steps: int) -> None:
    """Tones of two runs, one of which has a broken file, and a long series."""
    for run, hertz in (("one", 440), ("two", 880)):
        with EventWriter(logdir / run) as writer:
            for step in range(3):
                _write(writer, "tone", step, tone(hertz * (step + 1), seconds=30))
            if run == "two":
                _write(writer, "broken", 0, tone(440)[:-100])
    short = tone(440, 0.01)
    with EventWriter(logdir / "long") as writer:
        for step in range(steps):
            _write(writer, "many", step, short)


def _write(writer: EventWriter, tag: str, step: int, encoded: bytes) -> None:
    writer.values(step, [wire.tensor_value(tag, wire.text_tensor([encoded]), wire.metadata("audio", 2))])


@pytest.fixture(scope="module")
def url(shared: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A host with the installed plugin."""
    logdir = tmp_path_factory.mktemp("tones")
    write_tones(logdir, STEPS)
    return shared("--logdir", logdir)


def _open(page: Page, url: str, fragment: str = "&locale=en&theme=light") -> None:
    page.goto(f"{url}#tab=audio{fragment}")
    expect(page.get_by_test_id("sounds")).to_be_attached()


def test_shows_rate_and_length_and_draws_both_pictures(page: Page, url: str) -> None:
    _open(page, url)
    one = card(page, "tone", "one")
    expect(one.get_by_test_id("card-status")).to_contain_text("8,000 Hz · 16 bits · 1 channel")
    expect(one.get_by_test_id("sound-time")).to_have_text("0:00.00 / 0:30.00")
    drawn = """canvas => {
        const {width, height} = canvas;
        if (!width || !height) return [0, 0];
        const data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
        const opaque = [0, 0];
        for (let i = 3; i < data.length; i += 4) opaque[i < data.length / 2 ? 0 : 1] += data[i] > 100 ? 1 : 0;
        return opaque;
    }"""
    until(page, lambda: all(count > 300 for count in one.locator("canvas").evaluate(drawn)))


def test_a_broken_file_is_an_error_cell(page: Page, url: str) -> None:
    _open(page, url)
    expect(card(page, "broken", "two").get_by_test_id("error-cell")).to_contain_text("cut off")
    expect(card(page, "tone", "two").get_by_test_id("sound-time")).to_contain_text("0:30.00")


def test_plays_by_keyboard_and_another_run_goes_on_there(page: Page, url: str) -> None:
    _open(page, url)
    one, two = card(page, "tone", "one"), card(page, "tone", "two")
    expect(one.get_by_test_id("sound-time")).to_contain_text("0:30.00")
    picture = one.get_by_role("slider", name="Playback position")
    picture.press("ArrowRight")  # plays from a twentieth of the length
    expect(one.locator('[data-action="sound"]')).to_have_attribute("aria-pressed", "true")
    until(page, lambda: float(picture.get_attribute("aria-valuenow") or 0) >= 1.5)
    two.locator('[data-action="sound"]').click()
    expect(one.locator('[data-action="sound"]')).to_have_attribute("aria-pressed", "false")
    other = two.get_by_role("slider", name="Playback position")
    until(page, lambda: float(other.get_attribute("aria-valuenow") or 0) >= 1.5)
    other.press("Enter")
    expect(two.locator('[data-action="sound"]')).to_have_attribute("aria-pressed", "false")


def test_of_ten_thousand_steps_only_the_shown_one_is_asked_for(page: Page, url: str) -> None:
    asked = data_requests(page, "tag=many")
    _open(page, url)
    many = card(page, "many", "long")
    expect(many.get_by_test_id("sound-time")).to_have_text("0:00.00 / 0:00.01")
    until(page, lambda: any("/picture?" in address for address in asked))
    many.locator('[data-control="step"]').fill("1234")
    expect(many.get_by_test_id("step-label")).to_have_text("step 1,234")
    until(page, lambda: any("/picture?" in address and "step=1234" in address for address in asked))
    assert len([address for address in asked if "/picture?" in address]) == 2
    assert [address for address in asked if "/audio?" in address] == []
