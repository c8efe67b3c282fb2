"""Requests as TensorBoard passes them to plugins: experiment ids, feature flags, errors as answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

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
