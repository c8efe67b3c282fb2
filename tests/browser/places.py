"""Where things stand on the screen, in CSS pixels."""

from __future__ import annotations

from playwright.sync_api import FloatRect, Locator


def box_of(place: Locator) -> FloatRect:
    """Waits until the element exists; it must be visible."""
    box = place.bounding_box()
    assert box is not None
    return box


def bottom(place: Locator) -> float:
    box = box_of(place)
    return box["y"] + box["height"]


def within(place: Locator, outer: FloatRect) -> bool:
    box = box_of(place)
    return (
        outer["x"] <= box["x"]
        and outer["y"] <= box["y"]
        and box["x"] + box["width"] <= outer["x"] + outer["width"]
        and box["y"] + box["height"] <= outer["y"] + outer["height"]
    )
