"""Stable keys of runs, independent of how the host was started."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from attrs import frozen

ROOT = "."  # the run at the top of a logdir


@frozen
class Place:
    """Runs whose names start with ``prefix`` (all, if it is empty) are below ``location``.

    A location is the absolute path of a logdir, or the address of a data server.
    """

    prefix: str
    location: str


def key_of(places: Sequence[Place], run: str) -> str | None:
    """The annotation key of a run; None for a run outside all places."""
    for place in places:
        if not place.prefix:
            return place.location if run == ROOT else posixpath.join(place.location, run)
        if run == place.prefix:
            return place.location
        if run.startswith(f"{place.prefix}/"):
            return posixpath.join(place.location, run[len(place.prefix) + 1 :])
    return None


def runs_of(places: Sequence[Place], key: str) -> Iterator[str]:
    """The runs with this annotation key: several if logdirs overlap."""
    for place in places:
        base = place.location.rstrip("/") + "/"
        if key == place.location:
            yield place.prefix or ROOT
        elif key.startswith(base):
            yield posixpath.join(place.prefix, key[len(base) :])
