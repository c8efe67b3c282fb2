"""Claims of the histogram tab, apart from the code that decodes, which a start need not import."""

from __future__ import annotations

from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin

CLAIMS: frozenset[Claim] = frozenset(
    {
        EventField(Dialect.TENSORBOARD, "histo"),
        EventField(Dialect.MINDSPORE, "histogram"),
        SummaryPlugin("histograms"),
    }
)
