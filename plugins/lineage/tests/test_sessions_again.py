"""A training that was started again in its directory: its row is that of the last session."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import insight_lineage
import insight_scalar
import pytest
from werkzeug.test import Client

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.lineage_samples import field, hparams_value
from tests.oracles.implementations import BOTH, scan_with

Row = dict[str, Any]
# the value that TensorFlow's hparams write beside their metadata (metadata.NULL_TENSOR)
NULL_TENSOR = wire.message_field(8, field(1, 1) + wire.message_field(2, wire.message_field(2, field(1, 1))))


def start(tensor: bytes = b"", **hparams: float) -> bytes:
    entries = b"".join(
        wire.message_field(1, field(1, name) + wire.message_field(2, b"\x11" + struct.pack("<d", value)))
        for name, value in hparams.items()
    )
    return hparams_value("session_start_info", 3, entries) + tensor


def experiment(*metrics: str) -> bytes:
    infos = (wire.message_field(5, wire.message_field(1, field(2, metric))) for metric in metrics)
    return hparams_value("experiment", 2, b"".join(infos))


def end(status: int) -> bytes:
    return hparams_value("session_end_info", 4, field(1, status))


@contextmanager
def host(root: Path, cache: Path | None = None) -> Iterator[Callable[[], Row]]:
    plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
    provider = LocalProvider([Logdir(str(root))], plugins, reload_interval=0, cache_directory=cache)
    client = Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider))

    def row() -> Row:
        provider.load()
        answer = client.get("/data/plugin/lineage/runs").json
        assert answer is not None
        assert answer["runs"] == ["a"]
        names = [column["name"] for column in answer["columns"]]
        found = dict(zip(names, (values[0] for values in answer["values"]), strict=True))
        hidden = {"run", "start_time", "source", "session", "session_group", "attempts"}
        return {name: one for name, one in found.items() if one is not None and name not in hidden}

    try:
        yield row
    finally:
        provider.close()


@pytest.fixture(params=BOTH)
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    scan_with(request.param, monkeypatch)
    return tmp_path / "logs/a"


@pytest.mark.parametrize("tensor", [b"", NULL_TENSOR], ids=["torch", "TensorFlow"])
def test_a_session_in_another_file_replaces_the_one_before(run: Path, tensor: bytes, tmp_path: Path) -> None:
    with host(run.parent, tmp_path / "cache") as row:
        with EventWriter(run, start_time=1e9) as writer:
            writer.values(0, [experiment("loss"), start(tensor, lr=0.1), end(1)], wall_time=1e9)
            writer.scalar("loss", 0, 10.0)
        assert row() == {"lr": 0.1, "metric/loss": 10.0, "status": "success"}
        with EventWriter(run, start_time=2e9) as writer:
            writer.values(0, [experiment("loss"), start(tensor, lr=0.01, wd=0.5)], wall_time=2e9)
            writer.scalar("loss", 0, 1.0)
        expected = {"lr": 0.01, "wd": 0.5, "metric/loss": 1.0, "status": "unknown"}  # it has not ended
        assert row() == expected
    with host(run.parent, tmp_path / "cache") as row:
        assert row() == expected
        with EventWriter(writer.path, append=True) as writer:
            writer.values(1, [end(2)], wall_time=2e9 + 1)
        assert row() == expected | {"status": "failure"}


@pytest.mark.parametrize("tensor", [b"", NULL_TENSOR], ids=["torch", "TensorFlow"])
def test_a_session_in_the_same_file_replaces_the_one_before(run: Path, tensor: bytes, tmp_path: Path) -> None:
    with EventWriter(run) as writer:
        for step, hparams, metrics in (
            (0, {"drop": 0.5}, {"f1": 0.25}),
            (7, {"drop": 0.75, "heads": 8.0}, {"f1": 0.5, "bleu": 0.125}),
        ):
            writer.values(step, [experiment(*metrics)])
            writer.values(step, [start(tensor, **hparams)])
            for tag, value in metrics.items():
                writer.scalar(tag, step, value)
    expected = {"drop": 0.75, "heads": 8.0, "metric/f1": 0.5, "metric/bleu": 0.125, "status": "unknown"}
    for _ in range(2):  # the second time from the index
        with host(run.parent, tmp_path / "cache") as row:
            assert row() == expected
