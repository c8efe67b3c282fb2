"""Values whose steps do not come in order, as the readers of their trackers give them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import insight_importers
import insight_scalar
import numpy as np
import pytest
from insight_importers import visualdl_store
from insight_importers.imported_run import ImportedRun
from insight_importers.step_order import in_step_order
from insight_importers.translated_runs import TranslatedRuns

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.payloads import MessageTypes
from insight_core.providers.local import LocalProvider
from insight_core.store.attempts import find_attempts
from tests.support.pictures import png

Row = tuple[int, float, int]  # step, value and milliseconds
START = 1_700_000_000_000
LATE_STEPS = [6, 2, 3, 8, 9, 10, 4, 5]
Opened = Callable[..., LocalProvider]
ABOUT = """artifact_location: file:///x/1
creation_time: 1
experiment_id: '1'
lifecycle_stage: active
name: eval
"""
ABOUT_RUN = """artifact_uri: file:///x/1/a/artifacts
lifecycle_stage: active
run_id: aa
run_name: late
start_time: 1700000000000
status: 1
"""


def _points(provider: LocalProvider, run: str, tag: str) -> list[tuple[int, float]]:
    key = SeriesKey(run, tag)
    columns = provider.scalars("scalar", [key])[key]
    return list(zip(columns.steps.tolist(), columns.values.tolist(), strict=True))


def _mlflow(logdir: Path) -> Path:
    """The metrics of a run in MLflow's file store."""
    run = logdir / "1" / "aa"
    (run / "metrics").mkdir(parents=True)
    (logdir / "1" / "meta.yaml").write_text(ABOUT)
    (run / "meta.yaml").write_text(ABOUT_RUN)
    return run / "metrics"


def _log(path: Path, rows: Sequence[Row]) -> None:
    with path.open("a") as file:
        file.writelines(f"{START + when} {value} {step}\n" for step, value, when in rows)


def _late() -> list[Row]:
    return [(step, step / 10, 1000 * number) for number, step in enumerate(LATE_STEPS)]


@pytest.mark.parametrize("grows", [False, True], ids=["whole", "grows"])
def test_late_evaluations_stand_at_their_steps_as_in_mlflows_client(
    tmp_path: Path, grows: bool, opened: Opened
) -> None:
    metrics = _mlflow(tmp_path)
    provider = opened(tmp_path)
    blocks = [(step, float(step), number) for number, step in enumerate([*range(50, 100), *range(50)])]
    one_step = [(7, 1.0, 1000), (7, 3.0, 3000), (7, 2.0, 2000)]
    plain = [(step, 1.0, step) for step in range(100)]
    given = {"late": _late(), "blocks": blocks, "one_step": one_step, "plain": plain}
    for first in range(0, 100, 1 if grows else 100):
        for name, rows in given.items():
            _log(metrics / name, rows[first : first + (1 if grows else 100)])
        if first < 10 or first == 99:
            provider.load()
    provider.load()
    run = "eval/late"
    assert _points(provider, run, "late") == [(step, step / 10) for step in sorted(LATE_STEPS)]
    assert _points(provider, run, "blocks") == [(step, float(step)) for step in range(100)]
    assert _points(provider, run, "one_step") == [(7, 1.0), (7, 2.0), (7, 3.0)]
    assert _points(provider, run, "plain") == [(step, 1.0) for step in range(100)]
    found = {
        info.key.tag: (info.attempts, info.points, info.last_value) for info in provider.series("scalar")
    }
    assert found == {
        "late": (1, 8, 1.0), "blocks": (1, 100, 99.0), "one_step": (1, 3, 3.0), "plain": (1, 100, 1.0),
    }  # fmt: skip
    provider.close()


def test_a_training_that_went_on_from_an_earlier_step_replaces_the_values_behind_it(
    tmp_path: Path, opened: Opened
) -> None:
    metrics = _mlflow(tmp_path)
    _log(metrics / "loss", [(step, 1.0, step) for step in range(100)])
    provider = opened(tmp_path)
    _log(metrics / "loss", [(step, 2.0, 1000 + step) for step in range(80, 120)])
    provider.load()
    assert _points(provider, "eval/late", "loss") == [
        *((step, 1.0) for step in range(80)), *((step, 2.0) for step in range(80, 120)),
    ]  # fmt: skip
    key = SeriesKey("eval/late", "loss")
    columns = provider.scalars("scalar", [key], ScalarQuery(attempts="all"))[key]
    assert (columns.hidden, columns.restarts.tolist(), len(columns.steps)) == (0, [80], 140)
    provider.close()


def test_late_values_survive_a_restart_of_the_host(tmp_path: Path) -> None:
    metrics, cache = _mlflow(tmp_path / "logs"), tmp_path / "cache"
    for number, rows in enumerate((_late()[:4], _late()[4:7], _late()[7:])):
        _log(metrics / "late", rows)
        _log(metrics / "plain", [(number, 1.0, number)])
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs"))],
            [insight_scalar.insight_plugin(), insight_importers.insight_plugin()],
            log_formats=insight_importers.FORMATS,
            cache_directory=cache,
        )
        provider.load()
        seen = sorted(LATE_STEPS[: 4 + 3 * number])
        assert _points(provider, "eval/late", "late") == [(step, step / 10) for step in seen]
        assert _points(provider, "eval/late", "plain") == [(step, 1.0) for step in range(number + 1)]
        provider.close()


