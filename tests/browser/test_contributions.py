"""What two example packages, in TypeScript and in plain JavaScript, add to the page beyond their tabs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.npm_packages import add_packages
from tests.distributions import install
from tests.support.pictures import png

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

STEPS = range(0, 200, 10)
STEP_OF = {"best": 70, "extensions": 120}  # of the lowest loss, and of the checkpoint
COLUMN_OF = {"best": "best/lowest_loss", "extensions": "extensions/length"}
EXAMPLES = list(STEP_OF)


@pytest.fixture(scope="module")
def best(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of the example in TypeScript, checked and built with the packages of the wheel."""
    root = tmp_path_factory.mktemp("best") / "source"
    strangers = shutil.ignore_patterns("static", "node_modules", ".insight-host")
    shutil.copytree(repository / "examples/insight-plugin-best", root, ignore=strangers)
    add_packages(root, repository)
    for script in ("typescript/bin/tsc", "vite/bin/vite.js build"):
        command = ["node", *f"node_modules/{script}".split()]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(root / "node_modules")
    return root


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs")
    picture = png(np.zeros((2, 3), np.uint8))
    with EventWriter(logs / "run") as writer:
        for step in STEPS:
            writer.scalar("loss", step, abs(step - STEP_OF["best"]) + 1.0)
            writer.image("i", step, picture, 3, 2)
    with EventWriter(logs / "worse") as writer:
        writer.scalar("loss", 0, 9.0)
    (logs / "run/a.settings").write_text(f"checkpoint = {STEP_OF['extensions']}\noptimizer = adam\n")
    return logs


@pytest.fixture(scope="module")
def url(
    best: Path,
    logdir: Path,
    repository: Path,
    shared: Serve,
    tmp_path_factory: pytest.TempPathFactory,
    offline_environment: dict[str, str],
) -> Iterator[str]:
    """A host with both examples, installed by pip."""
    sources = [best, repository / "examples/insight-plugin-extensions"]
    sites = [install(each, tmp_path_factory.mktemp("site"), offline_environment) for each in sources]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, sites)))
        yield shared("--logdir", logdir)


def _opened(page: Page, url: str, *, language: str = "en", more: str = "") -> None:
    page.goto(f"{url}#locale={language}&theme=light&tab=scalar{more}")
    expect(page.locator('[data-plugin="scalar"] [data-ready]')).to_have_count(1)
    expect(page.locator('[data-plugin="scalar"] .plot.busy')).to_have_count(0)
    expect(page.get_by_test_id("plugin-card")).to_have_count(2)  # the contributions are there


