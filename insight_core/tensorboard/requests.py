"""What TensorBoard does around a plugin's WSGI application: experiment ids, the request's context, errors."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorboard import context as contexts
from tensorboard import errors
from werkzeug import Request, Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_EXPERIMENT_ID = "HTTP_TENSORBOARD_EXPERIMENT_ID"  # also how a header of a client appears
_EXPERIMENT = re.compile(r"/experiment/([^/]*)")
_FLAGS_HEADER, _FLAGS_PARAMETER = "X-TensorBoard-Feature-Flags", "tensorBoardFeatureFlags"


def path_in_experiment(path: str) -> str:
    """``path`` without the part that names an experiment."""
    named = _EXPERIMENT.match(path)
    return path if named is None else path[named.end() :]


def as_tensorboard_asks(app: WSGIApplication) -> WSGIApplication:
    """``app`` with the environment that it has in TensorBoard, its PublicErrors made answers."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ = dict(environ)
        try:
            _name_experiment(environ)
            _add_context(environ)
            return app(environ, start_response)
        except errors.PublicError as error:
            refusal = text_answer(str(error), error.http_code)
            refusal.headers.extend(error.headers)
            return refusal(environ, start_response)

    return answer


def text_answer(text: str, status: int) -> Response:
    """A refusal, in plain text as TensorBoard's are."""
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache, must-revalidate"}
    said = text.encode(errors="backslashreplace")  # it may name what is no text
    return Response(said, status, headers, content_type="text/plain; charset=utf-8")


def _name_experiment(environ: WSGIEnvironment) -> None:
    if _EXPERIMENT_ID in environ:
        return
    path = environ.get("PATH_INFO", "")
    named = _EXPERIMENT.match(path)
    environ[_EXPERIMENT_ID] = named[1] if named is not None else ""
    if named is not None:
        environ["PATH_INFO"] = path[named.end() :]
        environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + named[0]


def _add_context(environ: WSGIEnvironment) -> None:
    request = Request(environ)
    flags = {
        **_feature_flags(request.args.get(_FLAGS_PARAMETER), _FLAGS_PARAMETER),
        **_feature_flags(request.headers.get(_FLAGS_HEADER), _FLAGS_HEADER),
    }
    forwarded = [_address(text) for text in request.headers.get("X-Forwarded-For", "").split(",")]
    context = contexts.RequestContext(
        remote_ip=_address(request.remote_addr or ""),
        x_forwarded_for=tuple(address for address in forwarded if address is not None),
        client_feature_flags=flags,
    )
    contexts.set_in_environ(environ, context)


def _feature_flags(text: str | None, name: str) -> Mapping[str, Any]:
    if not text:
        return {}
    try:
        flags = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.InvalidArgumentError(f"{name} cannot be JSON decoded.") from error
    if not isinstance(flags, dict):
        raise errors.InvalidArgumentError(f"{name} cannot be decoded to a dict.")
    return flags


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.strip())
    except ValueError:
        return None
