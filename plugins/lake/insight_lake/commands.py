"""The commands ``insight-host lake``: their flags, and what they print."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from insight_core.plugin import CommandHost, InvalidArgument
from insight_lake.building import Builder, BuildOptions, parse_shard
from insight_lake.checking import CheckReport, check_lake, compare_runs
from insight_lake.contents import lake_content
from insight_lake.delta import existing, opened_table
from insight_lake.lake import Lake
from insight_lake.ray_build import build_on_ray
from insight_lake.records import LogRecords
from insight_lake.row_reader import RowReader
from insight_lake.sources import logs_of
from insight_lake.store import LakeStore
from insight_lake.tables import SCHEMAS
from insight_lake.upkeep import GRACE, TARGET, compact, delete_unused, expire, open_whole

_SERVERS = re.compile(r"(grpcs?|grpc\+unix|https?|lake):")
_COMPACTED = 10  # builds of --follow after which the lake is compacted
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def run_command(host: CommandHost, name: str, text: str, arguments: Sequence[str]) -> int:
    """Runs a command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=f"insight-host lake {name}", description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    run, flags = _COMMANDS[name]
    for flag in flags:
        parser.add_argument(*flag[0].split(), **flag[1])
    return run(host, parser.parse_args(arguments))


def _build(host: CommandHost, given: argparse.Namespace) -> int:
    if given.copy and given.numbers_only:
        raise InvalidArgument("--with-payloads cannot be combined with --numbers-only")
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
    payloads = "copy" if given.copy else "none" if given.numbers_only else "locate"
    for flags, source in _loads(given):
        shard, batch = given.shard or (0, 1), max(1, given.batch) << 20
        options = BuildOptions(flags, source, shard, payloads, given.prune, given.replace, batch)
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
    switches = {"with-payloads": given.copy, "numbers-only": given.numbers_only}
    switches |= {"prune": given.prune, "replace": given.replace}
    arguments = [*given.sources, f"--to={given.to}", f"--batch={given.batch}"]
    arguments += [f"--{name}" for name, is_on in switches.items() if is_on]
    return build_on_ray(given.on if given.on != "ray" else None, arguments, given.shards, host.print)


def _loads(given: argparse.Namespace) -> list[tuple[list[str], str]]:
    """The flags of ``insight-host`` for the sources: all directories together, each server by itself."""
    common = ["--no-cache", "--load=inprocess"]
    servers = [text for text in given.sources if _SERVERS.match(text)]
    directories = [text for text in given.sources if text not in servers]
    together = [*common, *(f"--logdir={text}" for text in directories)], ",".join(directories)
    each = [([*common, f"--data-provider={text}"], text.partition("?")[0]) for text in servers]
    return [together, *each] if directories else each


