"""The committed descriptors are those of the .proto files, and keep out of the pool of the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from insight_core.rpc.schema import generate, services
from insight_core.rpc.schema import insight_data_pb2 as insight
from insight_core.rpc.schema import tensorboard_data_pb2 as tensorboard
from insight_core.rpc.schema.pool import DESCRIPTORS, POOL


def test_generated_files_are_those_of_the_sources(repository: Path) -> None:
    made = generate.generate()
    committed = FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    assert FileDescriptorSet.FromString(made.pop("descriptors.binpb")) == committed, "run `make proto`"
    stubs = {path.name: path.read_bytes() for path in (repository / "insight_core/rpc/schema").glob("*.pyi")}
    assert stubs.keys() == made.keys()
    if all(generate.compiler().encode() in text for text in stubs.values()):
        assert stubs == made, "run `make proto`"


def test_descriptors_of_plugins_are_those_of_the_sources() -> None:
    made = generate.generate_of_plugins()
    assert made
    for path, content in made.items():
        committed = FileDescriptorSet.FromString(path.read_bytes())
        assert FileDescriptorSet.FromString(content) == committed, f"{path}: run `make proto`"


def test_messages_stay_out_of_the_pool_of_the_process() -> None:
    assert tensorboard.Run.DESCRIPTOR.full_name == "tensorboard.data.Run"
    program = """
from google.protobuf import descriptor_pool
from insight_core.rpc.schema import insight_data_pb2, tensorboard_data_pb2, tensorboard_pb2
import insight_graph.messages, insight_profiler.reading.xplane
for name in ("tensorboard.data.Run", "tensorboard.Summary", "insight.data.v1.Run",
             "insight.graph.v1.NodeDef", "insight.profiler.v1.Plane"):
    try:
        print(descriptor_pool.Default().FindMessageTypeByName(name))
    except KeyError:
        pass
"""
    # in a process of its own: TensorBoard, which other tests import, is in the pool too
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("service", "stub"),
    [(services.TENSORBOARD, services.TensorBoardStub), (services.INSIGHT, services.InsightStub)],
)
def test_stubs_have_the_calls_of_their_service(service: str, stub: type) -> None:
    short = {"tensorboard.data": "tensorboard", "insight.data.v1": "insight"}
    declared = {}
    for method in POOL.FindServiceByName(service).methods:
        kind = "UnaryStream" if method.server_streaming else "UnaryUnary"
        request, response = (
            f"{short[message.full_name.rpartition('.')[0]]}.{message.name}"
            for message in (method.input_type, method.output_type)
        )
        declared[method.name] = f"grpc.{kind}MultiCallable[{request}, {response}]"
    written = {name: " ".join(str(text).split()) for name, text in stub.__annotations__.items()}
    assert written == declared


def test_absent_and_empty_are_told_apart() -> None:
    assert not tensorboard.RunTagFilter.FromString(b"").HasField("runs")
    empty = tensorboard.RunTagFilter(runs=tensorboard.RunFilter())
    assert tensorboard.RunTagFilter.FromString(empty.SerializeToString()).HasField("runs")
    assert not insight.SeriesInfo().HasField("last_value")
    assert insight.SeriesInfo(last_value=0.0).HasField("last_value")
