"""Tensors that are one number, of plugins that take numbers and of others: what the store has of them."""

from __future__ import annotations

import struct
from contextlib import closing
from pathlib import Path

import insight_scalar
import pytest

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import CachePolicy, DataKind, Plugin, RecordDecoder, SummaryPlugin
from insight_core.plugin.data import Damage, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store.store import Store
from tests.oracles.implementations import BOTH, scan_with
from tests.support.points import scalar_points

SCALAR = insight_scalar.insight_plugin()
TEXTS = Plugin("texts", "Texts", decoder=RecordDecoder({SummaryPlugin("text")}))
RATES = Plugin("rates", "Rates", decoder=RecordDecoder({SummaryPlugin("rate")}, kind=DataKind.SCALAR))


def test_plugins_that_take_numbers_are_known_by_their_claims() -> None:
    store = Store([SCALAR, TEXTS, RATES], {})
    assert store.number_plugins == {"scalars", "rate"}
    limited = Store([SCALAR, TEXTS, RATES], {"rates": CachePolicy(series=5), "scalar": CachePolicy(points=5)})
    assert limited.number_plugins == {"scalars"}  # who leaves a series out says where it begins


@pytest.mark.parametrize("implementation", BOTH)
def test_each_has_what_its_plugin_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, implementation: str
) -> None:
    scan_with(implementation, monkeypatch)
    number, vector = wire.number_tensor(0.5), b"\x08\x01\x12\x04\x12\x02\x08\x02" + b"\x2a\x08" + bytes(8)
    values = [
        ("loss", number, "scalars"),
        ("loss", number, "text"),  # the first metadata of a tag decides
        ("loss", vector, "scalars"),
        ("loss", number, "scalars"),
        ("note", number, "text"),
        ("note", number, "scalars"),
        ("odd", number, ""),
    ]
    offsets, whole = [], b""
    for step, (tag, tensor, plugin) in enumerate(values):
        value = (
            wire.tensor_value(tag, tensor, wire.metadata(plugin, 1))
            if plugin
            else wire.tensor_value(tag, tensor)
        )
        offsets.append(len(whole))
        whole += wire.record(wire.event(step, 1.0 + step, wire.summary([value])))
    (tmp_path / "events.out.tfevents.1.test").write_bytes(whole)
    with closing(LocalProvider([Logdir(str(tmp_path))], [SCALAR, TEXTS], reload_interval=0)) as provider:
        provider.load()
        loss, note, odd = (SeriesKey(".", tag) for tag in ("loss", "note", "odd"))
        assert provider.scalars("scalar", [loss])[loss].steps.tolist() == [0, 1, 3]
        [damage] = provider.damage()
        assert damage == Damage(".", damage.file, offsets[2], "'loss' of plugin scalar is not one number")
        assert provider.records("texts", note).steps.tolist() == [4, 5]
        for index in range(2):
            assert provider.payload("texts", note, index).data == number
        assert provider.payload("tensorboard:tensor", odd, 0).data == number


@pytest.mark.parametrize("implementation", BOTH)
def test_records_that_are_one_number_now_and_then_keep_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, implementation: str
) -> None:
    """Read at once, or as they come, or from the index."""
    scan_with(implementation, monkeypatch)
    vector = b"\x08\x01\x12\x04\x12\x02\x08\x02" + b"\x2a\x08" + bytes(8)
    tensors = [vector if step % 3 == 2 else wire.number_tensor(float(step)) for step in range(30)]
    metadata = wire.metadata("text", 1)
    path, key = tmp_path / "logs" / "events.out.tfevents.1.test", SeriesKey(".", "note")
    path.parent.mkdir()
    plugins, logdirs = [SCALAR, TEXTS], [Logdir(str(tmp_path / "logs"))]

    def check(provider: LocalProvider, count: int) -> None:
        provider.load()
        assert provider.records("texts", key).steps.tolist() == list(range(count))
        assert [provider.payload("texts", key, index).data for index in range(count)] == tensors[:count]
        [info] = provider.series("texts")
        assert (info.points, info.kept, info.attempts, info.last_value) == (count, count, 1, None)
        assert (info.first_step, info.last_step) == (0, count - 1)

    cache = tmp_path / "cache"
    with closing(LocalProvider(logdirs, plugins, reload_interval=0, cache_directory=cache)) as growing:
        for step, tensor in enumerate(tensors):
            with path.open("ab") as file:
                value = wire.tensor_value("note", tensor, metadata)
                file.write(wire.record(wire.event(step, 1.0, wire.summary([value]))))
            if step % 4 == 1:
                check(growing, step + 1)
        check(growing, 30)
    for directory in (cache, None):
        with closing(LocalProvider(logdirs, plugins, reload_interval=0, cache_directory=directory)) as again:
            check(again, 30)


def shaped(*dimensions: bytes, dtype: int = 1, value: bytes = b"\x2d" + struct.pack("<f", 0.5)) -> bytes:
    """A TensorProto of one value, with these dimensions of its shape."""
    shape = b"".join(wire.message_field(2, dimension) for dimension in dimensions)
    return wire.int_field(1, dtype) + wire.message_field(2, shape) + value


ONE, TWO, MANY = wire.int_field(1, 1), wire.int_field(1, 2), b"\x08" + b"\xff" * 9 + b"\x01"
SHAPES = {  # whether TensorBoard's Python loader has a point: ``make_ndarray(tensor).item()``
    "[]": (shaped(), True),
    "[1]": (shaped(ONE), True),
    "[1, 1, 1]": (shaped(ONE, ONE, ONE), True),
    "[1] with a name": (shaped(wire.message_field(2, b"batch") + ONE), True),
    "[1] of int64": (shaped(ONE, dtype=9, value=wire.message_field(10, b"\x07")), True),
    "[1] of content": (shaped(ONE, value=wire.message_field(4, struct.pack("<f", 0.5))), True),
    "[2]": (shaped(TWO), False),
    "[1, 2]": (shaped(ONE, TWO), False),
    "[0]": (shaped(b""), False),
    "[-1]": (shaped(MANY), False),
    "[1] without values": (shaped(ONE, value=wire.message_field(5, b"")), False),
}


@pytest.mark.parametrize("implementation", BOTH)
@pytest.mark.parametrize(("tensor", "is_scalar"), SHAPES.values(), ids=SHAPES)
def test_a_tensor_of_one_element_is_a_scalar_whatever_its_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, implementation: str, tensor: bytes, is_scalar: bool
) -> None:
    scan_with(implementation, monkeypatch)
    with EventWriter(tmp_path) as writer:
        for step in range(20):
            metadata = b"" if step else wire.metadata("scalars", 1)
            writer.values(step, [wire.tensor_value("loss", tensor, metadata)])
            writer.values(step, [wire.tensor_value("note", tensor, metadata and wire.metadata("text", 1))])
    with closing(LocalProvider([Logdir(str(tmp_path))], [SCALAR, TEXTS], reload_interval=0)) as provider:
        provider.load()
        assert [step for step, _ in scalar_points(provider, ".")] == (list(range(20)) if is_scalar else [])
        assert len(provider.records("texts", SeriesKey(".", "note")).steps) == 20
        assert provider.payload("texts", SeriesKey(".", "note"), 19).data == tensor
        assert bool(provider.damage()) is not is_scalar
