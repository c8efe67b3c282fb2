"""What a user does on the Tensors page, done in a real browser."""

from __future__ import annotations

import io
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import numpy as np
import pytest
from numpy.typing import ArrayLike
from playwright.sync_api import Locator, Page, expect

from insight_authoring.testing import wire
from insight_core.plugin import Dialect
from insight_core.plugin.testing import EventWriter
from tests.browser import cards
from tests.browser.cards import drawer

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
MINUS = "\N{MINUS SIGN}"

TABLE = (np.arange(240, dtype=np.float32).reshape(2, 3, 8, 5) - 100) / 8


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("tensors")
    with EventWriter(logs / "a") as writer:
        for step in range(5):
            writer.tensor("table", step, TABLE + 100 * step, plugin="")
            writer.tensor("vector", step, [0.5, step, np.nan, np.inf, -np.inf], plugin="")
            writer.tensor("scalar", step, np.float32(step + 0.25), plugin="")
        odd: dict[str, ArrayLike] = {
            "integers": np.array([[2**63 - 1, -5]]),
            "flags": np.array([True, False]),
            "complex": np.array([1 - 2j], np.complex64),
            "strings": np.array([["<b>bold</b>", "two\nlines"]], object),
            "empty": np.zeros((0, 3), np.float32),
        }
        for tag, values in odd.items():
            writer.tensor(tag, 0, values, plugin="")
        writer.tensor("curve", 0, np.array([[1, 2]], np.float32), plugin="mystery")
    return logs


def opened(page: Page, url: str, more: str = "", locale: str = "en") -> None:
    page.goto(f"{url}#locale={locale}&theme=light&tab=tensor{more}")
    expect(page.get_by_test_id("card").first).to_be_visible()


def card(page: Page, tag: str, run: str = "a") -> Locator:
    return cards.card(page, tag, run)


def texts(found: Locator) -> list[list[str]]:
    """The cells in sight, row by row."""
    expect(found.get_by_role("gridcell").first).to_be_visible()
    rows: list[list[str]] = found.locator("[role=row]:not(.head)").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('[role=gridcell]')].map(each => each.textContent))"
    )
    return rows


def first_cell(found: Locator) -> Locator:
    return found.get_by_role("gridcell").first


def test_real_logs_of_both_frameworks(page: Page, shared: Serve, sample_logs: Path) -> None:
    opened(page, shared("--logdir", sample_logs))
    mindspore = card(page, "Tensor", "mindspore/lenet_lr0.01")
    expect(mindspore.get_by_test_id("card-status")).to_contain_text("float32 [")
    expect(mindspore.get_by_test_id("step-count")).to_contain_text(" of 5")
    torch = card(page, "activations/logits", "torch/lr0.2_seed0")
    expect(torch.get_by_test_id("step-count")).to_contain_text("6 of 6")
    expect(first_cell(torch)).to_have_text(re.compile(rf"^{MINUS}?\d+\.\d{{5}}$"))


def test_slices_are_applied_with_enter_and_with_the_tick(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir), "&tensor.step=0")
    found = card(page, "table")
    assert texts(found)[:2] == [
        [f"{value:.5f}".replace("-", MINUS) for value in row] for row in TABLE[0, 0, :2].tolist()
    ]
    box = found.locator('[data-control="slice-1"]')
    box.fill("-1")
    box.press("Enter")
    expect(first_cell(found)).to_have_text(f"{TABLE[0, 2, 0, 0]:.5f}".replace("-", MINUS))
    expect(box).to_have_value("2")
    expect(page).to_have_url(re.compile(r"tensor\.slices="))
    found.locator('[data-control="slice-2"]').fill("3:5")
    found.locator('[data-action="slice-apply"]').click()
    expect(found.get_by_role("rowheader")).to_have_text(["3", "4"])
    page.reload()
    card(page, "table")
    expect(found.get_by_role("rowheader")).to_have_text(["3", "4"])
    found.locator('[data-action="slice-reset"]').click()
    expect(found.get_by_role("rowheader").first).to_have_text("0")


def test_a_wrong_slice_says_why_and_shows_what_was_there(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir))
    found = card(page, "table")
    before = texts(found)
    box = found.locator('[data-control="slice-0"]')
    box.fill("2")
    expect(found.get_by_test_id("slice").get_by_role("alert")).to_contain_text(f"from {MINUS}2 to 1")
    box.press("Enter")
    assert texts(found) == before
    box.press("Escape")
    expect(box).not_to_have_value("2")


