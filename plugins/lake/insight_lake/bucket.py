"""Objects of a bucket: S3, Google Cloud Storage, Azure, and what speaks the same protocols."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from insight_remote.object_stores import cause_of, open_object_store
from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError

from insight_core.plugin import Unavailable
from insight_lake.directory import temporary_directory
from insight_lake.objects import ObjectMissing, StoredObject, Traffic

if TYPE_CHECKING:
    from obstore.store import RetryConfig

_PATIENCE = timedelta(seconds=15)  # for a request and its repetitions
_RETRIES = 5
_AT_ONCE = 1000  # keys of a request that deletes


class BucketStore:
    """Implements ``ObjectStore``. Credentials come from the usual environment, such as AWS_ACCESS_KEY_ID."""

    def __init__(self, url: str) -> None:
        self.location = url.rstrip("/")
        self.traffic = Traffic()
        retries: RetryConfig = {"max_retries": _RETRIES, "retry_timeout": _PATIENCE}
        self._store = open_object_store(self.location, retries)

    def get(self, key: str) -> bytes:
        """See ObjectStore."""
        with self._reaching(key):
            data = bytes(obstore.get(self._store, key).bytes())
            self.traffic.count(len(data))
        return data

    def get_range(self, key: str, start: int, stop: int) -> bytes:
        """See ObjectStore."""
        with self._reaching(key):
            data = bytes(obstore.get_range(self._store, key, start=start, end=stop))
            self.traffic.count(len(data))
        return data

    def create(self, key: str, data: bytes) -> bool:
        """See ObjectStore: a PUT with ``If-None-Match: *``."""
        self.traffic.count()
        with self._reaching(key):
            try:
                obstore.put(self._store, key, data, mode="create", use_multipart=False)
            except (AlreadyExistsError, PreconditionError):
                return False
        return True

    def put_file(self, key: str, path: Path) -> None:
        """See ObjectStore."""
        self.traffic.count()
        with self._reaching(key):
            obstore.put(self._store, key, path)

    def list(self, prefix: str) -> Iterator[StoredObject]:
        """See ObjectStore."""
        with self._reaching(prefix):
            for found in obstore.list(self._store, prefix=prefix):
                self.traffic.count()
                for one in found:
                    yield StoredObject(str(one["path"]), one["size"], one["last_modified"].timestamp())

    def delete(self, keys: Collection[str]) -> None:
        """See ObjectStore."""
        listed = sorted(keys)
        for first in range(0, len(listed), _AT_ONCE):
            self.traffic.count()
            with self._reaching(listed[first]):
                obstore.delete(self._store, listed[first : first + _AT_ONCE])

    def drafts(self) -> AbstractContextManager[Path]:
        """See ObjectStore."""
        return temporary_directory()

    @contextmanager
    def _reaching(self, key: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise ObjectMissing(f"{self.location}/{key}: no such object") from error
        except (BaseError, OSError) as error:
            raise Unavailable(f"{self.location}/{key}: {cause_of(error)}") from error
