"""Run by the Python of an environment with MindInsight: prints the graphs below a directory as JSON.

``{run: {tag: {"normal": [node], "optimize": [node]}}}``: every node of every layer as its REST API answers
it. Runs are directories with event files, and those with ``.pb`` files.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from mindinsight_runs import loaded_runs  # type: ignore[import-not-found]


def main() -> None:
    found: dict[str, dict[str, Any]] = {}
    for run, data in loaded_runs(sys.argv[1], lambda *_: None):
        for tag in data.list_tags_by_plugin("graph"):
            graphs = data.tensors(tag)[0].value, data.tensors(f"{tag} (optimized)")[0].value
            found.setdefault(run, {})[tag] = _answers(*graphs)
    for directory, _, names in os.walk(sys.argv[1]):
        run = os.path.relpath(directory, sys.argv[1]).replace(os.sep, "/")
        for name in names:
            if name.endswith(".pb"):
                found.setdefault(run, {})[name] = _answers(*_of_file(directory, name))
    json.dump(found, sys.stdout)


def _of_file(directory: str, name: str) -> tuple[Any, Any]:
    from mindinsight.datavisual.data_transform import ms_data_loader  # type: ignore[import-not-found]

    graph, optimized = ms_data_loader._PbParser._parse_pb_file(directory, name)
    return graph.value, optimized.value


def _answers(graph: Any, optimized: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    return {"normal": _nodes(graph), "optimize": _nodes(optimized)}


def _nodes(graph: Any) -> list[Any]:  # noqa: ANN401
    """What ``graphs/nodes`` answers for the root and then for everything that has nodes in it."""
    from mindinsight.datavisual.processors.graph_processor import (  # type: ignore[import-not-found]
        GraphProcessor,
    )

    processor = GraphProcessor.__new__(GraphProcessor)
    processor._graph = graph
    found = []
    scopes = [""]
    while scopes:
        for node in processor.list_nodes(scopes.pop())["nodes"]:
            found.append(node)
            if node["subnode_count"]:
                scopes.append(node["name"])
    return found


if __name__ == "__main__":
    main()
