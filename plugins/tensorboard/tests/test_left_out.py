"""A host and a data server without this module: the rest works, and what needs it says so."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from insight_tensorboard import insight_other_program
from insight_tensorboard.service import services

from insight_core.cli.data_source import open_data
from insight_core.cli.options import read_options
from insight_core.cli.other_program import other_program
from insight_core.ingest.logdir import Logdir
from insight_core.own_hooks import Guests
from insight_core.plugin import InvalidArgument, Unavailable
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.opened_later import OpenedProvider
from insight_core.registry import Registry
from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema.services import TENSORBOARD, ServiceStub, register
from insight_core.rpc.serving import serve
from tests.waiting import eventually


def test_a_host_finds_it_by_its_entry_point() -> None:
    program = other_program(Registry.discover())
    assert program == insight_other_program()
    assert other_program(Registry.discover(["tensorboard-plugins"])) is None
    assert other_program(Registry.of([])) is None


def test_what_it_opens_is_what_a_host_asks_for() -> None:
    from insight_tensorboard.hosted.mount import TensorBoardMount

    wanted = {name for name in vars(Guests) if not name.startswith("_")}
    assert wanted - {"owner"} <= set(dir(TensorBoardMount))
    assert TensorBoardMount.owner


def test_a_data_server_has_its_service_only_if_it_is_given() -> None:
    data = FakeProvider("logs")
    given: Mapping[str, object]
    for given in ({}, services(data)):
        server = serve(data, "127.0.0.1", 0, version="1", services=given)
        try:
            with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
                ask = ServiceStub(channel, TENSORBOARD).GetExperiment
                if given:
                    location = ask(messages.GetExperimentRequest(), timeout=60).data_location
                    assert location == data.location()
                    continue
                with pytest.raises(grpc.RpcError) as error:
                    ask(messages.GetExperimentRequest(), timeout=60)
                assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED
        finally:
            server.stop()


@pytest.mark.parametrize("is_there", [False, True])
def test_a_server_with_its_service_alone_is_opened_with_its_client(is_there: bool) -> None:
    data = FakeProvider("logs")
    data.add_scalars("r", "loss", [1.0])
    program = insight_other_program()
    server = grpc.server(ThreadPoolExecutor(2))
    for name, service in services(data).items():
        register(server, name, service)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    client = OpenedProvider(f"127.0.0.1:{port}", [], other_client=program.client if is_there else None)
    try:
        client.start()
        if is_there:
            eventually(lambda: client.generation() and [run.name for run in client.runs()] == ["r"])
        else:
            eventually(lambda: "does not have this service" in client._reason)
            with pytest.raises(Unavailable, match="does not have this service"):
                client.runs()
    finally:
        client.close()
        server.stop(0).wait()


def test_load_rust_is_an_error_that_names_the_flag(tmp_path: Path) -> None:
    options = read_options(["--logdir", str(tmp_path), "--load", "rust"], {})
    with pytest.raises(InvalidArgument, match=r"^--load: no plugin opens 'rust:'$"):
        open_data(options, Registry.of([]), [Logdir(str(tmp_path))])
