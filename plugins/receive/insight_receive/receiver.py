"""Answers senders: how long a file is here, and what they append to it."""

from __future__ import annotations

import logging
import re
import secrets
import threading
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug import Request, Response

from insight_core.plugin import InsightError, encode_json
from insight_receive.directory import ReceivedFiles
from insight_receive.errors import NotReceived
from insight_receive.usage import Usage
from insight_record.sending.names import BEFORE, COMPLETE, DIGEST, OFFSET, PIECE, digest, is_sent, path_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger(__name__)

_FILES = "files/"
_AT_ONCE = 8  # requests that read or write files
_WAITS = 10.0  # seconds that others wait for their turn
_LARGEST = PIECE  # bytes of a request
_NUMBER = re.compile(r"[0-9]{1,18}")


class Receiver:
    """The WSGI application at ``/receive/``. Whoever has the token may append, and nothing else."""

    def __init__(self, root: str, token: str, directory: Path, quota: int, run_quota: int) -> None:
        self._root, self._token = root, token.encode()
        self._files = ReceivedFiles(directory, Usage(directory, quota, run_quota))
        self._turns = threading.BoundedSemaphore(_AT_ONCE)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = self._answer(Request(environ))
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer(environ, start_response)

    def _answer(self, request: Request) -> Response:
        try:
            if not self._has_token(request):
                raise NotReceived("senders need the token that this host printed for --receive", 401, "token")
            length = self._done(request)
        except InsightError as error:
            answer = _json({"error": str(error), "code": error.code, "details": error.details}, error.status)
            if isinstance(here := error.details.get("length"), int):
                answer.headers[OFFSET] = str(here)
            if error.status == 401:
                answer.headers["WWW-Authenticate"] = 'Bearer realm="insight-host receive"'
            if error.status == 503:
                answer.headers["Retry-After"] = "1"
            return answer
        except Exception:
            log.exception("a sender could not be answered")
            return _json({"error": "the log of the host says why this failed", "code": "failed"}, 500)
        answer = _json({"length": length}, 200)
        answer.headers[OFFSET] = str(length)
        return answer

    def _has_token(self, request: Request) -> bool:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        is_same = secrets.compare_digest(given.strip().encode("utf-8", "surrogateescape"), self._token)
        return is_same and scheme.lower() == "bearer"

    def _done(self, request: Request) -> int:
        """The length of the file after the request."""
        parts = self._parts(request)
        if request.method not in ("GET", "HEAD", "PATCH"):
            raise NotReceived("files are asked for (GET) and appended to (PATCH)", 405, "method")
        with self._turn():
            if request.method != "PATCH":
                return self._files.length(parts)
            size = request.content_length
            if size is not None and size > _LARGEST:
                raise NotReceived(f"a request has at most {_LARGEST} bytes", 413, "piece")
            data = request.stream.read(_LARGEST + 1)
            if len(data) > _LARGEST:
                raise NotReceived(f"a request has at most {_LARGEST} bytes", 413, "piece")
            offset = request.headers.get(OFFSET, "")
            if not _NUMBER.fullmatch(offset):
                raise NotReceived(f"the field {OFFSET} must be a number of bytes", 400, "request")
            if not secrets.compare_digest(request.headers.get(DIGEST, ""), digest(data)):
                raise NotReceived(f"the bytes are not those of the field {DIGEST}", 400, "digest")
            before = request.headers.get(BEFORE, "")
            is_complete = request.headers.get(COMPLETE) == "?1"
            return self._files.append(parts, int(offset), data, before, is_complete=is_complete)

    def _parts(self, request: Request) -> tuple[str, ...]:
        path = str(request.environ.get("PATH_INFO", ""))[len(self._root) :]
        if not path.startswith(_FILES):
            raise NotReceived(f"there is nothing here but {self._root}{_FILES}", 404, "unknown")
        try:
            parts = path_parts(path[len(_FILES) :].encode("latin1").decode("utf-8"))
        except UnicodeDecodeError:
            raise NotReceived("the path is not UTF-8", 400, "name") from None
        except ValueError as error:
            raise NotReceived(str(error), 400, "name") from None
        if len(parts) < 2 or not is_sent(parts[-1]):
            raise NotReceived(
                "a path is that of an event file, or of JSON lines, in the directory of a run", 400, "name"
            )
        return parts

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=_WAITS):
            raise NotReceived("too many senders at once", 503, "busy")
        try:
            yield
        finally:
            self._turns.release()


def _json(value: object, status: int) -> Response:
    return Response(encode_json(value), status, mimetype="application/json")