def _expect_images(page: Page, step: int) -> None:
    count = page.locator('[data-plugin="image"]').get_by_test_id("step-count").first
    expect(count).to_have_text(f"{STEPS.index(step) + 1} of {len(STEPS)}")


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_command_is_in_the_palette_though_its_tab_was_never_opened_and_leads_to_images(
    page: Page, url: str, example: str, language: str
) -> None:
    text = {
        "best": {"en": "Images of the lowest loss", "zh-CN": "最低损失时的图像"},
        "extensions": {"en": "Images of the last checkpoint", "zh-CN": "最后一个检查点的图像"},
    }[example][language]
    _opened(page, url, language=language)
    expect(page.locator(f"#panel-{example}")).to_be_empty()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill(text)
    page.get_by_role("option").filter(has_text=text).click()
    page.wait_for_function(f"() => location.hash.includes('image.step={STEP_OF[example]}')")
    if language == "en":
        _expect_images(page, STEP_OF[example])


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_card_stands_on_the_scalars_board_and_leads_to_images(page: Page, url: str, example: str) -> None:
    _opened(page, url)
    card = page.locator(f'[data-testid="plugin-card"][data-from="{example}"]')
    expect(card.locator("h3")).to_have_text({"best": "Lowest loss", "extensions": "Settings"}[example])
    card.get_by_role("button", name=str(STEP_OF[example])).click()
    _expect_images(page, STEP_OF[example])


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("tab", ["image", "histogram"])
def test_a_card_stands_in_the_other_tabs_that_it_names(
    page: Page, url: str, tab: str, language: str, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{url}#locale={language}&theme=light&tab={tab}")
    panel = page.locator(f'[data-plugin="{tab}"]')
    card = panel.locator('[data-testid="plugin-card"]')
    expect(card.locator("h3")).to_have_text({"en": "Settings", "zh-CN": "设置"}[language])
    expect(card).to_contain_text("optimizer = adam")
    section = panel.locator("section.plugin-cards")
    expect(section).to_have_attribute("aria-label", {"en": "From plugins", "zh-CN": "来自插件"}[language])
    if tab == "histogram":
        expect(panel.get_by_test_id("empty")).to_be_visible()  # these logs have none, and the card is there
    assert violations(page) == []
    panel.locator('[data-action="plugin-cards"]').click()
    expect(card).to_have_count(0)
    page.wait_for_function(f"() => location.hash.includes('{tab}.plugins=0')")


def test_menus_of_runs_and_cards_save_what_the_plugin_makes_of_them(page: Page, url: str) -> None:
    _opened(page, url)
    page.locator('[data-run="run"]').hover()
    page.locator('[data-run="run"] [data-action="run-menu"]').click()
    with page.expect_download() as settings:
        page.get_by_role("menuitem", name="Save the settings").click()
    assert json.loads(settings.value.path().read_text()) == [
        {"name": "checkpoint", "value": "120"},
        {"name": "optimizer", "value": "adam"},
    ]
    page.locator('[data-plugin="scalar"]').get_by_test_id("card").locator('[data-action="export"]').click()
    with page.expect_download() as card:
        page.get_by_role("menuitem", name="Save what it shows as JSON").click()
    assert json.loads(card.value.path().read_text())["plugin"] == "scalar"


def test_a_plugin_says_a_number_at_its_tab_that_was_never_opened(page: Page, url: str) -> None:
    _opened(page, url)
    expect(page.get_by_role("tab", name="Extensions")).to_contain_text("1")


def test_cards_come_in_their_order_and_are_folded_for_good(
    page: Page, url: str, violations: Callable[[Page], list[str]]
) -> None:
    _opened(page, url)
    assert violations(page) == []
    order = page.get_by_test_id("plugin-card").evaluate_all("cards => cards.map(card => card.dataset.from)")
    assert order == ["best", "extensions"]  # -1 comes before 0
    page.locator('[data-action="plugin-cards"]').click()
    expect(page.get_by_test_id("plugin-card")).to_have_count(0)
    page.reload()
    expect(page.locator('[data-action="plugin-cards"]')).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_mark_of_a_chart_is_read_off_and_leads_to_images(page: Page, url: str, example: str) -> None:
    _opened(page, url, more="&runs=run")
    chart = page.locator('[data-plugin="scalar"]').get_by_test_id("card").locator(".plot [tabindex]")
    mark = page.locator(".tooltip.pinned .marks button")
    text = {"best": "Lowest: 1 at step 70", "extensions": "Checkpoint at step 120"}[example]
    chart.focus()
    for _ in range(STEPS.index(STEP_OF[example]) + 1):  # the first press goes to the first point
        chart.press("ArrowRight")
    chart.press("Enter")
    expect(mark).to_have_text(text)
    mark.click()
    _expect_images(page, STEP_OF[example])


def test_a_chart_as_a_table_has_its_marks(page: Page, url: str) -> None:
    _opened(page, url, more="&runs=run")
    page.locator('[data-plugin="scalar"]').get_by_test_id("card").locator('[data-action="export"]').click()
    page.locator('[data-action="view-table"]').click()
    dialog = page.locator("dialog")
    dialog.locator("[role=grid]").press("Control+End")
    expect(dialog.get_by_text("Checkpoint at step 120")).to_be_visible()


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_run_column_looks_as_the_plugin_says(page: Page, url: str, example: str) -> None:
    column = COLUMN_OF[example]
    _opened(page, url, more=f"&sort=name&table=1&columns={column}")
    cells = page.locator(f'[data-run] [data-column="{column}"]')
    expect(cells).to_have_text({"best": ["★ 1", "9"], "extensions": ["20", "1"]}[example])
    if example == "extensions":
        expect(cells.first.locator("span")).to_have_css("display", "block")
        expect(page.locator(f'.head [data-column="{column}"]')).to_have_text("Points")


def test_contributions_come_after_the_tab_in_front_and_fail_alone(page: Page, url: str) -> None:
    """One cannot be had, the other hangs: tabs do not wait for them, and say so."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/best/static/*/contributions.js", lambda route: route.fulfill(status=500))
    hanging = "await new Promise(() => undefined);"
    page.route(
        "**/extensions/static/*/contributions.js",
        lambda route: route.fulfill(content_type="text/javascript", body=hanging),
    )
    page.goto(f"{url}#locale=en&theme=light&tab=best")
    expect(page.locator('[data-plugin="best"] .ih-plugin-remark')).to_contain_text("contributions.js")
    first = next(at for at, name in enumerate(asked) if name.endswith("/contributions.js"))
    assert any("/best/static/" in name and name.endswith("/index.js") for name in asked[:first])
    assert any("/data/plugin/best/lowest" in name for name in asked[:first])  # asked when it was mounted
    page.get_by_role("tab", name="Extensions").click()
    expect(page.locator('[data-plugin="extensions"] .ih-plugin')).to_contain_text("optimizer = adam")
    remark = page.locator('[data-plugin="extensions"] .ih-plugin-remark')
    expect(remark).to_contain_text("no answer after 10 s")
