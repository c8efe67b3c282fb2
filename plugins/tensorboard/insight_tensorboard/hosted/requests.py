"""Requests as TensorBoard passes them to plugins, and answers with as many points as its page can show."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from attrs import frozen
from tensorboard import errors
from tensorboard.backend.client_feature_flags import ClientFeatureFlagsMiddleware
from tensorboard.backend.experiment_id import ExperimentIdMiddleware
from werkzeug import Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_EXPERIMENT = re.compile(r"/experiment/([^/]*)")


def path_in_experiment(path: str) -> str:
    """``path`` without the prefix ``/experiment/ID``."""
    named = _EXPERIMENT.match(path)
    return path if named is None else path[named.end() :]


def as_tensorboard_asks(app: WSGIApplication) -> WSGIApplication:
    """``app`` with the environment that it has in TensorBoard; its PublicErrors become answers."""
    wrapped = ExperimentIdMiddleware(ClientFeatureFlagsMiddleware(app))

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return cast("Iterable[bytes]", wrapped(dict(environ), start_response))
        except errors.PublicError as error:
            refusal = text_answer(str(error), error.http_code)
            refusal.headers.extend(error.headers)
            return refusal(environ, start_response)
        except RecursionError:  # TensorBoard's middleware expects JSON that is not nested as deeply
            return text_answer("The feature flags cannot be JSON decoded.", 400)(environ, start_response)

    return answer


def text_answer(text: str, status: int) -> Response:
    """An error as plain text, as TensorBoard sends it."""
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache, must-revalidate"}
    said = text.encode(errors="backslashreplace")  # names of runs may be no valid Unicode
    return Response(said, status, headers, content_type="text/plain; charset=utf-8")


@frozen
class Budget:
    """At most ``points`` in an answer, but at least ``of_each`` of a series, as many as TensorBoard shows."""

    points: int
    of_each: int

    def limit(self, counts: Sequence[int]) -> int | None:
        """The largest number of points of each series within the budget; ``counts`` are those of the series.

        None means all. A count is 0 if it is unknown: then TensorBoard's data server has sampled already.
        """
        if sum(counts) <= self.points:
            return None
        ascending = np.sort(np.asarray(counts, np.int64))
        shorter = np.cumsum(ascending) - ascending  # points of all shorter series, which are shown whole
        room = (self.points - shorter) // np.arange(len(ascending), 0, -1)
        return max(int(room[np.argmax(room < ascending)]), self.of_each)


# TensorBoard creates a Python object for each point; its page needs about a second for these.
SCALARS = Budget(100_000, 1000)
TENSORS = Budget(1000, 100)


class Sampled:
    """Records which answers were sampled, for the page to say so; ``changed`` is called for the first."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._of: dict[str, tuple[int, int]] = {}

    def note(self, plugin: str, shown: int, points: int) -> None:
        """Notes that ``plugin`` (TensorBoard's name) was sent ``shown`` of ``points`` points of a series."""
        with self._lock:
            known = self._of.get(plugin)
            least, most = known or (shown, points)
            self._of[plugin] = min(shown, least), max(points, most)
        if known is None:
            self._changed()

    def __call__(self) -> Mapping[str, Mapping[str, int]]:
        """By plugin, the fewest points shown of a series, and the length of the longest series."""
        with self._lock:
            return {name: {"shown": shown, "points": points} for name, (shown, points) in self._of.items()}
