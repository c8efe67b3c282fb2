"""Values of any kind, type, tag, step and time: everybody reads them back as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
import tensorboard_data_server  # type: ignore[import-untyped]
from numpy.typing import NDArray

from insight_record import SummaryRecord
from tests.conformance.data_servers import Reader, running, until
from tests.conformance.our_payloads import plugins_over
from tests.conformance.payload_values import tensor_value
from tests.conformance.recorded import DIALECTS

Oracle: TypeAlias = Callable[..., Any]
Rows: TypeAlias = dict[str, list[list[Any]]]  # by tag: step, wall time, value

_RECORDS = 300
_TAGS = (
    "loss", "a/b/c", "/", "//", " ", "scalar/scalar", "läß/損失 値", "🙂/👩‍🔬", "a\nb\tc\\", "%2F?&#",
    "x" * 5000, "e\u0301", "\u202edlrow", "../..", "_hparams_", "a\0b",
)  # fmt: skip
_STEPS = (
    -(2**63), -(2**53) - 1, -(2**31) - 1, -128, -1, 0, 1, 127, 128, 16383, 16384, 2**21, 2**28, 2**31, 2**35,
    2**42, 2**49, 2**53 + 1, 2**56, 2**63 - 1,
)  # fmt: skip
_TIMES = (0.0, -0.0, -1.5, 5e-324, 1.7e9 + 1e-6, 1e18, 1.7e308)
_NUMBERS = (0.0, -0.0, 1e-45, 3.4e38, 3.5e38, -1e300, np.nan, np.inf, -np.inf, 2**24 + 1, 0.1)
_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64",
)  # fmt: skip
_SHAPES: tuple[tuple[int, ...], ...] = (
    (),
    (0,),
    (1,),
    (7,),
    (0, 3),
    (2, 0, 2),
    (3, 1, 4),
    (1, 1, 1, 1, 2),
    (40, 50),
)


class _Written:
    """What was recorded, as everybody should read it."""

    def __init__(self) -> None:
        self.scalars: Rows = {}
        self.tensors: dict[str, Rows] = {dialect: {} for dialect in DIALECTS}
        self.counts: Rows = {}  # of histograms: how many numbers are finite


@pytest.fixture(scope="module", params=range(3))
def written(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, _Written]:
    """The same records in both dialects."""
    random = np.random.default_rng(request.param)
    logs, expected = tmp_path_factory.mktemp("random"), _Written()
    records = [SummaryRecord(logs / dialect, dialect=dialect, max_file_size=200_000) for dialect in DIALECTS]
    some = sorted(int(one) for one in random.integers(-(2**63), 2**63 - 1, _RECORDS - len(_STEPS)))
    for step in sorted([*_STEPS, *some]):
        wall_time = float(random.choice(_TIMES))
        for plugin, tag, value in _values(random):
            for record in records:
                record.add_value(plugin, tag, value)
            _expect(expected, plugin, tag, value, step, wall_time)
        for record in records:
            record.record(step, wall_time)
        if random.random() < 0.02:
            records[0].flush()
    for record in records:
        record.close()
    return logs, expected


def _values(random: np.random.Generator) -> Iterator[tuple[str, str, Any]]:
    for tag in random.permutation(len(_TAGS))[: random.integers(0, 5)]:
        yield "scalar", _TAGS[tag], _number(random)
    if random.random() < 0.2:
        yield "tensor", f"tensor/{_TAGS[random.integers(len(_TAGS))]}", _array(random)
    if random.random() < 0.2:
        yield "histogram", f"histogram/{_TAGS[random.integers(len(_TAGS))]}", _array(random)


def _number(random: np.random.Generator) -> Any:  # noqa: ANN401
    """A number as any of the types that a program may have it in."""
    number = float(random.choice(_NUMBERS)) if random.random() < 0.5 else float(random.normal())
    made: list[Callable[[float], Any]] = [
        float,
        np.float32,
        np.float64,
        np.array,
        lambda one: np.array([[one]]),
    ]
    with np.errstate(over="ignore"):
        return made[random.integers(len(made))](number)


def _array(random: np.random.Generator) -> NDArray[Any]:
    """An array of any type and shape, of which some are views that do not lie in order, or not writeable."""
    shape = _SHAPES[random.integers(len(_SHAPES))]
    size = int(np.prod(shape))
    name = _TYPES[random.integers(len(_TYPES))] if size else "float32"  # TensorBoard reads no uint64 of none
    with np.errstate(all="ignore"):
        if name.startswith("float"):
            values = random.choice([*_NUMBERS, *random.normal(0, 3, 20)], size).astype(name)
        else:
            values = np.frombuffer(random.bytes(8 * size), np.int64).astype(name)
    array = values.reshape(shape)
    match random.integers(4):
        case 0:
            array = array.T
        case 1 if array.ndim:
            array = array[::-1]
        case 2:
            array = array.astype(array.dtype.newbyteorder(">"))
    array.setflags(write=False)
    return array


def _expect(expected: _Written, plugin: str, tag: str, value: Any, step: int, wall_time: float) -> None:  # noqa: ANN401
    place = [step, wall_time.hex()]
    with np.errstate(over="ignore"):
        if plugin == "scalar":
            number = float(np.float32(np.ravel(value)[0]))
            expected.scalars.setdefault(tag, []).append([*place, number.hex()])
        elif plugin == "tensor":
            for dialect, rows in expected.tensors.items():
                found = tensor_value(
                    np.array(value, np.float32 if dialect == "mindspore" else None, order="C")
                )
                rows.setdefault(tag, []).append([*place, found])
        else:
            expected.counts.setdefault(tag, []).append([*place, int(np.isfinite(value).sum())])


def _counted(rows: Rows) -> Rows:
    """Of histograms what their buckets hold together."""
    return {
        tag: [[step, time, sum(float.fromhex(row[2]) for row in buckets)] for step, time, buckets in found]
        for tag, found in rows.items()
    }


def test_mindinsight(
    written: tuple[Path, _Written], mindinsight: Oracle, mindinsight_payloads: Oracle
) -> None:
    logs, expected = written
    assert mindinsight(logs, "read")["mindspore"] == expected.scalars
    found = mindinsight_payloads(logs, "read")["mindspore"]
    assert found["tensor"] == expected.tensors["mindspore"]
    assert _counted(found["histogram"]) == expected.counts


def test_tensorboard(
    written: tuple[Path, _Written], tensorboard: Oracle, tensorboard_payloads: Oracle
) -> None:
    logs, expected = written
    assert tensorboard(logs)["tensorboard"] == expected.scalars
    found = tensorboard_payloads(logs)["tensorboard"]
    assert found["tensor"] == expected.tensors["tensorboard"]
    assert _counted(found["histogram"]) == expected.counts


def test_tensorboard_in_rust(written: tuple[Path, _Written], tmp_path: Path) -> None:
    logs, expected = written
    binary = str(tensorboard_data_server.server_binary())
    every = "--samples-per-plugin=scalars=all,tensor=all,histograms=all"
    with running([binary, every], logs / "tensorboard", tmp_path) as address:
        reader = Reader(address)
        try:
            wanted = sum(map(len, [*expected.scalars.values()]))
            until(
                lambda: sum(len(one["step"]) for one in reader.read("Scalars", "scalars").values()) >= wanted
            )
            found = {
                tag: [
                    [step, time.hex(), value]
                    for step, time, value in zip(one["step"], one["wall_time"], one["value"], strict=True)
                ]
                for (_, tag), one in reader.read("Scalars", "scalars").items()
            }
        finally:
            reader.close()
    assert found == expected.scalars


def test_here(written: tuple[Path, _Written], insight: Oracle) -> None:
    logs, expected = written
    ours = insight(logs, "all")
    assert ours["tensorboard"] == ours["mindspore"] == expected.scalars
    for dialect in DIALECTS:
        with plugins_over(logs / dialect) as plugins:
            [found] = plugins.payloads().values()
        wanted = expected.tensors[dialect]
        if dialect == "mindspore":
            found["tensor"], wanted = (
                {tag: [[*row[:2], row[2][1]] for row in rows] for tag, rows in each.items()}
                for each in (found["tensor"], wanted)
            )
        assert found["tensor"] == wanted
        assert _counted(found["histogram"]) == expected.counts
