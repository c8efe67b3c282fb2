"""Checks a lake: its objects, what its tables say of each other, and every value against the logs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.plugin import InsightError
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_lake.contents import RunContent, series_contents
from insight_lake.delta import LakeSegment, LakeVersion
from insight_lake.provider import LakeProvider
from insight_lake.records import RecordSource
from insight_lake.store import LakeStore
from insight_lake.upkeep import StoredRecords, open_whole

_PIECE = 8 << 20  # bytes


@define
class CheckReport:
    """The problems that a check found, a line each, and the counts of what it compared."""

    problems: list[str] = field(factory=list)
    objects: int = 0
    runs: int = 0
    points: int = 0
    payloads: int = 0
    compared: int = 0  # runs, with their logs
    changed: int = 0  # runs whose logs have changed since


def check_lake(
    store: LakeStore, version: LakeVersion, report: CheckReport, tell: Callable[[str], None]
) -> dict[str, str]:
    """Checks all objects and tables; returns the hash of each run as its series give it."""
    contents: dict[str, str] = {}
    for number, segment in enumerate(version.segments):
        tell(f"insight-host lake: segment {number + 1} of {len(version.segments)}")
        objects = segment.objects()
        report.objects += len(objects)
        wrong = [text for one in objects if (text := _of_object(store, one.key, one.size, one.sha256))]
        report.problems += wrong
        if wrong:
            continue
        try:
            found = _of_segment(store, segment, report)
        except InsightError as error:
            report.problems.append(f"segment {segment.id}: {error}")
            continue
        twice = found.keys() & contents.keys()
        report.problems += [f"the run {run!r} is in two segments" for run in sorted(twice)]
        contents.update(found)
    report.runs = len(contents)
    return contents


def _of_object(store: LakeStore, key: str, size: int, sha256: str) -> str:
    total, digest = 0, hashlib.sha256()
    try:
        while total < size:
            piece = store.get_range(key, total, min(size, total + _PIECE))
            if not piece:
                break
            digest.update(piece)
            total += len(piece)
    except InsightError as error:
        return str(error)
    if total != size or digest.hexdigest() != sha256:
        return f"{store.location}/{key}: its bytes are not those that were written"
    return ""


def _of_segment(store: LakeStore, segment: LakeSegment, report: CheckReport) -> dict[str, str]:
    """Compares the tables of a segment with each other; returns the hash of each run."""
    data = open_whole(store, LakeVersion.of([segment]))
    try:
        contents: dict[str, RunContent] = {}
        for series in series_contents(data, StoredRecords(data)):
            contents.setdefault(series.info.key.run, RunContent()).add(series)
            report.points += 0 if series.numbers is None else len(series.numbers.steps)
            report.payloads += 0 if series.records is None else len(series.records)
        stored = data.lake().runs()
        digests = {run: contents.get(run, RunContent()).digest() for run in stored}
        report.problems += [
            f"the run {run!r} does not have the content that it had when it was written"
            for run, digest in digests.items()
            if digest != stored[run].content
        ]
        return digests
    finally:
        data.close()


def compare_runs(
    lake: LakeProvider,
    logs: DataProvider,
    source: RecordSource | None,
    runs: Sequence[str],
    report: CheckReport,
) -> None:
    """Compares every value and payload of runs in a lake with those of the logs."""
    stored = StoredRecords(lake) if source is not None else None
    ours, theirs = (
        {
            (series.plugin, series.info.key, bool(claims)): columns
            for series in found
            for columns, claims in series.parts()
        }
        for found in (series_contents(lake, stored, runs), series_contents(logs, source, runs))
    )
    for place in sorted(ours.keys() | theirs.keys(), key=str):
        plugin, key, is_record = place
        name = f"{key.tag!r} of run {key.run!r} ({plugin})"
        if place not in ours or place not in theirs:
            report.problems.append(f"{name} is only in the {'lake' if place in ours else 'logs'}")
        elif difference := _difference(ours[place], theirs[place]):
            report.problems.append(f"{name} differs from the logs {difference}")
        elif is_record:
            report.problems += _payload_problems(lake, logs, plugin, key, len(ours[place][0]))
    report.compared += len(runs)


def _difference(ours: Sequence[NDArray[np.generic]], theirs: Sequence[NDArray[np.generic]]) -> str:
    """Names the first place where columns differ, bit by bit; empty if they are equal."""
    for one, other in zip(ours, theirs, strict=True):
        if len(one) != len(other):
            return f"in length: {len(one):,} and {len(other):,} points"
        if one.dtype != other.dtype:
            return f"in type: {one.dtype} and {other.dtype}"
        same = one.view(f"u{one.itemsize}") == other.view(f"u{other.itemsize}")
        if not same.all():
            place = int(np.argmin(same))
            return f"at point {place}: {one[place]!r} and {other[place]!r}"
    return ""


def _payload_problems(
    lake: LakeProvider, logs: DataProvider, plugin: str, key: SeriesKey, count: int
) -> list[str]:
    for index in range(count):
        try:
            with (
                lake.open_payload(plugin, key, index, "all") as ours,
                logs.open_payload(plugin, key, index, "all") as theirs,
            ):
                while True:
                    one, other = ours.file.read(_PIECE), theirs.file.read(_PIECE)
                    if one != other:
                        return [f"record {index} of {key.tag!r} of run {key.run!r} differs from the logs"]
                    if not one:
                        break
        except InsightError as error:
            return [f"record {index} of {key.tag!r} of run {key.run!r}: {error}"]
    return []
