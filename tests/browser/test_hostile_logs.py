"""Every tab of a host whose logs are damaged in every way: no script error, no dialog, no tab that fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.fuzz.mutants import write_mutants
from tests.support.damaged_logdir import damaged_logdir

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

TABS = ("scalar", "histogram", "graph", "image", "tensor", "lineage", "profiler", "landscape")
SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def url(shared: Serve, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> str:
    logs: Path = tmp_path_factory.mktemp("hostile") / "logs"
    damaged_logdir(logs)
    list(write_mutants(logs, pytestconfig.getoption("--fuzz-mutants"), 3))
    with EventWriter(logs / SCRIPT.replace("/", "_")) as writer:
        for step in range(3):
            writer.scalar(SCRIPT, step, float(step))
            picture = wire.image_value(SCRIPT, SCRIPT.encode(), 1 << 30, 1 << 30)
            writer.values(step, [picture])
    return shared("--logdir", logs)


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_shows_what_it_can_of_hostile_logs(page: Page, url: str, tab: str) -> None:
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.goto(f"{url}#tab={tab}&locale=en&theme=light")
    shown = page.locator(f'[data-plugin="{tab}"]')
    expect(shown).to_be_visible()
    expect(shown).not_to_be_empty()
    expect(page.locator(".ih-run").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert dialogs == []
