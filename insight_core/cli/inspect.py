"""``insight-host inspect``: loads all logs once and prints runs, tags, points and damage."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from attrs import asdict

from insight_core.cli.flags import Options
from insight_core.cli.logdirs import open_logdirs, open_mirrors, problems
from insight_core.cli.options import fail
from insight_core.cli.policies import open_whole_registry
from insight_core.cli.process import rare_collections
from insight_core.cli.storage import cache_directory, follow_log_formats
from insight_core.cli.terminal import LoadingDisplay, open_terminal
from insight_core.cli.text_table import table
from insight_core.ingest.found import unread_reason
from insight_core.plugin.data import SeriesField
from insight_core.providers.local import LocalProvider

_SERIES_HEADER = ("RUN", "DIALECT", "PLUGIN", "TAG", "POINTS", "FIRST STEP", "LAST STEP")
_FIELDS: tuple[SeriesField, ...] = ("points", "first_step", "last_step")
_REQUESTS_HEADER = ("LOCATION", "LISTS", "READS", "RETRIES", "BYTES")
_DAMAGE_HEADER = ("RUN", "FILE", "OFFSET", "SKIPPED BYTES", "REASON")


def inspect(options: Options) -> int:
    """Loads all logs once and prints runs, tags, points and damage. Returns the exit status."""
    line = open_terminal(options.verbosity)
    logdirs = open_logdirs(options)
    registry = open_whole_registry(options)
    cache = cache_directory(options) if options.cache else None
    local, mirrors = open_mirrors(options, logdirs, registry, 0, cache)
    provider = LocalProvider(
        local,
        registry.plugins.values(),
        reload_interval=0,
        follow_symlinks=options.follow_symlinks,
        folds=options.fold,
        while_loading=rare_collections,
        mirrors=mirrors,
    )
    follow_log_formats(registry, provider.admit_log_formats)
    try:
        display = LoadingDisplay(line, provider.progress, lambda: len(provider.runs()))
        display.start()
        try:
            provider.load()
        finally:
            display.stop()
        report = inspection(provider, registry.plugins)
        notices = provider.notices()
    finally:
        provider.close()
    unreadable = [*problems(logdirs, follows=False), *notices]
    for problem in unreadable:
        fail(problem)
    if options.json:
        print(json.dumps(report, indent=2))
    elif report["runs"] or not unreadable:
        print(_text(report))
    return 1 if unreadable else 0


def inspection(provider: LocalProvider, plugins: Iterable[str]) -> dict[str, Any]:
    """``{"runs": {run: {"dialect", "plugins": {plugin: {tag: ...}}, "damage", "unclaimed"}}}``.

    "dialect" is None for a run without events and joined by ``+`` for one with several. With remote logdirs
    there is also ``{"requests": {location: {"lists", "reads", "retries", "bytes"}}}``, with files that
    nothing reads ``{"unread": {kind: files}}``.
    """
    unclaimed = provider.unclaimed()
    runs: dict[str, Any] = {
        run.name: {
            "dialect": "+".join(run.dialects) or None,
            "plugins": {},
            "damage": [],
            "unclaimed": {str(claim): count for claim, count in sorted(unclaimed.get(run.name, {}).items())},
        }
        for run in provider.runs()
    }
    there = provider.plugins()
    for plugin in [plugin for plugin in plugins if plugin in there]:
        for table_of_run in provider.series_tables(plugin, _FIELDS):
            if table_of_run.run in runs:
                facts = zip(*map(table_of_run.column, _FIELDS), strict=True)
                runs[table_of_run.run]["plugins"][plugin] = {
                    tag: dict(zip(_FIELDS, fact, strict=True))
                    for tag, fact in zip(table_of_run.tags, facts, strict=True)
                }
    for damage in provider.damage():
        if damage.run in runs:
            runs[damage.run]["damage"].append(asdict(damage, filter=lambda field, _: field.name != "run"))
    requests = {location: asdict(counts) for location, counts in provider.requests().items()}
    unread = provider.unread_files()
    others = {name: found for name, found in (("requests", requests), ("unread", unread)) if found}
    return {"runs": runs, **others}


def _text(report: dict[str, Any]) -> str:
    runs = report["runs"]
    remote = [(location, *counts.values()) for location, counts in report.get("requests", {}).items()]
    others = [f"Requests:\n{table(_REQUESTS_HEADER, remote, right=_REQUESTS_HEADER[1:])}"] if remote else []
    if unread := [unread_reason(kind, count) for kind, count in report.get("unread", {}).items()]:
        others.append("\n  ".join(["Files that are not read:", *unread]))
    if not runs:
        return "\n\n".join(["No runs found.", *others])
    series = [
        (name, run["dialect"] or "-", plugin, tag, info["points"], info["first_step"], info["last_step"])
        for name, run in runs.items()
        for plugin, tags in run["plugins"].items()
        for tag, info in tags.items()
    ]
    shown = {row[0] for row in series}
    series += [
        (name, run["dialect"] or "-", "-", "-", 0, "-", "-")
        for name, run in runs.items()
        if name not in shown
    ]
    parts = [table(_SERIES_HEADER, series, right=_SERIES_HEADER[4:])]
    unclaimed = [
        (name, claim, count) for name, run in runs.items() for claim, count in run["unclaimed"].items()
    ]
    if unclaimed:
        listed = table(("RUN", "KIND", "VALUES"), unclaimed, right=("VALUES",))
        parts.append(f"Values that no installed plugin shows:\n{listed}")
    damage = [
        (name, entry["file"], entry["offset"], entry["skipped"], entry["reason"])
        for name, run in runs.items()
        for entry in run["damage"]
    ]
    if damage:
        parts.append(f"Damage ({len(damage)}):\n{table(_DAMAGE_HEADER, damage, right=_DAMAGE_HEADER[2:4])}")
    return "\n\n".join([*parts, *others])
