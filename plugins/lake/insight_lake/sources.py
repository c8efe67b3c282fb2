"""Runs of the source of a lake: whether they have changed, their data in portions, what cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from attrs import frozen
from insight_remote import OBJECT_STORES

from insight_core.plugin import CommandHost, InvalidArgument, Reason, Unavailable
from insight_core.plugin.data import DataProvider, RunFile
from insight_lake.contents import file_fingerprints, series_fingerprints
from insight_lake.records import LogRecords, RecordSource

PLUGIN = "scalar"  # whose context a command asks for; any would do
BATCH = 512 << 20  # bytes of log files
_MOST_RUNS = 5000  # of a batch
_AWAY = {"remote_away", "remote_refused", "source_away", "lake_away"}


@frozen
class FoundRun:
    """A run of the source: what tells that it has changed, its bytes, and where it is from."""

    fingerprint: str
    size: int
    source: str


def logs_of(
    host: CommandHost, flags: Sequence[str], runs: Collection[str], numbers_only: bool
) -> Iterator[tuple[DataProvider, RecordSource | None, dict[str, str]]]:
    """The logs of a source in portions: data, places of payloads, and the fingerprints of these runs."""
    with ExitStack() as opened:
        data = opened.enter_context(host.loaded(flags, PLUGIN, runs=lambda run: False)).data
        files = data.run_files()
        if files is None:
            names = [run.name for run in data.runs() if run.name in runs]
            yield data, None if numbers_only else LogRecords(data), series_fingerprints(data, names)
            return
        found = {run: one for run, one in runs_of_files(files).items() if run in runs}
    for batch in batches(sorted(found), found, BATCH):
        with host.loaded(flags, PLUGIN, runs=frozenset(batch).__contains__) as ctx:
            source = None if numbers_only else LogRecords(ctx.data)
            yield ctx.data, source, {run: found[run].fingerprint for run in batch}


def runs_of_files(files: Iterable[RunFile]) -> dict[str, FoundRun]:
    """The runs that have files, by name."""
    return {run: FoundRun(*found) for run, found in file_fingerprints(files).items()}


def batches(runs: Sequence[str], found: Mapping[str, FoundRun], limit: int) -> Iterable[list[str]]:
    """The runs in groups of about so many bytes of log files."""
    batch: list[str] = []
    size = 0
    for run in runs:
        if batch and (size + found[run].size > limit or len(batch) >= _MOST_RUNS):
            yield batch
            batch, size = [], 0
        batch.append(run)
        size += found[run].size
    if batch:
        yield batch


def is_remote(place: str) -> bool:
    """Whether this is a URL, not a path."""
    return "://" in place


def check_present(data: DataProvider) -> None:
    """Raises Unavailable if a store or server is away, of which runs would be missing."""
    for notice in data.notices():
        if notice.code in _AWAY:
            raise Unavailable(notice)


def check_locatable(sources: Iterable[str]) -> None:
    """Raises InvalidArgument if a lake cannot read payloads from where one of these logs is."""
    for source in sources:
        if is_remote(source) and source.partition(":")[0].lower() not in OBJECT_STORES:
            raise InvalidArgument(
                f"{source}: payloads such as images cannot be read from there later; "
                "copy them with --with-payloads, or leave them out with --numbers-only"
            )


def unread_runs(data: DataProvider, runs: Collection[str]) -> dict[str, str]:
    """Returns the runs of which a file could not be fetched, with the reasons."""
    return {
        damage.run: f"{damage.file} {damage.reason}"
        for damage in data.damage()
        if damage.run in runs and Reason.of(damage.reason).code == "unreadable"
    }
