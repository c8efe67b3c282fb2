"""A client with gRPC's default options, made by protoc from the .proto file alone, reads everything."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from attrs import evolve

from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import SeriesInfo
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.rpc.serving import serve

POINTS = 10_000_000
LARGEST = 3 << 20  # bytes of a message
DESCRIPTION = "说明 of many pages. " * 400_000
CONTENT = bytes(range(256)) * 40_000
PAYLOAD = os.urandom(25_000_001)
PROGRAM = """
import hashlib, json, sys
import grpc
import insight_data_pb2 as pb
from insight_data_pb2_grpc import DataProviderStub

largest = 0
hashes = {}

def received(answers):
    global largest
    for answer in answers:
        largest = max(largest, answer.ByteSize())
        yield answer

def add(name, data):
    hashes.setdefault(name, hashlib.sha256()).update(data)

with grpc.insecure_channel("127.0.0.1:" + sys.argv[1]) as channel:
    data = DataProviderStub(channel)
    request = pb.ScalarsRequest(plugin="scalar", keys=[pb.SeriesKey(run="r", tag="long")])
    for answer in received(data.Scalars(request)):
        for part in answer.parts:
            add("steps", part.steps)
            add("wall_times", part.wall_times)
            add("values", part.values)
    request = pb.PayloadRequest(plugin="graph", key=pb.SeriesKey(run="r", tag="large"))
    for piece in received(data.Payload(request)):
        add("payload", piece.data)
    request = pb.SeriesTablesRequest(plugin="wordy", fields=["description", "content"])
    for answer in received(data.SeriesTables(request)):
        for value in answer.values:
            add("description", value.text.encode())
            add("content", value.content)
hashes = {name: found.hexdigest() for name, found in hashes.items()}
print(json.dumps({"largest": largest, "hashes": hashes}))
"""


class _Wordy(FakeProvider):
    """Series with the tag ``b`` have more metadata than a client takes in one message."""

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        found = super().series(plugin, runs=runs, tags=tags)
        return [evolve(info, content=CONTENT) if info.key.tag == "b" else info for info in found]


def _filled() -> FakeProvider:
    provider = _Wordy()
    values = np.sqrt(np.arange(POINTS, dtype=np.float32))
    provider.add_scalars("r", "long", values)
    graph = EventField(Dialect.TENSORBOARD, "graph_def")
    provider.add_records("graph", "r", "large", [PAYLOAD], claim=graph)
    for tag, description in (("a", ""), ("b", DESCRIPTION), ("c", "short")):
        provider.add_scalars("r", tag, [0.0], plugin="wordy", description=description)
    return provider


def _generated(repository: Path, place: Path) -> None:
    source = repository / "insight_core/rpc/schema/insight_data.proto"
    (place / source.name).write_bytes(source.read_bytes())
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{place}"]
    subprocess.run(
        [*command, f"--python_out={place}", f"--grpc_python_out={place}", source.name], check=True, cwd=place
    )


def test_ten_million_points_and_long_values_arrive_with_default_options(
    repository: Path, tmp_path: Path
) -> None:
    _generated(repository, tmp_path)
    provider = _filled()
    server = serve(provider, "127.0.0.1", 0, version="test")
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(server.port)],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        server.stop()
    assert done.returncode == 0, done.stderr
    received = json.loads(done.stdout)
    assert received["largest"] <= LARGEST
    expected = {
        "steps": np.arange(POINTS, dtype="<i8").tobytes(),
        "wall_times": (1.0e9 + np.arange(POINTS, dtype="<f8")).tobytes(),
        "values": np.sqrt(np.arange(POINTS, dtype="<f4")).tobytes(),
        "payload": PAYLOAD,
        "description": (DESCRIPTION + "short").encode(),
        "content": CONTENT,
    }
    assert received["hashes"] == {name: hashlib.sha256(data).hexdigest() for name, data in expected.items()}


def test_the_client_of_the_host_joins_long_metadata() -> None:
    provider = _Wordy()
    for tag in ("a", "b", "c"):
        provider.add_scalars("r", tag, [0.0], plugin="wordy", description=DESCRIPTION if tag == "b" else tag)
    server = serve(provider, "127.0.0.1", 0, version="test")
    client = InsightProvider(Link(f"127.0.0.1:{server.port}"))
    try:
        assert client.series("wordy") == provider.series("wordy")
    finally:
        client.close()
        server.stop()
