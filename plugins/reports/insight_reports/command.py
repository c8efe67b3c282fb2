"""``insight-host snapshot``: starts a host for the logs, has it save a view as a file, and ends it."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from insight_core.plugin import CommandHost, InvalidArgument, NotFound, Unavailable

_PAUSE = 0.2  # seconds between two looks at whether all logs are read


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
    query = {key: value for key, value in (("view", given.view), ("report", given.report)) if value}
    command = [sys.executable, "-m", "insight_core.cli", *flags, "--host=127.0.0.1", "--port=0"]
    # the token is then printed, and this process alone reads it
    environment = {name: value for name, value in os.environ.items() if name != "INSIGHT_HOST_TOKEN_FILE"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            url, _, token = _url_of(process).partition("?token=")
            content = _asked(url, token, query, host)
        finally:
            process.terminate()
    given.out.write_bytes(content)
    host.print(f"{given.out}: {len(content):,} bytes")
    return 0


def _url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None  # a pipe
    for line in process.stdout:
        if found := re.search(r"http://\S+", line):
            return found[0]
    raise Unavailable("insight-host did not start; its messages are above")


def _asked(url: str, token: str, query: dict[str, str], host: CommandHost) -> bytes:
    while True:
        progress = json.loads(_get(f"{url}data/run_table", token))["progress"]
        if progress["loaded_once"]:
            break
        host.status(f"reading logs: {progress['bytes_read']:,} of {progress['bytes_total']:,} bytes")
        time.sleep(_PAUSE)
    return _get(f"{url}data/plugin/reports/snapshot?{urllib.parse.urlencode(query)}", token)


def _get(address: str, token: str) -> bytes:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:  # of our own host on this machine
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        told = json.loads(error.read()).get("error", str(error))
        raise NotFound(told) from error
