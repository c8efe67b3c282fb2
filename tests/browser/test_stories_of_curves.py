"""What users do with a curve: look at what was recorded there, print it, compare it at equal cost."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.figures_page import open_figure, saved
from tests.browser.images_page import HEIGHT, WIDTH, expect_pixel, pixels
from tests.browser.scalars_page import choose_axis
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
Numbers = NDArray[np.float64]

POINTS = 60
TOKENS = {"small": 512, "large": 4096}  # of a step, by run
SVG = "{http://www.w3.org/2000/svg}"


def _losses(run: int) -> Numbers:
    noise = np.random.default_rng(run).normal(0, 0.05, POINTS)
    exact = run + 3 * np.exp(-np.arange(POINTS) / 15) + noise
    return exact.astype(np.float32).astype(np.float64)  # as event files have them


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: losses, tokens, and pictures at every seventh step; the norm of the large one explodes."""
    logs = tmp_path_factory.mktemp("training")
    for number, (run, tokens) in enumerate(TOKENS.items()):
        seen = tokens * np.arange(POINTS)
        exploding = _exploding() if run == "large" else np.ones(POINTS)
        with EventWriter(logs / run) as writer:
            rows = np.column_stack([_losses(number), seen, exploding])
            writer.scalar_block(["loss", "tokens", "norm"], range(POINTS), rows.tolist())
            for step in range(0, POINTS, 7):
                writer.image("sample", step, png(pixels(step, number)), WIDTH, HEIGHT)
    return logs


def _exploding() -> Numbers:
    """Near 10, and from step 43 on four times as large at each."""
    norms = 10 + 0.1 * np.random.default_rng(5).normal(size=POINTS)
    norms[43:] *= 4.0 ** np.arange(POINTS - 43)
    return norms.astype(np.float32).astype(np.float64)


def test_where_a_norm_explodes_the_picture_of_that_step_is_shown(
    page: Page, shared: Serve, training: Path
) -> None:
    page.goto(shared("--logdir", training) + "#locale=en&theme=light&tab=scalar")
    limit = 100.0
    step = int(np.argmax(_exploding() > limit))
    norm = card(page, "norm")
    expect(norm.get_by_test_id("card-status")).to_contain_text(f"{2 * POINTS} points")
    norm.locator(".plot [tabindex]").focus()
    page.keyboard.press("n")
    dialog = page.locator('[data-dialog="first"]')
    dialog.locator('[data-control="first-kind"]').select_option("above")
    dialog.locator('[data-control="first-amount"]').fill(f"{limit:g}")
    dialog.locator('[data-action="first-find"]').click()
    found = dialog.locator('[data-action="first-go"]')
    expect(found).to_have_count(1)
    expect(found).to_have_attribute("data-run", "large")
    expect(found).to_contain_text(f"step {step:,}")
    expect(found).to_contain_text(f"{_exploding()[step]:.6g}")
    found.click()
    page.keyboard.press("Control+k")
    page.keyboard.type("images at step")
    option = page.locator('[data-dialog="palette"]').get_by_role("option").first
    expect(option).to_contain_text(f"Images at step {step}")
    page.keyboard.press("Enter")
    nearest = min(range(0, POINTS, 7), key=lambda one: abs(one - step))
    shown = page.locator('[data-plugin="image"] [data-card-run="large"]')
    expect(shown.get_by_test_id("step-label")).to_contain_text(f"step {nearest}")
    expect_pixel(page, shown, [31, 20, nearest, 255])


def _svg_lines(svg: ElementTree.Element) -> dict[str, Numbers]:
    """Places of the points of the lines, float64[points, 2] in pixels of the drawing, by colour."""
    return {
        path.attrib["stroke"]: np.array(re.findall(r"[ML](\S+) ([\d.]+)", path.attrib["d"]), np.float64)
        for path in svg.iter(f"{SVG}path")
    }


def _ticks(svg: ElementTree.Element, axis: str) -> Numbers:
    """The place on the drawing and the number of each tick of an axis, float64[ticks, 2]."""
    anchor, across = {"x": ("middle", "y"), "y": ("end", "x")}[axis]
    at = {line.attrib[f"{axis}1"] for line in svg.iter(f"{SVG}line") if line.attrib["stroke"] == "#e3e3e3"}
    numbers = [
        text
        for text in svg.iter(f"{SVG}text")
        if text.attrib["text-anchor"] == anchor and re.fullmatch(r"[\d.]+", text.text or "")
    ]
    edge = {text.attrib[across] for text in numbers}
    assert len(edge) == 1, "labels of ticks stand in one line"
    shift = 0.35 * 11 if axis == "y" else 0  # of the base line of a text
    places = np.array([float(text.attrib[axis]) - shift for text in numbers])
    lines = np.array([float(one) for one in at])
    assert np.all(np.min(np.abs(places[:, None] - lines), axis=1) < 0.02), "a tick has a line"
    return np.column_stack([places, [float(text.text or "") for text in numbers]])


