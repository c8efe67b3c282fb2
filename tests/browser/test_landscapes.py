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

from insight_core.testing import EventWriter, wire
from insight_core.testing.landscapes import LOSS_LANDSCAPE, mindspore_landscape, points

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

TIMES = "\N{MULTIPLICATION SIGN}"
FORMS = ("contour", "topographic", "surface")
AXIS = np.linspace(-1, 1, 21)
ACROSS, DOWN = {"w": np.array([[1.0, 0.0]])}, {"w": np.array([[0.0, 1.0]])}


def bowl(parameters: dict[str, NDArray[Any]]) -> float:
    x, y = parameters["w"][0]
    return float(x * x + 2 * y * y)


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("landscapes")
    for run, place in (("a", 0.0), ("b", 0.5)):
        way = [{"w": np.array([[x, y]])} for x, y in ((0.9, 0.8), (0.6, 0.2), (0.2, 0.3), (0.0, place))]
        compute(bowl, way, log_dir=logs / run, directions=(ACROSS, DOWN), size=21, step_per_epoch=5)
        compute(bowl, way[-1], log_dir=logs / run, directions=(ACROSS, DOWN), size=21)
    return logs


def opened(page: Page, url: str, more: str = "", locale: str = "en") -> Locator:
    page.goto(f"{url}#locale={locale}&theme=light&tab=landscape{more}")
    panel = page.get_by_test_id("landscapes")
    expect(panel).to_be_visible()
    return panel


def drawn(panel: Locator, form: str, count: int = 1) -> Locator:
    """The first picture, once it is drawn in this form."""
    found = panel.get_by_test_id("picture").first
    expect(found).to_have_attribute("data-drawn", f"{form} {count}")
    return found


def pixels(found: Locator) -> NDArray[Any]:
    """What is on the screen in its place."""
    return np.asarray(Image.open(io.BytesIO(found.screenshot())).convert("RGB")).astype(int)


def pick(panel: Locator, control: str, value: str) -> None:
    panel.locator(f'[data-control="{control}"] [data-value="{value}"]').click()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_landscape_in_colours(page: Page, serve: Serve, logdir: Path, form: str) -> None:
    panel = opened(page, serve("--logdir", logdir))
    pick(panel, "form", form)
    picture = drawn(panel, form)
    colours = pixels(picture)
    vivid = (colours.max(-1) - colours.min(-1) > 60).mean()
    assert vivid > (0.02 if form == "contour" else 0.15)
    panel.locator('[data-control="colors"]').select_option("gray")
    expect(page).to_have_url(re.compile("landscape.colors=gray"))
    page.wait_for_timeout(300)
    gray = pixels(picture)
    assert ((gray.max(-1) - gray.min(-1)) > 60).mean() < vivid / 2
    page.reload()
    drawn(panel, form)


def test_real_runs_say_what_is_known_of_them(page: Page, serve: Serve, sample_logs: Path) -> None:
    panel = opened(page, serve("--logdir", sample_logs / "mindspore"))
    drawn(panel, "contour")
    facts = panel.get_by_test_id("facts")
    for word in ("LeNet5", "Momentum", "PCA", f"5 {TIMES} 5", "epoch"):
        expect(facts).to_contain_text(word)
    chosen = panel.locator('[data-control="interval"]')
    assert chosen.locator("option").all_text_contents() == ["epochs 1 to 3", "epochs 2 to 4", "final"]
    expect(panel.get_by_test_id("player")).to_be_visible()
    chosen.select_option("final")
    expect(panel.get_by_test_id("facts")).to_contain_text("Random")
    expect(panel.get_by_test_id("player")).to_have_count(0)
    page.keyboard.press(",")
    expect(chosen).to_have_value("2-4")
    expect(page).to_have_url(re.compile("landscape.interval=2-4"))


