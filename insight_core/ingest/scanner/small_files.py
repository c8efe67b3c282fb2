"""Small event files, many in one call: to open one and to make objects of it takes longer than to scan it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from insight_core.formats.batch import SmallFile
from insight_core.formats.compiled import is_wanted
from insight_core.formats.dialects import Dialect
from insight_core.formats.framing import LONGEST_READ

try:
    from insight_core.ingest.scanner import _small_files
except ImportError:  # there was no C compiler
    _small_files = None  # type: ignore[assignment]

LARGEST = LONGEST_READ  # bytes; all of such a file is read


def reads_together() -> bool:
    """Whether ``read_small_files`` reads any."""
    return _small_files is not None and is_wanted()


def read_small_files(
    paths: Iterable[str], guesses: Iterable[Dialect], number_plugins: frozenset[str], head: int, tail: int
) -> list[SmallFile | None]:
    """Each file as one scan of all of it finds it, and checksums of so many of its first and last bytes.

    None for one that has to be scanned by itself, which says why: it is empty or longer than LARGEST,
    anything is wrong with it or unusual, it changes meanwhile, or nothing here is compiled.
    """
    encoded = [os.fsencode(path) for path in paths]
    if not reads_together():
        return [None] * len(encoded)
    return _small_files.read_small_files(encoded, list(guesses), number_plugins, head, tail)
