"""Keeps parts of indexes in the cache directory of the host, and tells whether a file still has them."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

from insight_core.plugin import PluginContext
from insight_samples.indexing import VERSION, Part, packed, unpacked
from insight_samples.rows import layout_of
from insight_samples.sources import SampleFile, opened

_END = 256  # bytes before the end of a part by which a file is recognised
_STAMP = 32


class PartCache:
    """Parts by file and start. For any thread."""

    def __init__(self, ctx: PluginContext) -> None:
        self._ctx = ctx
        self._directory = ctx.cache_directory

    def part(self, file: SampleFile, start: int) -> Part | None:
        """The part that begins at ``start``, if it was kept and the file still has it."""
        path = self._path_of(file, start)
        if path is None:
            return None
        try:
            with path.open("rb") as kept:
                stamp = kept.read(_STAMP)
                part = unpacked(io.BytesIO(kept.read()))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None
        if not is_by_number(file) and file.size < part.end:
            return None
        return part if stamp == _stamp(file, tail_of(self._ctx, file, part)) else None

    def keep(self, file: SampleFile, part: Part, tail: bytes) -> None:
        """Writes a part, whose last bytes in the file are ``tail``."""
        path = self._path_of(file, part.start)
        if path is None:
            return
        with suppress(OSError):  # without it the part is made again
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
            temporary.write_bytes(_stamp(file, tail) + packed(part))
            temporary.replace(path)

    def _path_of(self, file: SampleFile, start: int) -> Path | None:
        if self._directory is None:
            return None
        named = "\0".join((self._ctx.data.location(), file.key.run, file.key.tag, file.id, str(VERSION)))
        name = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._directory / "parts" / f"{name}-{start:x}.npz"


def is_by_number(file: SampleFile) -> bool:
    """Whether rows of the file are found by number: it is indexed as a whole, whenever it has changed."""
    return layout_of(file.path) != "lines"


def tail_of(ctx: PluginContext, file: SampleFile, part: Part) -> bytes:
    """The bytes before the end of a part, by which a file is recognised that goes on."""
    if is_by_number(file):
        return b""
    begin = max(0, part.end - _END)
    with opened(ctx, file, begin, part.end - begin) as stream:
        return stream.read(part.end - begin)


def _stamp(file: SampleFile, tail: bytes) -> bytes:
    text = f"{file.size} {file.changed}" if is_by_number(file) else ""
    return hashlib.sha256(tail + text.encode()).digest()
