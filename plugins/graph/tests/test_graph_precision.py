"""Two dumps differ where values were changed: statistics are numpy's, in the form that MindSpore writes."""

from __future__ import annotations

from typing import Any

import insight_graph
import numpy as np
import pytest
from insight_graph import tensor_statistics
from insight_graph.precision import Precision
from insight_graph.tensor_statistics import statistics_of_file
from numpy.typing import NDArray
from werkzeug.test import Client

from insight_core.plugin import FileName, Reason
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

_HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,"
_OLD = f"{_HEAD}Avg Value,Count,Negative Zero Count,Positive Zero Count,NaN Count,Negative Inf Count,"
_OLD += "Positive Inf Count,Zero Count\n"
_NEW = f"{_HEAD}Avg Value,L2Norm Value,Count\n"


def _tensors(layers: int = 40) -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(0)
    return {
        f"Default_net_{layer}_MatMul-op{layer}": random.normal(size=(4, 8)).astype("f4")
        for layer in range(layers)
    }


def _dump(tensors: dict[str, NDArray[np.float32]], *, old: bool = True) -> bytes:
    lines = [_OLD if old else _NEW]
    for place, (name, values) in enumerate(tensors.items()):
        shape = '"(' + ",".join(map(str, values.shape)) + ')"'
        finite = values[np.isfinite(values)].astype(np.float64)
        extremes = f"{finite.max()},{finite.min()}"
        head = f"MatMul,{name},0,0,{place},output,0,{values.nbytes},float32,{shape},{extremes},"
        nans, lower, upper = np.isnan(values).sum(), np.isneginf(values).sum(), np.isposinf(values).sum()
        norm = float(np.linalg.norm(finite))
        tail = f"{norm},{values.size}"
        if old:
            tail = f"{values.size},0,0,{nans},{lower},{upper},0"
        lines.append(f"{head}{finite.mean()},{tail}\n")
    return "".join(lines).encode()


def _answer(before: bytes, after: bytes, tolerance: float = 1e-3) -> dict[str, Any]:
    precision = Precision.of(statistics_of_file(before), statistics_of_file(after))
    return precision.answer(tolerance, differing=True, offset=0, limit=100)


@pytest.mark.parametrize("old", [True, False])
def test_runs_that_are_equal_do_not_differ(old: bool) -> None:
    dump = _dump(_tensors(), old=old)
    answer = _answer(dump, dump, 0)
    assert (answer["compared"], answer["beyond"], answer["first"]) == (40, 0, None)


@pytest.mark.parametrize("old", [True, False])
def test_the_first_tensor_that_was_changed_is_named(old: bool) -> None:
    tensors, changed = _tensors(), _tensors()
    names = list(tensors)
    for name in names[17:]:
        changed[name] = changed[name] * 1.05
    changed[names[3]] = changed[names[3]] * (1 + 1e-6)  # rounding
    answer = _answer(_dump(tensors, old=old), _dump(changed, old=old))
    assert (answer["first"]["name"], answer["beyond"]) == (names[17], 23)
    assert answer["first"]["difference"] == pytest.approx(0.05 / 1.05, rel=1e-4)
    assert answer["first"]["values"]["max"] == pytest.approx(
        [float(tensors[names[17]].max()), float(changed[names[17]].max())], rel=1e-6
    )
    assert _answer(_dump(tensors, old=old), _dump(changed, old=old), 1e-8)["first"]["name"] == names[3]


def test_rounding_is_not_a_difference() -> None:
    random = np.random.default_rng(1)
    tensors, again = {}, {}
    for layer in range(40):
        inputs = random.normal(size=(256, 512)).astype("f4")
        weights = random.normal(size=(512, 64)).astype("f4")
        tensors[f"MatMul-op{layer}"] = inputs @ weights
        again[f"MatMul-op{layer}"] = inputs[:, ::-1].copy() @ weights[::-1].copy()  # sums in another order
    means = [[float(one[name].astype("f8").mean()) for name in tensors] for one in (tensors, again)]
    assert means[0] != means[1]
    for old in (True, False):
        assert _answer(_dump(tensors, old=old), _dump(again, old=old), 1e-5)["beyond"] == 0


