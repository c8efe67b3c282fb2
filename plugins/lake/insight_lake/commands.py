"""The commands ``insight-host lake``: their flags, and what they print."""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from insight_core.plugin import CommandHost
from insight_lake.building import Builder, BuildOptions
from insight_lake.delta import LakeVersion, existing, opened_table
from insight_lake.store import LakeStore
from insight_lake.tables import SCHEMAS
from insight_lake.upkeep import GRACE, TARGET, check, compact, delete_unused, expire

_SERVERS = re.compile(r"(grpcs?|grpc\+unix|https?|lake):")
_COMPACTED = 10  # builds of --follow after which the lake is compacted
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_COUNTS = {"runs": "runs", "series": "series", "points": "scalars", "records": "records"}


def run_command(host: CommandHost, name: str, text: str, arguments: Sequence[str]) -> int:
    """Runs a command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=f"insight-host lake {name}", description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    run, add_flags = _COMMANDS[name]
    if name != "build":
        parser.add_argument("lake", metavar="LAKE", help="a directory, or s3://BUCKET/PREFIX")
    add_flags(parser)
    given = parser.parse_args(arguments)
    location = given.to if name == "build" else given.lake
    return run(host, LakeStore(location.removeprefix("lake:"), create=name == "build"), given)


# --- build --------------------------------------------------------------------------------------------


def _build_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    text = "a directory of logs, NAME:DIR, or grpc://HOST:PORT of a data server"
    add("sources", metavar="SOURCE", nargs="+", help=text)
    add("--to", metavar="LAKE", required=True, help="a directory, or s3://BUCKET/PREFIX")
    text = "copy images, histograms and files into the lake; else it has their places in the logs"
    payloads = parser.add_mutually_exclusive_group()
    payloads.add_argument("--with-payloads", dest="payloads", action="store_const", const="copy", help=text)
    text = "write scalars alone"
    payloads.add_argument("--numbers-only", dest="payloads", action="store_const", const="none", help=text)
    parser.set_defaults(payloads="locate")
    text = "build the runs of shard I of N (from 0)"
    add("--shard", type=_shard, default=(0, 1), metavar="I/N", help=text)
    add("--prune", action="store_true", help="drop runs that the source no longer has")
    add("--replace", action="store_true", help="replace runs of another source with the same name")
    add("--batch", type=int, default=512, metavar="MIB", help="read so many MiB of logs at a time (512)")
    text = "build again so many seconds after the last build began (60), until it is ended"
    add("--follow", type=float, nargs="?", const=60.0, metavar="SECONDS", help=text)


def _build(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> int:
    for number in itertools.count(1):
        began = time.monotonic()
        for flags, source in _loads(given.sources):
            batch = max(1, given.batch) << 20
            options = BuildOptions(
                flags, source, given.shard, given.payloads, given.prune, given.replace, batch
            )
            report = Builder(host, store, options).run()
            host.status("")
            host.print(
                f"insight-host: {store.location}: {report.written:,} runs written ({report.points:,} points, "
                f"{report.records:,} records, {report.bytes / 1e6:,.1f} MB), {report.unchanged:,} unchanged, "
                f"{report.removed:,} removed"
            )
        if given.follow is None:
            return 0
        if number % _COMPACTED == 0:
            compact(store)
            delete_unused(store)
        time.sleep(max(0.0, began + given.follow - time.monotonic()))
    return 0


def _loads(sources: Sequence[str]) -> list[tuple[list[str], str]]:
    """The flags of ``insight-host`` for the sources: all directories together, each server by itself."""
    common = ["--no-cache", "--load=inprocess"]
    servers = [text for text in sources if _SERVERS.match(text)]
    directories = [text for text in sources if text not in servers]
    together = [*common, *(f"--logdir={text}" for text in directories)], ",".join(directories)
    each = [([*common, f"--data-provider={text}"], text.partition("?")[0]) for text in servers]
    return [together, *each] if directories else each


# --- what keeps a lake in order -----------------------------------------------------------------------


def _check(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> int:
    version = existing(store)
    problems = check(store, version, host.status)
    host.status("")
    print(*problems, sep="\n", end="\n" if problems else "")
    counts = ", ".join(f"{count:,} {name}" for name, count in _counts(version).items())
    print(f"{store.location}: version {version.version}, {counts}: {len(problems):,} problems")
    return 1 if problems else 0


def _compact_flags(parser: argparse.ArgumentParser) -> None:
    target = TARGET >> 20
    text = f"join segments up to so many MiB ({target})"
    parser.add_argument("--target", type=int, default=target, metavar="MIB", help=text)
    _add_grace(parser)


def _compact(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> int:
    before, after = compact(store, max(1, given.target) << 20)
    deleted = delete_unused(store, given.grace)
    host.print(
        f"insight-host: {store.location}: {before:,} segments, now {after:,}; {deleted:,} objects deleted"
    )
    return 0


def _expire_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--older-than", type=_duration, required=True, metavar="TIME", help="such as 90d, 12h, 30m")
    add("--run-regex", type=_expression, metavar="REGEX", help="only runs in which it is found")
    _add_grace(parser)


def _expire(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> int:
    removed = expire(store, given.older_than, given.run_regex)
    deleted = delete_unused(store, given.grace)
    host.print(f"insight-host: {store.location}: {removed:,} runs removed; {deleted:,} objects deleted")
    return 0


def _files(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> int:
    print(*opened_table(store, given.table).file_uris(), sep="\n")
    return 0


def _info(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> int:
    version = existing(store)
    sizes: Counter[str] = Counter()
    for segment in version.segments:
        for one in segment.objects:
            sizes[one.table] += one.size
    contents = sorted((run, content) for run, (content,) in version.facts("content").items())
    facts: Mapping[str, object] = {
        "location": store.location,
        "version": version.version,
        "segments": len(version.segments),
        **_counts(version),
        "bytes": dict(sizes),
        "content": hashlib.sha256(json.dumps(contents).encode()).hexdigest(),
    }
    print(json.dumps(facts, indent=2))
    return 0


def _counts(version: LakeVersion) -> dict[str, int]:
    return {name: sum(one.rows(table) for one in version.segments) for name, table in _COUNTS.items()}


# --- flags --------------------------------------------------------------------------------------------


def _add_grace(parser: argparse.ArgumentParser) -> None:
    text = "keep what was replaced for so long, for hosts and builders that still need it (24h)"
    parser.add_argument("--grace", type=_duration, metavar="TIME", default=GRACE, help=text)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", choices=tuple(SCHEMAS), help="the table")


def _duration(text: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90d, 12h, 30m or 0s")
    return float(match[1]) * _UNITS[match[2]]


def _expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def _shard(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if match is None or not 0 <= int(match[1]) < int(match[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form I/N with I from 0 to N - 1")
    return int(match[1]), int(match[2])


_Run = Callable[[CommandHost, LakeStore, argparse.Namespace], int]
_COMMANDS: Mapping[str, tuple[_Run, Callable[[argparse.ArgumentParser], None]]] = {
    "build": (_build, _build_flags),
    "check": (_check, lambda parser: None),
    "compact": (_compact, _compact_flags),
    "expire": (_expire, _expire_flags),
    "files": (_files, _add_table),
    "info": (_info, lambda parser: None),
}
