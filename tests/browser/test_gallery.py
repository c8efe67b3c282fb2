"""The gallery that ``insight-host plugin dev`` serves: every component of the kit, with its code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import box_of
from tests.browser.waiting import until

pytestmark = pytest.mark.browser

COMPONENT = re.compile(r"^@insight-host/kit\S* ([A-Z][a-z]\w*): function ", re.MULTILINE)

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def address(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address that ``plugin dev`` prints for the gallery, while it runs on a directory without logs."""
    logs, state = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("state")
    plugin = repository / "examples/insight-plugin-skeleton"
    flags = ["--logdir", str(logs), "--port", "0", "--state-dir", str(state)]
    command = [sys.executable, "-m", "insight_core.cli", "plugin", "dev", str(plugin), *flags]
    environment = {**os.environ, "INSIGHT_HOST_TOKEN": "1"}  # the address has it
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            found = re.search(r"http://\S+/gallery\?token=\S+$", process.stdout.readline().strip())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()


def _opened(page: Page, address: str, settings: str = "") -> None:
    page.goto(f"{address}#{settings}")  # which leads to the tab in this language and theme
    expect(page.locator("[data-example]").first).to_be_visible()


def test_every_component_that_the_kit_promises_is_shown_with_its_code(
    page: Page, address: str, repository: Path
) -> None:
    _opened(page, address)
    promised = set(COMPONENT.findall((repository / "docs/reference/surface/javascript.txt").read_text()))
    assert {"Button", "Frame", "Table", "HistogramCard"} <= promised, "the listing was understood"
    examples = page.locator("[data-example]")
    shown = " ".join(examples.evaluate_all("all => all.map(each => each.dataset.shows)")).split()
    assert promised - set(shown) == set()
    for example in examples.all():
        code = example.locator("pre").inner_text()
        assert f"function {example.get_attribute('data-example')}" in code
        expect(example.locator(".stage > *").first, code).to_be_visible()
    expect(page.locator("[data-testid=plugin-problem]")).to_have_count(0)


def test_the_table_fills_the_height_that_its_code_gives_it(page: Page, address: str) -> None:
    _opened(page, address)
    example = page.locator("[data-example=Lines]")
    assert "height: '180px'" in example.locator("pre").inner_text()
    until(page, lambda: box_of(example.locator("[role=grid]"))["height"] == 180)


@pytest.mark.parametrize(
    ("settings", "title"),
    [("locale=en&theme=light", "Boards and cards"), ("locale=zh-CN&theme=dark", "看板与卡片")],
)
def test_the_gallery_follows_theme_and_language_and_has_no_violations(
    page: Page, address: str, violations: Callable[[Page], list[str]], settings: str, title: str
) -> None:
    _opened(page, address, settings)
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    page.locator("[data-example=WholeTab] [data-testid=step-slider]").first.wait_for()
    page.locator("[data-example=Cards] [data-ready]").first.wait_for()
    assert violations(page) == []
    page.locator("[data-example=Dialogs] button").click()
    expect(page.locator("[data-dialog=example]")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    for example in ("Menus", "Popovers"):
        button = page.locator(f"[data-example={example}] button").first
        button.scroll_into_view_if_needed()
        page.evaluate(TWO_FRAMES)  # the event of that scrolling would close what opens now
        button.click()
        expect(page.locator(f"[data-example={example}] .popover")).to_be_visible()
        assert violations(page) == []
        page.keyboard.press("Escape")


def test_only_plugin_dev_has_a_gallery(page: Page, shared: Callable[..., str], six_runs: Path) -> None:
    url = shared("--logdir", six_runs)
    answer = page.goto(f"{url}gallery")
    assert answer is not None
    assert answer.status == 404
    page.goto(f"{url}#locale=en&tab=gallery")
    expect(page.get_by_role("tab").first).to_be_visible()
    expect(page.get_by_role("tab", name="Gallery")).to_have_count(0)
