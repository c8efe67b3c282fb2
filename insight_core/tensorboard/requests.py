"""What TensorBoard does around a plugin's WSGI application: experiment ids, the request's context, errors."""

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
    """``path`` without the part that names an experiment."""
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
    """A refusal, in plain text as TensorBoard's are."""
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache, must-revalidate"}
    said = text.encode(errors="backslashreplace")  # it may name what is no text
    return Response(said, status, headers, content_type="text/plain; charset=utf-8")
