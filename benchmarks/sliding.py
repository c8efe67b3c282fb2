"""Sliding through long series of texts and sounds: from an input of the slider to its record on the screen.

``python -m benchmarks.sliding [--records 10000] [--moves 200]`` writes a run, and measures in headless
Chromium against a host on this machine. Jumps: one input to a random place, the next when its record is on
the screen. A slide: an input every frame from one end to the other; a frame that shows a later record counts
for all inputs before it.
The processor time of the host and of the page's main thread, for each input, says what a busy machine hides.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import tempfile
import wave
from pathlib import Path
from typing import cast

import numpy as np
from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.chromium import launched
from benchmarks.machine import describe_machine
from benchmarks.page_scrolling import hosting
from benchmarks.processes import Program
from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter

_RATE, _SECONDS = 8000, 1.0
_LINES = 30  # of a text
_TABS = ("text", "audio")
# `shown` is the step whose record is drawn; `slide` resolves with the milliseconds of each move.
_WATCH = """
() => {
  let answered = NaN;
  const ask = window.fetch;
  window.fetch = async (address, request) => {
    const answer = await ask(address, request);
    const step = new URL(address, location.href).searchParams.get('step');
    if (step !== null) answered = Number(step);
    return answer;
  };
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...given) {
    draw.apply(this, given);
    if (this.canvas.dataset) this.canvas.dataset.drawn = answered;
  };
  window.shown = () => {
    const view = document.querySelector('[data-testid="card"] .view');
    const text = view?.querySelector('h1')?.textContent.match(/\\d+/)?.[0];
    return Number(text ?? view?.querySelector('canvas')?.dataset.drawn ?? NaN);
  };
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(null);
  }));
  window.slide = async (steps, isSlide) => {
    const slider = document.querySelector('[data-testid="card"] [data-control="step"]');
    const [took, open] = [[], []];
    const settle = (now) => {
      const at = window.shown();
      const isThere = ({ step }) => (isSlide ? at >= step : at === step);
      while (open.length && isThere(open[0])) took.push(now - open.shift().since);
      if (open.length && now - open[0].since > 20_000) throw new Error(`${at} is shown, not ${open[0].step}`);
    };
    for (const step of steps) {
      open.push({ step, since: performance.now() });
      slider.value = step;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      do settle(await painted()); while (!isSlide && open.length);
    }
    while (open.length) settle(await painted());
    return took;
  };
}
"""


def _sound(hertz: float) -> bytes:
    out = io.BytesIO()
    samples = np.sin(np.arange(int(_RATE * _SECONDS)) / _RATE * 2 * np.pi * hertz) * 20_000
    with wave.open(out, "wb") as writer:
        writer.setparams((1, 2, _RATE, 0, "NONE", ""))
        writer.writeframes(samples.astype("<i2").tobytes())
    return out.getvalue()


def _write(logs: Path, records: int) -> None:
    with EventWriter(logs / "run") as writer:
        for step in range(records):
            lines = "\n".join(
                f"- parameter {line} is **{step * line % 97 / 97:.4f}**" for line in range(_LINES)
            )
            writer.text("notes", step, f"# Record {step}\n\n{lines}")
            encoded = _sound(200 + step % 1000)
            value = wire.tensor_value("tone", wire.text_tensor([encoded]), wire.metadata("audio", 2))
            writer.values(step, [value])


def _slide(page: Page, program: Program, tab: str, url: str, records: int, moves: int) -> None:
    page.goto("about:blank")
    page.goto(f"{url}&tab={tab}")
    page.locator('[data-testid="card"] [data-control="step"]').wait_for()
    page.evaluate(_WATCH)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    chance = random.Random(1)
    jumps = chance.sample(range(records - 1), moves)
    slide = [round(at * (records - 1) / moves) for at in range(1, moves + 1)]
    page.evaluate("() => window.slide([1, 0], false)")
    for what, steps, is_slide in (("jumps", jumps, False), ("a slide", slide, True)):
        if is_slide:
            page.evaluate("() => window.slide([0], false)")
        before = (program.processor_time(), _main_thread(session))
        took = cast(
            "list[float]", page.evaluate("([steps, isSlide]) => slide(steps, isSlide)", [steps, is_slide])
        )
        host, thread = (
            1000 * (after - since) / moves
            for after, since in zip((program.processor_time(), _main_thread(session)), before, strict=True)
        )
        p50, p95 = np.percentile(took, (50, 95))
        times = f"p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  max {max(took):6.1f} ms"
        times += f"  processor: host {host:4.1f} ms, page {thread:4.1f} ms"
        print(f"{tab:6} {what:8} {len(took):5} inputs  {times}", flush=True)


def _main_thread(session: CDPSession) -> float:
    """Seconds of processor time that the main thread of the page has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--moves", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        place = Path(directory)
        print(describe_machine(place))
        _write(place / "logs", options.records)
        with hosting(sys.executable, place / "logs") as (program, url):
            browser = launched(playwright)
            page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-US")
            for tab in _TABS:
                _slide(page, program, tab, url, options.records, options.moves)
            browser.close()


if __name__ == "__main__":
    main()
