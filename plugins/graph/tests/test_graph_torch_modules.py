"""A graph that PyTorch traced has the times that a profile of the same network has of its modules."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_graph
import insight_profiler
import numpy as np
import pytest
from insight_graph.columns import Graph
from insight_graph.compute_times import times_by_name
from insight_graph.tensorflow import graph_of_event
from insight_graph.torch_modules import modules_of, times_by_module
from werkzeug.test import Client, TestResponse

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.support.graphs import tensorflow_node
from tests.waiting import eventually

_RUN = "torch/lr0.02_seed1"
_LOGS = Path(__file__).parents[3] / "examples/logs"


def _traced(*nodes: tuple[str, str]) -> Graph:
    return graph_of_event(b"".join(tensorflow_node(name, kind) for name, kind in nodes))


_GRAPH = (
    ("input/x", "IO Node"),
    ("Net/Linear[first]/1", "aten::linear"),
    ("Net/Block[0]/Linear[up]/2", "aten::linear"),
    ("Net/Block[0]/3", "aten::add"),
    ("Net/Block[0]/4", "aten::add"),
    ("Net/Block[1]/Linear[up]/5", "aten::linear"),
    ("Net/Block[1]/6", "aten::add"),
)
_PROFILE = {
    "Net_0/Linear_0/aten::linear": 1000,
    "Net_0/Block_0/Linear_1/aten::linear": 2000,
    "Net_0/Block_0/aten::add": 500,
    "Net_0/Block_1/Linear_2/aten::linear": 4000,
    "Net_0/Block_1/aten::add": 700,
    "aten::cross_entropy_loss": 9,
}


def test_modules_are_numbered_by_class_in_the_order_of_their_calls() -> None:
    graph = _traced(*_GRAPH)
    assert {graph.scopes.paths[scope]: name for scope, name in modules_of(graph).items()} == {
        "Net": "Net_0",
        "Net/Linear[first]": "Net_0/Linear_0",
        "Net/Block[0]": "Net_0/Block_0",
        "Net/Block[0]/Linear[up]": "Net_0/Block_0/Linear_1",
        "Net/Block[1]": "Net_0/Block_1",
        "Net/Block[1]/Linear[up]": "Net_0/Block_1/Linear_2",
    }


def test_operators_of_one_type_in_a_module_share_its_time() -> None:
    graph = _traced(*_GRAPH)
    assert times_by_name(graph, _PROFILE) is None
    times = times_by_module(graph, modules_of(graph), _PROFILE)
    assert times is not None
    found = dict(zip(graph.names, times.micros.tolist(), strict=True))
    assert np.isnan(found.pop("x"))
    assert found == {"1": 1.0, "2": 2.0, "3": 0.25, "4": 0.25, "5": 4.0, "6": 0.7}


@pytest.mark.parametrize("missing", ["Net_0/Block_1/Linear_2/aten::linear", "Net_0/Linear_0/aten::linear"])
def test_a_profile_of_another_network_gives_no_times(missing: str) -> None:
    graph = _traced(*_GRAPH)
    less = {name: time for name, time in _PROFILE.items() if name != missing}
    assert times_by_module(graph, modules_of(graph), less) is None
    more = {**_PROFILE, "Net_0/Linear_3/aten::linear": 1}
    assert times_by_module(graph, modules_of(graph), more) is None


def test_graphs_of_others_have_no_modules() -> None:
    assert modules_of(_traced(("Net/Block[0]/dense", "MatMul"))) == {}


# The sample, against what its trace says to a reader of its own


def _events() -> Iterator[dict[str, Any]]:
    [path] = (_LOGS / _RUN).glob("*.pt.trace.json.gz")
    for event in json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") in ("cpu_op", "python_function"):
            yield event


def _times_in_trace() -> dict[str, float]:
    """Microseconds of the outermost operators in each call of a module, by the name of the module."""
    events = list(_events())
    main = next(event["tid"] for event in events if event["name"].startswith("nn.Module"))
    events = sorted((e for e in events if e["tid"] == main), key=lambda e: (e["ts"], -e["dur"]))
    found: dict[str, float] = defaultdict(float)
    open_: list[dict[str, Any]] = []
    for event in events:
        open_ = [one for one in open_ if one["ts"] + one["dur"] > event["ts"]]
        if event["cat"] == "cpu_op" and not any(one["cat"] == "cpu_op" for one in open_):
            around = [one["name"] for one in open_ if one["name"].startswith("nn.Module: ")]
            if around:
                found[around[-1].removeprefix("nn.Module: ")] += event["dur"]
        open_.append(event)
    return found


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A host of the sample, with the profiler."""
    shutil.copytree(_LOGS / _RUN, tmp_path / "logs" / _RUN)
    registry = Registry.of([("graph", lambda: insight_graph), ("profiler", lambda: insight_profiler)])
    data = LocalProvider([Logdir(str(tmp_path / "logs"))], registry.plugins.values(), watch=False)
    try:
        data.load()
        yield Client(Host(registry, data))
    finally:
        data.close()


def test_times_of_modules_in_the_sample_are_those_of_its_trace(client: Client) -> None:
    listed = client.get("/data/plugin/graph/graphs", query_string={"run": _RUN}).get_json()
    graph = listed["graphs"][0]
    [profile] = [one for one in listed["profiles"] if one["tag"].startswith("profiler:")]
    where = {name: graph[name] for name in ("run", "tag", "index")} | {
        "profile": profile["tag"],
        "id": "Sequential",
    }

    def answered() -> TestResponse | None:
        answer = client.get("/data/plugin/graph/scope", query_string=where)
        return None if answer.status_code == 503 else answer  # the profile is being read

    found = {node["name"]: node["time"] for node in eventually(answered).get_json()["nodes"]}
    modules = _times_in_trace()
    assert found == {
        "Conv2d[0]": pytest.approx(modules["Conv2d_0"], abs=0.01),
        "ReLU[1]": pytest.approx(modules["ReLU_0"], abs=0.01),
        "MaxPool2d[2]": pytest.approx(modules["MaxPool2d_0"], abs=0.01),
        "Flatten[3]": pytest.approx(modules["Flatten_0"], abs=0.01),
        "Linear[4]": pytest.approx(modules["Linear_0"], abs=0.01),
        "ReLU[5]": pytest.approx(modules["ReLU_1"], abs=0.01),
        "Linear[6]": pytest.approx(modules["Linear_1"], abs=0.01),
    }
