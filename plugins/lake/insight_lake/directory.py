"""Objects as files of a directory."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from insight_core.plugin import InvalidArgument, Unavailable
from insight_lake.objects import ObjectMissing, StoredObject, Traffic

_DRAFTS = ".drafts"


class DirectoryStore:
    """Implements ``ObjectStore``. A file has its name only once it is complete and on disk."""

    def __init__(self, directory: str, *, create: bool = False) -> None:
        self._root = Path(directory).expanduser().absolute()
        self.location = str(self._root)
        self.traffic = Traffic()
        if not create and not self._root.is_dir():
            raise InvalidArgument(f"{self._root}: no such directory")

    def get(self, key: str) -> bytes:
        """See ObjectStore."""
        try:
            data = self._path(key).read_bytes()
        except OSError as error:
            raise self._failed(key, error) from error
        self.traffic.count(len(data))
        return data

    def get_range(self, key: str, start: int, stop: int) -> bytes:
        """See ObjectStore."""
        try:
            with self._path(key).open("rb", buffering=0) as file:
                data = os.pread(file.fileno(), stop - start, start)
        except OSError as error:
            raise self._failed(key, error) from error
        self.traffic.count(len(data))
        return data

    def create(self, key: str, data: bytes) -> bool:
        """See ObjectStore. A link fails if its name exists, on network file systems as well."""
        path = self._path(key)
        try:
            with self.drafts() as drafts:
                draft = drafts / path.name
                with draft.open("xb") as file:
                    file.write(data)
                    _sync(file.fileno())
                path.parent.mkdir(parents=True, exist_ok=True)
                os.link(draft, path)
                _sync_directory(path.parent)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._failed(key, error) from error
        self.traffic.count()
        return True

    def put_file(self, key: str, path: Path) -> None:
        """See ObjectStore."""
        target = self._path(key)
        try:
            with path.open("rb") as file:
                _sync(file.fileno())
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
            _sync_directory(target.parent)
        except OSError as error:
            raise self._failed(key, error) from error
        self.traffic.count()

    def list(self, prefix: str) -> Iterator[StoredObject]:
        """See ObjectStore."""
        self.traffic.count()
        for path in sorted(self._path(prefix).glob("*")):
            try:
                info = path.stat()
            except FileNotFoundError:
                continue
            yield StoredObject(f"{prefix}{path.name}", info.st_size, info.st_mtime)

    def delete(self, keys: Collection[str]) -> None:
        """See ObjectStore. A draft is a directory."""
        for key in keys:
            self.traffic.count()
            path = self._path(key)
            try:
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise self._failed(key, error) from error

    @contextmanager
    def drafts(self) -> Iterator[Path]:
        """See ObjectStore. What a killed writer leaves is deleted with objects that nothing refers to."""
        path = self._root / _DRAFTS / uuid.uuid4().hex
        try:
            path.mkdir(parents=True)
        except OSError as error:
            raise self._failed(_DRAFTS, error) from error
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def _path(self, key: str) -> Path:
        return self._root / key

    def _failed(self, key: str, error: OSError) -> ObjectMissing | Unavailable:
        path = self._path(key)
        text = f"{path}: {error.strerror or error}"
        # without its directory an object is not missing: the lake is away, such as one that is not mounted
        is_missing = isinstance(error, FileNotFoundError) and path.parent.is_dir()
        return ObjectMissing(text) if is_missing else Unavailable(text)


def _sync(descriptor: int) -> None:
    os.fsync(descriptor)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """A directory of this machine for files that are being written."""
    with tempfile.TemporaryDirectory(prefix="insight-lake-") as name:
        yield Path(name)
