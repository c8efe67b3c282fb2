"""The commands ``insight-host lake``: their flags, and what they print."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence

from insight_core.plugin import CommandHost, InvalidArgument
from insight_lake.building import Builder, BuildOptions, parse_shard
from insight_lake.checking import CheckReport, check_lake, compare_runs
from insight_lake.contents import lake_content
from insight_lake.delta import existing, opened_table
from insight_lake.lake import Lake
from insight_lake.ray_build import build_on_ray
from insight_lake.rewriting import open_whole
from insight_lake.row_reader import RowReader
from insight_lake.sources import logs_of
from insight_lake.store import LakeStore
from insight_lake.upkeep import compact, convert, delete_unused, expire

_SERVERS = re.compile(r"(grpcs?|grpc\+unix|https?|lake):")
_COMPACTED = 10  # builds of --follow after which the lake is compacted
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def run_command(host: CommandHost, name: str, text: str, arguments: Sequence[str]) -> int:
    """Runs a command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=f"insight-host lake {name}", description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    run, add_flags = _COMMANDS[name]
    add_flags(parser)
    given = parser.parse_args(arguments)
    return run(host, given)


# --- build ------------------------------------------------------------------------------------------


def _build_flags(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    parser.add_argument("--to", required=True, metavar="LAKE", help="a directory, or s3://BUCKET/PREFIX")
    payloads = parser.add_mutually_exclusive_group()
    payloads.add_argument(
        "--with-payloads",
        action="store_const",
        dest="payloads",
        const="copy",
        default="locate",
        help="copy images, histograms and files into the lake; else it has their places in the logs",
    )
    payloads.add_argument(
        "--numbers-only", action="store_const", dest="payloads", const="none", help="write scalars alone"
    )
    parser.add_argument("--shard", type=_shard, metavar="I/N", help="build the runs of shard I of N (from 0)")
    parser.add_argument("--prune", action="store_true", help="drop runs that the source no longer has")
    parser.add_argument(
        "--replace", action="store_true", help="replace runs of another source with the same name"
    )
    parser.add_argument(
        "--batch", type=int, default=512, metavar="MIB", help="read so many MiB of logs at a time (512)"
    )
    parser.add_argument(
        "--follow",
        type=float,
        nargs="?",
        const=60.0,
        metavar="SECONDS",
        help="build again so many seconds after the last build began (60), until it is ended",
    )
    parser.add_argument("--on", metavar="ray[://HOST:PORT]", help="build on a Ray cluster")
    parser.add_argument(
        "--shards", type=int, metavar="N", help="with --on ray: so many tasks (one a processor)"
    )


def _build(host: CommandHost, given: argparse.Namespace) -> int:
    if given.on is not None:
        return _on_ray(host, given)
    store = LakeStore(given.to.removeprefix("lake:"), create=True)
    for number in itertools.count(1):
        began = time.monotonic()
        _build_once(host, store, given)
        if given.follow is None:
            return 0
        if number % _COMPACTED == 0:
            compact(store)
            delete_unused(store)
        time.sleep(max(0.0, began + given.follow - time.monotonic()))
    return 0


def _build_once(host: CommandHost, store: LakeStore, given: argparse.Namespace) -> None:
    for flags, source in _loads(given):
        options = BuildOptions(
            flags,
            source,
            given.shard or (0, 1),
            given.payloads,
            given.prune,
            given.replace,
            max(1, given.batch) << 20,
        )
        report = Builder(host, store, options).run()
        host.status("")
        host.print(
            f"insight-host: {store.location}: {report.written:,} runs written ({report.points:,} points, "
            f"{report.records:,} records, {report.bytes / 1e6:,.1f} MB), {report.unchanged:,} unchanged, "
            f"{report.removed:,} removed"
        )


def _on_ray(host: CommandHost, given: argparse.Namespace) -> int:
    if given.on != "ray" and not given.on.startswith("ray://"):
        raise InvalidArgument(f"--on: {given.on!r} is not ray or ray://HOST:PORT")
    if given.shard is not None:
        raise InvalidArgument("--shard cannot be combined with --on ray, which makes the shards")
    if given.follow is not None:
        raise InvalidArgument("--follow cannot be combined with --on ray")
    arguments = [*given.sources, f"--to={given.to}", f"--batch={given.batch}"]
    flags = {"copy": ["--with-payloads"], "none": ["--numbers-only"], "locate": []}[given.payloads]
    flags += [f"--{name}" for name in ("prune", "replace") if getattr(given, name)]
    address = given.on if given.on != "ray" else None
    return build_on_ray(address, [*arguments, *flags], given.shards, host.print)


def _add_sources(parser: argparse.ArgumentParser, count: str = "+") -> None:
    parser.add_argument(
        "sources",
        nargs=count,
        metavar="SOURCE",
        help="a directory of logs, NAME:DIR, or grpc://HOST:PORT of a data server",
    )


def _loads(given: argparse.Namespace) -> list[tuple[list[str], str]]:
    """The flags of ``insight-host`` for the sources: all directories together, each server by itself."""
    common = ["--no-cache", "--load=inprocess"]
    directories = [text for text in given.sources if not _SERVERS.match(text)]
    loads = (
        [([*common, *(f"--logdir={text}" for text in directories)], ",".join(directories))]
        if directories
        else []
    )
    servers = [text for text in given.sources if _SERVERS.match(text)]
    return [*loads, *(([*common, f"--data-provider={text}"], text.partition("?")[0]) for text in servers)]


# --- the others -------------------------------------------------------------------------------------


def _check(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    version = existing(store)
    report = CheckReport()
    contents = check_lake(store, version, report, host.status)
    if given.sources and not report.problems:
        lake = open_whole(store, version)
        stored = lake.lake().runs()
        for flags, _ in _loads(given):
            for logs, source, current in logs_of(host, flags, stored, given.numbers_only):
                same = [run for run, print_ in current.items() if stored[run].note.fingerprint == print_]
                report.changed += len(current) - len(same)
                compare_runs(lake, logs, source, same, report)
        lake.close()
    host.status("")
    for problem in report.problems:
        print(problem)
    logs_text = f"{report.compared:,} runs equal to their logs, {report.changed:,} older than their logs"
    print(
        f"{store.location}: version {version.version}, {report.objects:,} objects, {report.runs:,} runs, "
        f"{report.points:,} points, {report.payloads:,} records: {len(report.problems):,} problems"
        + (f"; {logs_text}" if given.sources and not report.problems else "")
    )
    print(f"content {lake_content(contents)}")
    return 1 if report.problems else 0


def _check_flags(parser: argparse.ArgumentParser) -> None:
    _add_lake(parser)
    _add_sources(parser, "*")
    parser.add_argument("--numbers-only", action="store_true", help="the lake was built with --numbers-only")


def _compact(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    before, after = compact(store, max(1, given.target) << 20)
    deleted = delete_unused(store, given.grace)
    host.print(
        f"insight-host: {store.location}: {before:,} segments, now {after:,}; {deleted:,} objects deleted"
    )
    return 0


def _compact_flags(parser: argparse.ArgumentParser) -> None:
    _add_lake(parser)
    parser.add_argument(
        "--target", type=int, default=128, metavar="MIB", help="join segments up to so many MiB (128)"
    )
    _add_grace(parser)


def _expire(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    removed = expire(store, given.older_than, given.run_regex)
    deleted = delete_unused(store, given.grace)
    host.print(f"insight-host: {store.location}: {removed:,} runs removed; {deleted:,} objects deleted")
    return 0


def _expire_flags(parser: argparse.ArgumentParser) -> None:
    _add_lake(parser)
    parser.add_argument(
        "--older-than", type=_duration, required=True, metavar="TIME", help="such as 90d, 12h, 30m"
    )
    parser.add_argument(
        "--run-regex", type=_expression, metavar="REGEX", help="only runs in which it is found"
    )
    _add_grace(parser)


def _files(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    for path in opened_table(store, given.table).file_uris():
        print(path)
    return 0


def _files_flags(parser: argparse.ArgumentParser) -> None:
    _add_lake(parser)
    parser.add_argument("table", choices=("scalars", "series", "runs", "records", "levels"), help="the table")


def _convert(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    host.print(f"insight-host: {store.location}: {convert(store):,} segments in Delta tables")
    return 0


def _info(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    version = existing(store)
    reader = RowReader(store)
    runs = Lake(reader, version, None).runs()
    reader.close()
    sizes: dict[str, int] = {}
    for segment in version.segments:
        for name, table in segment.tables.items():
            sizes[name] = sizes.get(name, 0) + table.size
        sizes["payloads"] = sizes.get("payloads", 0) + sum(one.size for one in segment.payloads)
    counts = {"runs": "runs", "series": "series", "points": "scalars", "records": "records"}
    facts: Mapping[str, object] = {
        "location": store.location,
        "version": version.version,
        "segments": len(version.segments),
        **{name: sum(one.rows(table) for one in version.segments) for name, table in counts.items()},
        "bytes": {name: size for name, size in sizes.items() if size},
        "content": lake_content({name: stored.content for name, stored in runs.items()}),
    }
    print(json.dumps(facts, indent=2))
    return 0


def _store(given: argparse.Namespace) -> LakeStore:
    return LakeStore(given.lake.removeprefix("lake:"))


def _add_lake(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lake", metavar="LAKE", help="a directory, or s3://BUCKET/PREFIX")


def _add_grace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--grace",
        type=_duration,
        default=86_400.0,
        metavar="TIME",
        help="keep what was replaced for so long, for hosts and builders that still need it (24h)",
    )


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
    try:
        return parse_shard(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


_Run = Callable[[CommandHost, argparse.Namespace], int]
_AddFlags = Callable[[argparse.ArgumentParser], None]
_COMMANDS: Mapping[str, tuple[_Run, _AddFlags]] = {
    "build": (_build, _build_flags),
    "check": (_check, _check_flags),
    "compact": (_compact, _compact_flags),
    "convert": (_convert, _add_lake),
    "expire": (_expire, _expire_flags),
    "files": (_files, _files_flags),
    "info": (_info, _add_lake),
}
