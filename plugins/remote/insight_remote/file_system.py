"""Files in a file system of fsspec, such as that of a machine with SSH."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import fsspec
from fsspec.core import url_to_fs

from insight_core.plugin import FileChanged, InvalidArgument, RemoteFile

_TIMES = ("mtime", "LastModified", "last_modified", "modified", "updated", "created")
_VERSIONS = ("ETag", "etag", "e_tag", "blob_id", "md5Hash")


def is_known(scheme: str) -> bool:
    """Whether fsspec has a file system for this scheme."""
    return scheme in fsspec.available_protocols()


class FileSystemFiles:
    """Implements ``RemoteFiles``. Options of a file system are those of fsspec's configuration.

    Raises InvalidArgument for a location that cannot be.
    """

    def __init__(self, location: str) -> None:
        self._location = location
        try:
            fsspec.get_filesystem_class(location.partition(":")[0])
        except (ImportError, ValueError) as error:
            raise InvalidArgument(f"{location}: {error}") from error
        self._opened: tuple[Any, str] | None = None
        self._lock = threading.Lock()

    def pages(self) -> Iterator[Sequence[RemoteFile]]:
        """All files, as one page. Raises OSError."""
        with self._system() as (system, root):
            system.invalidate_cache()
            try:
                found = system.find(root, detail=True)
            except FileNotFoundError as error:
                raise OSError(f"{root}: no such directory") from error
        yield [
            RemoteFile(_relative(path, root), int(info["size"]), _time(info), _version(info))
            for path, info in found.items()
            if info.get("type") == "file" and info.get("size") is not None
        ]

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """A part of a file. Raises FileChanged, OSError."""
        with self._system() as (system, root):
            path = f"{root}/{file.path}" if root else file.path
            try:
                return bytes(system.cat_file(path, start=start, end=end))
            except FileNotFoundError as error:
                raise FileChanged(file.path) from error

    def close(self) -> None:
        """Closes the connection, if the file system has one."""
        self._opened = None

    @contextmanager
    def _system(self) -> Iterator[tuple[Any, str]]:
        """The file system and the path of the location in it; connects again after an error."""
        with self._lock:
            if self._opened is None:
                system, root = url_to_fs(self._location, skip_instance_cache=True)
                self._opened = system, root.rstrip("/")
            opened = self._opened
        try:
            yield opened
        except FileChanged:
            raise
        except Exception:
            with self._lock:
                if self._opened is opened:
                    self._opened = None
            raise


def _relative(path: str, root: str) -> str:
    return path[len(root) :].lstrip("/") if path.startswith(root) else os.path.relpath(path, root)


def _time(info: Mapping[str, Any]) -> int:
    value = next((info[name] for name in _TIMES if info.get(name) is not None), 0)
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    seconds = value.timestamp() if isinstance(value, datetime) else float(value)
    return round(seconds * 1e6) * 1000


def _version(info: Mapping[str, Any]) -> str:
    return str(next((info[name] for name in _VERSIONS if info.get(name)), ""))
