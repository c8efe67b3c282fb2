"""The Lineage page as browser tests see it: a logdir of six runs, and what is shown of it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.waiting import until
from tests.lineage_samples import Hparams, write_run

ACCURACY = "metric/accuracy"
RATES = (0.001, 0.01, 0.1)
OPTIMIZERS = ("adam", "sgd")


def write_six_runs(directory: Path) -> None:
    """The smaller the rate the better, and adam is better than sgd."""
    for at, rate in enumerate(RATES):
        for which, optimizer in enumerate(OPTIMIZERS):
            accuracy = 0.9 - 0.2 * at - 0.05 * which
            hparams: Hparams = {"lr": rate, "optimizer": optimizer, "layers": 2.0}
            write_run(
                directory / f"{optimizer}_{at}", hparams, {"accuracy": accuracy}, 1.7e9 + 10 * at + which
            )


def open_page(page: Page, url: str, fragment: str = "", locale: str = "en") -> None:
    page.goto(f"{url}#tab=lineage&locale={locale}&theme=light{fragment}")
    expect(page.get_by_test_id("runs-table").locator("[data-run]").first).to_be_visible()


def shown(page: Page) -> list[str]:
    """Names of the runs in the table, from top to bottom."""
    lines = page.get_by_test_id("runs-table").locator(".line[data-run]")
    named: list[tuple[float, str]] = lines.evaluate_all(
        "lines => lines.map((line) => [line.offsetTop, line.dataset.run])"
    )
    return [name for _, name in sorted(named)]


def expect_shown(page: Page, runs: list[str]) -> None:
    until(page, lambda: shown(page) == runs)


def axis(page: Page, name: str) -> Locator:
    return page.locator(f'[data-axis="{name}"]')


def brush(page: Page, name: str, low: float, high: float) -> None:
    """Drags along an axis; places from 0, its low end, to 1."""
    box = axis(page, name).locator(".strip").bounding_box()
    assert box is not None
    x, edge = box["x"] + box["width"] / 2, 5
    height = box["height"] - 2 * edge
    page.mouse.move(x, box["y"] + edge + (1 - low) * height)
    page.mouse.down()
    page.mouse.move(x, box["y"] + edge + (1 - (low + high) / 2) * height)
    page.mouse.move(x, box["y"] + edge + (1 - high) * height)
    page.mouse.up()


def cell(page: Page, run: str, column: str) -> Locator:
    return page.locator(f'.line[data-run="{run}"] [data-column="{column}"]')
