"""Keeps parts of indexes in the cache directory of the host, and tells whether a file still has them."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from insight_core.plugin import PluginContext
from insight_samples.packing import VERSION, IndexPart, packed, unpacked
from insight_samples.rows import layout_of
from insight_samples.sources import SampleFile, opened

_END = 256  # bytes before the end of a part by which a file is recognised


class PartCache:
    """Parts by file and start. For any thread."""

    def __init__(self, ctx: PluginContext) -> None:
        self._ctx = ctx
        self._directory = ctx.cache_directory

    def part(self, file: SampleFile, start: int) -> IndexPart | None:
        """The part that begins at ``start``, without columns, if it was kept and the file still has it."""
        found = self._read(file, start, ())
        if found is None or (not is_by_number(file) and file.size < found[0].end):
            return None
        part, stamp = found
        return part if stamp == _stamp(file, tail_of(self._ctx, file, part)) else None

    def known(self, file: SampleFile, part: IndexPart, names: Collection[str] | None) -> IndexPart | None:
        """A part that is known to be that of the file, with these columns."""
        found = self._read(file, part.start, names)
        return None if found is None or found[0].end != part.end else found[0]

    def keep(self, file: SampleFile, part: IndexPart, tail: bytes) -> None:
        """Writes a part, whose last bytes in the file are ``tail``."""
        path = self._path_of(file, part.start)
        if path is None:
            return
        with suppress(OSError):  # without it the part is made again
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
            temporary.write_bytes(packed(part, _stamp(file, tail)))
            temporary.replace(path)

    def _read(
        self, file: SampleFile, start: int, names: Collection[str] | None
    ) -> tuple[IndexPart, str] | None:
        path = self._path_of(file, start)
        try:
            if path is not None:
                with path.open("rb") as kept:
                    return unpacked(kept, names)
        except (OSError, ValueError, KeyError, TypeError):  # none, or a damaged one
            pass
        return None

    def _path_of(self, file: SampleFile, start: int) -> Path | None:
        if self._directory is None:
            return None
        named = "\0".join((self._ctx.data.location(), file.key.run, file.key.tag, file.id, str(VERSION)))
        name = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._directory / "parts" / f"{name}-{start:x}.part"


def is_by_number(file: SampleFile) -> bool:
    """Whether rows of the file are found by number: it is indexed as a whole, whenever it has changed."""
    return layout_of(file.path) != "lines"


def tail_of(ctx: PluginContext, file: SampleFile, part: IndexPart) -> bytes:
    """The bytes before the end of a part, by which a file is recognised that goes on."""
    if is_by_number(file):
        return b""
    begin = max(0, part.end - _END)
    with opened(ctx, file, begin, part.end - begin) as stream:
        return stream.read(part.end - begin)


def _stamp(file: SampleFile, tail: bytes) -> str:
    text = f"{file.size} {file.changed}" if is_by_number(file) else ""
    return hashlib.sha256(tail + text.encode()).hexdigest()
