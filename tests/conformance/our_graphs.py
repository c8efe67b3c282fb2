"""What the routes of the graph plugin say of every graph, asked scope by scope as the page asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import insight_graph
from attrs import field, frozen
from werkzeug.test import Client

from tests.hosts import client_of


@frozen
class ShownGraph:
    """All that is in one graph: scopes and stacks as ``/scope`` has them, nodes as ``/node`` has them."""

    branches: dict[str, dict[str, Any]] = field(factory=dict)
    nodes: dict[str, dict[str, Any]] = field(factory=dict)

    def of_kind(self, kind: str) -> set[str]:
        return {id_ for id_, one in {**self.branches, **self.nodes}.items() if one["kind"] == kind}

    def edges(self) -> set[tuple[str, str]]:
        return {
            (one["id"], id_)
            for id_, node in self.nodes.items()
            for one in node["input_edges"]
            if one["id"] is not None
        }

    def missing(self) -> set[tuple[str, str]]:
        return {
            (one["name"], id_)
            for id_, node in self.nodes.items()
            for one in node["input_edges"]
            if one["missing"]
        }

    def stacks(self) -> list[tuple[str, str, int]]:
        """Scope, type and number of members of each stack of operators or parameters."""
        found = []
        for one in self.branches.values():
            if one["kind"] == "stack" and one["type"] not in ("", "Const"):
                scope = one["id"].rpartition("/")[0]
                members = one["name"].rpartition("[")[2].rstrip("]")
                if members.isdigit():  # else it is a range of a stack
                    found.append((scope, one["type"], int(members)))
        return sorted(found)


@frozen
class Graphs:
    """What the routes answer; a graph has thousands of nodes, and is asked for once."""

    client: Client
    _shown: dict[tuple[Any, ...], ShownGraph] = field(factory=dict)

    def listed(self) -> list[dict[str, Any]]:
        answer: list[dict[str, Any]] = self.ask("graphs")["graphs"]
        return answer

    def ask(self, route: str, **query: object) -> Any:  # noqa: ANN401
        answer = self.client.get(f"/data/plugin/graph/{route}", query_string=query)
        assert answer.status_code == 200, f"{route} {query}: {answer.status} {answer.text}"
        return answer.json

    def shown(self, entry: dict[str, Any], *, readable: bool = False) -> ShownGraph:
        which: dict[str, Any] = {name: entry[name] for name in ("run", "tag", "index", "wall_time")}
        which["readable"] = int(readable)
        key = tuple(which.values())
        if key not in self._shown:
            self._shown[key] = self._asked(which)
        return self._shown[key]

    def _asked(self, which: dict[str, Any]) -> ShownGraph:
        found = ShownGraph()
        waiting = [""]
        while waiting:
            scope = self.ask("scope", **which, id=waiting.pop())
            assert scope["omitted"] == {"edges": 0, "proxies": 0}
            for node in scope["nodes"]:
                if node["children"]:
                    waiting.append(node["id"])
                else:
                    assert node["id"] not in found.nodes
                    found.nodes[node["id"]] = self.ask("node", **which, id=node["id"])
            if scope["id"]:
                found.branches[scope["id"]] = scope
        return found


@contextmanager
def graphs_over(logdir: Path) -> Iterator[Graphs]:
    with client_of(logdir, graph=insight_graph) as client:
        yield Graphs(client)
