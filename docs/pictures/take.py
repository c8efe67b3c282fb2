"""Takes the pictures of README.md: opens the demo in Chromium, and writes PNG files next to this file.

Run it after the page looks different: ``.venv/bin/python docs/pictures/take.py``. It needs what the browser
tests need (``make dev``, chromium-headless-shell). Each picture comes in a light and a dark one.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

PLACE = Path(__file__).parent
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SIZE = (1280, 800)  # of the window
COLORS = 256  # of a picture
MOST_BYTES = 250_000
PATIENCE = 120_000  # ms


@frozen
class Picture:
    """What the page shows: the part of the address behind ``#``, and what is awaited before it is taken."""

    name: str
    view: str
    awaited: str


PICTURES = (
    Picture(
        "metrics",
        "tab=scalar&filter=sweep&color=lineage/learning_rate&sort=-lineage/metric/validation/accuracy",
        '[data-testid="answers"] li:nth-child(3)',
    ),
    Picture("runs", "tab=lineage", '[data-testid="analysis"] canvas'),
    Picture("performance", "tab=profiler&run=resnet18", "[data-advice]:nth-of-type(2)"),
)


def main() -> None:
    """Writes all pictures; fails if one has more bytes than a page should load."""
    with demo() as url, sync_playwright() as playwright:
        found = next((one for name in BROWSERS if (one := shutil.which(name))), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for picture in PICTURES:
            for theme in ("light", "dark"):
                path = PLACE / f"{picture.name}_{theme}.png"
                path.write_bytes(small(taken(browser, url, picture, theme)))
                size = path.stat().st_size
                print(f"{path.name}: {size / 1000:.0f} kB")
                if size > MOST_BYTES:
                    raise SystemExit(
                        f"{path}: {size} bytes, more than {MOST_BYTES}; show less, or fewer COLORS"
                    )


@contextmanager
def demo() -> Iterator[str]:
    """The address of a running demo."""
    command = [sys.executable, "-m", "insight_core.cli", "demo", "--port", "0", "--no-token"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines = (re.search(r"http://\S+", line) for line in process.stdout)
            yield next(line.group() for line in lines if line)
        finally:
            process.terminate()


def taken(browser: Browser, url: str, picture: Picture, theme: str) -> bytes:
    """A PNG of the window."""
    page: Page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    page.goto(f"{url}#locale=en&theme={theme}&{picture.view}")
    expect(page.locator(picture.awaited).first).to_be_visible(timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy=true]:visible")).to_have_count(0, timeout=PATIENCE)
    page.wait_for_timeout(3000)  # lines, numbers and late answers that come into place
    content = page.screenshot()
    page.close()
    return content


def small(png: bytes) -> bytes:
    """The same picture in fewer colours."""
    kept = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    method = Image.Quantize.FASTOCTREE  # keeps colours that few pixels have: thin lines
    picture.quantize(COLORS, method, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
    return kept.getvalue()


if __name__ == "__main__":
    main()
