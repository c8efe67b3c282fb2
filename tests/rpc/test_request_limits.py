"""Limits of a data server: requests, metadata, calls at a time, bytes that are not a message."""

from __future__ import annotations

import logging
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from insight_core.plugin.data import NotComputed, SeriesKey
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.rpc.schema.services import INSIGHT, LARGEST_REQUEST
from insight_core.rpc.serving import serve
from tests.rpc.conftest import Connect
from tests.waiting import PATIENCE, eventually

MB = 1 << 20
RUNS = f"/{INSIGHT}/Runs"


@pytest.fixture
def channel(connect: Connect) -> grpc.Channel:
    return connect(FakeProvider()).channel


def code_of(channel: grpc.Channel, data: bytes, method: str = RUNS, **more: Any) -> str:  # noqa: ANN401
    ask: Any = channel.unary_stream(method, None, None)
    try:
        list(ask(data, timeout=PATIENCE, **more))
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def field(size: int) -> bytes:
    """A message that has one unknown field of this many bytes."""
    length = bytearray()
    left = size
    while left > 127:
        length.append(left & 127 | 128)
        left >>= 7
    return b"\xfa\x01" + bytes([*length, left]) + b"x" * size


def test_requests_beyond_the_limit_are_refused(channel: grpc.Channel) -> None:
    assert code_of(channel, field(LARGEST_REQUEST - 100)) == "OK"
    assert code_of(channel, field(LARGEST_REQUEST)) == "RESOURCE_EXHAUSTED"


def test_large_requests_are_not_held_in_memory(tmp_path: Path) -> None:
    """Eight requests of 120 MB at once; the memory of the server tells whether it kept any."""
    port_file = tmp_path / "port"
    flags = [f"--logdir={tmp_path}", "--port=0", f"--port-file={port_file}", "--no-cache"]
    server = subprocess.Popen([sys.executable, "-m", "insight_core.cli.data_server", *flags])
    try:
        eventually(port_file.exists)
        address = f"localhost:{port_file.read_text().strip()}"
        data = field(120 * MB)
        codes: list[str] = []

        def ask() -> None:
            with grpc.insecure_channel(address, [("grpc.max_send_message_length", -1)]) as channel:
                codes.append(code_of(channel, data))

        with grpc.insecure_channel(address) as channel:
            assert code_of(channel, b"") == "OK"
        before = peak_memory(server.pid)
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert codes == ["RESOURCE_EXHAUSTED"] * 8
        assert peak_memory(server.pid) - before < 32 * MB
    finally:
        server.kill()
        server.wait()


def peak_memory(pid: int) -> int:
    """Bytes; VmHWM of Linux."""
    if not Path("/proc/self/status").exists():
        pytest.skip(f"no /proc on this system (page size {resource.getpagesize()})")
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [peak] = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(peak) * 1024


def test_bytes_that_are_no_message_are_one_line_for_debugging(
    channel: grpc.Channel, caplog: pytest.LogCaptureFixture
) -> None:
    for method in (
        RUNS,
        "/tensorboard.data.TensorBoardDataProvider/ListRuns",
        "/grpc.health.v1.Health/Check",
    ):
        caplog.clear()
        with caplog.at_level(logging.DEBUG):
            assert code_of(channel, b"\xff\xff\xff", method) == "INTERNAL"
        [record] = [each for each in caplog.records if each.name != "asyncio"]
        assert (record.levelno, record.exc_info) == (logging.DEBUG, None)
        assert record.getMessage().startswith(f"{method}: a request of 3 bytes is not a message")
    assert code_of(channel, b"") == "OK"


def test_bytes_that_are_no_message_leave_no_stream_open(channel: grpc.Channel) -> None:
    for method in (RUNS, f"/{INSIGHT}/Info", "/grpc.health.v1.Health/Check"):
        assert {code_of(channel, b"\xff\xff\xff", method) for _ in range(150)} == {"INTERNAL"}
    assert code_of(channel, b"") == "OK"


def test_large_metadata_are_refused(channel: grpc.Channel) -> None:
    assert code_of(channel, b"", metadata=(("x-note", "a" * 4000),)) == "OK"
    assert code_of(channel, b"", metadata=(("x-note", "a" * 64_000),)) == "RESOURCE_EXHAUSTED"


class _Held(FakeProvider):
    """Its list of runs comes when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def runs(self) -> Any:  # noqa: ANN401
        self.go.wait(PATIENCE)
        return super().runs()


def test_calls_beyond_the_limit_are_refused_and_later_ones_answered(connect: Connect) -> None:
    provider = _Held()
    address = f"127.0.0.1:{serving_port(connect, provider)}"
    channels = [grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) for _ in range(4)]
    try:
        calls: list[Any] = []
        for channel in channels:
            ask: Any = channel.unary_stream(RUNS, None, None)
            calls += [ask(b"", timeout=PATIENCE) for _ in range(100)]
        eventually(lambda: any(call.done() for call in calls))
        provider.go.set()
        codes = [_outcome(call) for call in calls]
        assert set(codes) == {"OK", "RESOURCE_EXHAUSTED"}
        assert codes.count("OK") >= 256
        assert code_of(channels[0], b"") == "OK"
    finally:
        provider.go.set()
        for channel in channels:
            channel.close()


def _outcome(call: Any) -> str:  # noqa: ANN401
    try:
        list(call)
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def serving_port(connect: Connect, provider: FakeProvider) -> int:
    return connect(provider).port


@pytest.fixture
def asked() -> Iterator[tuple[FakeProvider, Callable[[], InsightProvider]]]:
    fake = FakeProvider()
    server = serve(fake, "127.0.0.1", 0, version="1")
    provider = InsightProvider(Link(f"127.0.0.1:{server.port}"))
    yield fake, lambda: provider
    provider.close()
    server.stop()


def test_our_client_asks_for_any_number_of_names(
    asked: tuple[FakeProvider, Callable[[], InsightProvider]],
) -> None:
    fake, provider = asked
    fake.add_scalars("r", "loss", [1.0])
    names = ["r", *(f"{number:01000}" for number in range(10_000))]  # 10 MB
    assert [table.run for table in provider().series_tables("scalar", (), runs=names)] == ["r"]
    [table] = provider().series_tables("scalar", (), tags=["loss", *names])
    assert list(table.tags) == ["loss"]
    assert provider().series_tables("scalar", (), runs=[]) == []
    found = provider().scalars("scalar", [SeriesKey("r", "loss"), *(SeriesKey(name, "x") for name in names)])
    assert list(found) == [SeriesKey("r", "loss")]
    with pytest.raises(NotComputed, match="at most"):
        list(provider().compute("scalar", "cards", b"x" * (5 * MB)))


def test_connections_beyond_the_limit_are_closed(connect: Connect) -> None:
    port = connect(FakeProvider()).port
    with ExitStack() as opened:
        clients = []
        for _ in range(300):
            client = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")  # empty settings
            clients.append(client)
        answered = 0
        for client in clients:
            with suppress(ConnectionError):
                answered += bool(client.recv(1))
        assert answered <= 256
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        eventually(lambda: code_of(channel, b"") == "OK")