def test_the_pointer_reads_the_loss(page: Page, serve: Serve, logdir: Path) -> None:
    panel = opened(page, serve("--logdir", logdir), "&landscape.interval=final&landscape.run=a")
    drawn(panel, "contour")
    stage = panel.get_by_test_id("stage")
    box = stage.bounding_box()
    assert box is not None
    # the plot is what the margins leave: 54 to the left, 88 to the right, 12 above, 30 below
    middle = (54 + (box["width"] - 142) / 2, 12 + (box["height"] - 42) / 2)
    stage.hover(position={"x": middle[0], "y": middle[1]})
    reading = panel.get_by_test_id("reading")
    assert abs(float(reading.get_by_test_id("loss").inner_text())) < 0.02
    stage.hover(position={"x": middle[0] + (box["width"] - 142) / 4, "y": middle[1]})
    assert float(reading.get_by_test_id("loss").inner_text()) == pytest.approx(0.25, abs=0.02)
    pick(panel, "form", "surface")
    drawn(panel, "surface")
    stage.hover(position={"x": (box["width"] - 88) / 2, "y": box["height"] * 0.62})
    text = reading.inner_text()
    values = [
        float(value.replace("\N{MINUS SIGN}", "-"))
        for value in re.findall(r"[\N{MINUS SIGN}]?\d+\.?\d*", text)
    ]
    loss, x, y = values
    assert loss == pytest.approx(x * x + 2 * y * y, abs=1e-3)


def test_the_surface_turns_and_comes_nearer(page: Page, serve: Serve, logdir: Path) -> None:
    panel = opened(page, serve("--logdir", logdir), "&landscape.form=surface")
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
    turned = pixels(picture)
    assert (abs(turned - before).max(-1) > 40).mean() > 0.05
    stage.focus()
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("landscape.zoom="))
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("landscape.(azimuth|zoom)="))
    stage.blur()  # and its outline goes
    page.mouse.move(0, 0)
    assert (abs(pixels(picture) - before).max(-1) > 40).mean() < 0.01


@pytest.mark.parametrize("form", ["contour", "surface"])
def test_the_path_is_played_with_its_loss(page: Page, serve: Serve, logdir: Path, form: str) -> None:
    panel = opened(page, serve("--logdir", logdir), f"&landscape.form={form}&landscape.run=a")
    drawn(panel, form)
    at = panel.get_by_test_id("path-at")
    expect(at).to_have_text("epoch 4 · loss 0")
    stage = panel.get_by_test_id("stage")
    red = [_reds(pixels(stage))]
    slider = panel.locator('[data-control="path"]')
    slider.focus()
    page.keyboard.press("Home")
    expect(at).to_have_text("epoch 1 · loss 2.09")
    page.wait_for_timeout(200)
    red.append(_reds(pixels(stage)))
    page.keyboard.press("ArrowRight")
    expect(at).to_have_text("epoch 2 · loss 0.44")
    page.wait_for_timeout(200)
    red.append(_reds(pixels(stage)))
    assert red[1] < red[2] < red[0]
    panel.locator('[data-control="path-speed"]').select_option("4")
    panel.locator('[data-action="path-play"]').click()
    expect(panel.locator('[data-action="path-play"]')).to_have_attribute("aria-pressed", "true")
    expect(at).to_have_text("epoch 4 · loss 0")
    expect(panel.locator('[data-action="path-play"]')).to_have_attribute("aria-pressed", "false")
    expect(panel.get_by_test_id("path-chart").locator("canvas").first).to_be_visible()


def _reds(colours: NDArray[Any]) -> int:
    return int(((colours[..., 0] > 180) & (colours[..., 1] < 110) & (colours[..., 2] < 110)).sum())