def test_number_formats_and_colours(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir), "&tensor.step=0")
    found = card(page, "table")
    expect(first_cell(found)).to_have_text(f"{MINUS}12.50000")
    expect(first_cell(found)).to_have_attribute("style", re.compile("--heat-negative"))
    settings = drawer(page)
    settings.locator('[data-control="digits"]').fill("1")
    expect(first_cell(found)).to_have_text(f"{MINUS}12.5")
    settings.locator('[data-control="notation"] [data-value="scientific"]').click()
    expect(first_cell(found)).to_have_text(f"{MINUS}1.3e1")
    settings.locator('[data-action="heat"]').click()
    expect(first_cell(found)).not_to_have_attribute("style", re.compile("--heat"))
    expect(page).to_have_url(re.compile(r"tensor\.digits=1"))
    page.reload()
    expect(first_cell(card(page, "table"))).to_have_text(f"{MINUS}1.3e1")


def test_every_type_of_value(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir))
    assert texts(card(page, "integers")) == [["9223372036854775807", f"{MINUS}5"]]
    assert texts(card(page, "flags")) == [["true"], ["false"]]
    assert texts(card(page, "complex")) == [[f"1.00000{MINUS}2.00000i"]]
    assert texts(card(page, "strings")) == [["<b>bold</b>", "two ↵ lines"]]
    assert texts(card(page, "vector"))[1:] == [["4.00000"], ["NaN"], ["+Inf"], [f"{MINUS}Inf"]]
    expect(card(page, "vector").get_by_test_id("nonfinite")).to_have_text(f"1 NaN, 1 +Inf, 1 {MINUS}Inf")
    expect(card(page, "empty").get_by_test_id("no-values")).to_be_visible()
    expect(card(page, "empty").get_by_test_id("card-status")).to_contain_text("float32 [0, 3]")


