"""Tensors that are one number, of plugins that take numbers and of others: what the store has of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import insight_scalar
import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import (
    CachePolicy,
    Damage,
    DataKind,
    Plugin,
    RecordDecoder,
    SeriesKey,
    SummaryPlugin,
)
from insight_core.plugin.testing import wire
from insight_core.providers.local import LocalProvider
from insight_core.store.store import Store

SCALAR = insight_scalar.insight_plugin()
TEXTS = Plugin("texts", "Texts", decoder=RecordDecoder({SummaryPlugin("text")}))
RATES = Plugin("rates", "Rates", decoder=RecordDecoder({SummaryPlugin("rate")}, kind=DataKind.SCALAR))


def test_plugins_that_take_numbers_are_known_by_their_claims() -> None:
    store = Store([SCALAR, TEXTS, RATES], {})
    assert store.number_plugins == {"scalars", "rate"}
    limited = Store([SCALAR, TEXTS, RATES], {"rates": CachePolicy(series=5), "scalar": CachePolicy(points=5)})
    assert limited.number_plugins == {"scalars"}  # who leaves a series out says where it begins


@pytest.mark.parametrize("pure", ["0", "1"])
def test_each_has_what_its_plugin_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pure: str) -> None:
    monkeypatch.setenv("INSIGHT_HOST_PURE", pure)
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


@pytest.mark.parametrize("pure", ["0", "1"])
def test_records_that_are_one_number_now_and_then_keep_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pure: str
) -> None:
    """Read at once, or as they come, or from the index."""
    monkeypatch.setenv("INSIGHT_HOST_PURE", pure)
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
