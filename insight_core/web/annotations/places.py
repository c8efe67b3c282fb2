"""Where runs are, in words that stay the same however a host is started."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from attrs import frozen

ROOT = "."  # the run at the top of a logdir


@frozen
class Place:
    """Runs whose names begin with ``prefix`` (all, where it is empty) are below ``location``.

    A location is the absolute path of a logdir, or says which server has the data.
    """

    prefix: str
    location: str


def key_of(places: Sequence[Place], run: str) -> str | None:
    """By what annotations of a run are kept; None for a run that is in none of the places."""
    for place in places:
        if not place.prefix:
            return place.location if run == ROOT else posixpath.join(place.location, run)
        if run == place.prefix:
            return place.location
        if run.startswith(f"{place.prefix}/"):
            return posixpath.join(place.location, run[len(place.prefix) + 1 :])
    return None


def runs_of(places: Sequence[Place], key: str) -> Iterator[str]:
    """The runs whose annotations are kept by ``key``: several, where logdirs lie within each other."""
    for place in places:
        base = place.location.rstrip("/") + "/"
        if key == place.location:
            yield place.prefix or ROOT
        elif key.startswith(base):
            yield posixpath.join(place.prefix, key[len(base) :])
