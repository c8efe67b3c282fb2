"""Run by the Python of an environment with TensorBoard: prints what its graph plugin answers, as JSON.

``{run: {tag: [[name, op, [input], [attribute], device]]}}``; the tag of the graph of a run
is ``__run_graph__``. Functions are listed as ``{run: {"library:" + tag: {name: [nodes]}}}``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from google.protobuf import text_format
from tensorboard import context
from tensorboard.backend.event_processing.data_provider import (
    MultiplexerDataProvider,
)
from tensorboard.backend.event_processing.plugin_event_multiplexer import (
    EventMultiplexer,
)
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.plugins import base_plugin
from tensorboard.plugins.graph.graphs_plugin import GraphsPlugin


def main() -> None:
    multiplexer = EventMultiplexer()
    multiplexer.AddRunsFromDirectory(sys.argv[1])
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, sys.argv[1])
    plugin = GraphsPlugin(base_plugin.TBContext(data_provider=provider))
    request = context.RequestContext()
    found: dict[str, dict[str, Any]] = {}
    for run, about in plugin.info_impl(request, experiment="").items():
        wanted = [("__run_graph__", None, False)] if about["run_graph"] else []
        for tag, kinds in about["tags"].items():
            if kinds["conceptual_graph"] or kinds["op_graph"]:
                wanted.append((tag, tag, kinds["conceptual_graph"]))
        for name, tag, conceptual in wanted:
            text, _ = plugin.graph_impl(request, run, tag, conceptual, experiment="")
            graph = text_format.Parse(text, GraphDef())
            graphs = found.setdefault(run, {})
            graphs[name] = [_node(node) for node in graph.node]
            functions = {
                one.signature.name: [_node(node) for node in one.node_def] for one in graph.library.function
            }
            if functions:
                graphs[f"library:{name}"] = functions
    json.dump(found, sys.stdout)


def _node(node: Any) -> list[Any]:  # noqa: ANN401
    return [node.name, node.op, list(node.input), sorted(node.attr), node.device]


if __name__ == "__main__":
    main()
