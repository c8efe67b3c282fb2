"""What a server of TensorBoard's data service has, to tell whether it has all of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from benchmarks.corpus import Corpus, run_name
from insight_core.rpc.schema import insight_data_pb2 as insight
from insight_core.rpc.schema import tensorboard_data_pb2 as tensorboard
from insight_core.rpc.schema.services import INSIGHT, MESSAGE_OPTIONS, TENSORBOARD, ServiceStub

_DEADLINE = 60.0  # seconds


@contextmanager
def channel(port: int) -> Iterator[grpc.Channel]:
    """A plaintext channel to a server on this machine that tries again soon when nobody listens yet."""
    options = (
        *MESSAGE_OPTIONS,
        ("grpc.initial_reconnect_backoff_ms", 5),
        ("grpc.max_reconnect_backoff_ms", 5),
    )
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as opened:
        yield opened


def has_everything(opened: grpc.Channel, corpus: Corpus) -> bool:
    """One List call: whether every series is there, and reaches its last step."""
    stub = ServiceStub(opened, TENSORBOARD)
    if corpus.plugin == "image":
        request = tensorboard.ListBlobSequencesRequest(plugin_filter={"plugin_name": "images"})
        sequences = stub.ListBlobSequences(request, timeout=_DEADLINE)
        last_steps = {run.run_name: [tag.metadata.max_step for tag in run.tags] for run in sequences.runs}
    else:
        numbers = stub.ListScalars(
            tensorboard.ListScalarsRequest(plugin_filter={"plugin_name": "scalars"}), timeout=_DEADLINE
        )
        last_steps = {run.run_name: [tag.metadata.max_step for tag in run.tags] for run in numbers.runs}
    return last_steps == {run_name(i): [corpus.steps - 1] * corpus.tags for i in range(corpus.runs)}


def has_loaded(opened: grpc.Channel) -> bool:
    """Of our data server: whether it says that it read all that was there. False while it does not answer."""
    try:
        progress = ServiceStub(opened, INSIGHT).Progress(insight.ProgressRequest(), timeout=_DEADLINE)
        return bool(progress.loaded_once)
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        return False