def _check(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    version, report = existing(store), CheckReport()
    contents = check_lake(store, version, report, host.status)
    if given.sources and not report.problems:
        lake = open_whole(store, version)
        stored = lake.lake().runs()
        for flags, _ in _loads(given):
            for logs, current in logs_of(host, flags, stored):
                same = [run for run, print_ in current.items() if stored[run].note.fingerprint == print_]
                report.changed += len(current) - len(same)
                compare_runs(lake, logs, None if given.numbers_only else LogRecords(logs), same, report)
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


def _compact(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    before, after = compact(store, max(1, given.target) << 20)
    deleted = delete_unused(store, given.grace)
    host.print(
        f"insight-host: {store.location}: {before:,} segments, now {after:,}; {deleted:,} objects deleted"
    )
    return 0


def _expire(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    removed = expire(store, given.older_than, given.run_regex)
    deleted = delete_unused(store, given.grace)
    host.print(f"insight-host: {store.location}: {removed:,} runs removed; {deleted:,} objects deleted")
    return 0


def _files(host: CommandHost, given: argparse.Namespace) -> int:
    for path in opened_table(_store(given), given.table).file_uris():
        print(path)
    return 0


def _info(host: CommandHost, given: argparse.Namespace) -> int:
    store = _store(given)
    version = existing(store)
    reader = RowReader(store)
    runs = Lake(reader, version, None).runs()
    reader.close()
    sizes: Counter[str] = Counter()
    for one in itertools.chain.from_iterable(segment.objects() for segment in version.segments):
        sizes[one.table] += one.size
    counts = {"runs": "runs", "series": "series", "points": "scalars", "records": "records"}
    facts: Mapping[str, object] = {
        "location": store.location,
        "version": version.version,
        "segments": len(version.segments),
        **{name: sum(one.rows(table) for one in version.segments) for name, table in counts.items()},
        "bytes": dict(sizes),
        "content": lake_content({name: stored.content for name, stored in runs.items()}),
    }
    print(json.dumps(facts, indent=2))
    return 0


def _store(given: argparse.Namespace) -> LakeStore:
    return LakeStore(given.lake.removeprefix("lake:"))


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


# --- flags ------------------------------------------------------------------------------------------

_Flag = tuple[str, Mapping[str, Any]]


def _flag(names: str, help: str = "", **more: Any) -> _Flag:  # noqa: ANN401
    return names, {"help": help, **more}


def _switch(names: str, help: str, **more: Any) -> _Flag:  # noqa: ANN401
    return _flag(names, help, action="store_true", **more)


def _sources(count: str) -> _Flag:
    text = "a directory of logs, NAME:DIR, or grpc://HOST:PORT of a data server"
    return _flag("sources", text, metavar="SOURCE", nargs=count)


_LAKE = _flag("lake", "a directory, or s3://BUCKET/PREFIX", metavar="LAKE")
_KEPT = "keep what was replaced for so long, for hosts and builders that still need it (24h)"
_GRACE = _flag("--grace", _KEPT, type=_duration, metavar="TIME", default=GRACE)
_BUILD_FLAGS = (
    _sources("+"),
    _flag("--to", "a directory, or s3://BUCKET/PREFIX", metavar="LAKE", required=True),
    _switch(
        "--with-payloads",
        "copy images, histograms and files into the lake; else it has their places in the logs",
        dest="copy",
    ),
    _switch("--numbers-only", "write scalars alone"),
    _flag("--shard", "build the runs of shard I of N (from 0)", type=_shard, metavar="I/N"),
    _switch("--prune", "drop runs that the source no longer has"),
    _switch("--replace", "replace runs of another source with the same name"),
    _flag("--batch", "read so many MiB of logs at a time (512)", type=int, default=512, metavar="MIB"),
    _flag(
        "--follow",
        "build again so many seconds after the last build began (60), until it is ended",
        type=float,
        nargs="?",
        const=60.0,
        metavar="SECONDS",
    ),
    _flag("--on", "build on a Ray cluster", metavar="ray[://HOST:PORT]"),
    _flag("--shards", "with --on ray: so many tasks (one a processor)", type=int, metavar="N"),
)
_COMPACT_FLAGS = (
    _LAKE,
    _flag(
        "--target",
        f"join segments up to so many MiB ({TARGET >> 20})",
        type=int,
        default=TARGET >> 20,
        metavar="MIB",
    ),
    _GRACE,
)
_EXPIRE_FLAGS = (
    _LAKE,
    _flag("--older-than", "such as 90d, 12h, 30m", type=_duration, required=True, metavar="TIME"),
    _flag("--run-regex", "only runs in which it is found", type=_expression, metavar="REGEX"),
    _GRACE,
)
_CHECK_FLAGS = (_LAKE, _sources("*"), _switch("--numbers-only", "the lake was built with --numbers-only"))
_Run = Callable[[CommandHost, argparse.Namespace], int]
_COMMANDS: Mapping[str, tuple[_Run, Sequence[_Flag]]] = {
    "build": (_build, _BUILD_FLAGS),
    "check": (_check, _CHECK_FLAGS),
    "compact": (_compact, _COMPACT_FLAGS),
    "expire": (_expire, _EXPIRE_FLAGS),
    "files": (_files, (_LAKE, _flag("table", "the table", choices=tuple(SCHEMAS)))),
    "info": (_info, (_LAKE,)),
}