def test_selected_cells_are_copied_in_full(page: Page, shared: Serve, logdir: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, shared("--logdir", logdir), "&tensor.step=0&tensor.digits=0")
    found = card(page, "table")
    found.get_by_role("gridcell").nth(1).click()
    for key in ("Shift+ArrowRight", "Shift+ArrowDown", "Control+c"):
        page.keyboard.press(key)
    expect(page.get_by_text("Copied 4 values")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "-12.375\t-12.25\n-11.75\t-11.625"
    assert found.locator('[role="gridcell"][aria-selected="true"]').count() == 4
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    expect(page.get_by_text("Copied 40 values")).to_be_visible()
    # the arrows moved cells, not the slider
    expect(found.get_by_test_id("step-label")).to_have_text("step 0")


def test_a_drag_selects(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir))
    cells = card(page, "table").get_by_role("gridcell")
    begin, end = cells.first.bounding_box(), cells.nth(6).bounding_box()
    assert begin is not None
    assert end is not None
    page.mouse.move(begin["x"] + 5, begin["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 5)
    page.mouse.up()
    expect(card(page, "table").locator('[aria-selected="true"]')).to_have_count(4)


def test_ten_million_values_are_reached_from_end_to_end(page: Page, serve: Serve, tmp_path: Path) -> None:
    values = np.arange(10_000_000, dtype=np.float32)
    with EventWriter(tmp_path / "a") as writer:
        writer.tensor("long", 0, values, plugin="")
    opened(page, serve("--logdir", tmp_path), "&tensor.digits=0")
    found = card(page, "long")
    expect(first_cell(found)).to_have_text("0")
    found.get_by_role("grid").focus()
    for key in ("ArrowDown", "Control+End"):
        page.keyboard.press(key)
    expect(found.get_by_role("rowheader").last).to_have_text("9999999")
    expect(found.get_by_role("gridcell").last).to_have_text("9999999")
    page.keyboard.press("PageUp")
    expect(found.locator(".cell.focus")).to_have_text(re.compile(r"^99999[89]\d$"))
    found.get_by_role("grid").hover()
    page.mouse.wheel(0, -2200)  # a hundred rows, however long the table is
    expect(found.get_by_role("rowheader").last).to_have_text(re.compile(r"^99998\d\d$"))


def test_the_download_is_the_tensor(page: Page, shared: Serve, logdir: Path) -> None:
    url = shared("--logdir", logdir)
    opened(page, url, "&tensor.step=1")
    found = card(page, "table")
    found.hover()
    href = found.locator('[data-action="download"]').get_attribute("href")
    assert href is not None
    with urllib.request.urlopen(urljoin(page.url, href)) as answer:
        assert np.array_equal(np.load(io.BytesIO(answer.read())), TABLE + 100)


def test_statistics(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir))
    found = card(page, "vector")
    found.hover()
    found.locator('[data-action="statistics"]').click()
    table = page.get_by_test_id("statistics")
    for name, text in {
        "count": "5",
        "nan": "1",
        "pos_inf": "1",
        "min": "0.5",
        "max": "4",
        "mean": "2.25",
    }.items():
        expect(table.locator(f'[data-name="{name}"]')).to_have_text(text)


def test_a_bad_record_is_an_error_in_its_place(page: Page, serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a", Dialect.MINDSPORE) as writer:
        writer.tensor("bad", 0, np.array([1, 2], np.float32))
        writer.tensor("bad", 1, np.array([1, 2], np.float32), shape=[5])
        writer.tensor("bad", 2, np.array([3, 4], np.float32))
        writer.values(0, [wire.value("worse", 8, b"\xff\xff")])
        writer.tensor("good", 0, np.array([1], np.float32))
    opened(page, serve("--logdir", tmp_path), "&tensor.step=1")
    found = card(page, "bad")
    expect(found.get_by_test_id("error-cell")).to_contain_text("2 values for the shape [5]")
    found.locator('[data-action="step-forward"]').click()
    expect(first_cell(found)).to_have_text("3.00000")
    expect(card(page, "worse").get_by_test_id("error-cell")).to_contain_text("step 0")
    expect(first_cell(card(page, "good"))).to_have_text("1.00000")


def test_a_slice_that_does_not_fit_another_step_can_be_given_up(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.tensor("shrinks", 0, np.arange(8.0), plugin="")
        writer.tensor("shrinks", 1, np.arange(3.0), plugin="")
    opened(page, serve("--logdir", tmp_path), "&tensor.step=0&tensor.slices=shrinks,a%3D5")
    found = card(page, "shrinks")
    assert texts(found) == [["5.00000"]]
    found.locator('[data-action="step-forward"]').click()
    expect(found.get_by_test_id("error-cell")).to_contain_text("index 5 is out of range")
    found.locator('[data-action="slice-default"]').click()
    expect(found.get_by_role("gridcell")).to_have_text(["0.00000", "1.00000", "2.00000"])


def test_tensors_that_no_plugin_claims(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir))
    expect(page.locator('[data-tag="curve"]')).to_have_count(0)
    drawer(page).locator('[data-action="others"]').click()
    assert texts(card(page, "curve")) == [["1.00000", "2.00000"]]
    expect(card(page, "curve")).to_contain_text("mystery")
    expect(page).to_have_url(re.compile(r"tensor\.others=1"))


def test_histograms_over_steps(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir))
    card(page, "table").hover()
    page.keyboard.press("h")
    found = card(page, "table")
    expect(found.locator('[data-ready="1"]')).to_be_visible()
    expect(found.get_by_test_id("card-status")).to_contain_text("all 5 steps")
    for view in ("front", "distributions", "heatmap"):
        page.locator(f'[data-control="view"] [data-value="{view}"]').click()
        expect(found.get_by_test_id("histogram-view")).to_have_attribute("data-view", view)
    expect(card(page, "strings").get_by_test_id("error-cell")).to_contain_text("are unsupported")
    page.reload()
    expect(card(page, "table").get_by_test_id("histogram-view")).to_have_attribute("data-view", "heatmap")


def test_runs_are_compared_at_a_step(page: Page, shared: Serve, sample_logs: Path) -> None:
    opened(page, shared("--logdir", sample_logs), "&tensor.show=histogram")
    page.locator('[data-action="compare"]').click()
    found = cards.card(page, "activations/logits")
    expect(found).to_have_count(1)
    expect(found.get_by_test_id("card-status")).to_contain_text("3 runs at this step")
    expect(found.get_by_test_id("step-count")).to_have_text("6 of 6")
    found.locator('[data-action="step-back"]').click()
    expect(found.get_by_test_id("step-count")).to_have_text("5 of 6")
    page.locator('[data-control="show"] [data-value="table"]').click()
    expect(page.locator('[data-testid="card"][data-tag="activations/logits"]')).to_have_count(3)


def test_full_screen_shows_more_and_escape_leaves_it(page: Page, shared: Serve, logdir: Path) -> None:
    opened(page, shared("--logdir", logdir), "&tensor.full=table;a")
    found = card(page, "table")
    expect(found).to_have_class(re.compile("full"))
    expect(found.get_by_role("rowheader")).to_have_count(8)
    found.get_by_role("gridcell").first.click()
    page.keyboard.press("Escape")  # the selection goes first
    expect(found).to_have_class(re.compile("full"))
    page.keyboard.press("Escape")
    expect(found).not_to_have_class(re.compile("full"))
