"""What the histogram plugin claims of an event."""

from __future__ import annotations

from insight_core.api import RecordDecoder
from insight_core.values.histogram_messages import CLAIMS, decoded_histogram

DECODER = RecordDecoder(claims=CLAIMS, decode=decoded_histogram)
