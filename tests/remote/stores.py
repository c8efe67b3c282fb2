"""S3 by moto, which stands for Google's XML interface too: a server that counts, delays, refuses and cuts."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import obstore
import pytest
from attrs import Factory, define
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from obstore.store import from_url
from werkzeug.serving import make_server

BUCKET = "logs"
_ANYBODY = "AWS4-HMAC-SHA256 Credential=nobody/20260101/us-east-1/s3/aws4_request, SignedHeaders=, Signature="
_REFUSAL = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"


@define
class S3Server:
    """S3 in this process, on a port of its own. ``faults`` are for the next requests that read.

    A fault is ``503``, ``expired``, ``cut`` (an answer that ends early) or empty for none.
    """

    url: str = ""
    lists: int = 0
    reads: int = 0
    sent: int = 0  # bytes of objects
    latency: float = 0.0  # seconds
    faults: list[str] = Factory(list)
    always: str = ""  # a fault of every request
    _lock: Any = Factory(threading.Lock)
    _app: Any = Factory(lambda: DomainDispatcherApplication(create_backend_app))

    def reset_counts(self) -> None:
        self.lists = self.reads = self.sent = 0

    def reset(self) -> None:
        self.reset_counts()
        self.latency, self.faults, self.always = 0.0, [], ""

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        environ.setdefault("HTTP_AUTHORIZATION", _ANYBODY)  # moto does not check signatures, but wants one
        if environ["REQUEST_METHOD"] != "GET":
            return self._app(environ, start)  # type: ignore[no-any-return]
        is_list = "list-type" in environ.get("QUERY_STRING", "")
        with self._lock:
            self.lists += is_list
            self.reads += not is_list
            fault = self.always or (self.faults.pop(0) if self.faults else "")
        time.sleep(self.latency)
        if fault == "503":
            start("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        if fault == "expired":
            start("400 Bad Request", [("Content-Length", str(len(_REFUSAL)))])
            return [_REFUSAL]
        body = b"".join(self._app(environ, start))
        with self._lock:
            self.sent += 0 if is_list else len(body)
        return [body[: len(body) // 2] if fault == "cut" else body]


class _Handler(MotoRequestHandler):
    def log_request(self, *_: object) -> None:
        pass

    def log(self, *_: object) -> None:  # answers that are cut are expected
        pass


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Listens; the environment leads S3 and Google Cloud Storage to it."""
    app = S3Server()
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    app.url = f"http://127.0.0.1:{server.server_port}"
    service_account = {"gcs_base_url": app.url, "disable_oauth": True}
    service_account |= dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        patch.setenv("AWS_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", app.url)
        patch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", json.dumps(service_account))
        yield app
    server.shutdown()
    thread.join()
    server.server_close()


class Bucket:
    """A prefix of the bucket, to write to; ``location`` is what a host opens."""

    def __init__(self, prefix: str) -> None:
        self.location = f"s3://{BUCKET}/{prefix}"
        client: Any = {"allow_http": True}
        self._store = from_url(self.location, client_options=client)

    @staticmethod
    def create(server: S3Server) -> None:
        """Creates the bucket."""
        request = Request(f"{server.url}/{BUCKET}", method="PUT", headers={"Authorization": _ANYBODY})
        urlopen(request).close()

    def put(self, path: str, data: bytes) -> None:
        obstore.put(self._store, path, io.BytesIO(data), use_multipart=False)

    def put_tree(self, root: Path) -> None:
        for path in root.rglob("*"):
            if path.is_file():
                self.put(path.relative_to(root).as_posix(), path.read_bytes())

    def delete(self, path: str) -> None:
        obstore.delete(self._store, path)

    @contextmanager
    def following(self, root: Path) -> Iterator[None]:
        """Has what ``root`` has, now and, by a thread, while it changes."""
        uploaded: dict[str, tuple[int, int]] = {}

        def upload() -> None:
            found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
            for name, path in found.items():
                version = path.stat().st_size, path.stat().st_mtime_ns
                if uploaded.get(name) != version:
                    self.put(name, path.read_bytes())
                    uploaded[name] = version
            for name in uploaded.keys() - found:
                self.delete(name)
                del uploaded[name]

        def repeat() -> None:
            while not ended.wait(0.02):
                with suppress(OSError):  # a file that was deleted meanwhile
                    upload()

        ended = threading.Event()
        upload()
        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        yield
        ended.set()
        thread.join()
