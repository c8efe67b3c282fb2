"""What the histogram plugin claims of an event."""

from __future__ import annotations

from insight_core.plugin import RecordDecoder
from insight_core.plugin.payloads import HISTOGRAM_CLAIMS, decoded_histogram

DECODER = RecordDecoder(claims=HISTOGRAM_CLAIMS, decode=decoded_histogram)
