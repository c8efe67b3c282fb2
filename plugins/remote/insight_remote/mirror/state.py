"""What a mirror has, kept for the next start."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import RemoteFile
from insight_remote.mirror.mirrored_file import MirroredFile

log = logging.getLogger(__name__)

_VERSION = 1
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def save(path: Path, files: Iterable[MirroredFile], *, closed: bool) -> None:
    """Writes the state in one step. Raises OSError. ``closed``: nothing is written to the files any more.

    Takes no locks, so that it waits for no request: what a file has is read in the order in which
    ``MirroredFile`` changes it, backwards.
    """
    rows = []
    for file in files:
        listed, inode = file.listed, file.inode
        version = [listed.path, listed.size, listed.mtime_ns, listed.version]
        rows.append([*version, inode, file.unverified, file.grows, file.present])
    state = {"version": _VERSION, "boot": _boot(), "closed": closed, "files": rows}
    path.parent.mkdir(parents=True, exist_ok=True)  # the cache may have been cleared
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(state), encoding="utf-8", errors="surrogatepass")
    temporary.replace(path)


def restored(path: Path, root: str) -> dict[str, MirroredFile]:
    """The files of an earlier process that are still as it left them, by path; deletes all others."""
    files: dict[str, MirroredFile] = {}
    try:
        state = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        # after a crash of the machine, content that was written may be lost
        if state["version"] == _VERSION and (state["closed"] or state["boot"] == _boot() != ""):
            for name, size, mtime_ns, version, inode, unverified, grows, present in state["files"]:
                file = MirroredFile(os.path.join(root, name), RemoteFile(name, size, mtime_ns, version))
                file.inode, file.unverified, file.grows = inode, unverified, grows
                file.present = tuple((start, end) for start, end in present)
                files[name] = file
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.info("the state %s is not used: %s", path, error)
        files = {}
    found = set(_kept(root, files))
    return {name: file for name, file in files.items() if name in found}


def _kept(root: str, files: dict[str, MirroredFile]) -> Iterable[str]:
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            relative = path[len(root) + 1 :]
            file = files.get(relative)
            info = os.lstat(path)
            if file is not None and info.st_ino == file.inode and info.st_size >= file.listed.size:
                if info.st_size > file.listed.size:  # it grew after the state was written
                    os.truncate(path, file.listed.size)
                yield relative
            else:
                os.unlink(path)


def _boot() -> str:
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:  # not on every system
        return ""
