"""``insight_host.open``: the same tables and values from every kind of source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import insight_host
from insight_core.plugin import InvalidArgument, NotFound, Unavailable, Undecodable
from insight_core.plugin.data import Changes, ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_host.command_line import run_command
from tests.opened_logs import KINDS
from tests.support.damaged_logdir import damaged_logdir
from tests.waiting import eventually

LARGE = 300_000  # bytes: verified when they are read
Open = Callable[[str, Path], insight_host.Logs]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_tables_of_the_sample_logs_are_the_same(kind: str, open_as: Open, sample_logs: Path) -> None:
    with insight_host.open(sample_logs) as wanted:
        found = open_as(kind, sample_logs)
        assert found.plugins() == wanted.plugins()
        for name in ("runs", "series", "scalars", "hparams", "damage"):
            one, other = getattr(found, name)(), getattr(wanted, name)()
            assert one.columns == other.columns
            assert list(map(repr, one.rows())) == list(map(repr, other.rows())), name
        assert len(wanted.scalars()) > 500
        assert {"optimizer", "learning_rate"} <= set(wanted.hparams().columns)


def test_values_that_are_no_numbers_are_the_same(kind: str, open_as: Open, sample_logs: Path) -> None:
    with insight_host.open(sample_logs) as wanted:
        found = open_as(kind, sample_logs)
        for name in ("images", "histograms", "tensors", "texts"):
            one, other = list(getattr(found, name)()), list(getattr(wanted, name)())
            assert len(other) > 2
            assert len(one) == len(other)
            for here, there in zip(one[::20], other[::20], strict=True):
                places = [(each.run, each.tag, each.step, each.wall_time) for each in (here, there)]
                assert places[0] == places[1]
                assert repr(here.read()) == repr(there.read())
        [first, *_] = wanted.texts()
        assert first.read()[0].startswith("**lr**")


def test_damaged_logs_give_the_same_rows_and_damage(kind: str, open_as: Open, tmp_path: Path) -> None:
    damaged_logdir(tmp_path / "logs")
    with insight_host.open(tmp_path / "logs") as wanted:
        found = open_as(kind, tmp_path / "logs")
        assert len(wanted.damage()) > 10
        for name in ("scalars", "damage"):
            one, other = getattr(found, name)(), getattr(wanted, name)()
            assert list(map(repr, one.rows())) == list(map(repr, other.rows()))


def test_restarts_odd_numbers_and_ranges(kind: str, open_as: Open, tmp_path: Path) -> None:
    for start, steps in ((1000, range(4)), (2000, range(2, 4))):
        with EventWriter(tmp_path / "r", start_time=start) as writer:
            for step in steps:
                writer.scalar("x", step, float("nan") if step == 1 else start + step)
    logs = open_as(kind, tmp_path)
    last, every = logs.scalars(), logs.scalars(attempts="all")
    assert last["step"].tolist() == [0, 1, 2, 3]
    assert "attempt" not in last.columns
    np.testing.assert_array_equal(last["value"], [1000, np.nan, 2002, 2003])
    assert every["step"].tolist() == [0, 1, 2, 3, 2, 3]
    assert every["attempt"].tolist() == [1, 1, 1, 1, 2, 2]
    assert logs.scalars(steps=(1, 2))["step"].tolist() == [1, 2]
    assert logs.scalars(steps=(3, None))["step"].tolist() == [3]


def test_runs_and_tags_are_chosen_by_name_or_expression(kind: str, open_as: Open, tmp_path: Path) -> None:
    for run in ("a", "b"):
        with EventWriter(tmp_path / run) as writer:
            for tag in ("train/loss", "val/loss", "=odd tag"):
                writer.scalar(tag, 0, 1.0)
    logs = open_as(kind, tmp_path)

    def found(**chosen: object) -> list[tuple[str, str]]:
        table = logs.scalars(**chosen)  # type: ignore[arg-type]
        return list(zip(table["run"], table["tag"], strict=True))

    assert found(runs="a", tags="val/loss") == [("a", "val/loss")]
    assert found(tags=["=odd tag"]) == [("a", "=odd tag"), ("b", "=odd tag")]
    assert found(runs=["b"], tags=re.compile("loss$")) == [("b", "train/loss"), ("b", "val/loss")]
    assert found(runs=re.compile("^A", re.IGNORECASE), tags="train/loss") == [("a", "train/loss")]
    assert found(runs=[]) == found(tags="no such") == []
    assert len(logs.series(tags="val/loss")) == 2


def test_follow_gives_every_new_point_once(kind: str, open_as: Open, tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "r", start_time=1000)
    writer.scalar("x", 0, 0.0)
    writer.flush()
    logs = open_as(kind, tmp_path)
    came = logs.follow()
    rows: list[tuple[str, int, float]] = []

    def took(wanted: list[tuple[str, int, float]]) -> None:
        while len(rows) < len(wanted):
            table = next(came)
            rows.extend(zip(table["tag"], table["step"].tolist(), table["value"].tolist(), strict=True))
        assert rows == wanted

    writer.scalar("x", 1, 1.0)
    writer.flush()
    took([("x", 1, 1.0)])
    writer.scalar("y", 5, 2.0)  # a new series
    writer.flush()
    took([("x", 1, 1.0), ("y", 5, 2.0)])
    writer.scalar("x", 0, 3.0)  # a restart
    writer.close()
    took([("x", 1, 1.0), ("y", 5, 2.0), ("x", 0, 3.0)])
    logs.close()
    assert list(came) == []


def test_payloads_reduced_points_and_chosen_columns_are_the_same(
    kind: str, open_as: Open, sample_logs: Path
) -> None:
    key = SeriesKey("torch/lr0.2_seed0", "train/loss")
    query = ScalarQuery(window=(10, None), width=20, smoothing=0.6)
    with insight_host.open(sample_logs) as wanted:
        found = open_as(kind, sample_logs)
        for plugin in wanted.plugins():
            if plugin != wanted.plugin_of_scalars:
                one, other = (
                    [(each.key, each.index, each.step, each.wall_time) for each in logs.payloads(plugin)]
                    for logs in (found, wanted)
                )
                assert one == other, plugin
        image, same = (next(logs.payloads("image", runs=key.run)) for logs in (found, wanted))
        assert image.read() == same.read()
        with image.stream(offset=2, length=5) as part:
            assert part.file.read() == same.read().data[2:7]
        points, others = (logs.provider.scalars("scalar", [key], query)[key] for logs in (found, wanted))
        assert points.steps.tolist() == others.steps.tolist()
        assert points.values.tolist() == others.values.tolist()
        tables, same_tables = (
            {table.run: table.column("points") for table in logs.provider.series_tables("scalar", ["points"])}
            for logs in (found, wanted)
        )
        assert tables == same_tables


def test_a_change_names_the_series_to_list_again(kind: str, open_as: Open, tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "r", start_time=1000)
    writer.scalar("x", 0, 0.0)
    writer.scalar("y", 0, 0.0)
    writer.flush()
    logs = open_as(kind, tmp_path)
    following = logs.changes()
    changes, step = Changes(0, None), 0
    while changes.series != {"scalar": [SeriesKey("r", "x")]}:  # others are about the connection
        step += 1
        writer.scalar("x", step, 1.0)
        writer.flush()
        changes = next(following)
    table = logs.series("scalar", changed=changes)
    assert list(zip(table["run"], table["tag"], strict=True)) == [("r", "x")]
    assert len(logs.series("scalar", changed=Changes(0, None))) == 2  # any may have changed
    writer.close()


def test_a_damaged_value_says_where_it_is(kind: str, open_as: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(2):
            writer.image("img", step, bytes([65 + step]) * LARGE, width=1, height=1)
    [path] = (tmp_path / "r").iterdir()
    path.write_bytes(path.read_bytes().replace(b"B" * LARGE, b"C" * LARGE))
    whole, damaged = open_as(kind, tmp_path).images()
    assert whole.read().encoded == (b"A" * LARGE,)
    with pytest.raises(Undecodable, match=r"'img' of run 'r', step 1 .*checksum"):
        damaged.read()


def test_several_sources_are_one(open_as: Open, tmp_path: Path) -> None:
    for place in ("one", "two", "three"):
        with EventWriter(tmp_path / place / f"run_{place}") as writer:
            writer.scalar("x", 0, 1.0)
    one, two, three = (tmp_path / place for place in ("one", "two", "three"))
    with insight_host.open([one, two]) as logs:
        assert logs.runs()["run"].tolist() == ["one/run_one", "two/run_two"]
    with insight_host.open({"a": one, "b": two}) as logs:
        assert logs.runs()["run"].tolist() == ["a/run_one", "b/run_two"]
    url = open_as("http", three).provider._session.address  # type: ignore[attr-defined]
    with insight_host.open([one, str(url)]) as logs:
        assert logs.runs()["run"].tolist() == ["run_one", "run_three"]
        assert len(logs.scalars()) == 2


def test_a_closed_source_leaves_its_tables(sample_logs: Path) -> None:
    with insight_host.open(sample_logs / "keras") as logs:
        table = logs.scalars()
    assert len(list(table.rows())) == len(table) > 50


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such directory"):
        insight_host.open(tmp_path / "none")
    with pytest.raises(InvalidArgument, match="vault:somewhere"):
        insight_host.open("vault:somewhere")
    with pytest.raises(InvalidArgument, match="only directories can be named"):
        insight_host.open({"a": "http://127.0.0.1:1/?token=secret"})
    with pytest.raises(Unavailable, match=r"http://127\.0\.0\.1:1/ does not answer") as refused:
        insight_host.open("http://127.0.0.1:1/", token="secret")
    assert "secret" not in str(refused.value)
    with pytest.raises(InvalidArgument, match="nothing to open"):
        insight_host.open([])


def test_nothing_is_written_to_a_directory_of_logs(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.scalar("x", 0, 1.0)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with insight_host.open(tmp_path) as logs:
        logs.hparams()
        eventually(lambda: len(logs.scalars()) == 1)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_runs_are_chosen_by_an_expression_over_their_columns(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As the filter of the page has it, with the last parts of names."""
    logdir = tmp_path / "logs"
    for number in range(3):
        with EventWriter(logdir / f"r{number}") as writer:
            writer.scalar("hparam/val_acc", 0, number / 2)
    with insight_host.open(logdir) as logs:
        assert logs.runs(where="val_acc >= 0.5")["run"].tolist() == ["r1", "r2"]
        assert logs.runs(where="val_acc > 1")["run"].tolist() == []
        with pytest.raises(InvalidArgument, match=r"^No column val_ac\. Try: last/hparam/val_acc"):
            logs.runs(where="val_ac > 1")
    for command, lines in (("runs", 2), ("compare", 2), ("get", 2)):
        assert run_command(command, command, [str(logdir), "--where", "val_acc >= 0.5", "--csv"]) == 0
        assert len(capfd.readouterr().out.splitlines()) == 1 + lines
    assert run_command("series", "series", [str(logdir), "--where", "val_acc > 1", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == []
    exported = [str(tmp_path / "out"), "--to", "csv", "--logdir", str(logdir), "--where", "val_acc = 1"]
    assert run_command("export", "export", exported) == 0
    for table in ("runs", "series", "scalars"):  # no table has others
        assert len((tmp_path / "out" / f"{table}.csv").read_text().splitlines()) == 1 + 1
    with pytest.raises(InvalidArgument, match="cannot be combined"):
        run_command("runs", "runs", [str(logdir), "--where", "val_acc > 1", "--run", "r1"])
