"""Computes an answer once for clients that ask the same, while the data stay the same or for some seconds."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from time import monotonic
from typing import Any, NamedTuple

from werkzeug import Request, Response
from werkzeug.datastructures import Headers

from insight_core.plugin.http import may_save
from insight_core.web.answers import compress
from insight_core.web.mounting import Endpoint
from insight_core.web.posted_query import as_get
from insight_core.web.watched_request import KEYED, WatchedRequest

MOST_BYTES = 32 << 20  # of all answers that are kept
LARGEST = 3 << 20  # bytes of one of them: a download takes no more memory for being shared
_MOST = 1024  # answers
_PATIENCE = 10.0  # seconds that a client waits for the computation of another one, before it begins its own
_OLDEST = 5.0  # seconds that answers of earlier data are kept for clients that know no later ones
_SHARE = 0.05  # of the time that a view with an age may take again and again
_KNOWN = "HTTP_X_INSIGHT_KNOWN"
_KEYED = sorted(KEYED - {"HTTP_IF_NONE_MATCH"})  # by which the host turns an answer into a 304


class Version(NamedTuple):
    """What an answer depends on besides the request: a generation of the data, and a text for the rest."""

    generation: int
    rest: str


def known_generation(request: Request, boot: str) -> int | None:
    """The generation of the data of which a client says that it knows no later one; None if it says nothing.

    ``boot`` names the process that counts generations.
    """
    name, _, number = request.environ.get(_KNOWN, "").rpartition("-")
    return int(number) if name == boot and re.fullmatch(r"[0-9]{1,18}", number) else None


class SharedAnswers:
    """Answers by what a view may read of a request, each of one version of the data.

    A client receives one of the version that it asks for, or of a later generation; where the route has an
    age, one that is no older, of whatever generation.

    An answer is shared if it is a whole 200, its view read nothing that says who asks (``WatchedRequest``),
    and its headers do not forbid it (``no-store``, ``private``, a ``Vary`` of other headers, cookies). Those
    who wait for a view that fails receive its error.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, SharedAnswer] = OrderedDict()
        self._personal: set[int] = set()  # endpoints whose answers depend on who asks; they live as the host

    def answer(
        self,
        request: Request,
        now: Version,
        endpoint: Endpoint,
        variables: Mapping[str, Any],
        known: int | None = None,
    ) -> tuple[Response, Version]:
        """The answer of an endpoint that follows the data, and its version. Raises what its view raises.

        ``known`` is the generation that the client knows, if an answer of earlier data is enough.
        """
        if request.method == "POST":
            request = as_get(request)
        if request.method != "GET" or id(endpoint) in self._personal:
            return endpoint.answer(request, variables), now
        key, least = _key(request), now.generation if known is None else min(known, now.generation)
        with self._lock:
            shared = self._kept.get(key)
            is_first = shared is None or not shared.serves(now.rest, least)
            if shared is None or is_first:
                self._forget_old(now)
                shared = self._kept[key] = SharedAnswer(now, endpoint.route.age, self._trim)
            self._kept.move_to_end(key)
        if not is_first:
            whole = shared.whole()
            return (endpoint.answer(request, variables), now) if whole is None else (whole, shared.version)
        watched = WatchedRequest(request.environ)
        try:
            answer = endpoint.answer(watched, variables)
        except BaseException as error:
            shared.fail(error)
            raise
        if watched.says_who_asks:
            self._personal.add(id(endpoint))
        if watched.says_who_asks or not _is_for_all(answer, may_be_partial=endpoint.route.age > 0):
            shared.fail()
            return answer, now
        return shared.begin(request, answer), now

    def _forget_old(self, now: Version) -> None:
        """Forgets answers of earlier data that no client will ask for any more. The lock is held."""
        for key in [key for key, one in self._kept.items() if one.version != now and one.is_old]:
            del self._kept[key]

    def _trim(self) -> None:
        """Forgets answers that failed or are too large, then those that nobody asked for lately."""
        with self._lock:
            for key in [key for key, shared in self._kept.items() if shared.is_lost]:
                del self._kept[key]
            size = sum(shared.size for shared in self._kept.values())
            while self._kept and (size > MOST_BYTES or len(self._kept) > _MOST):
                _, dropped = self._kept.popitem(last=False)
                size -= dropped.size


