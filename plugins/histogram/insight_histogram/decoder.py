"""What the histogram plugin claims of an event."""

from __future__ import annotations

from insight_core.formats.histogram_messages import CLAIMS, decoded_histogram
from insight_core.plugin import RecordDecoder

DECODER = RecordDecoder(claims=CLAIMS, decode=decoded_histogram)
