"""Data servers under comparison: ours, TensorBoard's, and what each answers, as plain values."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema.services import MESSAGE_OPTIONS, TENSORBOARD, ServiceStub

OURS = [
    sys.executable,
    "-m",
    "insight_core.cli.data_server",
    "--no-cache",
    "--no-fold",
]  # TensorBoard folds nothing
_PATIENCE = 60.0  # seconds
_ALL = 10**9


def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition; fails after a minute."""
    ends = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it took too long"
        time.sleep(0.05)


@contextmanager
def running(command: Sequence[str], logdir: Path, place: Path) -> Iterator[str]:
    """The address of a data server that has been started on a logdir."""
    port_file = place / f"port-{time.monotonic_ns()}"
    flags = [f"--logdir={logdir}", "--reload=1", "--port=0", f"--port-file={port_file}", "--die-after-stdin"]
    server = subprocess.Popen([*command, *flags], stdin=subprocess.PIPE)
    try:
        until(lambda: port_file.exists() and port_file.read_text().endswith("\n"))
        yield f"localhost:{int(port_file.read_text())}"
    finally:
        server.communicate()  # closes its standard input, upon which it ends
        assert server.returncode == 0


class Reader:
    """Asks one data server everything."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address, options=MESSAGE_OPTIONS)
        self.stub = ServiceStub(self._channel, TENSORBOARD)

    def close(self) -> None:
        self._channel.close()

    def runs(self) -> list[tuple[str, float]]:
        return [(run.name, run.start_time) for run in self.stub.ListRuns(messages.ListRunsRequest()).runs]

    def plugins(self) -> set[str]:
        return {plugin.name for plugin in self.stub.ListPlugins(messages.ListPluginsRequest()).plugins}

    def points(self) -> int:
        """How many there are under all plugins: grows until everything is loaded."""
        return sum(
            len(series["step"])
            for plugin in self.plugins()
            for kind in ("Scalars", "Tensors", "BlobSequences")
            for series in self.read(kind, plugin, blobs=False).values()
        )

    def listed(self, kind: str, plugin: str) -> dict[tuple[str, str], Any]:
        """Metadata by run and tag."""
        call, request = getattr(self.stub, f"List{kind}"), getattr(messages, f"List{kind}Request")
        answer = call(request(plugin_filter=messages.PluginFilter(plugin_name=plugin)))
        return {(run.run_name, tag.tag_name): tag.metadata for run in answer.runs for tag in run.tags}

    def read(
        self, kind: str, plugin: str, *, limit: int = _ALL, blobs: bool = True
    ) -> dict[tuple[str, str], dict[str, list[Any]]]:
        """Columns by run and tag; blobs stand for themselves, or for their number."""
        call, request = getattr(self.stub, f"Read{kind}"), getattr(messages, f"Read{kind}Request")
        answer = call(
            request(
                plugin_filter=messages.PluginFilter(plugin_name=plugin),
                downsample=messages.Downsample(num_points=limit),
            )
        )
        return {
            (run.run_name, tag.tag_name): self._columns(tag.data, blobs)
            for run in answer.runs
            for tag in run.tags
        }

    def _columns(
        self,
        data: messages.ScalarData | messages.TensorData | messages.BlobSequenceData,
        blobs: bool,
    ) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"step": list(data.step), "wall_time": list(data.wall_time)}
        if isinstance(data, messages.ScalarData):
            return {**columns, "value": [value.hex() for value in data.value]}
        if isinstance(data, messages.TensorData):
            return {**columns, "value": [value.SerializeToString(deterministic=True) for value in data.value]}
        values = [
            [self.blob(reference.blob_key) if blobs else b"" for reference in value.blob_refs]
            for value in data.values
        ]
        return {**columns, "value": values}

    def blob(self, key: str) -> bytes:
        return b"".join(part.data for part in self.stub.ReadBlob(messages.ReadBlobRequest(blob_key=key)))
