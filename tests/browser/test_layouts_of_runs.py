"""Layouts of custom scalars: those of the selected runs, and what a run lacks of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.panels_page import layout, write_panels

pytestmark = pytest.mark.browser
Serve = Callable[..., str]


def test_a_layout_is_that_of_selected_runs_and_says_what_they_lack(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    write_panels(tmp_path, 1)
    with EventWriter(tmp_path / "plain") as writer:
        writer.scalar("loss", 1, 1.0)
    for run, tags in (("bare", ("loss",)), ("part", ("train/loss", "edge/low"))):
        with EventWriter(tmp_path / run) as writer:
            tensor = wire.text_tensor([layout("train/loss", "val/.*")])
            metadata = wire.metadata("custom_scalars", 0)
            writer.values(0, [wire.tensor_value("custom_scalars__config__", tensor, metadata)])
            for tag in tags:
                writer.scalar(tag, 1, 1.0)
    url = serve("--logdir", tmp_path)
    page.goto(f"{url}#tab=scalar&locale=en&runs=bare;plain")
    band = page.get_by_test_id("panel").nth(1)
    expect(band.locator(".nothing")).to_have_text(
        "None of the selected runs has train/loss, edge/low, edge/high"
    )
    page.goto("about:blank")
    page.goto(f"{url}#tab=scalar&locale=en&runs=part;plain")
    expect(band.get_by_test_id("card-status")).to_contain_text("part lacks edge/high")
    expect(band.locator(".nothing")).to_have_count(0)
    page.goto("about:blank")
    page.goto(f"{url}#tab=scalar&locale=en&runs=plain")
    with page.expect_response(lambda answer: "scalar/layouts" in answer.url):
        expect(card(page, "loss")).to_be_visible()
    expect(page.get_by_test_id("panel")).to_have_count(0)
