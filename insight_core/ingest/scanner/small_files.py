"""Reads many small event files in one call, because opening each takes longer than scanning it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from insight_core.formats.batch import SmallFile
from insight_core.formats.compiled import NotCompiled
from insight_core.formats.dialects import Dialect
from insight_record.formats.framing import LONGEST_READ

try:
    from insight_core.ingest.scanner import _small_files
except ImportError as error:
    raise NotCompiled("insight_core.ingest.scanner._small_files") from error

LARGEST = LONGEST_READ  # bytes; a file up to this size is read whole


def read_small_files(
    paths: Iterable[str], guesses: Iterable[Dialect], number_plugins: frozenset[str], head: int, tail: int
) -> list[SmallFile | None]:
    """Scans each file whole; also returns checksums of its first ``head`` and last ``tail`` bytes.

    None for a file that must be scanned by itself, which then reports the reason: it is empty, longer than
    LARGEST, damaged, unusual, or changes during the read.
    """
    encoded = [os.fsencode(path) for path in paths]
    return _small_files.read_small_files(encoded, list(guesses), number_plugins, head, tail)
