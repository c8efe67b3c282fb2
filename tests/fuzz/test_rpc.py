"""Requests to every method of the gRPC server: made up, changed, and bytes that are not a message."""

from __future__ import annotations

import logging
import random
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from insight_tensorboard.service import services

from insight_core.plugin.data import DataProvider
from insight_core.rpc.schema.pool import POOL
from insight_core.rpc.schema.services import INSIGHT, MESSAGE_OPTIONS, TENSORBOARD
from insight_core.rpc.serving import Protection, serve
from tests.fuzz.decoders import LOGS
from tests.fuzz.hosts import loaded_host
from tests.fuzz.mutants import changed, write_mutants
from tests.support.damaged_logdir import damaged_logdir
from tests.waiting import PATIENCE

_WAIT = 0.05  # seconds of one call that waits for changes
_CONNECTIONS = 60  # at a time; the server takes 256
_EXPECTED = {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "DATA_LOSS", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"}
_NUMBERS = (0, 1, 2, 7, 1000, 2**31 - 1, 2**31)
_WORDS = ("", ".", "loss", "scalar", "no such", "\x00", "\u202e", "../..", "*", "a" * 5000)
_METHODS: Sequence[MethodDescriptor] = [
    method for service in (INSIGHT, TENSORBOARD) for method in POOL.FindServiceByName(service).methods
]


class _Server:
    """A channel to a server, and the names of its series: plugin, run and tag."""

    def __init__(self, provider: DataProvider, channel: grpc.Channel) -> None:
        self.channel = channel
        self.known = [
            {"plugin": str(name), "run": info.key.run, "tag": info.key.tag}
            for name in sorted(map(str, provider.plugins()))
            for info in provider.series(name)
        ]

    def status(self, method: MethodDescriptor, data: bytes, metadata: Sequence[tuple[str, Any]] = ()) -> str:
        """That of one call; a stream is read to its end or for a moment."""
        waits = method.name in ("Changes", "Watch")
        path = f"/{method.containing_service.full_name}/{method.name}"
        ask: Any = self.channel.unary_stream(path, None, None)
        try:
            for _ in ask(data, timeout=_WAIT if waits else PATIENCE, metadata=metadata):
                pass
        except grpc.RpcError as error:
            code = str(error.code().name)
            return "OK" if waits and code == "DEADLINE_EXCEEDED" else code
        return "OK"


@pytest.fixture(scope="module", params=["good", "damaged"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Server]:
    logs = LOGS
    if request.param == "damaged":
        logs = tmp_path_factory.mktemp("logs") / "logs"
        damaged_logdir(logs)
        list(write_mutants(logs, request.config.getoption("--fuzz-mutants"), 2))
    with ExitStack() as opened:
        _, provider = opened.enter_context(loaded_host(Path(logs)))
        serving = serve(
            provider, "127.0.0.1", 0, version="1", protection=Protection(), services=services(provider)
        )
        opened.callback(serving.stop)
        channel = opened.enter_context(
            grpc.insecure_channel(f"127.0.0.1:{serving.port}", options=MESSAGE_OPTIONS)
        )
        yield _Server(provider, channel)


def _filled(
    message: Message, known: Sequence[Mapping[str, str]], chance: random.Random, depth: int = 0
) -> Message:
    """The message with some fields set, most names those of one series of the server."""
    names = chance.choice(known)
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.15:
            continue
        values = [
            _value(field, names, known, chance, depth)
            for _ in range(chance.randint(0, 3) if field.is_repeated else 1)
        ]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        if field.is_repeated:
            target = getattr(message, field.name)
            if field.message_type is None:
                target.extend(values)
            else:
                for value in values:
                    target.add().CopyFrom(value)
        elif values and field.message_type is not None:
            getattr(message, field.name).CopyFrom(values[0])
        elif values:
            setattr(message, field.name, values[0])
    return message


def _value(
    field: Any,  # noqa: ANN401  of either class of FieldDescriptor
    names: Mapping[str, str],
    known: Sequence[Mapping[str, str]],
    chance: random.Random,
    depth: int,
) -> Any:  # noqa: ANN401
    kinds = FieldDescriptor
    if field.message_type is not None:
        made = GetMessageClass(field.message_type)()
        return _filled(made, known, chance, depth + 1) if depth < 3 else made
    if field.enum_type is not None:
        return chance.choice([value.number for value in field.enum_type.values])
    match field.cpp_type:
        case kinds.CPPTYPE_STRING if field.type == kinds.TYPE_BYTES:
            return chance.randbytes(chance.choice((0, 1, 40)))
        case kinds.CPPTYPE_STRING:
            own = names.get(field.name.removesuffix("s").removesuffix("_name"), names["run"])
            return own if chance.random() < 0.9 else chance.choice(_WORDS)
        case kinds.CPPTYPE_BOOL:
            return chance.random() < 0.5
        case kinds.CPPTYPE_DOUBLE | kinds.CPPTYPE_FLOAT:
            return chance.choice((0.0, -1.0, 0.5, 1e300, float("nan"), float("inf")))
        case kinds.CPPTYPE_INT32:
            return chance.choice((*_NUMBERS[:-1], -1, -(2**31)))
        case kinds.CPPTYPE_INT64:
            return chance.choice((*_NUMBERS, -1, -(2**63), 2**63 - 1))
    return chance.choice(_NUMBERS)


def _is_message(method: MethodDescriptor, data: bytes) -> bool:
    try:
        GetMessageClass(method.input_type).FromString(data)
    except DecodeError:
        return False
    return True


def test_any_request_gets_an_answer_or_a_status_that_says_what_is_wrong(
    server: _Server, pytestconfig: pytest.Config, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(pytestconfig.getoption("--fuzz-seed"))
    rounds = max(3, pytestconfig.getoption("--fuzz-examples") // 60)
    caplog.set_level(logging.WARNING)
    for method in _METHODS:
        for _ in range(rounds):
            made = _filled(GetMessageClass(method.input_type)(), server.known, chance)
            data = made.SerializeToString()
            if chance.random() < 0.5:
                data = changed(data, chance)
            metadata = [("x-note", "a" * chance.choice((1, 900)))] if chance.random() < 0.2 else []
            status = server.status(method, data, metadata)
            what = f"{status} from {method.full_name} for {data!r}"
            if _is_message(method, data):
                assert status in _EXPECTED, what
            else:
                assert status == "INTERNAL", what
    assert [record.getMessage() for record in caplog.records if record.name.startswith("insight")] == []


def test_connections_that_do_not_speak_http_2_hold_nobody_up(
    server: _Server, pytestconfig: pytest.Config
) -> None:
    """Raw bytes: garbage, a preface that is cut, frames that are changed."""
    chance = random.Random(pytestconfig.getoption("--fuzz-seed"))
    [method] = [each for each in _METHODS if each.name == "Runs"]
    target = server.channel._channel.target().decode().rpartition("/")[2]  # type: ignore[attr-defined]
    host, _, port = target.rpartition(":")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
    held = []
    for number in range(_CONNECTIONS):
        raw = socket.create_connection((host, int(port)), timeout=PATIENCE)
        frame = len(more := chance.randbytes(chance.choice((0, 8, 200)))).to_bytes(
            3, "big"
        ) + chance.randbytes(6)
        raw.sendall(changed(preface + frame + more, chance) if number % 2 else chance.randbytes(300))
        held.append(raw)  # open while others are answered
    try:
        assert server.status(method, b"") == "OK"
    finally:
        for raw in held:
            raw.close()
    assert server.status(method, b"") == "OK"
