"""Where W&B's values stand: steps that are left out, resumed runs, metrics that are the x axis of others."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_importers import wandb_store
from insight_importers.block_log import BLOCK
from insight_lineage.hparams import session_of

from insight_core.plugin.data import SeriesKey
from insight_core.plugin.payloads import MessageTypes
from insight_core.providers.local import LocalProvider
from tests.support.pictures import png

TYPES = MessageTypes(Path(wandb_store.__file__).with_name("wandb.binpb"))
Opened = Callable[..., LocalProvider]


class Log:
    """A log of W&B that grows."""

    def __init__(self, wandb: Path, directory: str, run_id: str) -> None:
        self.directory = wandb / directory
        self.directory.mkdir(parents=True, exist_ok=True)
        self._path = self.directory / f"run-{run_id}.wandb"
        self._path.write_bytes(b":W&B\xe1\xbe\x00")
        self.run_id = run_id

    def add(self, **record: object) -> None:
        body = TYPES.new("Record", **record).SerializeToString()
        size = self._path.stat().st_size
        room = BLOCK - size % BLOCK
        with self._path.open("ab") as file:
            if room < 7 + len(body):
                file.write(bytes(room))
            crc = zlib.crc32(b"\x01" + body)
            file.write(crc.to_bytes(4, "little") + len(body).to_bytes(2, "little") + b"\x01" + body)

    def start(self, name: str = "", config: Mapping[str, object] = {}, **fields: object) -> None:
        update = [{"key": key, "value_json": json.dumps(value)} for key, value in config.items()]
        self.add(run={"run_id": self.run_id, "display_name": name, "config": {"update": update}, **fields})

    def row(self, at: float, step: int | None = None, **values: object) -> None:
        items = [{"nested_key": [key], "value_json": json.dumps(value)} for key, value in values.items()]
        items.append({"nested_key": ["_timestamp"], "value_json": str(1_700_000_000 + at)})
        history: dict[str, Any] = {"item": items}
        if step is not None:
            history["step"] = {"num": step}
        self.add(history=history)

    def define(self, **metric: str) -> None:
        self.add(metric=metric)

    def end(self) -> None:
        self.add(exit={"exit_code": 0})


def _points(provider: LocalProvider, tag: str) -> list[tuple[int, float]]:
    [info] = provider.series("scalar", tags=[tag])
    columns = provider.scalars("scalar", [info.key])[info.key]
    return list(zip(columns.steps.tolist(), columns.values.tolist(), strict=True))


def _steps(provider: LocalProvider, tag: str) -> list[int]:
    return [step for step, _ in _points(provider, tag)]


def test_rows_without_a_step_are_numbered_as_by_wandbs_backend(tmp_path: Path, opened: Opened) -> None:
    first = Log(tmp_path, "run-20260101_000000-a", "a")
    resumed = Log(tmp_path, "run-20260101_000000-b", "b")
    first.start("first")
    resumed.start("resumed", starting_step=100)
    for number in range(5):
        first.row(number, loss=number)
        resumed.row(number, loss2=number)
    provider = opened(tmp_path)
    first.row(6, 50, loss=9)
    first.row(7, loss=9)
    resumed.start("resumed", starting_step=100)  # written again when the configuration changes
    resumed.row(8, loss2=9)
    provider.load()
    assert _steps(provider, "loss") == [*range(5), 50, 51]
    assert _steps(provider, "loss2") == [*range(100, 106)]


def test_the_writers_of_a_shared_run_are_one_run_in_the_order_of_time(tmp_path: Path, opened: Opened) -> None:
    logs = [Log(tmp_path, f"run-20260101_00000{number}-a", "a") for number in range(2)]
    for log in logs:
        log.start("shared")
    for number in range(10):
        logs[number % 3 == 0].row(number, loss=number)
    provider = opened(tmp_path)
    assert [run.name for run in provider.runs()] == ["shared a"]
    assert _points(provider, "loss") == [(number, float(number)) for number in range(10)]


def test_an_offline_run_that_was_resumed_is_one_run_with_the_settings_of_the_last_session(
    tmp_path: Path, opened: Opened
) -> None:
    first = Log(tmp_path, "offline-run-20260101_000000-a-1", "a-1")
    first.start(config={"lr": 0.1, "seed": 3}, start_time={"seconds": 1_700_000_000})
    for step in range(10):
        first.row(step, step, loss=1.0)
    (tmp_path / "offline-run-20260101_000000-a-1-1").mkdir()  # the log follows
    provider = opened(tmp_path)
    [run] = provider.runs()
    assert (run.name, run.start_time) == ("offline-run-20260101_000000-a-1", 1_700_000_000)
    second = Log(tmp_path, "offline-run-20260101_000000-a-1-1", "a-1")  # in the same second
    second.start(config={"lr": 0.01}, start_time={"seconds": 1_700_000_100})
    for step in range(5, 12):
        second.row(100 + step, step, loss=2.0)
    other = Log(tmp_path, "offline-run-20260101_000000-a", "a")
    other.start()
    other.row(0, 0, other=1)
    second.end()
    provider.load()
    run_name = "offline-run-20260101_000000-a-1"
    assert [run.name for run in provider.runs()] == [run_name, "offline-run-20260101_000000-a"][::-1]
    assert _points(provider, "loss") == [(step, 1.0 if step < 5 else 2.0) for step in range(12)]
    infos = {info.key.tag: info.content for info in provider.series("lineage", runs=[run_name])}
    assert dict(session_of(infos["_hparams_/session_start_info"]).hparams) == {"lr": 0.01, "seed": 3}
    assert not provider.damage()


@pytest.mark.parametrize("grows", [False, True], ids=["whole", "grows"])
def test_a_run_that_was_rewound_has_nothing_behind_the_step_from_which_it_goes_on(
    tmp_path: Path, opened: Opened, grows: bool
) -> None:
    first = Log(tmp_path, "run-20260101_000000-a", "a")
    first.start("rewound", config={"lr": 0.1})
    for step in range(50):
        first.row(step, step, loss=1.0, note=f"first {step}", once=1.0)
    provider = opened(tmp_path)
    second = Log(tmp_path, "run-20260101_000100-a", "a")
    second.start("rewound", config={"lr": 0.01}, starting_step=20)
    for step in range(20, 30):
        second.row(60 + step, step, loss=2.0)
        if grows:
            provider.load()
    provider.load()
    assert _points(provider, "loss") == [(step, 1.0 if step < 20 else 2.0) for step in range(30)]
    [info] = provider.series("scalar", tags=["loss"])
    assert (info.points, info.attempts, info.last_value) == (60, 2, 2.0)
    assert len(_points(provider, "once")) == 50  # of a metric that is not recorded again


def test_a_log_whose_directory_is_shown_alone_is_there(tmp_path: Path, opened: Opened) -> None:
    for number in range(2):
        log = Log(tmp_path, f"run-20260101_00000{number}-a", "a")
        log.start("twice")
        log.row(number, number, loss=number)
    assert _points(opened(tmp_path / "run-20260101_000001-a"), "loss") == [(1, 1.0)]
    assert _points(opened(tmp_path), "loss") == [(0, 0.0), (1, 1.0)]


@pytest.mark.parametrize("number", [0, 1])
def test_a_log_of_another_version_does_not_take_the_others_of_its_run_along(
    tmp_path: Path, opened: Opened, number: int
) -> None:
    for each in range(2):
        log = Log(tmp_path, f"run-20260101_00000{each}-a", "a")
        log.start("twice")
        log.row(each, each, loss=each)
    path = tmp_path / f"run-20260101_00000{number}-a" / "run-a.wandb"
    path.write_bytes(path.read_bytes().replace(b"\xe1\xbe\x00", b"\xe1\xbe\x07", 1))
    provider = opened(tmp_path)
    assert _points(provider, "loss") == [(1 - number, float(1 - number))]
    [damage] = provider.damage()
    assert "version 7 of W&B's log is not known" in damage.reason
    assert damage.file == f"run-20260101_00000{number}-a/run-a.wandb"


def test_damage_of_a_later_log_says_where_it_is(tmp_path: Path, opened: Opened) -> None:
    for number in range(2):
        log = Log(tmp_path, f"run-20260101_00000{number}-a", "a")
        log.start("twice")
        log.row(number, number, loss=number)
    path = tmp_path / "run-20260101_000001-a" / "run-a.wandb"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data).ljust(BLOCK, b"\0"))
    reasons = [damage.reason for damage in opened(tmp_path).damage()]
    assert reasons == ["run-20260101_000001-a/run-a.wandb: the checksum of a record is wrong"]


def test_a_name_that_is_given_later_names_the_run(tmp_path: Path, opened: Opened) -> None:
    log = Log(tmp_path, "offline-run-20260101_000000-a", "a")
    log.start()
    log.row(0, 0, loss=1)
    provider = opened(tmp_path)
    log.start("set after the start")
    log.row(1, 1, loss=1)
    provider.load()
    assert [run.name for run in provider.runs()] == ["set after the start a"]
    log.start("renamed")
    provider.load()
    assert [run.name for run in provider.runs()] == ["renamed a"]
    assert _steps(provider, "loss") == [0, 1]


@pytest.mark.parametrize("grows", [False, True], ids=["whole", "grows"])
def test_values_stand_at_the_metric_that_wandb_shows_them_over(
    tmp_path: Path, opened: Opened, grows: bool
) -> None:
    log = Log(tmp_path, "run-20260101_000000-a", "a")
    log.start("axes")
    provider = opened(tmp_path)
    log.define(name="epoch")
    log.define(glob_name="val/*", step_metric="epoch")
    log.define(name="val/own")
    log.define(name="frac", step_metric="part")
    log.define(name="timed", step_metric="_runtime")
    for step in range(10):
        if step == 7:  # after values
            log.define(name="late", step_metric="epoch")
        values = {"val/acc": step, "val/own": step} if step % 2 else {"train": step, "late": step}
        log.row(step, step, epoch=step // 3, part=step / 4, frac=step, timed=step, **values)
        if grows:
            provider.load()
    provider.load()
    assert _points(provider, "val/acc") == [(0, 1.0), (1, 3.0), (1, 5.0), (2, 7.0), (3, 9.0)]
    assert _points(provider, "late") == [(0, 0.0), (0, 2.0), (1, 4.0), (2, 6.0), (2, 8.0)]
    assert _steps(provider, "val/own") == [1, 3, 5, 7, 9]
    assert _steps(provider, "train") == [0, 2, 4, 6, 8]
    for tag in ("epoch", "part", "frac", "timed"):
        assert _steps(provider, tag) == list(range(10))
    assert [(one.reason, one.skipped) for one in provider.damage()] == [
        (
            "W&B shows frac over part, which has fractions; here they stand at W&B's steps: "
            "choose part as the horizontal axis in Metrics",
            0,
        )
    ]


def test_pictures_of_2021_are_found_by_their_steps(tmp_path: Path, opened: Opened) -> None:
    log = Log(tmp_path, "run-20210101_000000-a", "a")
    log.start("old")
    place = log.directory / "files" / "media" / "images" / "val"
    place.mkdir(parents=True)
    for step in range(3):
        for number in range(2):
            (place / f"samples_{step}_{number}.png").write_bytes(png(np.zeros((2, 2))))
        log.row(step, step, **{"val/samples": {"_type": "images/separated", "format": "png", "count": 2}})
    provider = opened(tmp_path)
    assert {info.key: info.points for info in provider.series("image")} == {
        SeriesKey("old a", f"val/samples/{number}"): 3 for number in range(2)
    }
    assert not provider.damage()
