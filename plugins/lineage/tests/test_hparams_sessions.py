"""Sessions of TensorBoard's hparams: those of torch, and how metrics are found in runs around."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import insight_lineage
import insight_scalar
import numpy as np
import pytest
from insight_lineage import hparams
from insight_lineage.hparams import Metric
from insight_lineage.scalars import Scalars
from insight_lineage.sessions import Sessions
from insight_lineage.table import Rows

from insight_authoring.testing.wire import encoded_varint, message_field
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.local import LocalProvider

LOGS = Path(__file__).parents[3] / "examples/logs/torch"


def _number(value: float) -> bytes:
    return encoded_varint(2 << 3 | 1) + struct.pack("<d", value)


def _truth(value: bool) -> bytes:
    return encoded_varint(4 << 3) + encoded_varint(value)


def _start(group: str = "", **values: bytes) -> bytes:
    entries = [
        message_field(1, message_field(1, name.encode()) + message_field(2, value))
        for name, value in values.items()
    ]
    return message_field(3, b"".join(entries) + message_field(4, group.encode()))


def _experiment(*metrics: tuple[str, str]) -> bytes:
    infos = [
        message_field(5, message_field(1, message_field(1, group.encode()) + message_field(2, tag.encode())))
        for group, tag in metrics
    ]
    return message_field(2, b"".join(infos))


def _infos(run: str, **contents: bytes) -> list[SeriesInfo]:
    tags = {"experiment": hparams.EXPERIMENT_TAG, "start": hparams.START_TAG, "end": hparams.END_TAG}
    return [
        SeriesInfo(SeriesKey(run, tags[name]), 1, 1, 0, 0, content=content)
        for name, content in contents.items()
    ]


def test_values_of_all_types() -> None:
    listed = message_field(6, message_field(1, _number(1)) + message_field(1, message_field(3, b"x")))
    content = _start(
        "twins",
        lr=_number(0.5),
        on=_truth(True),
        off=_truth(False),
        opt=message_field(3, b"sgd"),
        many=listed,
        nothing=b"",
    )
    session = hparams.session_of(content)
    assert session.group == "twins"
    assert session.hparams == {"lr": 0.5, "on": True, "off": False, "opt": "sgd", "many": [1.0, "x"]}
    assert hparams.status_of(message_field(4, encoded_varint(1 << 3) + encoded_varint(2))) == "failure"
    assert hparams.status_of(message_field(4, encoded_varint(1 << 3) + encoded_varint(99))) == "unknown"
    assert hparams.metrics_of(_experiment(("", "loss"), ("val", "acc"), ("", "loss"))) == (
        Metric("", "loss"),
        Metric("val", "acc"),
    )
    for read in (hparams.session_of, hparams.status_of, hparams.metrics_of):
        with pytest.raises(ValueError, match="it is no"):
            read(b"")


@pytest.fixture
def scalars() -> Scalars:
    data = FakeProvider()
    for run, tag in [
        ("s", "loss"),
        ("s/val", "acc"),
        ("s/val", "loss"),
        ("top/t", "loss"),
        ("sx", "loss"),
        ("s", "system/cpu_percent"),
    ]:
        data.add_scalars(run, tag, [1.0, float(len(run))])
    found = Scalars(data)
    rows = Rows.of(data.runs())
    found.place(rows.place, rows.order * 0 - 1)
    found.update(None)
    return found


def _below(run: str) -> list[str]:
    return {"s": ["s", "s/val"]}.get(run, [run])


def test_an_experiment_says_which_scalars_count(scalars: Scalars) -> None:
    sessions = Sessions()
    sessions.take(
        "s", _infos("s", start=_start(lr=_number(1)), experiment=_experiment(("val", "acc"), ("", "x")))
    )
    cells = sessions.cells("s", scalars, _below)
    assert cells == {
        "source": "hparams",
        "status": "unknown",
        "session_group": "s",
        "session": "s",
        "lr": 1.0,
        "metric/val/acc": 5.0,
    }
    assert sessions.reading(["s/val"]) == {"s"}


def test_metrics_with_one_name_stay_apart(scalars: Scalars) -> None:
    sessions = Sessions()
    metrics = _experiment(("", "val/acc"), ("val", "acc"), ("val", "loss"))
    sessions.take("s", _infos("s", start=_start(lr=_number(1)), experiment=metrics))
    data = FakeProvider()
    data.add_scalars("s", "val/acc", [0.5])
    for tag in ("acc", "loss"):
        data.add_scalars("s/val", tag, [0.75])
    found = Scalars(data)
    found.place(Rows.of(data.runs()).place, np.full(2, -1))
    found.update(None)
    cells = sessions.cells("s", found, _below)
    assert (cells["metric/val/acc"], cells["metric/val/acc#2"], cells["metric/val/loss"]) == (0.5, 0.75, 0.75)


def test_an_experiment_of_a_run_above_counts_too(scalars: Scalars) -> None:
    sessions = Sessions()
    sessions.take("top/t", _infos("top/t", start=_start(loss=_number(3), opt=_number(1))))
    assert sessions.cells("top/t", scalars, _below)["metric/loss"] == 5.0
    assert sessions.take(".", _infos(".", experiment=_experiment(("", "nothing"))))
    cells = sessions.cells("top/t", scalars, _below)
    assert "metric/loss" not in cells
    assert (cells["hyperparameter/loss"], cells["opt"]) == (3.0, 1.0), "loss is a column of the model"
    assert sessions.take(".", ())


def test_without_an_experiment_all_scalars_of_a_session_count_but_those_of_the_machine(
    scalars: Scalars,
) -> None:
    sessions = Sessions()
    sessions.take("s", _infos("s", start=_start("g")))
    cells = sessions.cells("s", scalars, _below)
    metrics = {name: value for name, value in cells.items() if name.startswith("metric/")}
    assert metrics == {"metric/loss": 1.0, "metric/val/acc": 5.0, "metric/val/loss": 5.0}
    assert cells["session_group"] == "g"


def test_what_is_no_hparams_is_told() -> None:
    sessions = Sessions()
    sessions.take("s", _infos("s", start=b"\xff"))
    [problem] = sessions.problems()
    assert (problem.run, problem.tag) == ("s", hparams.START_TAG)
    assert sessions.all() == []


@pytest.fixture
def torch() -> Iterator[LocalProvider]:
    plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
    provider = LocalProvider([Logdir(str(LOGS))], plugins, reload_interval=0)
    provider.load()
    yield provider
    provider.close()


def test_the_sessions_of_torch(torch: LocalProvider) -> None:
    sessions = Sessions()
    runs = {info.key.run for info in torch.series("lineage")}
    for run in runs:
        sessions.take(run, torch.series("lineage", runs=[run]))
    assert set(sessions.all()) == runs
    scalars = Scalars(torch)
    rows = Rows.of(torch.runs())
    scalars.place(rows.place, rows.order * 0 - 1)
    scalars.update(None)
    for run in runs:
        cells = sessions.cells(run, scalars, lambda run: [run])
        assert cells["lr"] == float(run.split("_")[0].removeprefix("lr"))
        assert (cells["opt"], cells["status"]) == ("sgd", "success")
        assert isinstance(cells["metric/hparam/val_loss"], float)
