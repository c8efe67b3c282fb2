"""Hashes of runs: of their content, however a lake was built, and of what tells that a source has changed."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.plugin.data import DataProvider, RunFile, SeriesInfo
from insight_lake.tables import text_of_claims

_FIELDS = ("points", "kept", "first_step", "last_step", "last_wall_time", "attempts")


@define
class RunContent:
    """Adds up series of a run, in the order of plugin and tag; ``digest`` is the same for the same content.

    Points count in the order of the log files, payloads by their steps, times, sizes and claims.
    """

    _hash: hashlib._Hash = field(factory=hashlib.sha256)

    def add(self, plugin: str, info: SeriesInfo, columns: Sequence[NDArray[np.generic]], claims: str) -> None:
        """Adds a series with its columns."""
        head = [plugin, info.key.tag, info.points, info.kept, info.display_name, info.description]
        head += [text_of_claims(info.claims), info.content.hex(), info.data_class, claims]
        self._hash.update(json.dumps([*head, [_name_of(column.dtype) for column in columns]]).encode())
        for column in columns:
            self._hash.update(np.ascontiguousarray(column, column.dtype.newbyteorder("<")).data)

    def digest(self) -> str:
        """The hash in hexadecimal."""
        return self._hash.hexdigest()


@functools.cache
def _name_of(dtype: np.dtype[np.generic]) -> str:
    return str(dtype)


def lake_content(contents: Mapping[str, str]) -> str:
    """The hash of a lake, from those of its runs by name."""
    return hashlib.sha256(json.dumps(sorted(contents.items())).encode()).hexdigest()


def file_fingerprints(run_files: Iterable[RunFile]) -> dict[str, tuple[str, int, str]]:
    """By run: a text that changes with its files, their bytes, and the logdir that they are in."""
    files: dict[str, list[tuple[str, int, int]]] = {}
    logdirs: dict[str, str] = {}
    for file in run_files:
        if file.is_store:  # its runs have no files of their own
            continue
        try:
            info = os.stat(file.path)
        except OSError:
            continue
        files.setdefault(file.run, []).append(
            (os.path.relpath(file.path, file.directory), info.st_size, info.st_mtime_ns)
        )
        logdirs.setdefault(file.run, file.location or os.path.realpath(file.logdir))
    return {
        run: (_hashed(sorted(found)), sum(size for _, size, _ in found), logdirs[run])
        for run, found in files.items()
    }


def series_fingerprints(data: DataProvider, runs: Iterable[str]) -> dict[str, str]:
    """By run: a text that changes with its series, of sources whose files are not on this machine."""
    found: dict[str, list[object]] = {run: [] for run in runs}
    for plugin in sorted(map(str, data.plugins())):
        for info in data.series(plugin):
            if info.key.run in found:
                values = [getattr(info, name) for name in _FIELDS]
                found[info.key.run].append([plugin, info.key.tag, repr(info.last_value), *map(repr, values)])
    for one in data.damage():
        if one.run in found:
            found[one.run].append([one.file, one.offset, str(one.reason)])
    return {run: _hashed(sorted(map(str, parts))) for run, parts in found.items()}


def _hashed(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]
