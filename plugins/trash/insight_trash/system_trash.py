"""Moves paths to the trash of the system (freedesktop.org, or that of macOS and Windows)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from insight_trash.plan import NotMoved, Plan


def move(plan: Plan) -> None:
    """Moves what the plan names. Raises NotMoved with the path, the cause, and how much was moved before.

    Nothing is copied: a trash on another file system is refused, since what a training writes meanwhile
    would be lost.
    """
    from send2trash import send2trash  # late: it finds the trash when it is imported

    for number, path in enumerate(plan.paths):
        try:
            _check(path)
            send2trash(path)
        except OSError as error:
            cause = error.strerror or str(error)
            place = os.fsdecode(error.filename) if error.filename else path
            if place != path:
                cause = f"{cause} ({place})"
            before = f"; {number} of {len(plan.paths)} files were moved before" if number else ""
            raise NotMoved(
                f"{path}: {cause}{before}",
                code="trash_failed_after" if number else "trash_failed",
                path=path,
                cause=cause,
                moved=number,
                total=len(plan.paths),
            ) from error


def _check(path: str) -> None:
    """Raises PermissionError if the path may not be moved, and NotMoved if it would be copied."""
    parent = os.path.dirname(path)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied", parent)
    if sys.platform in ("darwin", "win32"):
        return
    home = Path.home()
    trash = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share", "Trash")
    if _device(Path(path)) == _device(home) != _device(trash):
        raise NotMoved(
            f"{path}: the trash {trash} is on another file system",
            code="trash_elsewhere",
            path=path,
            trash=str(trash),
        )


def _device(path: Path) -> int:
    """The file system of a path that need not exist."""
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    return os.lstat(path).st_dev
