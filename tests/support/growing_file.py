"""Appends to, truncates and replaces a file, at offsets that the test chooses."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path


class GrowingFile:
    """Reveals ``content`` piece by piece at ``path``; the file is there, empty, from the start."""

    def __init__(self, content: bytes, path: str | PathLike[str]) -> None:
        self.content = content
        self.path = Path(path)
        self.size = 0  # bytes revealed
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"")

    @property
    def remaining(self) -> int:
        """Bytes that are not in the file yet."""
        return len(self.content) - self.size

    def grow(self, count: int) -> int:
        """Appends up to ``count`` bytes and returns how many there were left to append."""
        if count < 0:
            raise ValueError("a growing file does not shrink")
        piece = self.content[self.size : self.size + count]
        with open(self.path, "ab") as file:
            file.write(piece)
        self.size += len(piece)
        return len(piece)

    def grow_to(self, size: int) -> None:
        """Appends until ``size`` bytes are revealed."""
        self.grow(size - self.size)

    def finish(self) -> None:
        """Appends all remaining bytes."""
        self.grow(self.remaining)

    def rewrite(self, content: bytes) -> None:
        """Truncates the file in place (same inode) and writes ``content`` from its start."""
        self.content = content
        with open(self.path, "r+b") as file:
            file.truncate(0)
            file.write(content)
        self.size = len(content)

    def replace(self, content: bytes) -> None:
        """Puts another file (new inode) in the place of this one, at once."""
        self.content = content
        new = self.path.with_name(f".{self.path.name[:8]}.new")
        new.write_bytes(content)
        os.replace(new, self.path)
        self.size = len(content)
