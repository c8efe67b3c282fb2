"""Hosts that receive runs, and a client that appends to their files byte by byte."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import insight_receive
from insight_receive.starting import received
from werkzeug import Response
from werkzeug.test import Client, TestResponse

from benchmarks.processes import free_port
from insight_core.plugin import AppSettings
from insight_core.web.http_server import Server, listen
from insight_record.sending.names import BLOCK, digest

TOKEN = "sender-token-0123456789"
FILE = "/receive/files/a/events.out.tfevents.1.host.1"
BEARER = {"Authorization": f"Bearer {TOKEN}"}

Send = Callable[..., TestResponse]


def receiving(place: Path, **options: object) -> Any:  # noqa: ANN401
    """The WSGI application of a host that receives into ``place``."""
    token = place.parent / "sender.token"
    token.touch(mode=0o600)
    token.write_text(TOKEN)
    given = {one.key: one.default for one in insight_receive.insight_options()}
    given |= {"receive": str(place), "receive_token_file": str(token), **options}
    prefix = str(given.pop("prefix", ""))
    return received(Response("the host"), AppSettings(options=given, path_prefix=prefix))


def fields_of(data: bytes, offset: object = 0, before: bytes = b"") -> dict[str, str]:
    """The header fields of an append."""
    return {
        **BEARER,
        "Upload-Offset": str(offset),
        "Content-Digest": digest(data),
        "Insight-Before": digest(before[-BLOCK:]),
    }


def sender(app: Any) -> Send:  # noqa: ANN401
    """Appends bytes: ``send(data, offset, bytes before it, path=..., Upload_Complete=...)``."""
    client = Client(app)

    def send(
        data: bytes, offset: object = 0, before: bytes = b"", path: str = FILE, **fields: str
    ) -> TestResponse:
        given = fields_of(data, offset, before) | {key.replace("_", "-"): fields[key] for key in fields}
        return client.patch(path, data=data, headers=given)

    return send


def code_of(answer: TestResponse) -> tuple[int, str]:
    """Status and code of an error."""
    assert answer.json is not None
    return answer.status_code, answer.json["code"]


def written(place: Path) -> dict[str, bytes]:
    """The files below a directory and their bytes."""
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


class Receivers:
    """Receiving servers at one port, which can be stopped and started again."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._port = free_port()
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address, also while none listens."""
        return f"http://127.0.0.1:{self._port}"

    def start(self, **options: object) -> str:
        """Listens with these flags; returns the address."""
        self._server = listen(receiving(self.place, **options), "127.0.0.1", self._port)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self.url

    def stop(self) -> None:
        """Stops to listen."""
        if self._server is not None and self._thread is not None:
            self._server.stop()
            self._thread.join()
            self._server = None
