"""The landscape in a payload, whoever wrote it."""

from __future__ import annotations

from insight_core.plugin.data import Payload
from insight_landscape import mindspore, stored
from insight_landscape.claims import LANDSCAPE_FIELD
from insight_landscape.landscape import Landscape


def landscape_of(payload: Payload) -> Landscape:
    """Raises ValueError for bytes without a surface; other pieces that are damaged are among its flaws."""
    if payload.claim == LANDSCAPE_FIELD:
        return mindspore.landscape_of(payload.data)
    return stored.landscape_of(payload.data)
