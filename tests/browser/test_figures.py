"""The dialog that makes figures for papers, in a real browser."""

from __future__ import annotations

import csv
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.figures_page import open_figure, saved

pytestmark = pytest.mark.browser


def _saved(page: Page, dialog: Locator, kind: str) -> bytes:
    name, content = saved(page, dialog, kind)
    assert name == f"train_loss.{kind}"
    return content


def test_a_figure_is_saved_in_the_size_font_and_colors_that_are_chosen(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    losses = [4.0, 2.0, float("nan"), -1.0, 0.5]
    for run in ("plain", "基线"):
        with EventWriter(tmp_path / run) as writer:
            writer.scalar_block(["train/loss"], range(5), [[loss] for loss in losses])
    page.goto(
        f"{serve('--logdir', tmp_path)}#locale=en&theme=dark&scalar.logy=1&scalar.zoom=train%252Floss%3D1%2C4"
    )
    drawn = card(page, "train/loss")
    expect(drawn.get_by_test_id("card-status")).to_contain_text("NaN")
    dialog = open_figure(page, "train/loss")
    expect(dialog).to_have_accessible_name("Figure of train/loss")
    preview = dialog.locator("canvas")
    expect(preview).to_have_attribute("style", re.compile(r"width: 420px; height: 296px"))
    dialog.locator('[data-control="figure-unit"]').select_option("in")
    width = dialog.locator('[name="figure-width"]')
    width.fill("0")
    expect(width).to_have_attribute("aria-invalid", "true")
    width.fill("4")
    dialog.locator('[name="figure-height"]').fill("4")
    expect(preview).to_have_attribute("style", re.compile(r"width: 360px; height: 360px"))
    dialog.locator('[data-control="figure-family"]').select_option("serif")
    dialog.locator('[data-control="figure-palette"]').select_option("gray")
    dialog.locator('[name="figure-title"]').fill("Loss & more")

    svg = ElementTree.fromstring(_saved(page, dialog, "svg"))
    assert (svg.get("width"), svg.get("height")) == ("4in", "4in")
    assert str(svg.get("font-family")).startswith('"Times New Roman"')
    texts = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Loss & more", "step", "train/loss", "plain", "基线", "2 values ≤ 0 not shown"} <= set(texts)

    pdf = _saved(page, dialog, "pdf")
    assert pdf.startswith(b"%PDF-1.")
    assert re.search(rb"/MediaBox \[0 0 288\.? 288\.?\]", pdf)
    assert b"/BaseFont /Times-Roman" in pdf
    assert b"/Subtype /Image" in pdf  # letters that PDF has no font for
    [content, *_] = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    assert {b"(Loss & more) Tj", b"(plain) Tj"} <= set(zlib.decompress(content).splitlines())

    png = _saved(page, dialog, "png")
    assert struct.unpack(">II", png[16:24]) == (1200, 1200)
    assert struct.unpack(">4sIIB", png[37:50]) == (b"pHYs", 11811, 11811, 1)  # 300 dots an inch

    tex = _saved(page, dialog, "tex").decode()
    assert "width=4in, height=4in" in tex
    assert tex.count(r"\addplot") == 2
    assert "1 2\n2 nan\n3 nan\n4 0.5\n" in tex

    rows = list(csv.reader(_saved(page, dialog, "csv").decode().splitlines()))
    assert rows[1:5] == [
        ["plain", str(step), value] for step, value in enumerate(["2", "NaN", "-1", "0.5"], 1)
    ]
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.reload()
    open_figure(page, "train/loss")
    expect(dialog.locator('[name="figure-width"]')).to_have_value("4")
    expect(dialog.locator('[data-control="figure-palette"]')).to_have_value("gray")
