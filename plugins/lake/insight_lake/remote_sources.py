"""Finds remote logs that cannot be read at the moment, so that a build does not take them for gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from insight_remote import OBJECT_STORES

from insight_core.plugin import InvalidArgument, Reason, Unavailable
from insight_core.plugin.data import DataProvider

_AWAY = {"remote_away", "remote_refused", "source_away", "lake_away"}


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