def test_trackio_and_visualdl_are_sorted_by_step_too(tmp_path: Path, opened: Opened) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as database:
        database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
        names = "run_name, timestamp, step, metrics"
        for number, step in enumerate(LATE_STEPS):
            values = json.dumps({"late": step / 10, "note": f"at {step}"})
            row = "run", f"2026-01-01T00:00:{number:02}+00:00", step, values
            database.execute(f"INSERT INTO metrics ({names}) VALUES (?, ?, ?, ?)", row)
    types = MessageTypes(Path(visualdl_store.__file__).with_name("visualdl.binpb"))
    (tmp_path / "paddle").mkdir()
    with (tmp_path / "paddle" / "vdlrecords.1700000000.log").open("wb") as file:
        records: list[dict[str, object]] = [{"tag": "meta_data_tag", "id": 0}]
        records += [
            {"tag": "late", "id": step, "timestamp": START + number, "value": step / 8}
            for number, step in enumerate(LATE_STEPS)
        ]
        for value in records:
            record = types.new("Record", values=[value]).SerializeToString()
            file.write(len(record).to_bytes(8, "little") + record)
    provider = opened(tmp_path)
    assert _points(provider, "a/run", "late") == [(step, step / 10) for step in sorted(LATE_STEPS)]
    assert _points(provider, "paddle", "late") == [(step, step / 8) for step in sorted(LATE_STEPS)]
    key = SeriesKey("a/run", "note")
    assert provider.records("text", key).steps.tolist() == sorted(LATE_STEPS)
    texts = [provider.payload("text", key, index).data.decode() for index in range(len(LATE_STEPS))]
    assert [text[-len(f"at {step}") :] for step, text in zip(sorted(LATE_STEPS), texts, strict=True)] == [
        f"at {step}" for step in sorted(LATE_STEPS)
    ]
    provider.close()


def test_pictures_of_mlflow_are_in_the_order_of_their_steps(tmp_path: Path, opened: Opened) -> None:
    """Their names sort as text: step 10 before step 2."""
    images = _mlflow(tmp_path).parent / "artifacts" / "images"
    images.mkdir(parents=True)
    picture = png(np.zeros((2, 2)))
    for step in range(12):
        (images / f"sample+step+{step}+timestamp+{START + step}+0a-0b.png").write_bytes(picture)
    provider = opened(tmp_path)
    [info] = provider.series("image")
    assert (info.key.tag, info.points, info.attempts) == ("sample", 12, 1)
    assert provider.records("image", info.key).steps.tolist() == list(range(12))
    provider.close()


def test_a_run_that_grows_in_parts_is_that_which_came_at_once(tmp_path: Path, opened: Opened) -> None:
    random = Random(3)
    steps = [random.randrange(40) for _ in range(400)]
    names = [random.choice("abc") for _ in steps]
    for place, most in (("whole", 400), ("grown", 7)):
        (tmp_path / place).mkdir()
        first = 0
        while first < len(steps):
            count = random.randrange(1, most + 1) if most < 400 else most
            made = TranslatedRuns(tmp_path / place)
            run: ImportedRun = made.run("run", "run")
            for at in range(first, min(first + count, len(steps))):
                if names[at] == "c":
                    run.text("c", steps[at], float(at), f"{at}")
                else:
                    run.scalars(names[at], [steps[at]], [float(at)], [at / 2])
            first += count
            made.finish(is_done=first >= len(steps) or random.random() < 0.5)
    whole, grown = opened(tmp_path / "whole"), opened(tmp_path / "grown")
    for tag in "ab":
        assert _points(whole, "000001", tag) == _points(grown, "000001", tag)
        newest = {
            step: at / 2 for at, (step, name) in enumerate(zip(steps, names, strict=True)) if name == tag
        }
        assert dict(_points(whole, "000001", tag)) == newest
    key = SeriesKey("000001", "c")
    assert whole.records("text", key).steps.tolist() == grown.records("text", key).steps.tolist()
    whole.close()
    grown.close()


def test_the_host_shows_the_newest_value_of_each_step_and_hides_only_those_that_were_replaced() -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        count = int(random.integers(1, 40))
        steps = random.integers(-5, int(random.integers(-4, 30)), count)
        times = random.permutation(count).astype(float)
        order = in_step_order(steps, times, np.zeros(count, np.int32))
        assert sorted(order.tolist()) == list(range(count))
        shown = find_attempts(steps[order]).visible
        visible = order if shown is None else order[shown]
        assert np.all(np.diff(steps[visible]) >= 0)
        newest = {int(steps[at]): at for at in np.argsort(times).tolist()}
        assert {int(steps[at]): at for at in visible.tolist()} == newest
        by_time = steps[np.argsort(times)]
        if np.all(by_time[1:] >= by_time[:-1]) or len(set(steps.tolist())) == count:
            assert len(visible) == count