class SharedAnswer:
    """An answer that one client asked for first, and that is made while it or others need the next piece.

    The first client receives each piece as soon as it is made. All others wait until the answer is whole, so
    that a larger one need not be kept for clients of different speed: they then compute it themselves.
    """

    def __init__(self, version: Version, age: float, changed: Callable[[], None]) -> None:
        self.version = version
        self._age = age  # of the route
        self._since = monotonic()
        self._took = 0.0  # seconds of the view
        self.is_partial = False  # only those who wait for it receive it
        self.is_lost = False  # it failed, or is too large to be shared
        self.size = 0
        self._changed = changed
        self._begun = threading.Event()
        self._making = threading.RLock()  # held while the next piece is made
        self._answer: Response | None = None
        self._headers = Headers()  # of it, before it is finished for the first client: each gets a copy
        self._source: Iterator[bytes] | None = None  # None after the last piece
        self._pieces: list[bytes] = []
        self._error: BaseException | None = None
        self._waiting = 0  # clients that make pieces besides the first one

    @property
    def is_old(self) -> bool:
        """Whether no client will ask for this answer any more if there are later data."""
        oldest = max(self._age, self._took / _SHARE) if self._age else _OLDEST
        return self._begun.is_set() and monotonic() - self._since > oldest

    def serves(self, rest: str, generation: int) -> bool:
        """Whether a client may receive this answer if it asks for one of this generation or a later one."""
        is_new = not (self.is_partial or self.is_old) if self._age else self.version.generation >= generation
        return is_new and self.version.rest == rest

    def fail(self, error: BaseException | None = None) -> None:
        """Gives those who wait the error, or lets them compute the answer themselves."""
        self.is_lost, self._error = True, error or self._error
        self._begun.set()
        self._changed()

    def begin(self, request: Request, answer: Response) -> Response:
        """The answer of the first client."""
        self._took = monotonic() - self._since
        self.is_partial = answer.cache_control.no_store
        if not answer.is_streamed:
            compress(request, answer)
            self._pieces = [answer.get_data()]
            self.size = len(self._pieces[0])
            self._answer, self._headers = answer, Headers(answer.headers)
            if self.size > LARGEST:
                self.is_lost = True
            self._begun.set()
            self._changed()
            return answer
        self._source = answer.iter_encoded()
        self._answer, self._headers = answer, Headers(answer.headers)
        self._begun.set()
        first = Response(self._of_first(), answer.status, Headers(answer.headers))
        first.call_on_close(self._first_left)
        return first

    def whole(self) -> Response | None:
        """The answer for another client, when all of it is there; None if it cannot be shared.

        Raises what the view raised.
        """
        until = monotonic() + _PATIENCE
        if not self._begun.wait(_PATIENCE):
            return None
        if self._answer is None or self.is_lost:
            if self._error is not None:
                raise self._error
            return None
        self._waiting += 1
        try:
            while self._source is not None and not self.is_lost:
                if not self._making.acquire(timeout=max(0.0, until - monotonic())):
                    return None
                try:
                    self._make()
                finally:
                    self._making.release()
        finally:
            self._waiting -= 1
        if self._error is not None:
            raise self._error
        if self.is_lost:
            return None
        return Response(b"".join(self._pieces), self._answer.status, Headers(self._headers))

    def _make(self) -> None:
        """Makes the next piece, if there is one and it is to be kept. The lock is held."""
        if self._source is None or self.is_lost:
            return
        try:
            piece = next(self._source, None)
        except BaseException as error:
            self._error = error
            self._end()
            self.fail()
            return
        if piece is None:
            self._end()
            self._changed()
            return
        self._pieces.append(piece)
        self.size += len(piece)
        if self.size > LARGEST:
            self.fail()

    def _of_first(self) -> Iterator[bytes]:
        place = 0
        while True:
            with self._making:
                if place == len(self._pieces):
                    self._make()
                if place < len(self._pieces):
                    piece = self._pieces[place]
                    if self.is_lost:
                        self._pieces[place] = b""  # nobody else needs it
                    place += 1
                elif self._error is not None:
                    raise self._error
                elif self._source is None:
                    return
                else:
                    break
            yield piece
        yield from self._source

    def _first_left(self) -> None:
        """The first client has everything, or went. Others who wait make the rest themselves."""
        with self._making:
            if self._source is not None and not self._waiting:
                self._end()
                self.fail()

    def _end(self) -> None:
        self._source = None
        if self._answer is not None:
            self._answer.close()


def _key(request: Request) -> Hashable:
    """Everything of a request that a view may read without saying who asks."""
    environ = request.environ
    query = hashlib.blake2b(request.query_string, digest_size=16).digest()
    return (request.root_path, request.path, query, may_save(request), *map(environ.get, _KEYED))


def _is_for_all(answer: Response, *, may_be_partial: bool) -> bool:
    control = answer.cache_control
    varies = {f"HTTP_{name.upper().replace('-', '_')}" for name in answer.vary}
    return (
        answer.status_code == 200
        and varies <= KEYED
        and (may_be_partial or not control.no_store)
        and not (control.private or "Set-Cookie" in answer.headers)
        and not answer.direct_passthrough
        and answer.mimetype != "text/event-stream"
    )
