"""Reads many small event files in one call, because opening each takes longer than scanning it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from insight_core.formats.batch import SmallFile
from insight_core.formats.compiled import is_wanted
from insight_core.formats.dialects import Dialect
from insight_record.formats.framing import LONGEST_READ

try:
    from insight_core.ingest.scanner import _small_files
except ImportError:  # there was no C compiler
    _small_files = None  # type: ignore[assignment]

LARGEST = LONGEST_READ  # bytes; a file up to this size is read whole


def reads_together() -> bool:
    """Whether ``read_small_files`` can read files: it is compiled and not disabled."""
    return _small_files is not None and is_wanted()


def read_small_files(
    paths: Iterable[str], guesses: Iterable[Dialect], number_plugins: frozenset[str], head: int, tail: int
) -> list[SmallFile | None]:
    """Scans each file whole; also returns checksums of its first ``head`` and last ``tail`` bytes.

    None for a file that must be scanned by itself, which then reports the reason: it is empty, longer than
    LARGEST, damaged, unusual, or changes during the read; or the module is not compiled.
    """
    encoded = [os.fsencode(path) for path in paths]
    if not reads_together():
        return [None] * len(encoded)
    return _small_files.read_small_files(encoded, list(guesses), number_plugins, head, tail)
