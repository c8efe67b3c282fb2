"""The server around the services: health, reflection, addresses."""

from __future__ import annotations

import socket
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from insight_tensorboard.service import services

from insight_core.plugin.testing import FakeProvider
from insight_core.rpc.schema import insight_data_pb2 as insight
from insight_core.rpc.schema.services import INSIGHT, TENSORBOARD, ServiceStub
from insight_core.rpc.serving import BindError, Protection, serve
from tests.rpc.conftest import Connect


def test_health_is_serving_until_it_stops() -> None:
    provider = FakeProvider()
    server = serve(provider, "localhost", 0, version="1", services=services(provider))
    with grpc.insecure_channel(f"localhost:{server.port}") as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for name in ("", TENSORBOARD, INSIGHT):
            answer = health.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        watch = health.Watch(health_pb2.HealthCheckRequest(service=INSIGHT))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        server.stop(grace=5.0)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        with pytest.raises(grpc.RpcError):
            health.Check(health_pb2.HealthCheckRequest(), timeout=60)


def test_reflection_is_off_unless_it_is_asked_for(connect: Connect) -> None:
    reflection = reflection_pb2_grpc.ServerReflectionStub(connect(FakeProvider()).channel)
    asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
    with pytest.raises(grpc.RpcError) as error:
        list(reflection.ServerReflectionInfo(iter(asked)))
    assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_reflection_knows_both_services(connect: Connect) -> None:
    channel = connect(FakeProvider(), Protection(reflection=True)).channel
    reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
    asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
    [answer] = reflection.ServerReflectionInfo(iter(asked))
    names = {service.name for service in answer.list_services_response.service}
    assert {TENSORBOARD, INSIGHT, "grpc.health.v1.Health"} <= names
    for name in names:
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=name)
        [answer] = reflection.ServerReflectionInfo(iter([request]))
        files = answer.file_descriptor_response.file_descriptor_proto
        services = {
            f"{file.package}.{service.name}"
            for file in map(FileDescriptorProto.FromString, files)
            for service in file.service
        }
        assert name in services


def test_a_port_in_use_is_an_error_not_shared() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BindError, match=rf'failed to bind to \("127.0.0.1", {port}\): .*in use'):
            serve(FakeProvider(), "127.0.0.1", port, version="1")


def test_only_the_address_asked_for_is_listened_at() -> None:
    server = serve(FakeProvider(), "127.0.0.1", 0, version="1")
    try:
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", server.port))
    finally:
        server.stop()


def test_stopping_ends_watches_at_once() -> None:
    server = serve(FakeProvider(), "127.0.0.1", 0, version="1")
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        watch: Any = ServiceStub(channel, INSIGHT).Watch(insight.WatchRequest())
        next(watch)
        server.stop()
        with pytest.raises((grpc.RpcError, StopIteration)):
            next(watch)
