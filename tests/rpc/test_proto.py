"""The committed descriptors are those of the .proto files, and keep out of the pool of the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from insight_core.rpc.schema import generate
from insight_core.rpc.schema import insight_data_pb2 as insight
from insight_core.rpc.schema import tensorboard_data_pb2 as tensorboard
from insight_core.rpc.schema.pool import DESCRIPTORS


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


def test_absent_and_empty_are_told_apart() -> None:
    assert not tensorboard.RunTagFilter.FromString(b"").HasField("runs")
    empty = tensorboard.RunTagFilter(runs=tensorboard.RunFilter())
    assert tensorboard.RunTagFilter.FromString(empty.SerializeToString()).HasField("runs")
    assert not insight.ScalarQuery().HasField("nearest")
    assert insight.ScalarQuery(nearest=0.0).HasField("nearest")


def test_the_data_server_answers_with_protobuf_in_pure_python(repository: Path) -> None:
    """What protobuf's own errors advise to set, and old plugins of TensorBoard need."""
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "plugins/tensorboard/tests/test_tensorboard_service.py",
    ]
    done = subprocess.run(tests, cwd=repository, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