def _values(ticks: Numbers, places: Numbers) -> Numbers:
    """What the axis says of places: the straight line through its ticks."""
    return np.polyval(np.polyfit(ticks[:, 0], ticks[:, 1], 1), places).astype(np.float64)


def _pdf_lines(pdf: bytes) -> list[Numbers]:
    """The same of a PDF file, of every path of as many points as a run has, in the order it is drawn."""
    [content, *_] = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    paths = re.findall(r"((?:\S+ \S+ [ml]\n)+)S", zlib.decompress(content).decode())
    lines = [np.array(re.findall(r"(\S+) (\S+) [ml]", path), np.float64) for path in paths]
    return [line for line in lines if len(line) == POINTS]


def test_the_lines_of_a_figure_for_a_paper_are_the_data_in_every_format(
    page: Page, shared: Serve, training: Path
) -> None:
    page.goto(shared("--logdir", training) + "#locale=en&theme=dark&tab=scalar")
    expect(card(page, "loss").get_by_test_id("card-status")).to_contain_text(f"{2 * POINTS} points")
    dialog = open_figure(page, "loss")
    svg = ElementTree.fromstring(saved(page, dialog, "svg")[1])
    x, y = _ticks(svg, "x"), _ticks(svg, "y")
    assert min(len(x), len(y)) >= 2
    legend = {
        line.attrib["stroke"]: str(text.text)
        for line in svg.iter(f"{SVG}line")
        for text in svg.iter(f"{SVG}text")
        if text.text in TOKENS
        and abs(float(text.attrib["y"]) - float(line.attrib["y1"])) < 5
        and 0 < float(text.attrib["x"]) - float(line.attrib["x2"]) < 10
    }
    lines = _svg_lines(svg)
    assert sorted(legend.values()) == sorted(TOKENS)
    assert lines.keys() == legend.keys()
    pixel = abs(np.polyfit(y[:, 0], y[:, 1], 1)[0])  # of the value axis
    for color, run in legend.items():
        losses = _losses(list(TOKENS).index(run))
        np.testing.assert_allclose(_values(x, lines[color][:, 0]), np.arange(POINTS), atol=0.01)
        np.testing.assert_allclose(_values(y, lines[color][:, 1]), losses, atol=0.02 * pixel)

    drawn = _pdf_lines(saved(page, dialog, "pdf")[1])
    assert len(drawn) == len(TOKENS)
    for there, here in zip(drawn, lines.values(), strict=True):
        np.testing.assert_allclose(there, here, atol=0.01)

    picture = np.asarray(Image.open(io.BytesIO(saved(page, dialog, "png")[1])).convert("RGB"), np.int64)
    ratio = picture.shape[1] / float(svg.attrib["viewBox"].split()[2])
    for color, points in lines.items():
        ink = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
        columns, rows = np.round(points * ratio).astype(int).T
        apart = np.abs(picture[rows, np.minimum(columns, picture.shape[1] - 1)] - ink).max(axis=1)
        assert np.mean(apart < 40) > 0.9, "the other line may lie above"


def test_runs_of_other_batch_sizes_are_compared_at_equal_tokens(
    page: Page, shared: Serve, training: Path
) -> None:
    page.goto(shared("--logdir", training) + "#locale=en&theme=light&tab=scalar")
    status = card(page, "loss").get_by_test_id("card-status")
    expect(status).to_contain_text(f"{2 * POINTS} points")
    axis = choose_axis(page, "metric")
    field = page.get_by_role("dialog").locator("[name=axis]")
    field.fill("tokens / 1000")
    field.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(axis).to_contain_text("/ 1000")
    expect(status).to_contain_text(f"{2 * POINTS} points")
    rows = list(csv.DictReader(saved(page, open_figure(page, "loss"), "csv")[1].decode().splitlines()))
    for number, (run, tokens) in enumerate(TOKENS.items()):
        found = np.array([list(row.values())[1:3] for row in rows if row["Line"] == run], np.float64)
        np.testing.assert_allclose(found[:, 0], tokens * np.arange(POINTS) / 1000)
        np.testing.assert_array_equal(found[:, 1].astype(np.float32), _losses(number).astype(np.float32))
