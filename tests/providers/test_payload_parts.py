"""Parts of payloads: what is asked for is what a data server reads and sends."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import grpc
import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import FileName, InsightError, Plugin, RecordDecoder, hookimpl
from insight_core.plugin.data import SeriesKey
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.rpc.insight_service import InsightService
from insight_core.rpc.schema import insight_data_pb2 as messages
from insight_core.rpc.serving import serve
from insight_core.web import Host
from tests.waiting import eventually

SIZE = 20_000_000
KEY = SeriesKey(".", "a.bin")
PLUGIN = Plugin("files", "Files", decoder=RecordDecoder({FileName("*.bin")}))


class _Files:
    @hookimpl
    def insight_plugin(self) -> Plugin:
        return PLUGIN


class Counting:
    """Passes connections on to a port of this machine; ``received`` counts the bytes that come back."""

    def __init__(self, port: int) -> None:
        self.received = 0
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        with suppress(OSError), source, sink:
            while data := source.recv(1 << 16):
                if counted:
                    self.received += len(data)
                sink.sendall(data)


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    data = os.urandom(SIZE)
    (tmp_path / "a.bin").write_bytes(data)
    return data


@pytest.fixture
def counted(content: bytes, tmp_path: Path) -> Iterator[tuple[Counting, InsightProvider]]:
    """A client of a data server that has the file, and the bytes that it receives."""
    with ExitStack() as opened:
        local = LocalProvider([Logdir(str(tmp_path))], [PLUGIN], reload_interval=0)
        opened.callback(local.close)
        local.load()
        server = serve(local, "127.0.0.1", 0, version="test")
        opened.callback(server.stop)
        between = Counting(server.port)
        opened.callback(between.close)
        client = InsightProvider(Link(f"127.0.0.1:{between.port}"))
        opened.callback(client.close)
        client.start()
        eventually(client.generation)
        yield between, client


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=-100000", SIZE - 100_000, SIZE), ("bytes=15000000-15099999", 15_000_000, 15_100_000)],
)
def test_a_range_over_grpc_moves_only_what_was_asked_for(
    content: bytes, counted: tuple[Counting, InsightProvider], asked: str, start: int, end: int
) -> None:
    between, provider = counted
    client = Client(Host(Registry.of([("files", partial(_Files))]), provider))
    path = "/data/plugin/files/blob?run=.&tag=a.bin&index=0"
    assert client.get(path, headers={"Range": "bytes=0-0"}).data == content[:1]
    before = between.received
    answer = client.get(path, headers={"Range": asked})
    assert (answer.status_code, answer.data) == (206, content[start:end])
    assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/{SIZE}"
    assert 100_000 < between.received - before < 120_000
    beyond = client.get(path, headers={"Range": f"bytes={SIZE}-"})
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{SIZE}")
    assert client.get(path).data == content


def test_the_size_of_a_file_is_told_without_its_bytes(
    content: bytes, counted: tuple[Counting, InsightProvider]
) -> None:
    between, provider = counted
    before = between.received
    with provider.open_payload("files", KEY, 0, length=0) as stream:
        assert (stream.size, stream.file.read()) == (SIZE, b"")
    assert between.received - before < 10_000


def test_a_server_that_knows_no_parts_is_not_believed(
    content: bytes, counted: tuple[Counting, InsightProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = InsightService.Payload

    def answer_as_before(
        service: InsightService, request: messages.PayloadRequest, context: grpc.ServicerContext
    ) -> Iterator[messages.PayloadResponse]:
        request.ClearField("offset")
        request.ClearField("length")
        for part in answer(service, request, context):
            part.ClearField("whole")
            yield part

    monkeypatch.setattr(InsightService, "Payload", answer_as_before)
    with ExitStack() as opened:
        server = serve(counted[1], "127.0.0.1", 0, version="old")
        opened.callback(server.stop)
        client = InsightProvider(Link(f"127.0.0.1:{server.port}"))
        opened.callback(client.close)
        with client.open_payload("files", KEY, 0) as stream:
            assert (stream.size, stream.file.read()) == (SIZE, content)
        with pytest.raises(InsightError, match="update it"):
            client.open_payload("files", KEY, 0, offset=5)
