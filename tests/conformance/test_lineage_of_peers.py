"""Lineage as MindInsight has it, hparams as TensorBoard has them: every field of every run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import insight_lineage
import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.host import Host
from insight_core.loading.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry

Ask = Callable[..., Any]

_NAMES = (
    "loss_function",
    "train_dataset_path",
    "train_dataset_count",
    "test_dataset_path",
    "test_dataset_count",
    "network",
    "optimizer",
    "learning_rate",
    "epoch",
    "batch_size",
    "device_num",
    "loss",
    "model_size",
)
_CONDITIONS: list[dict[str, dict[str, Any]]] = [
    {},
    {"learning_rate": {"lt": 0.01}},
    {"learning_rate": {"ge": 0.002, "le": 0.01}},
    {"metric/Accuracy": {"gt": 0.26}},
    {"metric/acc": {"gt": 0.5}},
    {"network": {"eq": "LeNet5"}, "loss": {"lt": 1.5}},
    {"optimizer": {"in": ["Adam", "SGD"]}},
    {"optimizer": {"not_in": ["Adam"]}},
    {"test_dataset_path": {"not_in": ["/test"]}},
    {"user_defined/dropout": {"eq": 0.5}},
    {"epoch": {"gt": 0}},
    {"network": {"lt": 3}},
    {"metric/name": {"eq": "x"}},
    {"metric/yes": {"eq": 1}},
]


@contextmanager
def _asked(logs: Path) -> Iterator[Ask]:
    """The routes of the plugin over a directory of logs."""
    plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
    provider = LocalProvider([Logdir(str(logs))], plugins, reload_interval=0)
    provider.load()
    client = Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider))

    def ask(path: str, **parameters: Any) -> Any:  # noqa: ANN401
        answer = client.get(f"/data/plugin/lineage/{path}", query_string=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json

    yield ask
    provider.close()


def _rows(answer: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The cells of each run that are not null."""
    names = [column["name"] for column in answer["columns"]]
    rows = zip(*answer["values"], strict=True)
    return {
        run: {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for run, row in zip(answer["runs"], rows, strict=True)
    }


def _written(variable: str, script: str, directory: Path) -> Path:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{variable} does not name the Python of an environment; see `make conformance`")
    program = [python, str(Path(__file__).with_name(script)), str(directory)]
    subprocess.run(program, check=True, capture_output=True)
    return directory


@pytest.fixture(params=["shared", "examples", "written"])
def mindspore(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = request.config.rootpath
    if request.param == "written":
        return _written("INSIGHT_PEER_MINDINSIGHT", "write_lineage.py", tmp_path / "written")
    logs = root / "examples/logs/mindspore"
    if request.param == "shared":
        logs = root.parent / "shared/data/mindspore"
    if not logs.is_dir():
        pytest.skip(f"the real logs at {logs} are not on this machine")
    return logs


def test_every_field_is_that_of_mindinsight(mindspore: Path, mindinsight_lineage: Ask) -> None:
    theirs = {one["summary_dir"][2:]: one for one in mindinsight_lineage(mindspore, "{}")["object"]}
    assert len(theirs) >= 3
    marks: dict[int, set[str]] = {}
    with _asked(mindspore) as ask:
        ours = _rows(ask("runs"))
        assert theirs.keys() <= ours.keys()
        for run, other in theirs.items():
            model, row = other["model_lineage"], ours[run]
            assert {name: row.get(name) for name in _NAMES} == {name: model[name] for name in _NAMES}
            assert {type(row[name]) for name in _NAMES if name in row} == {
                type(model[name]) for name in _NAMES if model[name] is not None
            }
            assert _below(row, "metric/") == model["metric"]
            assert _below(row, "custom/") == dict(_flat(model["user_defined"]))
            pipeline = ask("pipeline", run=run)
            graph = other["dataset_graph"]
            assert (pipeline["pipeline"] is None) == (not graph)
            if graph:
                assert _tree(pipeline["pipeline"]) == _texts(graph)
                marks.setdefault(row["dataset_mark"], set()).add(model["dataset_mark"])
    groups = [mark for listed in marks.values() for mark in listed]
    assert len(groups) == len(set(groups)) == len(marks), "the same data sets are grouped"


@pytest.mark.parametrize("condition", _CONDITIONS, ids=json.dumps)
def test_a_filter_chooses_the_runs_that_mindinsight_chooses(
    mindspore: Path, mindinsight_lineage: Ask, condition: dict[str, dict[str, Any]]
) -> None:
    theirs = {
        one["summary_dir"][2:] for one in mindinsight_lineage(mindspore, json.dumps(condition))["object"]
    }
    with _asked(mindspore) as ask:
        columns = {column["name"] for column in ask("columns")["columns"]}
        wanted = {name.replace("user_defined/", "custom/"): value for name, value in condition.items()}
        if not wanted.keys() <= columns:
            pytest.skip("no run has such a column")
        lineage = {run for run, row in _rows(ask("runs")).items() if "source" in row}
        assert set(ask("runs", filter=json.dumps(wanted))["runs"]) & lineage == theirs


@pytest.fixture(params=["shared", "examples", "above", "none"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = request.config.rootpath
    if request.param in ("above", "none"):
        return _written("INSIGHT_PEER_TENSORBOARD", "write_hparams.py", tmp_path / "h") / str(request.param)
    logs = root / "examples/logs/torch"
    if request.param == "shared":
        logs = root.parent / "shared/data/torch"
    if not logs.is_dir():
        pytest.skip(f"the real logs at {logs} are not on this machine")
    return logs


def test_every_session_is_that_of_tensorboard(sessions: Path, tensorboard_hparams: Ask) -> None:
    with _asked(sessions) as ask:
        ours = {row["session"]: row for row in _rows(ask("runs")).values() if "session" in row}
    found = {}
    for group in tensorboard_hparams(sessions)["session_groups"]:
        for session in group["sessions"]:
            run, row = session["name"], ours[session["name"]]
            found[run] = row
            assert row["session_group"] == group["name"]
            assert row["source"] == "hparams"
            status = session.get("status", "STATUS_UNKNOWN").removeprefix("STATUS_").lower()
            assert row["status"] == status
            metrics = {
                "/".join(filter(None, (one["name"].get("group"), one["name"]["tag"]))): one.get("value", 0.0)
                for one in session.get("metric_values", ())
            }
            assert _below(row, "metric/") == metrics
            fixed = {"run", "start_time", "source", "status", "session_group", "session"}
            hparams = {
                name.removeprefix("hyperparameter/"): value
                for name, value in row.items()
                if name not in fixed and not name.startswith("metric/")
            }
            assert hparams == group["hparams"]
    assert len(found) >= 2
    assert found.keys() == ours.keys()


def _below(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from ((f"{name}/{inner}", one) for inner, one in _flat(value))
        else:
            yield name, value


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _texts(graph: Mapping[str, Any]) -> dict[str, Any]:
    """A graph of MindInsight as a tree of names and texts."""
    rest = {name: value for name, value in graph.items() if name not in ("children", "operations", "sampler")}
    return {
        "name": rest.pop("op_type"),
        "parameters": {name: _text(value) for name, value in rest.items()},
        "operations": [_operation(one) for one in graph.get("operations", ())],
        "sampler": _operation(graph["sampler"]) if "sampler" in graph else None,
        "children": [_texts(child) for child in graph["children"]],
    }


def _operation(values: Mapping[str, Any]) -> dict[str, Any]:
    rest = dict(values)
    if "size" in rest and "weights" in rest:  # MindInsight has the sizes among the weights once more
        rest["weights"] = rest["weights"][len(rest["size"]) :]
        if not rest["weights"]:
            del rest["weights"]
    name = rest.pop("tensor_op_name", None) or rest.pop("sampler_name")
    return {"name": name, "parameters": {key: _text(value) for key, value in rest.items()}}


def _tree(pipeline: Mapping[str, Any]) -> dict[str, Any]:
    """Our nodes and edges as the same tree."""
    nodes = {node["id"]: node for node in pipeline["nodes"]}
    inputs: dict[str, list[str]] = {}
    for edge in pipeline["edges"]:
        inputs.setdefault(edge["to"], []).append(edge["from"])

    def named(one: Mapping[str, Any]) -> dict[str, Any]:
        parameters = {parameter["name"]: parameter["value"] for parameter in one["parameters"]}
        return {"name": one["name"], "parameters": parameters}

    def branch(number: str) -> dict[str, Any]:
        node = nodes[number]
        return {
            **named(node),
            "operations": [named(one) for one in node["operations"]],
            "sampler": named(node["sampler"]) if node["sampler"] is not None else None,
            "children": [branch(child) for child in inputs.get(number, ())],
        }

    [end] = nodes.keys() - {edge["from"] for edge in pipeline["edges"]}
    return branch(end)
