"""Run by the Python of an environment with TensorBoard: prints what its hparams plugin answers to
``session_groups``, all statuses allowed.
"""

from __future__ import annotations

import json
import sys

from google.protobuf import json_format
from tensorboard import context
from tensorboard.backend.event_processing.data_provider import (
    MultiplexerDataProvider,
)
from tensorboard.backend.event_processing.plugin_event_multiplexer import (
    EventMultiplexer,
)
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context
from tensorboard.plugins.hparams.list_session_groups import (
    Handler,
)


def main() -> None:
    multiplexer = EventMultiplexer(tensor_size_guidance={"scalars": 0})
    multiplexer.AddRunsFromDirectory(sys.argv[1])
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, sys.argv[1])
    backend = backend_context.Context(base_plugin.TBContext(data_provider=provider))
    request = api_pb2.ListSessionGroupsRequest(
        allowed_statuses=api_pb2.Status.values(), start_index=0, slice_size=1000
    )
    handler = Handler(context.RequestContext(), backend, "", request)
    json.dump(json_format.MessageToDict(handler.run(), preserving_proto_field_name=True), sys.stdout)


if __name__ == "__main__":
    main()
