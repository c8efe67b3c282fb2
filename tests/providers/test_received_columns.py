"""A client holds the columns of a long series once, not their messages or pieces too."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from insight_core.plugin.testing import FakeProvider
from insight_core.rpc.serving import serve

POINTS = 4_000_000
_PROGRAM = """
import re, sys
from insight_core.plugin.data import SeriesKey
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10

provider = InsightProvider(Link("127.0.0.1:" + sys.argv[1]))
provider.scalars("scalar", [SeriesKey("r", "short")])
before = peak()
columns = provider.scalars("scalar", [SeriesKey("r", "long")])[SeriesKey("r", "long")]
print(len(columns.steps), peak() - before)
"""


def test_receiving_a_long_series_takes_little_more_than_its_columns() -> None:
    provider = FakeProvider()
    provider.add_scalars("r", "short", [0.0])
    provider.add_scalars("r", "long", np.zeros(POINTS))
    server = serve(provider, "127.0.0.1", 0, version="test")
    try:
        command = [sys.executable, "-c", _PROGRAM, str(server.port)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    finally:
        server.stop()
    points, grown = map(int, done.stdout.split())
    assert points == POINTS
    assert 24 * POINTS <= grown < 1.6 * 24 * POINTS
