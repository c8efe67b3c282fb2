"""Dumps that msprobe wrote of PyTorch have the statistics that it states; ``dumps/write.py`` wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_graph import msprobe_dump
from insight_graph.claims import CLAIMS, MSPROBE_FILE
from insight_graph.msprobe_dump import statistics_of_json
from insight_graph.precision import Precision

from benchmarks.processes import peak_memory
from insight_core.plugin import Reason
from insight_core.worker import decoding

_DUMPS = Path(__file__).with_name("dumps")
_BASE, _SCALED = ((_DUMPS / f"{name}.json").read_bytes() for name in ("base", "scaled"))


def _answer(before: bytes, after: bytes) -> dict[str, Any]:
    precision = Precision.of(statistics_of_json(before), statistics_of_json(after))
    return precision.answer(1e-3, differing=True, offset=0, limit=100)


def test_every_tensor_is_read_with_its_statistics() -> None:
    found = statistics_of_json(_BASE)
    assert len(found.keys) == _BASE.count(b'"Max"')
    row = found.keys.index(("Module.conv.Conv2d.forward.0", "output", "0", 0))
    written = json.loads(_BASE)["data"]["Module.conv.Conv2d.forward.0"]["output"][0]
    assert [float(found.values[key][row]) for key in ("max", "min", "mean", "norm")] == [
        written[key] for key in ("Max", "Min", "Mean", "Norm")
    ]
    assert (found.types[row], found.dtypes[row], found.shapes[row]) == ("Conv2d", "float32", "[2, 4, 6, 6]")
    assert ("Module.fc.Linear.forward.0", "parameters", "weight", 0) in found.keys


def test_the_weight_that_was_scaled_is_the_first_difference() -> None:
    assert _answer(_BASE, _BASE)["beyond"] == 0
    first = _answer(_BASE, _SCALED)["first"]
    assert (first["name"], first["side"], first["slot"]) == ("Functional.linear.0.forward", "input", "1")
    assert first["difference"] == pytest.approx(0.01 / 1.01, rel=1e-4)


def test_a_directory_with_such_a_dump_is_a_run() -> None:
    assert MSPROBE_FILE in CLAIMS
    makes_run = MSPROBE_FILE.makes_run
    assert callable(makes_run)
    assert makes_run(_BASE[:4096])
    assert not makes_run(b'{"data": {}}')


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"data": 3}', b"[" * 100_000, b'{"data": {"a": ' + b"[" * 100_000],
)
def test_other_files_are_no_dump(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a dump of msprobe") as caught:
        statistics_of_json(content)
    assert isinstance(caught.value.args[0], Reason)


def test_odd_values_are_no_numbers() -> None:
    odd = {"Max": None, "Min": "N/A", "Mean": 10**400, "Norm": "nan", "type": "torch.Tensor"}
    found = statistics_of_json(
        json.dumps({"data": {"Module.a.B.forward.0": {"output": [odd]}, "b": 3}}).encode()
    )
    assert len(found.keys) == 1
    assert all(str(column[0]) == "nan" for column in found.values.values())


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(msprobe_dump, "MOST_JSON", len(_BASE) - 1)
    with pytest.raises(ValueError, match="is not read"):
        statistics_of_json(_BASE)


def test_a_dump_of_millions_of_lists_is_an_error_and_costs_the_host_nothing() -> None:
    content = b'{"data": {"a": {"output": [' + b"[]," * 16_000_000 + b"1]}}}"
    before = peak_memory()
    with pytest.raises(ValueError, match="needs more than 1024 MiB of memory"):
        statistics_of_json(content)
    assert peak_memory() - before < 256  # MB


def test_a_dump_that_a_worker_read_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    here = statistics_of_json(_BASE)
    monkeypatch.setattr(decoding, "SMALL", 0)
    there = statistics_of_json(_BASE)
    assert (there.keys, there.types, there.shapes) == (here.keys, here.types, here.shapes)
    for name, values in here.values.items():
        np.testing.assert_array_equal(there.values[name], values)
