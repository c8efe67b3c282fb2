"""What a user does on the Metrics page, done in a real browser on real logs."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.asking import data_requests
from tests.browser.cards import card
from tests.browser.header import choose_in_page_menu
from tests.browser.places import box_of
from tests.browser.scalars_page import display, open_page, press, status
from tests.browser.waiting import until
from tests.support.damaged_logdir import damaged_logdir
from tests.tensorboard.installed import install

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def drag(page: Page, where: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drags over an element between two places, as shares of its width and height."""
    where.scroll_into_view_if_needed()
    box = where.bounding_box()
    assert box is not None
    points = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in (start, end)]
    page.mouse.move(*points[0])
    page.mouse.down()
    page.mouse.move((points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2)
    page.mouse.move(*points[1])
    page.mouse.up()


def test_runs_of_both_frameworks_stand_side_by_side(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    rows = page.locator("[data-run]")
    for run, badge in (("mindspore/lenet_lr0.01", "MS"), ("torch/lr0.2_seed0", "TB")):
        expect(rows.and_(page.locator(f'[data-run="{run}"]'))).to_contain_text(badge)
    expect(status(page, "loss/auto")).to_contain_text("all kept")
    expect(status(page, "train/loss")).to_contain_text("288 points, all kept")


def test_selecting_runs(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    page.locator('[data-run="torch/lr0.02_seed0"]').dblclick()
    expect(status(page, "train/loss")).to_contain_text("96 points, all kept")
    page.locator('[data-run="torch/lr0.02_seed1"]').click()
    expect(status(page, "train/loss")).to_contain_text("192 points, all kept")
    page.reload()
    expect(status(page, "train/loss")).to_contain_text("192 points, all kept")
    page.keyboard.press("/")
    page.keyboard.type("lr0.2_")
    expect(page.locator(".ih-run[data-run]")).to_have_count(1)
    page.locator("#run-filter").fill("lr0.02_")
    expect(status(page, "train/loss")).to_contain_text("192 points, all kept")


def test_zooming_in_and_stepping_back(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    here = card(page, "train/loss")
    plot = here.locator("canvas").last
    expect(status(page, "train/loss")).to_contain_text("288 points")
    drag(page, plot, (0.4, 0.2), (0.6, 0.7))
    expect(page).to_have_url(re.compile(r"scalar\.zoom="))
    expect(status(page, "train/loss")).not_to_contain_text("288 points, all kept")
    first = page.url
    drag(page, plot, (0.3, 0.3), (0.7, 0.7))
    expect(page).not_to_have_url(first)
    press(here, "zoom-back")
    expect(page).to_have_url(first)
    press(here, "reset")
    expect(status(page, "train/loss")).to_contain_text("288 points, all kept")


def test_a_zoom_asks_the_server_for_detail(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar_block(["x"], range(200_000), [[math.sin(i / 1000)] for i in range(200_000)])
    with page.expect_request_finished(lambda r: "/scalar/cards" in r.url) as asked:
        open_page(page, serve("--logdir", tmp_path))
    assert asked.value.sizes()["responseBodySize"] < 10_000
    expect(status(page, "x")).to_contain_text("200,000")
    with page.expect_response(lambda r: "/scalar/cards" in r.url and "from" in r.url):
        drag(page, card(page, "x").locator("canvas").last, (0.5, 0.2), (0.6, 0.9))
    expect(status(page, "x")).to_contain_text("200,000")


def test_a_threshold_is_drawn_and_remembered(page: Page, shared: Serve, sample_logs: Path) -> None:
    url = shared("--logdir", sample_logs)
    open_page(page, url)
    here = card(page, "train/loss")
    press(here, "threshold")
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=operator]").select_option("<")
    dialog.locator("[name=value]").fill("1.0")
    dialog.locator("[name=join]").select_option("and")
    dialog.locator("[name=operator]").last.select_option(">")
    dialog.locator("[name=second]").fill("2.0")
    dialog.locator('[data-action="apply"]').click()
    expect(dialog.get_by_role("alert")).not_to_have_text(re.compile(r"^\s*$"))
    dialog.locator("[name=second]").fill("0.5")
    dialog.locator('[data-action="apply"]').click()
    expect(dialog).to_have_count(0)
    expect(status(page, "train/loss")).to_contain_text("0.5")
    page.reload()
    expect(status(page, "train/loss")).to_contain_text("0.5")
    press(here, "threshold")
    page.get_by_role("dialog").locator('[data-action="delete"]').click()
    expect(status(page, "train/loss")).not_to_contain_text("0.5")


def test_smoothing_shows_the_average(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    expect(status(page, "train/loss")).to_contain_text("288 points")
    page.locator('[data-control="smoothing-number"]').fill("0.9")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"scalar\.smooth=0\.9"))
    card(page, "train/loss").get_by_role("img").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Smoothed")


def test_language_and_theme_switch_without_a_reload(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs), "")
    page.evaluate("window.stillHere = true")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    choose_in_page_menu(page, "locale-zh-CN")
    expect(page.get_by_role("tab", name="指标")).to_be_visible()
    expect(status(page, "train/loss")).to_contain_text("全部保留")
    choose_in_page_menu(page, "theme-dark")
    until(page, lambda: page.evaluate(background) != light)
    assert page.evaluate("window.stillHere")


ROWS = """bar => new Set([...bar.querySelectorAll(':scope > :not(.unseen, .spring)')].map(child => {
    const { top, height } = child.getBoundingClientRect();
    return Math.round((top + height / 2) / 10);
})).size"""


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_the_toolbar_is_one_row_and_two_beside_the_open_run_table(
    page: Page, shared: Serve, sample_logs: Path, locale: str
) -> None:
    url = shared("--logdir", sample_logs)
    bar = page.locator(".scalars .toolbar")
    for width, more, rows in ((1280, "", 1), (1920, "", 1), (1280, "&table=1", 2)):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("about:blank")
        open_page(page, url, f"locale={locale}&scalar.smooth=0.6{more}")
        if more:
            page.wait_for_function("element => element.offsetWidth < 640", arg=bar.element_handle())
        assert bar.evaluate(ROWS) == rows


def test_the_drawer_has_what_the_toolbar_has_no_room_for(
    page: Page, shared: Serve, sample_logs: Path, violations: Callable[[Page], list[str]]
) -> None:
    open_page(page, shared("--logdir", sample_logs), "locale=en&theme=light&scalar.smooth=0.6")
    button = page.locator('.scalars .toolbar [data-action="display"]')
    button.focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Display")
    drawer.get_by_label("Log x").check()
    drawer.get_by_label("Linked x").check()
    drawer.get_by_label("Raw values").uncheck()
    drawer.get_by_role("radio", name="Pan").click()
    expect(page).to_have_url(re.compile(r"scalar\.logx=1"))
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(button).to_be_focused()


def test_what_can_be_added_is_in_one_menu(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    add = page.locator('.scalars .toolbar [data-action="add"]')
    for action, field in (("add-panel", "panel"), ("derive", "derived"), ("add-note", "notes")):
        add.click()
        page.get_by_role("menu").locator(f'[data-action="{action}"]').click()
        expect(page.locator(f'dialog[data-dialog="{field}"]')).to_be_visible()
        page.keyboard.press("Escape")


def test_on_a_phone_the_toolbar_is_behind_one_button(page: Page, shared: Serve, sample_logs: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, shared("--logdir", sample_logs))
    bar = page.locator(".scalars .toolbar")
    assert bar.evaluate(ROWS) == 1
    expect(bar.locator("#smoothing")).to_have_count(0)
    for button in bar.locator("button").all():
        box = box_of(button)
        assert (box["width"], box["height"]) >= (44, 44)
    display(page).locator("#smoothing").fill("0.5")
    expect(page).to_have_url(re.compile(r"scalar\.smooth=0\.5"))
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_limits_of_an_axis_are_typed(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    expect(status(page, "train/loss")).to_contain_text("288 points")
    card(page, "train/loss").get_by_role("img").focus()
    page.keyboard.press("a")
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=y0]").fill("0.5")
    dialog.locator("[name=y1]").press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text("An axis needs both limits, or none.")
    dialog.locator("[name=y1]").fill("2")
    dialog.locator("[name=y1]").press("Enter")
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile(r"scalar\.zoom=train/loss%3D,,0\.5,2"))


def test_an_expression_that_is_not_finished_keeps_the_cards(
    page: Page, shared: Serve, sample_logs: Path
) -> None:
    open_page(page, shared("--logdir", sample_logs))
    page.locator('[data-action="group-by"]').click()
    field = page.locator('[data-control="group"]')
    field.fill(r"lr([0-9.]+)_seed")
    expect(status(page, "train/loss")).to_contain_text("2 groups · 3 runs")
    expect(page.get_by_test_id("run-groups")).to_contain_text("0.02")
    asked = data_requests(page, "/bands")
    field.press("End")
    field.press_sequentially("(")
    problem = page.get_by_role("dialog").get_by_role("status")
    expect(problem).to_contain_text("Not a regular expression")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(status(page, "train/loss")).to_contain_text("2 groups · 3 runs")
    expect(page.locator(".card footer.error")).to_have_count(0)
    assert [url for url in asked if "_seed%28" in url] == [], "cards below may still be asked as before"
    field.press_sequentially("[0-9])")
    expect(status(page, "train/loss")).to_contain_text("3 groups · 3 runs")
    expect(problem).to_have_count(0)


def test_the_tools_of_a_card_leave_its_title_in_place(page: Page, shared: Serve, sample_logs: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    open_page(page, shared("--logdir", sample_logs))
    here = card(page, "train/accuracy")
    expect(status(page, "train/accuracy")).to_contain_text("points")
    title = here.locator("h3")
    page.mouse.move(5, 5)
    at_rest = title.bounding_box()
    title.hover()
    assert title.bounding_box() == at_rest
    expect(here.locator("canvas")).to_have_count(1)  # that of the cursor has gone with it
    buttons = here.locator("header button")
    assert [button.get_attribute("data-action") for button in buttons.all()] == ["export", "fullscreen"]


def test_damage_is_listed(page: Page, serve: Serve, tmp_path: Path) -> None:
    damaged_logdir(tmp_path)
    with EventWriter(tmp_path / "fine") as writer:
        writer.scalar("loss", 0, 1.0)
    open_page(page, serve("--logdir", tmp_path))
    row = page.locator("[data-run]:has(.ih-badge-warn)").first
    row.locator(".ih-badge-warn").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        re.compile("checksum|cut off|empty|cannot|directory|malformed|link")
    )


def test_a_broken_plugin_leaves_the_host_usable(
    page: Page, serve: Serve, sample_logs: Path, tmp_path: Path
) -> None:
    points = {"broken": "insight_broken"}
    package = install(tmp_path / "site", points, "insight-plugin-broken", group="insight.plugins")
    (package / "insight_broken.py").write_text("raise RuntimeError('broken on purpose')\n")
    open_page(page, serve("--logdir", sample_logs, environment={"PYTHONPATH": str(package)}))
    expect(status(page, "train/loss")).to_contain_text("288 points")
    page.get_by_role("tab", name=re.compile("broken")).click()
    expect(page.get_by_text("broken on purpose").first).to_be_visible()
    page.get_by_role("tab", name="Metrics").click()
    expect(status(page, "train/loss")).to_be_visible()


def test_purged_points_are_counted_and_can_be_looked_at(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run", start_time=1000) as writer:
        for step in range(50):
            writer.scalar("gone", step, step)
    with EventWriter(tmp_path / "run", start_time=2000) as writer:
        writer.session_start(30)
        writer.scalar("loss", 30, 1.0)
    open_page(page, serve("--logdir", tmp_path))
    expect(status(page, "gone")).to_contain_text("20 purged by a later session")
    display(page).get_by_role("radio", name="All attempts").click()
    expect(status(page, "gone")).to_contain_text("50 points, all kept")
    expect(status(page, "gone")).not_to_contain_text("purged")


def test_runs_without_restarts_show_no_switch_for_them(page: Page, shared: Serve, sample_logs: Path) -> None:
    open_page(page, shared("--logdir", sample_logs))
    expect(status(page, "train/loss")).to_contain_text("288 points")
    drawer = display(page)
    expect(drawer.get_by_role("radio", name="Charts")).to_be_visible()
    expect(drawer.get_by_role("radio", name="All attempts")).to_have_count(0)


def test_a_tag_without_a_name_is_a_card_like_others(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        for tag in ("", "z", "b/1", "a/1"):
            writer.scalar(tag, 0, 1.0)
    open_page(page, serve("--logdir", tmp_path))
    expect(page.locator(".group h2")).to_contain_text(["a", "b", "Other"])
    here = card(page, "")
    expect(here).to_contain_text("(no name)")
    expect(status(page, "")).to_have_text("1 point")
    expect(page.locator(".card.full")).to_have_count(0)
    here.locator('[data-action="fullscreen"]').click()
    expect(page.locator(".card.full")).to_contain_text("(no name)")
    page.reload()
    expect(page.locator(".card.full")).to_contain_text("(no name)")
    page.keyboard.press("Escape")
    expect(page.locator(".card.full")).to_have_count(0)


def test_a_thousand_runs_stay_light(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run_0000") as writer:
        writer.scalar_block(["loss"], range(10), [[1.0]] * 10)
    for number in range(1, 1000):
        shutil.copytree(tmp_path / "run_0000", tmp_path / f"run_{number:04d}")
    open_page(page, serve("--logdir", tmp_path))
    expect(page.get_by_text("1,000 runs").or_(page.get_by_text("1000 runs")).first).to_be_visible()
    assert page.locator("[data-run]").count() < 100
    newest = page.locator("[data-run]").first
    expect(newest).to_have_attribute("aria-selected", "true")
    newest.click()
    expect(newest).to_have_attribute("aria-selected", "false")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("checkbox").first.click()
    expect(page.get_by_text("1,000 selected")).to_be_visible()
    expect(status(page, "loss")).to_contain_text("600 points, all kept")
    card(page, "loss").get_by_test_id("line-limit").get_by_role("button", name="all").click()
    expect(status(page, "loss")).to_contain_text("10,000 points, all kept")
    assert max(map(len, asked)) < 8000
