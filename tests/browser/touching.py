"""Fingers on the page, as a touch screen reports them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from playwright.sync_api import Locator, Page

from tests.browser.places import box_of

Place = tuple[float, float]


def touch(page: Page, moves: Iterable[Sequence[Place]]) -> None:
    """Puts a finger down at each of the first places, moves them on to the others, and lifts them."""
    session = page.context.new_cdp_session(page)
    kind = "touchStart"
    for places in moves:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        kind = "touchMove"
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def middle(place: Locator) -> Place:
    box = box_of(place)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pinch(page: Page, x: float, y: float, distances: Iterable[float]) -> None:
    """Two fingers on a level around a place, so far from it each."""
    touch(page, ([(x - apart, y), (x + apart, y)] for apart in distances))


def swipe(page: Page, x: float, y: float, *, by: Place, steps: int = 8) -> None:
    """One finger from a place on."""
    touch(page, ([(x + by[0] * step / steps, y + by[1] * step / steps)] for step in range(steps + 1)))
