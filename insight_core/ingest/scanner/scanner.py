"""Event files to columns, a few MiB a call."""

from __future__ import annotations

from typing import Protocol

from insight_core.formats.batch import Batch
from insight_core.formats.compiled import NotCompiled
from insight_core.formats.dialects import Dialect

try:
    from insight_core.ingest.scanner import _kernel
except ImportError as error:
    raise NotCompiled("insight_core.ingest.scanner._kernel") from error

CHUNK = 4 << 20  # bytes


class Scanner(Protocol):
    """Scans one file, from its beginning or the end of any record, as it grows."""

    @property
    def dialect(self) -> Dialect:
        """From the version record of the file; before it and without it, a guess."""

    def scan(self, descriptor: int, position: int, size: int, until: int | None = None) -> Batch:
        """The records from offset ``position`` on of an open file of ``size`` bytes, up to the first one
        that begins at ``until`` or later.

        Reads about CHUNK bytes. Events longer than LONGEST_READ stay on disk but for their fields, and
        are verified when they are served, or here if they hold numbers. Raises OSError.
        """
        ...


def open_scanner(
    guess: Dialect, chunk: int = CHUNK, *, number_plugins: frozenset[str] = frozenset()
) -> Scanner:
    """A scanner of one file; ``guess`` is the dialect if the file does not name it.

    ``number_plugins`` are summary plugins that read numbers: their tensors of one number get no locators,
    all other tensors do.
    """
    return _kernel.CompiledScanner(guess, chunk, number_plugins)
