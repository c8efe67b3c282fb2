"""The objects of a lake by key, in a directory or a bucket: credentials come from the environment."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from insight_remote.object_stores import cause_of, is_plain, open_object_store
from obstore.exceptions import BaseError
from obstore.store import LocalStore

from insight_core.plugin import InsightError, InvalidArgument, Unavailable

if TYPE_CHECKING:
    from deltalake import DeltaTable

DRAFTS = "_drafts"
_PATIENCE = timedelta(seconds=15)  # for a request and its repetitions
_RETRIES = 5


class ObjectMissing(InsightError):
    """Raised for a key without an object."""

    status = 404
    code = "not_found"


class LakeStore:
    """Objects that never change, under keys such as ``series/3f.parquet``. Any thread may use it.

    Methods raise Unavailable if the store cannot be reached, and ObjectMissing for an unknown key.
    """

    def __init__(self, location: str, *, create: bool = False) -> None:
        """``create`` allows a directory that does not exist yet. Raises InvalidArgument."""
        if not location:
            raise InvalidArgument("name a lake: lake:DIR or lake:s3://BUCKET/PREFIX")
        self.root: Path | None = None  # of a directory
        self.opened: dict[str, DeltaTable] = {}  # of this lake
        self.delta_options: dict[str, str] = {}
        if "://" in location and not location.startswith("file://"):
            self.location = location.rstrip("/")
            self._store = open_object_store(
                self.location, {"max_retries": _RETRIES, "retry_timeout": _PATIENCE}
            )
            self.delta_options = {"max_retries": str(_RETRIES), "retry_timeout": f"{_PATIENCE.seconds}s"}
            self.delta_options |= {"allow_http": "true"} if is_plain() else {}
            return
        self.root = Path(location.removeprefix("file://")).expanduser().absolute()
        self.location = str(self.root)
        self._store = LocalStore()
        if not create and not self.root.is_dir():
            raise InvalidArgument(f"{self.root}: no such directory")

    def get(self, key: str) -> bytes:
        """A whole object."""
        with self._reaching(key) as place:
            return bytes(obstore.get(self._store, place).bytes())

    def get_range(self, key: str, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``."""
        return bytes(self.get_ranges(key, [(start, stop)])[0])

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[memoryview]:
        """The bytes of several ranges, by as few requests as it takes: those close together by one."""
        with self._reaching(key) as place:
            starts, ends = [list(one) for one in zip(*spans, strict=True)]
            found = obstore.get_ranges(self._store, place, starts=starts, ends=ends)
            return [memoryview(part) for part in found]

    def put_file(self, key: str, path: Path) -> None:
        """Stores the content of a file from ``drafts``, which may be moved."""
        with self._reaching(key) as place:
            if self.root is None:
                obstore.put(self._store, place, path)
                return
            target = self.root / key
            target.parent.mkdir(parents=True, exist_ok=True)
            with path.open("rb") as file:
                os.fsync(file.fileno())
            path.replace(target)

    def list(self, prefix: str) -> Iterator[tuple[str, float]]:
        """Keys that begin with the prefix, a directory with its slash, and when they were written."""
        with self._reaching(prefix) as place:
            for found in obstore.list(self._store, prefix=place):
                for one in found:
                    key = str(one["path"])
                    if self.root is not None:
                        key = os.path.relpath(f"/{key}", self.root)
                    yield key, one["last_modified"].timestamp()

    def delete(self, keys: Collection[str]) -> None:
        """Deletes objects."""
        with self._reaching("") as root:
            obstore.delete(self._store, [f"{root}{key}" for key in keys])

    @contextmanager
    def drafts(self) -> Iterator[Path]:
        """A directory for files that are being written; of a killed writer it stays until upkeep."""
        with self._reaching(DRAFTS):
            if self.root is not None:
                (self.root / DRAFTS).mkdir(parents=True, exist_ok=True)
        place = None if self.root is None else self.root / DRAFTS
        with tempfile.TemporaryDirectory(
            prefix="insight-lake-", dir=place, ignore_cleanup_errors=True
        ) as name:
            yield Path(name)

    @contextmanager
    def _reaching(self, key: str) -> Iterator[str]:
        """Gives the path of a key in its store, and words what goes wrong with it."""
        place = key if self.root is None else f"{self.root}/{key}".lstrip("/")
        try:
            yield place
        except FileNotFoundError as error:
            # without its directory an object is not missing: the lake is away, perhaps not mounted
            if self.root is not None and not self.root.is_dir():
                raise Unavailable(f"{self.root}: no such directory") from error
            raise ObjectMissing(f"{self.location}/{key}: no such object") from error
        except (BaseError, OSError) as error:
            raise Unavailable(f"{self.location}/{key}: {cause_of(error)}") from error