def test_a_mean_close_to_zero_is_compared_with_the_values() -> None:
    head = 'Add,Add-op1,0,0,1,output,0,8,float32,"(2)",{},-1.0,{},1.4,2\n'
    one, two, other = ((_NEW + head.format(*pair)).encode() for pair in ((1, 1e-9), (1, -3e-9), (1, 0.25)))
    assert _answer(one, two)["beyond"] == 0
    assert _answer(one, other)["first"]["difference"] == pytest.approx(0.25)


def test_values_that_are_not_finite_are_a_difference() -> None:
    tensors, changed = _tensors(), _tensors()
    name = list(tensors)[9]
    changed[name] = changed[name].copy()
    changed[name][0, 0] = np.nan
    answer = _answer(_dump(tensors), _dump(changed))
    assert [one["name"] for one in answer["tensors"]] == [name]
    assert answer["first"]["difference"] == np.inf
    assert answer["first"]["counts"]["nan"] == [0.0, 1.0]


def test_tensors_of_one_dump_alone_are_counted() -> None:
    answer = _answer(_dump(_tensors(30)), _dump(_tensors(40)))
    assert (answer["compared"], answer["before_only"], answer["after_only"]) == (30, 0, 10)


def test_calls_of_one_operator_are_paired_in_order() -> None:
    row = 'Relu,Relu-op1,0,0,{},output,0,4,float32,"(1)",{},0,0,1\n'
    head = _NEW.replace("L2Norm Value,", "")
    one = (head + row.format(1, 5) + row.format(2, 7)).encode()
    two = (head + row.format(1, 5) + row.format(2, 8)).encode()
    [found] = _answer(one, two)["tensors"]
    assert (found["call"], found["values"]["max"]) == (1, [7.0, 8.0])


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "graph_not_dump"),
        (b"a,b\n1,2\n", "graph_not_dump"),
        (b'Op Type,Op Name,IO,Slot\n"' + bytes(200_000), "graph_not_table"),
    ],
)
def test_other_files_are_no_dump(content: bytes, code: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        statistics_of_file(content)
    assert isinstance(caught.value.args[0], Reason)
    assert caught.value.args[0].code == code


def test_a_dump_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_statistics, "MOST_ROWS", 39)
    with pytest.raises(ValueError, match="more than 39 rows"):
        statistics_of_file(_dump(_tensors()))


def test_rows_that_are_cut_off_or_odd_have_no_numbers() -> None:
    dump = _OLD.encode() + b'MatMul,m,0,0,1,output,0,4,float32,"(1)",odd,,null\nMatMul\n'
    found = statistics_of_file(dump)
    assert len(found.keys) == 2
    assert all(np.isnan(values).all() for values in found.values.values())


def test_the_routes_list_and_compare_dumps() -> None:
    fake = FakeProvider()
    claim = FileName("**/statistic.csv")
    tensors, changed = _tensors(), _tensors()
    changed["Default_net_5_MatMul-op5"] += 1
    for run, one in (("a", tensors), ("b", changed)):
        fake.add_records("graph", run, "0/statistic.csv", [_dump(one)], claim=claim)
    client = Client(Host(Registry.of([("graph", lambda: insight_graph)]), fake))
    listed = client.get("/data/plugin/graph/graphs").get_json()
    assert [one["run"] for one in listed["dumps"]] == ["a", "b"]
    assert listed["graphs"] == []
    query = {
        "run": "b",
        "tag": "0/statistic.csv",
        "index": "0",
        "other_run": "a",
        "other_tag": "0/statistic.csv",
    }
    answer = client.get("/data/plugin/graph/precision", query_string=query).get_json()
    assert (answer["beyond"], answer["total"]) == (1, 40)
    assert answer["first"]["name"] == "Default_net_5_MatMul-op5"
    only = client.get("/data/plugin/graph/precision", query_string=query | {"differing": "1"}).get_json()
    assert only["total"] == 1
