"""A mock of S3 (moto) in this process, with a delay before each answer, and a count of requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field
from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open, as those to a real store

    def log_request(self, *_: object) -> None:
        """Prints nothing."""


@define(eq=False)
class Bucket:
    """The mock: ``environment`` has a client find it, ``requests`` has (method, path, status) of each."""

    url: str
    application: WSGIApplication
    delay: float = 0.0  # seconds before each answer
    fails: Callable[[str, str], bool] = lambda method, path: False  # is answered 503
    requests: list[tuple[str, str, int]] = field(factory=list)

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the usual environment."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Any:  # noqa: ANN401
        """Answers a request."""
        time.sleep(self.delay)
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if self.fails(method, path):
            self.requests.append((method, path, 503))
            start_response("503 Slow Down", [("Content-Length", "0")])
            return []

        def start(status: str, *rest: Any) -> Any:  # noqa: ANN401
            self.requests.append((method, path, int(status.partition(" ")[0])))
            return start_response(status, *rest)

        return self.application(environ, start)


@contextmanager
def bucket(*names: str) -> Iterator[Bucket]:
    """A mock with empty buckets of these names."""
    from moto.backends import get_backend
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    application = DomainDispatcherApplication(create_backend_app)
    found = Bucket("", application)
    server = make_server("127.0.0.1", 0, found, threaded=True, request_handler=_Silent)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    backend = get_backend("s3")["123456789012"]["aws"]
    for name in names:
        backend.create_bucket(name, "us-east-1")
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        backend.reset()
