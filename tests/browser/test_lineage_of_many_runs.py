"""The Lineage page with ten thousand runs, in a real browser."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import data_requests
from tests.browser.waiting import until
from tests.lineage_samples import write_run

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

RUNS, NUMBERS, METRICS = 10_000, 20, 10
PAINTED = """
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
"""
# Milliseconds from a move of the hand until the rows that it leaves are painted, move by move.
BRUSH_TIMES = f"""async () => {{
  {PAINTED}
  const strip = document.querySelector('[data-axis="p03"] .strip');
  const table = document.querySelector('[data-testid="runs-table"]');
  const box = strip.getBoundingClientRect();
  strip.setPointerCapture = () => undefined;
  const send = (type, share) => strip.dispatchEvent(new PointerEvent(type, {{
    clientX: box.left + box.width / 2, clientY: box.bottom - 5 - share * (box.height - 10),
    pointerId: 1, bubbles: true, button: 0, buttons: 1,
  }}));
  const times = [];
  send('pointerdown', 0.1);
  let before = table.dataset.rows;
  for (let step = 0; step < 25; step++) {{
    const start = performance.now();
    send('pointermove', 0.2 + step * 0.03);
    while (table.dataset.rows === before) await painted();
    await painted();
    times.push(performance.now() - start);
    before = table.dataset.rows;
  }}
  send('pointerup', 0.95);
  return times;
}}"""
SORT_TIME = f"""async () => {{
  {PAINTED}
  const head = document.querySelector('.head [data-column="metric/m3"]');
  const start = performance.now();
  head.querySelector('button').click();
  while (head.getAttribute('aria-sort') !== 'descending') await painted();
  await painted();
  return performance.now() - start;
}}"""


def test_ten_thousand_runs_answer_a_brush_at_once(page: Page, serve: Serve, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.random((RUNS, NUMBERS + METRICS))
    for run in range(RUNS):
        hparams: dict[str, float | str] = {f"p{at:02}": float(values[run, at]) for at in range(NUMBERS - 1)}
        hparams["kind"] = f"kind{run % 7}"
        metrics = {f"m{at}": float(values[run, NUMBERS + at]) for at in range(METRICS)}
        write_run(tmp_path / f"logs/{run // 100}/{run:05}", hparams, metrics)
    url = serve("--logdir", tmp_path / "logs")
    until(page, lambda: _answer(url, "data/run_table")["progress"]["loaded_once"])
    page.goto(f"{url}#tab=lineage&locale=en&theme=light&lineage.analysis=0")
    expect(page.get_by_test_id("shown")).to_have_text("10,000 of 10,000 runs")
    expect(page.locator('[data-axis="p03"]')).to_be_visible()
    expect(page.locator(".main.busy")).to_have_count(0)
    asked = data_requests(page, "/lineage/")
    times = page.evaluate(BRUSH_TIMES)
    sort = page.evaluate(SORT_TIME)
    print(f"brush: median {np.median(times):.0f} ms, worst {max(times):.0f} ms; sort: {sort:.0f} ms")
    assert asked == []  # the page has what it takes
    assert page.locator(".line[data-run]").count() < 100  # and draws what is in sight
    assert _answer(url, "data/plugin/lineage/runs?limit=0")["matched"] == RUNS


def _answer(url: str, path: str) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(urljoin(url, path)) as answer:
        return json.load(answer)
