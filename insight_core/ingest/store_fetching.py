"""Fetches the files of a store in a mirror of a remote logdir, before its format reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from insight_core.ingest.fetching import Fetch, FilePart

_SMALL = 8 << 20  # bytes; larger files are fetched only if they are watched: models and data sets
_MOST_FILES = 20_000  # of a store


def fetch_store(fetch: Fetch, source: str, watched: Sequence[str], seen: dict[str, tuple[int, int]]) -> None:
    """Makes watched files present, and small files below their directories and that of the store.

    ``seen`` are those that were.
    Raises FileChanged and OSError.
    """
    parts, versions = [], {}
    for path, is_watched in _files(os.path.dirname(source), watched):
        try:
            info = os.stat(path)
        except OSError:
            continue
        version = info.st_size, info.st_mtime_ns
        if seen.get(path) != version and (is_watched or info.st_size <= _SMALL):
            parts.append(FilePart(path, grows=is_watched))
            versions[path] = version
    if parts:
        fetch(parts)
        seen |= versions


def _files(directory: str, watched: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Files with whether they are watched."""
    count, directories = 0, {directory}
    for path in watched:
        if os.path.isfile(path):
            yield path, True
            directories.add(os.path.dirname(path))
    walked: list[str] = []
    for top in sorted(directories, key=len):
        if any(top.startswith(os.path.join(one, "")) for one in walked):
            continue
        walked.append(top)
        for place, _, names in os.walk(top):
            for name in names:
                count += 1
                if count > _MOST_FILES:
                    return
                yield os.path.join(place, name), False
