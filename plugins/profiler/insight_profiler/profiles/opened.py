"""Resolves the profile of a request, and reports how much of it has been read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from attrs import asdict, frozen
from cachetools import LRUCache
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import (
    NotFound,
    PluginContext,
    ReasonKind,
    TooLarge,
    Unavailable,
    Undecodable,
)
from insight_core.plugin.http import choice, json_response, text
from insight_profiler.analysis.operators import sides_of
from insight_profiler.analysis.steps import rows_of
from insight_profiler.model import Note, Profile, Side
from insight_profiler.profiles.discovery import ProfileFiles
from insight_profiler.profiles.known import Profiles
from insight_profiler.profiles.reading import Look
from insight_profiler.profiles.storage import MAX_BYTES

MOST_BYTES = 64 << 20  # of an answer that is not streamed
_NOTHING = ReasonKind("profiler_nothing", "this profile has no {what}")
_LARGE = ReasonKind(
    "profiler_large",
    "the answer would have {size} MiB, more than {most}: ask for less of it with limit= and columns= "
    "(tables), or with from=, to=, tracks= and width= (the timeline)",
)
_UNREADABLE = ReasonKind("profiler_unreadable", "the profile {path!r} of run {run!r} cannot be read: {cause}")
_READING = ReasonKind("profiler_reading", "the profile {path!r} of run {run!r} is being read{share}")


@frozen(eq=False)
class Opened:
    """A profile as far as it was read."""

    profile: Profile
    version: int
    is_final: bool = True  # until the files change

    def table(self, name: str) -> Mapping[str, NDArray[Any]]:
        """The columns of a table. Raises NotFound if it is empty."""
        found = self.profile.tables.get(name)
        if found is None or not len(next(iter(found.values()))):
            raise nothing_of(name)
        return found

    def answer(self, values: Mapping[str, object]) -> Response:
        """A JSON answer with the version of the profile and whether reading is complete."""
        complete = self.profile.is_complete
        return self.kept(json_response({**values, "version": self.version, "complete": complete}))

    def kept(self, answer: Response) -> Response:
        """What is said while a profile is being read is not kept: it will change though the data do not.

        Raises TooLarge for what is not streamed; asking a streamed answer for its length makes all of it.
        """
        if not answer.is_streamed:
            check_size(answer.calculate_content_length() or 0)
        if not self.is_final:
            answer.cache_control.no_store = True
        return answer


def nothing_of(name: str) -> NotFound:
    """The error for a table or document that a profile does not have."""
    words = name.replace("_", " ")
    return NotFound(_NOTHING(what=words))


def check_size(size: int) -> None:
    """Raises TooLarge for an answer of more than ``MOST_BYTES``."""
    if size > MOST_BYTES:
        raise TooLarge(_LARGE(size=size >> 20, most=MOST_BYTES >> 20))


class Asked:
    """Finds what requests name; reading begins at the first that does."""

    def __init__(self, ctx: PluginContext) -> None:
        self._cache = ctx.cache_directory
        self.profiles = Profiles(ctx.data, most_bytes=min(MAX_BYTES, ctx.cache_size // 5 * 2))

    def opened_profile(self, run: str, path: str) -> Look:
        """A profile, as far as it was read. Raises NotFound."""
        return self.profiles.look(run, path, self._cache)

    def look(self, request: Request, run: str | None = None, path: str | None = None) -> Look:
        """The requested profile, as far as it was read. Raises InvalidArgument and NotFound."""
        if run is None or path is None:
            run, path = text(request, "run", required=True), text(request, "profile", required=True)
        return self.opened_profile(run, path)

    def rank(self, files: ProfileFiles, *, reads: bool = True) -> Look:
        """One of the ranks of a job, as far as it was read: ``profile`` is its summary."""
        return self.profiles.rank(files, self._cache, reads=reads)

    def opened(self, request: Request, prefix: str = "") -> Opened:
        """Raises Undecodable when the profile cannot be read, Unavailable while nothing of it has been."""
        run = text(request, f"{prefix}run", required=True)
        path = text(request, f"{prefix}profile", required=True)
        look = self.profiles.look(run, path, self._cache)
        if look.failure is not None:
            cause = look.failure.reason
            raise Undecodable(_UNREADABLE(run=run, path=path, cause=cause))
        if look.profile is None:
            share = f" ({look.read / look.total:.0%})" if look.total else ""
            raise Unavailable(_READING(run=run, path=path, share=share))
        return Opened(look.profile, look.version, look.state == "ready")


T = TypeVar("T")


class Recent(Generic[T]):
    """The last few things that were made of each profile, as long as the profile is there. For any thread."""

    def __init__(self, count: int = 16) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._made: WeakKeyDictionary[Profile, LRUCache[Hashable, T]] = WeakKeyDictionary()

    def get(self, profile: Profile, key: Hashable, make: Callable[[], T]) -> T:
        """The cached value of a profile and key, made by ``make`` if it is missing."""
        with self._lock:
            made = self._made.setdefault(profile, LRUCache(self._count))
            if key in made:
                return made[key]
        value = make()
        with self._lock:
            made[key] = value
        return value


def steps_of(request: Request, profile: Profile) -> NDArray[np.intp] | None:
    """The rows of the steps that ``steps=`` names, None for all."""
    return rows_of(profile, request.args.get("steps"))


def steps_of_runs(request: Request, profile: Profile) -> NDArray[np.intp] | None:
    """The same for what ran in them: where the log has only sums, these are of all steps always."""
    steps = steps_of(request, profile)
    return steps if "slices" in profile.tables else None


def side_of_request(request: Request, profile: Profile) -> Side:
    """The side that a request names, or else the device if it is known."""
    sides = sides_of(profile)
    names = [side.name.lower() for side in reversed(sides)]
    first = names[0] if names else "host"
    return Side[choice(request, "side", (first, "device" if first == "host" else "host")).upper()]


def described(note: Note) -> dict[str, Any]:
    """A note as a JSON object: code, values, text."""
    return asdict(note)
