"""Values of events that are images."""

from __future__ import annotations

from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin

BATCHES = SummaryPlugin("images")  # values of any number of pictures
CLAIMS: set[Claim] = {
    EventField(Dialect.MINDSPORE, "image"),
    EventField(Dialect.TENSORBOARD, "image"),
    BATCHES,
}
