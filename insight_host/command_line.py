"""Flags of the commands that print and export logs."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, cast

from insight_core.cli.flag_types import with_hyphens
from insight_core.cli.flags import FLAGS
from insight_core.ingest.logdir import parse_logdir
from insight_core.plugin import InvalidArgument, encode_json
from insight_core.plugin.data import TAG_ROLES
from insight_host.choosing import Chosen
from insight_host.diagnosis import diagnosed, report_lines, rules_lines
from insight_host.export import FORMATS, export
from insight_host.logs import Logs, Steps
from insight_host.output import csv_lines, json_lines, text_lines
from insight_host.services import queried
from insight_host.sources import OpenedSource, Place, open_named, wait_until_read
from insight_host.tables import LogTable

_SOURCES = ("logdir", "data_provider", "disable_plugin", "plugin_file", "cache", "fold")
_WITH_TAGS = ("series", "get", "compare", "export")
_WITH_STEPS = ("get", "compare")
_WHERE = "runs for which it holds, such as: val_acc > 0.96 and optimizer = 'adam'"
_ROLE = f"this tag has this role ({', '.join(TAG_ROLES)}, none), whatever its name; may be repeated"


def run_command(name: str, text: str, arguments: Sequence[str]) -> int:
    """Reads the logs that the flags name and prints or exports them; returns the exit code."""
    parser = _parser(name, text)
    given = parser.parse_intermixed_args(with_hyphens(arguments))
    named = _places(given)
    if not named:
        hint = (
            f"; to show the directory {name!r} in a browser: insight-host ./{name}"
            if os.path.isdir(name)
            else ""
        )
        parser.error(f"no logs: give a directory or a URL (or set {FLAGS['logdir'].variable}){hint}")
    flags = [f"--disable-plugin={plugin}" for plugin in given.disable_plugin or ()]
    flags += [f"--plugin-file={path}" for path in given.plugin_file or ()]
    flags += [
        f"--{name}" if value else f"--no-{name}"
        for name, value in (("cache", given.cache), ("fold", given.fold))
        if value is not None
    ]
    source = open_named(named, flags=flags)
    with Logs(source) as logs:
        wait_until_read(source.provider, None, is_host=source.is_host)
        if getattr(given, "where", None) is not None:
            if given.run or given.run_regex:
                raise InvalidArgument("--where cannot be combined with --run or --run-regex")
            given.run = logs.runs(where=given.where)["run"].tolist()
        if name == "export":
            for line in export(logs, given.directory, given.to, **_chosen(given, "runs", "tags", "attempts")):
                print(f"insight-host: {line}", file=sys.stderr)
        elif name == "diagnose" and not given.csv and not (given.rules and given.json):
            _diagnose(source, given)
        elif name == "sql":
            table, read = queried(source, given.query, given.rows, given.seconds)
            _print(table, given)
            print(f"insight-host: {read}", file=sys.stderr)
        else:
            _print(_table(name, logs, given), given)
    return 0


def _diagnose(source: OpenedSource, given: argparse.Namespace) -> None:
    chosen, roles = _by_name_or_expression(given, "run"), dict(given.role or ())
    found = diagnosed(source, chosen, roles)
    if given.json:
        from insight_core.http.findings import findings_document

        _write([encode_json(findings_document(found)), b"\n"])
    else:
        _write(rules_lines(found) if given.rules else report_lines(found))


def _parser(name: str, text: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"insight-host {name}", description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    if name == "export":
        parser.add_argument("--to", required=True, choices=FORMATS, help="format of the files")
        parser.add_argument("places", metavar="PLACE", nargs="*", help="a directory, URL or grpc://HOST:PORT")
        parser.add_argument("directory", metavar="OUT", help="a directory that is empty or does not exist")
    else:
        if name == "sql":
            parser.add_argument("query", metavar="SQL", help="of DuckDB; 'show tables' lists the tables")
            parser.add_argument("--rows", type=int, default=10_000, metavar="N", help="at most (10000)")
            parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="at most (60)")
        parser.add_argument("places", metavar="PLACE", nargs="*", help="a directory, URL or grpc://HOST:PORT")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print a JSON list with an object for each row")
        form.add_argument("--csv", action="store_true", help="print CSV")
    for option in (FLAGS[key] for key in _SOURCES):
        option.add_to(parser)
    for word in _words(name):
        parser.add_argument(
            f"--{word}", action="append", metavar="NAME", help=f"this {word}; may be repeated"
        )
        parser.add_argument(
            f"--{word}-regex", type=_expression, metavar="REGEX", help=f"each {word} that it finds"
        )
    if "run" in _words(name):
        parser.add_argument("--where", metavar="EXPRESSION", help=_WHERE)
    if name == "series":
        parser.add_argument("--of", metavar="PLUGIN", help="series of this plugin: scalar, image")
    if name in _WITH_STEPS:
        parser.add_argument("--steps", type=_steps, metavar="FROM:TO", help="steps, both included")
    if name == "diagnose":
        parser.add_argument("--role", action="append", type=_role, metavar="ROLE=TAG", help=_ROLE)
        parser.add_argument(
            "--rules", action="store_true", help="print the rules and whether they were checked"
        )
    if name in ("get", "export"):
        parser.add_argument("--attempts", choices=("last", "all"), default="last", help="all: restarts too")
    return parser


def _words(name: str) -> Sequence[str]:
    """What the flags of a command choose by."""
    return () if name == "sql" else ("run", "tag") if name in _WITH_TAGS else ("run",)


def _places(given: argparse.Namespace) -> list[tuple[str | None, Place]]:
    logdirs, location = given.logdir, given.data_provider
    named: list[tuple[str | None, Place]] = [(None, place) for place in getattr(given, "places", ())]
    if not (named or logdirs or location):
        logdirs = FLAGS["logdir"].from_environment(os.environ)
        location = FLAGS["data_provider"].from_environment(os.environ) if not logdirs else None
    for text in logdirs or ():
        try:
            logdir = parse_logdir(text)
        except ValueError as error:
            raise InvalidArgument(f"--logdir: {error}") from error
        named.append((logdir.name, logdir.path))
    return [*named, (None, str(location))] if location else named


def _table(name: str, logs: Logs, given: argparse.Namespace) -> LogTable:
    if name == "runs":
        return logs.runs(**_chosen(given, "runs"))
    if name == "series":
        return logs.series(given.of, **_chosen(given, "runs", "tags"))
    if name == "diagnose":
        ask = logs.checked_rules if given.rules else logs.diagnose
        return ask(**_chosen(given, "runs"), roles=dict(given.role or ()))
    if name == "compare":
        return logs.compare(**_chosen(given, "runs", "tags", "steps"))
    return logs.scalars(**_chosen(given, "runs", "tags", "steps", "attempts"))


def _chosen(given: argparse.Namespace, *names: str) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(given, name, None) for name in names}
    for name, word in (("runs", "run"), ("tags", "tag")):
        if name in names:
            found[name] = _by_name_or_expression(given, word)
    return found


def _by_name_or_expression(given: argparse.Namespace, word: str) -> Chosen:
    named, expression = getattr(given, word), getattr(given, f"{word}_regex")
    if named and expression:
        raise InvalidArgument(f"--{word} cannot be combined with --{word}-regex")
    return cast(Chosen, expression if named is None else named)


def _print(table: LogTable, given: argparse.Namespace) -> None:
    lines = json_lines(table) if given.json else csv_lines(table) if given.csv else text_lines(table)
    _write(lines)


def _write(lines: Iterable[bytes]) -> None:
    for line in lines:
        sys.stdout.buffer.write(line)
    sys.stdout.flush()


def _expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def _role(text: str) -> tuple[str, str]:
    role, equals, tag = text.partition("=")
    if not (equals and tag and role in (*TAG_ROLES, "none")):
        raise argparse.ArgumentTypeError(f"{text!r} is not ROLE=TAG with one of {', '.join(TAG_ROLES)}, none")
    return tag, "" if role == "none" else role


def _steps(text: str) -> Steps:
    found = re.fullmatch(r"(-?[0-9]+)?:(-?[0-9]+)?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form FROM:TO, :TO or FROM:")
    first, last = (None if part is None else int(part) for part in found.groups())
    return first, last
