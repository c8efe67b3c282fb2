"""Files in a file system of fsspec, such as that of a machine with SSH."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeAlias

import fsspec
from fsspec import AbstractFileSystem
from fsspec.asyn import AsyncFileSystem
from fsspec.core import url_to_fs

from insight_core.plugin import FileChanged, InvalidArgument, RemoteFile

log = logging.getLogger(__name__)

Info: TypeAlias = Mapping[str, Any]

_AT_ONCE = 8  # directories that are listed
# sshfs accepts any key of a host unless this makes it check those in ~/.ssh/known_hosts
_OPTIONS: dict[str, dict[str, Any]] = {"ssh": {"known_hosts": ()}, "sftp": {"known_hosts": ()}}
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
        scheme = location.partition(":")[0].lower()
        self._options = _OPTIONS.get(scheme, {})
        self._reads_parts = scheme not in _OPTIONS  # cat_file of sshfs ignores start and end
        try:
            fsspec.get_filesystem_class(scheme)
        except (ImportError, ValueError) as error:
            raise InvalidArgument(f"{location}: {error}") from error
        self._closed: set[str] = set()  # directories that were reported
        self._opened: tuple[Any, str] | None = None
        self._lock = threading.Lock()

    def pages(self) -> Iterator[Sequence[RemoteFile]]:
        """All files, a page for each directory where the file system lists one at a time. Raises OSError."""
        with self._system() as (system, root):
            system.invalidate_cache()
            # unlike the default of ``find``, an error must not look like an empty directory
            listings = self._at_once(system, root) if _lists_trees(system) else self._walked(system, root)
            for infos in listings:
                yield [
                    RemoteFile(_relative(info["name"], root), int(info["size"]), _time(info), _version(info))
                    for info in infos
                    if info.get("type") == "file" and info.get("size") is not None
                ]

    def _at_once(self, system: Any, root: str) -> Iterator[list[Info]]:  # noqa: ANN401 - fsspec has no types
        found = list(system.find(root, detail=True).values())
        if not found and not system.exists(root):
            raise OSError(f"{root}: no such directory")
        yield found

    def _walked(self, system: Any, root: str) -> Iterator[list[Info]]:  # noqa: ANN401
        directories = [root]
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            while directories:
                listed = list(threads.map(lambda path: self._listed(system, path, root), directories))
                yield from listed
                directories = [
                    info["name"] for infos in listed for info in infos if info.get("type") == "directory"
                ]

    def _listed(self, system: Any, path: str, root: str) -> list[Info]:  # noqa: ANN401
        try:
            return list(system.ls(path, detail=True))
        except FileNotFoundError as error:
            if path == root:
                raise OSError(f"{root}: no such directory") from error
            return []  # it was deleted meanwhile
        except PermissionError as error:
            if path == root:
                raise
            if path not in self._closed:
                self._closed.add(path)
                log.warning("%s cannot be listed: %s", path, error)
            return []

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """A part of a file. Raises FileChanged, OSError."""
        with self._system() as (system, root):
            path = f"{root}/{file.path}" if root else file.path
            try:
                if not self._reads_parts:
                    with system.open(path, "rb") as opened:
                        opened.seek(start)
                        return bytes(opened.read(end - start))
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
                system, root = url_to_fs(self._location, skip_instance_cache=True, **self._options)
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


def _lists_trees(system: Any) -> bool:  # noqa: ANN401
    """Whether the file system has a way of its own to list a whole tree."""
    own = type(system)
    if isinstance(system, AsyncFileSystem):
        return own._find is not AsyncFileSystem._find
    return own.find is not AbstractFileSystem.find


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
