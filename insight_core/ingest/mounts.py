"""Detects file systems that do not report every change, because other machines write to them."""

from __future__ import annotations

import os
import re

_TABLE = "/proc/self/mountinfo"  # man 5 proc: fields 5 (mount point) and, after " - ", the type
_LOCAL = re.compile(
    r"aufs|bcachefs|btrfs|devtmpfs|erofs|exfat|ext[234]|f2fs|fuseblk|hfsplus|iso9660|jfs|nilfs2|ntfs3?"
    r"|overlay|ramfs|reiserfs|rootfs|squashfs|tmpfs|udf|ufs|vfat|xfs|zfs"
)
_ESCAPE = re.compile(rb"\\([0-7]{3})")


def mounts(table: str = _TABLE) -> dict[str, str]:
    """The type of the file system at each mount point; empty where the system has no such table."""
    try:
        with open(table, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        place, _, kind = line.partition(b" - ")
        path = _ESCAPE.sub(lambda match: bytes([int(match.group(1), 8)]), place.split()[4])
        found[os.fsdecode(path)] = os.fsdecode(kind.split()[0])  # a later mount covers an earlier one
    return found


def silent_mount(path: str, mounted: dict[str, str]) -> tuple[str, str] | None:
    """Mount point and type of a file system at or below ``path`` that does not report changes; or None."""
    real = os.path.realpath(path)
    holder = max((point for point in mounted if _holds(point, real)), key=len, default=None)
    below = [point for point in mounted if _holds(real, point)]
    for point in ([holder] if holder is not None else []) + below:
        if not _LOCAL.fullmatch(mounted[point]):
            return point, mounted[point]
    return None


def _holds(directory: str, path: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
