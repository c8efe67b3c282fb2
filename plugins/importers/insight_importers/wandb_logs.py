"""Finds the logs of a W&B run, which has another directory for each time that it was resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from insight_importers import beginnings
from insight_importers.side_files import open_file

_DIRECTORY = re.compile(r"(?:offline-)?run-(?P<time>\d{8}_\d{6})-(?P<id>.+)")
_BEGINNING = beginnings.WANDB + b"\0"  # with the version
_NUMBER = re.compile(r"-\d+$")  # behind the id, of a run that was begun again within the second


def logs_of_run(source: str) -> tuple[list[str], list[str]]:
    """Paths of all logs of the run that a log belongs to, in the order in which they were begun.

    They are next to each other: ``<time>-<id>/run-<id>.wandb``. In any other directory a log is alone, and so
    is one that cannot be read. Also returns the paths that decide which logs there are: those of files that
    may become logs, and of the directory above. Raises OSError.
    """
    directory, name = os.path.split(source)
    above = os.path.dirname(directory)
    listed = _directories(above, os.stat(above).st_mtime_ns).get(name, ())
    if os.path.basename(directory) not in listed or not _is_log(source):
        return [source], [source]
    paths = [os.path.join(above, one, name) for one in listed]
    return [path for path in paths if _is_log(path)], [*paths, above]


@lru_cache(maxsize=16)
def _directories(above: str, mtime_ns: int) -> Mapping[str, Sequence[str]]:
    """Directories of runs by the name of their log, in order. They are listed again when one is added."""
    with os.scandir(above) as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    found: dict[str, list[tuple[str, int, str]]] = {}
    for name in names:
        parts = _DIRECTORY.fullmatch(name)
        if parts is not None:
            for run_id in {parts["id"], _NUMBER.sub("", parts["id"])}:
                found.setdefault(f"run-{run_id}.wandb", []).append((parts["time"], len(parts["id"]), name))
    return {log: [name for _, _, name in sorted(directories)] for log, directories in found.items()}


def _is_log(path: str) -> bool:
    try:
        with open_file(path) as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except (OSError, ValueError):
        return False
