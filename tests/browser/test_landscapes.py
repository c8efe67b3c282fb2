"""What a user does on the Landscape page, done in a real browser; WebGL is that of software here."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_landscape import compute
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.browser.cards import drawer
from tests.browser.header import choose_in_page_menu
from tests.browser.landscapes_page import (
    ACROSS,
    AXIS,
    DOWN,
    FORMS,
    bowl,
    changed,
    drawn,
    opened,
    pick,
    pixels,
    vivid,
)
from tests.browser.places import bottom, box_of
from tests.browser.waiting import until
from tests.support.landscapes import LOSS_LANDSCAPE, mindspore_landscape, points

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

TIMES = "\N{MULTIPLICATION SIGN}"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_landscape_in_colours(
    page: Page, shared: Serve, landscapes: Path, form: str
) -> None:
    panel = opened(page, shared("--logdir", landscapes))
    pick(panel, "form", form)
    picture = drawn(panel, form)
    coloured = vivid(picture)
    assert coloured > (0.02 if form == "contour" else 0.15)
    panel.locator('[data-control="colors"]').select_option("gray")
    expect(page).to_have_url(re.compile("landscape.colors=gray"))
    until(page, lambda: vivid(picture) < coloured / 2)
    page.reload()
    drawn(panel, form)


def test_real_runs_say_what_is_known_of_them(page: Page, shared: Serve, sample_logs: Path) -> None:
    panel = opened(page, shared("--logdir", sample_logs / "mindspore"))
    drawn(panel, "contour")
    facts = panel.get_by_test_id("facts")
    for word in ("LeNet5", "Momentum", "PCA", f"5 {TIMES} 5", "epoch"):
        expect(facts).to_contain_text(word)
    chosen = panel.locator('[data-control="interval"]')
    expect(chosen.locator("option")).to_have_text(["epochs 1 to 3", "epochs 2 to 4", "final"])
    expect(panel.get_by_test_id("player")).to_be_visible()
    chosen.select_option("final")
    expect(panel.get_by_test_id("facts")).to_contain_text("Random")
    expect(panel.get_by_test_id("player")).to_have_count(0)
    page.keyboard.press(",")
    expect(chosen).to_have_value("2-4")
    expect(page).to_have_url(re.compile("landscape.interval=2-4"))


def test_the_pointer_reads_the_loss(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes), "&landscape.interval=final&landscape.run=a")
    drawn(panel, "contour")
    stage = panel.get_by_test_id("stage")
    box = stage.bounding_box()
    assert box is not None
    middle = (54 + (box["width"] - 54) / 2, box["height"] / 2)
    stage.hover(position={"x": middle[0], "y": middle[1]})
    until(page, lambda: _read(panel) == pytest.approx(0, abs=0.05))
    stage.hover(position={"x": middle[0] + box["width"] / 5, "y": middle[1] - 80})
    until(page, lambda: _read(panel) > 0.2)
    pick(panel, "form", "surface")
    drawn(panel, "surface")
    stage.hover(position={"x": (box["width"] - 60) / 2, "y": box["height"] * 0.55})
    _read(panel)


def _read(panel: Locator) -> float:
    """The loss under the pointer, which is that of the bowl there."""
    text = panel.get_by_test_id("reading").inner_text().replace("\N{MINUS SIGN}", "-")
    loss, x, y = (float(value) for value in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text))
    assert loss == pytest.approx(x * x + 2 * y * y, abs=0.02)
    return loss


def test_a_plan_comes_nearer_moves_and_goes_back(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes), "&landscape.run=a")
    stage, whole = panel.get_by_test_id("stage"), panel.locator('[data-action="whole"]')
    drawn(panel, "contour")
    place = box_of(stage)
    # whole pixels: a wheel has no others
    x, y = round(place["x"] + place["width"] / 2), round(place["y"] + place["height"] / 2)
    expect(whole).to_be_disabled()
    page.mouse.move(x, y)
    expect(panel.get_by_test_id("reading")).to_be_visible()
    before = _read(panel)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -600)
    page.keyboard.up("Control")
    expect(page).to_have_url(re.compile(r"landscape\.window=[\d.]+~[\d.]+~2\.7"))
    until(page, lambda: _read(panel) == pytest.approx(before, rel=1e-4))  # what is there stays
    page.mouse.down()
    page.mouse.move(x - 80, y, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"landscape\.window=0\.[5-9]\d*~"))
    page.reload()
    expect(whole).to_be_enabled()
    stage.focus()
    page.keyboard.press("0")
    expect(whole).to_be_disabled()
    page.keyboard.press("+")
    expect(whole).to_be_enabled()
    whole.click()
    expect(page).not_to_have_url(re.compile("window="))


def test_the_surface_turns_and_comes_nearer(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes), "&landscape.form=surface")
    picture = drawn(panel, "surface")
    before = pixels(picture)
    stage = panel.get_by_test_id("stage")
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 320, box["y"] + 230, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile("landscape.azimuth="))
    until(page, lambda: changed(picture, before) > 0.05)
    stage.focus()
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("landscape.zoom="))
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("landscape.(azimuth|zoom)="))
    stage.blur()  # and its outline goes
    page.mouse.move(0, 0)
    until(page, lambda: changed(picture, before) < 0.01)


@pytest.mark.parametrize("form", ["contour", "surface"])
def test_the_path_is_played_with_its_loss(page: Page, shared: Serve, landscapes: Path, form: str) -> None:
    panel = opened(page, shared("--logdir", landscapes), f"&landscape.form={form}&landscape.run=a")
    drawn(panel, form)
    at = panel.get_by_test_id("path-at")
    expect(at).to_have_text("epoch 4 · loss 0")
    stage = panel.get_by_test_id("stage")
    whole = _reds(pixels(stage))
    slider = panel.locator('[data-control="path"]')
    slider.focus()
    page.keyboard.press("Home")
    expect(at).to_have_text("epoch 1 · loss 2.09")
    until(page, lambda: _reds(pixels(stage)) < whole)
    begun = _reds(pixels(stage))
    page.keyboard.press("ArrowRight")
    expect(at).to_have_text("epoch 2 · loss 0.44")
    until(page, lambda: begun < _reds(pixels(stage)) < whole)
    panel.locator('[data-control="path-speed"]').select_option("4")
    play = panel.locator('[data-action="path-play"]')
    play.evaluate(
        """button => {
            window.pressed = [];
            new MutationObserver(() => window.pressed.push(button.ariaPressed))
                .observe(button, { attributeFilter: ['aria-pressed'] });
        }"""
    )
    play.click()
    expect(at).to_have_text("epoch 4 · loss 0")
    until(page, lambda: page.evaluate("window.pressed") == ["true", "false"])
    expect(panel.get_by_test_id("path-chart").locator("canvas").first).to_be_visible()


def _reds(colours: NDArray[Any]) -> int:
    return int(((colours[..., 0] > 180) & (colours[..., 1] < 110) & (colours[..., 2] < 110)).sum())


def _greens(colours: NDArray[Any]) -> int:
    return int(((colours[..., 1] > 200) & (colours[..., 0] < 60) & (colours[..., 2] < 60)).sum())


def test_colour_width_lines_and_logarithm(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes))
    stage = panel.get_by_test_id("stage")
    drawn(panel, "contour")
    before = pixels(stage)
    settings = drawer(page)
    settings.locator('[data-control="path-color"]').fill("#00ff00")
    settings.locator('[data-control="path-width"]').fill("5")
    settings.locator('[data-control="path-width"]').blur()
    expect(page).to_have_url(re.compile(r"landscape\.path=00ff00.*landscape\.width=5|width=5.*path=00ff00"))
    until(page, lambda: _greens(pixels(stage)) > 200)
    assert _reds(pixels(stage)) < _reds(before) / 4
    number = settings.locator('[data-control="lines-number"]')
    number.fill("80")
    number.blur()
    expect(page).to_have_url(re.compile("landscape.lines=80"))
    number.fill("500")
    number.blur()
    expect(number).to_have_value("80")
    many = pixels(stage)
    settings.locator('[data-action="log"]').click()
    expect(page).to_have_url(re.compile("landscape.log=1"))
    until(page, lambda: changed(stage, many) > 0.05)


WITHOUT_WEBGL = """
const given = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  if (kind === 'webgl2') { window.asked = (window.asked ?? 0) + 1; return null; }
  return given.call(this, kind, ...more);
};
"""


def test_without_webgl_the_other_forms_work(page: Page, shared: Serve, landscapes: Path) -> None:
    page.add_init_script(WITHOUT_WEBGL)
    panel = opened(page, shared("--logdir", landscapes), "&landscape.form=surface")
    expect(panel.locator(".no-webgl")).to_contain_text("no WebGL 2")
    panel.locator('[data-action="export"]').click()
    panel.locator('[data-action="export-png"]').click()
    expect(page.get_by_role("alert").filter(has_text="no WebGL 2").last).to_be_visible()
    assert page.evaluate("window.asked") == 2  # a probe and the canvas, once
    pick(panel, "form", "topographic")
    drawn(panel, "topographic")
    expect(panel.locator(".no-webgl")).to_have_count(0)


def test_a_lost_context_is_made_anew(page: Page, shared: Serve, landscapes: Path) -> None:
    page.add_init_script(
        "const given = HTMLCanvasElement.prototype.getContext; window.contexts = [];"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        "  const made = given.call(this, kind, ...more);"
        "  if (kind === 'webgl2') window.contexts.push(made); return made; };"
    )
    panel = opened(page, shared("--logdir", landscapes), "&landscape.form=surface")
    picture = drawn(panel, "surface")
    before = pixels(picture)
    page.evaluate("contexts.at(-1).getExtension('WEBGL_lose_context').loseContext()")
    assert changed(picture, before) < 0.01  # what is drawn stays
    panel.get_by_test_id("stage").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    until(page, lambda: page.evaluate("contexts.length") == 4 and vivid(picture) > 0.15)


@pytest.mark.parametrize("form", ["topographic", "surface"])
def test_pictures_are_saved(page: Page, shared: Serve, landscapes: Path, form: str) -> None:
    panel = opened(page, shared("--logdir", landscapes), f"&landscape.form={form}&landscape.run=a")
    drawn(panel, form)
    saved = {}
    for kind in ("png", "svg"):
        panel.locator('[data-action="export"]').click()
        with page.expect_download() as download:
            panel.locator(f'[data-action="export-{kind}"]').click()
        assert download.value.suggested_filename == f"a 1-4.{kind}"
        saved[kind] = Path(download.value.path()).read_bytes()
    picture = Image.open(io.BytesIO(saved["png"]))
    assert picture.size == (1920, 2 * (640 + 24))
    assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 30
    text = saved["svg"].decode()
    assert "a · epochs 1 to 4" in text
    assert ("<image" in text) == (form == "surface")


def test_runs_are_ranked_by_flatness(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes), "&landscape.mode=comparison&runs=a,b")
    pick(panel, "order", "flatness")
    summary = panel.get_by_test_id("summary")
    rows = summary.locator(".summary")
    expect(rows.first).to_contain_text("Mean rise")
    expect(rows.first).to_contain_text("2 to 4")  # the curvatures of the bowl, exactly
    expect(summary).to_contain_text("not filter-normalised")
    drawer(page).locator('[data-action="relative"]').click()
    expect(panel.get_by_test_id("scale")).to_contain_text("0")


def test_full_screen_and_languages(page: Page, shared: Serve, landscapes: Path) -> None:
    panel = opened(page, shared("--logdir", landscapes))
    drawn(panel, "contour")
    page.keyboard.press("f")
    expect(panel).to_have_class(re.compile(r"\bfull\b"))
    until(page, lambda: box_of(panel)["width"] == 1280)
    page.keyboard.press("Escape")
    expect(panel).not_to_have_class(re.compile(r"\bfull\b"))
    choose_in_page_menu(page, "locale-zh-CN")
    expect(panel.locator('[data-control="form"]')).to_contain_text("等高线")
    expect(panel.locator('[data-control="interval"]')).to_contain_text("第 1 至 4 轮")
    texts = panel.evaluate(
        "e => [e.innerText, ...[...e.querySelectorAll('*')].flatMap(n => [n.title, n.ariaLabel])].join('\\n')"
    )
    assert not re.search(r"\b(form|mode|layout|facts|path|interval|log)\.[a-z_]+", texts)


def test_damage_is_named_in_its_place(page: Page, serve: Serve, tmp_path: Path) -> None:
    z = np.add.outer(AXIS**2, AXIS**2)
    hole = z.copy()
    hole[3, 4] = np.nan
    whole = mindspore_landscape(points(AXIS, AXIS, hole), at=[1, 2, 3], convergence=points([0], [0], [0]))
    with EventWriter(tmp_path / "run<b>", "mindspore") as writer:
        for tag, message in (("landscape_[1, 3]", whole), ("landscape_[3]", b"\xff\xff")):
            writer.values(0, [wire.value(tag, LOSS_LANDSCAPE, message)])
    panel = opened(page, serve("--logdir", tmp_path))
    drawn(panel, "contour")
    status = panel.get_by_test_id("card-status")
    expect(status).to_contain_text("1 point is not finite")
    expect(panel.get_by_test_id("flaw")).to_have_text("the path of training cannot be read: it has no points")
    panel.locator('[data-control="interval"]').select_option("[3]")
    expect(panel.get_by_test_id("error-cell")).to_contain_text("a varint does not end")
    pick(panel, "mode", "comparison")
    expect(panel.get_by_test_id("empty")).to_contain_text("no final landscape")


def test_pictures_say_why_they_are_empty(page: Page, serve: Serve, tmp_path: Path) -> None:
    for run, loss in (("flat", 2.5), ("nothing", np.nan), ("below", -1.0)):
        z = np.full((21, 21), loss)
        if run == "below":
            z = z + np.add.outer(AXIS**2, AXIS**2)
        with EventWriter(tmp_path / run, "mindspore") as writer:
            message = mindspore_landscape(points(AXIS, AXIS, z), at=[7], path=points([0], [0], [0]))
            writer.values(0, [wire.value("landscape_[7]", LOSS_LANDSCAPE, message)])
    panel = opened(page, serve("--logdir", tmp_path), "&landscape.run=flat")
    status = panel.get_by_test_id("card-status")
    expect(status).to_contain_text("the loss is 2.5 everywhere")
    expect(panel.locator('[data-control="interval"]')).to_contain_text("epoch 7")
    page.locator('.ih-run[data-run="nothing"]').click()
    expect(status).to_contain_text("no finite values")
    page.locator('.ih-run[data-run="below"]').click()
    expect(status).not_to_contain_text("distance")
    drawer(page).locator('[data-action="log"]').click()
    expect(status).to_contain_text("log of the distance from the smallest loss")
    until(page, lambda: bottom(panel.get_by_test_id("flaw").last) <= bottom(status) + 1)


def test_a_landscape_appears_when_it_is_written(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.scalar("loss", 0, 1.0)
    panel = opened(page, serve("--logdir", tmp_path, "--reload-interval", "1"))
    expect(panel.get_by_test_id("empty")).to_contain_text("no loss landscapes")
    compute(bowl, {"w": np.zeros((1, 2))}, directions=(ACROSS, DOWN), size=5, log_dir=tmp_path / "a")
    drawn(panel, "contour")


def test_the_largest_grid_is_drawn_in_every_form(page: Page, serve: Serve, tmp_path: Path) -> None:
    axis = np.linspace(-3, 3, 256, dtype=np.float32)
    z = np.add.outer(np.sin(3 * axis), np.cos(2 * axis)).astype(np.float32)
    with EventWriter(tmp_path / "a", "mindspore") as writer:
        message = mindspore_landscape(points(axis, axis, z), convergence=points([0], [0], [0]))
        writer.values(0, [wire.value("landscape_[1]", LOSS_LANDSCAPE, message)])
    panel = opened(page, serve("--logdir", tmp_path), "&landscape.lines=80")
    for form in FORMS:
        pick(panel, "form", form)
        drawn(panel, form)
    expect(panel.get_by_test_id("card-status")).to_contain_text(f"256 {TIMES} 256")
