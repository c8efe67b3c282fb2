"""Opens the objects of a lake by its location."""

from __future__ import annotations

from insight_core.plugin import InvalidArgument
from insight_lake.directory import DirectoryStore
from insight_lake.objects import ObjectStore


def open_store(location: str, *, create: bool = False) -> ObjectStore:
    """The objects in a directory, or at a URL such as ``s3://bucket/prefix``.

    ``create`` makes a directory that does not exist. Raises InvalidArgument for anything else.
    """
    if not location:
        raise InvalidArgument("name a lake: lake:DIR or lake:s3://BUCKET/PREFIX")
    if "://" in location and not location.startswith("file://"):
        from insight_lake.bucket import BucketStore  # imports obstore

        return BucketStore(location)
    return DirectoryStore(location.removeprefix("file://"), create=create)
