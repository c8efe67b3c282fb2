"""Traces that the tests of the Profiler page look at, and how they open it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

TYPES = 25
STEPS = 4


def write_trace(
    path: Path,
    *,
    slower: Mapping[str, float] | None = None,
    names: Mapping[int, str] | None = None,
    rank: int | None = None,
) -> None:
    """A trace of torch.profiler: in step ``k`` of 1 to 4 operator ``i`` of 25 takes ``k * (30 - i) * 10``
    µs on the host, half of it as a kernel on a GPU. ``slower``: how many times longer, by name.
    ``rank``: of two."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = list(_events(slower or {}, names or {}))
    device = {"id": 0, "name": "Sample GPU", "totalGlobalMem": 8 << 30}
    job = {} if rank is None else {"distributedInfo": {"rank": rank, "world_size": 2}}
    trace = {"schemaVersion": 1, "deviceProperties": [device], **job, "traceEvents": events}
    path.write_text(json.dumps(trace), encoding="utf-8")


def _events(slower: Mapping[str, float], names: Mapping[int, str]) -> Iterator[dict[str, object]]:
    time, number = 1000.0, 0
    held = 0
    for step in range(1, STEPS + 1):
        begin = time
        for kind in range(TYPES):
            number += 1
            name = names.get(kind, f"aten::op{kind:02d}")
            duration = step * (30 - kind) * 10.0 * slower.get(name, 1.0)
            host = {"ph": "X", "pid": 1, "tid": 1}
            yield {
                **host,
                "cat": "cpu_op",
                "name": name,
                "ts": time,
                "dur": duration,
                "args": {"External id": number, "Input Dims": [[kind + 1, 8]]},
            }
            launch = {"External id": number, "correlation": number}
            yield {
                **host,
                "cat": "cuda_runtime",
                "name": "cudaLaunchKernel",
                "ts": time + 1,
                "dur": 2,
                "args": launch,
            }
            yield {
                "ph": "X",
                "cat": "kernel",
                "name": f"kernel_{kind:02d}",
                "pid": 0,
                "tid": 7,
                "ts": time + 4,
                "dur": duration / 2,
                "args": {**launch, "device": 0, "stream": 7, "grid": [8, 1, 1], "block": [128, 1, 1]},
            }
            held += 1 << 20 if kind % 2 == 0 else -(1 << 20)
            memory = {"Device Type": 1, "Device Id": 0, "Addr": number, "Total Allocated": held + (4 << 20)}
            size = 1 << 20 if kind % 2 == 0 else -(1 << 20)
            yield {
                **host,
                "ph": "i",
                "cat": "cpu_instant_event",
                "name": "[memory]",
                "ts": time + 2,
                "args": {**memory, "Bytes": size, "Total Reserved": 16 << 20},
            }
            time += duration + 5
        name = f"ProfilerStep#{step}"
        yield {
            "ph": "X",
            "cat": "user_annotation",
            "name": name,
            "pid": 1,
            "tid": 1,
            "ts": begin,
            "dur": time - begin,
        }
        time += 20


def open_page(
    page: Page, url: str, view: str = "", *, locale: str = "en", theme: str = "light", **state: str
) -> Locator:
    """Opens the tab with a view in front; returns the panel once the profile is there."""
    settings = {"view": view, **{key.replace("_", "-"): value for key, value in state.items()}}
    fragment = "".join(f"&profiler.{key}={quote(value, safe='')}" for key, value in settings.items() if value)
    page.goto(f"{url}#tab=profiler&locale={locale}&theme={theme}{fragment}")
    panel = page.get_by_test_id("profiler")
    expect(panel.locator("#profiler-view")).to_be_visible()
    return panel


def go(panel: Locator, view: str) -> None:
    """Brings a view of the profile to the front: by its tab, or from the list below More."""
    tab = panel.locator(f'.views [role="tab"][data-view="{view}"]')
    if not tab.count():
        panel.locator('[data-action="more-views"]').click()
        tab = panel.locator(f'.views [role="menuitem"][data-view="{view}"]')
    tab.click()
    expect(panel.locator(f'#profiler-view[data-view="{view}"]')).to_be_attached()


def views_of(panel: Locator) -> list[str]:
    """The views that the profile has something for, in their order."""
    return str(panel.locator(".views").get_attribute("data-views")).split()


def rows(panel: Locator, name: str, column: str) -> list[str]:
    """Texts of a column of a table, from top to bottom, as far as it is drawn."""
    cells = panel.get_by_test_id(f"grid-{name}").locator(f'[data-row] [data-column="{column}"]')
    expect(cells.first).to_be_attached()
    found: list[str] = cells.evaluate_all(
        "cells => cells.sort((a, b) => a.parentElement.dataset.row - b.parentElement.dataset.row)"
        ".map((cell) => cell.innerText.trim())"
    )
    return found


def save(page: Page, item: Locator, action: str | None = None) -> str:
    """What is saved when an item of a menu, or a link, is pressed."""
    with page.expect_download() as download:
        if action is None:
            item.click()
        else:
            item.locator('[data-action="export"]').click()
            item.locator(f'[data-action="{action}"]').click()
    return Path(download.value.path()).read_text(encoding="utf-8")