def test_colour_width_lines_and_logarithm(page: Page, serve: Serve, logdir: Path) -> None:
    panel = opened(page, serve("--logdir", logdir))
    stage = panel.get_by_test_id("stage")
    drawn(panel, "contour")
    before = pixels(stage)
    panel.locator('[data-control="path-color"]').fill("#00ff00")
    panel.locator('[data-control="path-width"]').fill("5")
    panel.locator('[data-control="path-width"]').blur()
    expect(page).to_have_url(re.compile(r"landscape\.path=00ff00.*landscape\.width=5|width=5.*path=00ff00"))
    green = pixels(stage)
    assert ((green[..., 1] > 200) & (green[..., 0] < 60) & (green[..., 2] < 60)).sum() > 200
    assert _reds(green) < _reds(before) / 4
    number = panel.locator('[data-control="lines-number"]')
    number.fill("80")
    number.blur()
    expect(page).to_have_url(re.compile("landscape.lines=80"))
    number.fill("500")
    number.blur()
    expect(number).to_have_value("80")
    many = pixels(stage)
    panel.locator('[data-action="log"]').click()
    expect(page).to_have_url(re.compile("landscape.log=1"))
    page.wait_for_timeout(300)
    assert (abs(pixels(stage) - many).max(-1) > 40).mean() > 0.05


@pytest.mark.parametrize("form", FORMS)
def test_final_landscapes_side_by_side_and_upon_each_other(
    page: Page, serve: Serve, logdir: Path, form: str
) -> None:
    panel = opened(page, serve("--logdir", logdir), f"&landscape.mode=comparison&landscape.form={form}")
    expect(panel.get_by_test_id("stage")).to_have_count(2)
    drawn(panel, form)
    expect(panel.get_by_test_id("comparison-status")).to_contain_text("2 of 2")
    summary = panel.get_by_test_id("summary").locator("strong")
    assert [text.strip() for text in summary.all_text_contents()] == ["a", "b"]  # by their last loss
    if form == "surface":  # one camera
        pictures = panel.get_by_test_id("picture")
        before = [pixels(pictures.nth(n)) for n in range(2)]
        panel.get_by_test_id("stage").first.focus()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        for n, old in enumerate(before):
            assert (abs(pixels(pictures.nth(n)) - old).max(-1) > 40).mean() > 0.02
    pick(panel, "layout", "overlaid")
    expect(panel.get_by_test_id("stage")).to_have_count(1)
    drawn(panel, form, 2)
    expect(panel.get_by_test_id("legend")).to_contain_text("b")
    if form != "surface":
        panel.get_by_test_id("stage").hover()
        expect(panel.get_by_test_id("loss")).to_have_count(2)


def test_a_tile_leads_to_its_analysis_and_back(page: Page, serve: Serve, logdir: Path) -> None:
    panel = opened(page, serve("--logdir", logdir), "&landscape.mode=comparison")
    expect(panel.get_by_test_id("card")).to_have_count(2)
    panel.locator('[data-card-run="b"] [data-action="analyse"]').click()
    expect(panel.locator('[data-control="run"]')).to_have_value("b")
    expect(panel.locator('[data-control="interval"]')).to_have_value("final")
    page.go_back()
    expect(panel.get_by_test_id("card")).to_have_count(2)


@pytest.mark.parametrize("form", ["topographic", "surface"])
def test_pictures_are_saved(page: Page, serve: Serve, logdir: Path, form: str) -> None:
    panel = opened(page, serve("--logdir", logdir), f"&landscape.form={form}&landscape.run=a")
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


def test_full_screen_and_languages(page: Page, serve: Serve, logdir: Path) -> None:
    panel = opened(page, serve("--logdir", logdir))
    drawn(panel, "contour")
    page.keyboard.press("f")
    expect(panel).to_have_class(re.compile(r"\bfull\b"))
    box = panel.bounding_box()
    assert box is not None
    assert box["width"] == 1280
    page.keyboard.press("Escape")
    expect(panel).not_to_have_class(re.compile(r"\bfull\b"))
    page.get_by_role("button", name="中", exact=True).click()
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
    expect(status).to_contain_text("1 point is no number")
    expect(panel.get_by_test_id("flaw")).to_have_text("the path of training cannot be read: it has no points")
    panel.locator('[data-control="interval"]').select_option("[3]")
    expect(panel.get_by_test_id("error-cell")).to_contain_text("a varint does not end")
    pick(panel, "mode", "comparison")
    expect(panel.get_by_test_id("empty")).to_contain_text("no final landscape")


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
