"""Sends a directory of event files to a host: what a process left unsent, or logs of any other writer.

    python -m insight_record.push DIRECTORY https://HOST [--follow]

Nothing in the directory is changed or deleted. What the host has already is not sent again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from insight_record.sending.destination import Destination
from insight_record.sending.sending import Sending
from insight_record.sending.spool import Spool

_INTERVAL, _LONGEST_PAUSE = 1.0, 60.0  # seconds
_LISTED = 20  # files that are not sent, by name


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0 if the host has everything, 1 if not."""
    parser = argparse.ArgumentParser(
        prog="python -m insight_record.push", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("directory", type=Path, help="directory with runs below it; their names are kept")
    parser.add_argument("url", help="address of a host that was started with --receive")
    parser.add_argument("--follow", action="store_true", help="go on with what is written, until Ctrl-C")
    parser.add_argument("--allow-http", action="store_true", help="send over http to another machine, too")
    found = parser.parse_args(arguments)
    try:
        destination = Destination(found.url, allow_http=found.allow_http)
        destination.token()
    except ValueError as error:
        parser.error(str(error))
    if not found.directory.is_dir():
        parser.error(f"{found.directory} is not a directory")
    spool = Spool(found.directory, is_ours=False)
    if (found.directory / ".sending").exists() and not Spool(found.directory).claim():
        return _fail(f"the process that records into {found.directory} sends it already")
    sending = Sending(destination, spool)
    try:
        failure = _send(sending, follows=found.follow)
    except KeyboardInterrupt:
        failure = None
    finally:
        sending.connection.close()
    for path, reason in list(spool.left_out.items())[:_LISTED]:
        print(f"not sent: {path}: {reason}", file=sys.stderr)
    if len(spool.left_out) > _LISTED:
        print(f"not sent: {len(spool.left_out) - _LISTED} other files", file=sys.stderr)
    print(f"sent {sending.bytes} bytes, {sending.unsent()} are left")
    return 0 if failure is None else _fail(str(failure))


def _send(sending: Sending, *, follows: bool) -> Exception | None:
    pause = _INTERVAL
    while True:
        failure = sending.send(is_last=not follows)
        if not follows:
            return failure
        if failure is not None:
            print(f"{failure}; trying again", file=sys.stderr)
        pause = _INTERVAL if failure is None else min(_LONGEST_PAUSE, 2 * pause)
        time.sleep(pause)


def _fail(text: str) -> int:
    print(f"insight_record.push: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
