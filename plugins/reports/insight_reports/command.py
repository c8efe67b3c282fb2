"""``insight-host snapshot``: reads logs to their end, and saves a view of them as a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from insight_core.plugin import CommandHost, InvalidArgument
from insight_reports.snapshot import snapshot
from insight_reports.view import REPORTS, view_of


def run(arguments: Sequence[str], host: CommandHost) -> int:
    """Writes the file; returns the exit code. Flags that it does not know are those of the host."""
    parser = argparse.ArgumentParser(
        prog="insight-host snapshot",
        description="Saves a view or a report as one HTML file that works offline. "
        "All other flags are those of insight-host, at least --logdir.",
        allow_abbrev=False,
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--view", metavar="NAME", help="a saved view (default: the page as it opens)")
    chosen.add_argument("--report", metavar="NAME", help="a saved report")
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="the file to write")
    given, flags = parser.parse_known_args(list(arguments))
    if not given.out.parent.is_dir():
        raise InvalidArgument(f"{given.out.parent}: no such directory; create it or choose another --out")
    with host.loaded(flags, REPORTS) as ctx:
        view = view_of(ctx.get, view=given.view, report=given.report)
        content = snapshot(ctx.get, view, datetime.now(UTC)).encode()
    given.out.write_bytes(content)
    host.print(f"{given.out}: {len(content):,} bytes")
    return 0
