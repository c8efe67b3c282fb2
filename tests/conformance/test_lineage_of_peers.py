"""Lineage as MindInsight has it, hparams as TensorBoard has them: every field of every run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import insight_lineage
import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host

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
Condition: TypeAlias = dict[str, dict[str, Any]]

_ALWAYS: list[Condition] = [
    {},
    {"learning_rate": {"lt": 0.01}},
    {"learning_rate": {"ge": 0.002, "le": 0.01}},
    {"network": {"eq": "LeNet5"}, "loss": {"lt": 1.5}},
    {"optimizer": {"in": ["Adam", "SGD"]}},
    {"optimizer": {"not_in": ["Adam"]}},
    {"epoch": {"gt": 0}},
    {"network": {"lt": 3}},
]
_OF_SAMPLES: list[Condition] = [
    {"metric/Accuracy": {"gt": 0.26}},
    {"user_defined/dropout": {"eq": 0.5}},
]
_OF_WRITTEN: list[Condition] = [
    {"metric/acc": {"gt": 0.5}},
    {"test_dataset_path": {"not_in": ["/test"]}},
    {"metric/name": {"eq": "x"}},
    {"metric/yes": {"eq": 1}},
]
_CONDITIONS = [
    *((place, one) for place in ("shared", "examples") for one in [*_ALWAYS, *_OF_SAMPLES]),
    *(("written", one) for one in [*_ALWAYS, *_OF_WRITTEN]),
]


@contextmanager
def _asked(logs: Path) -> Iterator[Ask]:
    """The routes of the plugin over a directory of logs, whose runs stand apart as in TensorBoard."""
    plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
    provider = LocalProvider([Logdir(str(logs))], plugins, reload_interval=0, folds=False)
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
            assert {name: type(row.get(name)) for name in _NAMES} == {
                name: type(model[name]) for name in _NAMES
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


def test_columns_have_the_types_that_mindinsight_gives_them(
    mindspore: Path, mindinsight_lineage: Ask
) -> None:
    theirs = mindinsight_lineage(mindspore, "{}")["customized"]
    with _asked(mindspore) as ask:
        ours = {
            one["name"]: one["type"]
            for one in ask("columns")["columns"]
            if one["group"] in ("metric", "custom")
            and one["name"] != "loss"  # which has a column of its own there
        }
    wanted = {name.replace("user_defined/", "custom/"): one["type"] for name, one in theirs.items()}
    nested = {name for name, kind in wanted.items() if kind == "dict"}  # several columns here
    plain = {name: kind for name, kind in wanted.items() if name not in nested}
    assert plain
    assert plain.items() <= ours.items()
    assert all(name.startswith(tuple(f"{one}/" for one in nested)) for name in ours.keys() - plain.keys())


@pytest.mark.parametrize("name", ["learning_rate", "loss", "network", "epoch", "model_size"])
@pytest.mark.parametrize("direction", ["ascending", "descending"])
def test_rows_are_sorted_as_mindinsight_sorts_them(
    mindspore: Path, mindinsight_lineage: Ask, name: str, direction: str
) -> None:
    """But for what is missing, which stays last here."""
    condition = {"sorted_name": name, "sorted_type": direction}
    theirs = [
        one["model_lineage"][name] for one in mindinsight_lineage(mindspore, json.dumps(condition))["object"]
    ]
    with _asked(mindspore) as ask:
        sign = "-" if direction == "descending" else ""
        [ours] = ask("runs", columns=name, sort=sign + name)["values"]
    found = [value for value in ours if value is not None]
    assert found == [value for value in theirs if value is not None]
    assert found
    assert ours[: len(found)] == found


@pytest.mark.parametrize(
    ("mindspore", "condition"),
    _CONDITIONS,
    ids=[f"{place}-{json.dumps(one)}" for place, one in _CONDITIONS],
    indirect=["mindspore"],
)
def test_a_filter_chooses_the_runs_that_mindinsight_chooses(
    mindspore: Path, mindinsight_lineage: Ask, condition: Condition
) -> None:
    theirs = {
        one["summary_dir"][2:] for one in mindinsight_lineage(mindspore, json.dumps(condition))["object"]
    }
    wanted = {name.replace("user_defined/", "custom/"): value for name, value in condition.items()}
    with _asked(mindspore) as ask:
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
            assert {name: type(value) for name, value in hparams.items()} == {
                name: type(value) for name, value in group["hparams"].items()
            }
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
    return str(value)


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
