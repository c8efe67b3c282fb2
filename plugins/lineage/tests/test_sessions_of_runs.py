"""Hyperparameters of a session stand in the row of the run that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import insight_lineage
import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_record import SummaryRecord
from tests.lineage_samples import write_run

Rows = Callable[[], dict[str, dict[str, Any]]]


def _trained(directory: Path, start_time: float = 1e9) -> None:
    with EventWriter(directory, start_time=start_time) as writer:
        writer.scalar_block(["loss"], range(3), [[3.0], [2.0], [1.0]])


@pytest.fixture
def host(tmp_path: Path) -> Iterator[tuple[LocalProvider, Client]]:
    plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
    (tmp_path / "logs").mkdir()
    provider = LocalProvider([Logdir(str(tmp_path / "logs"))], plugins, reload_interval=0)
    yield provider, Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider))
    provider.close()


@pytest.fixture
def rows(host: tuple[LocalProvider, Client]) -> Rows:
    """What is known of each run that is a row, once what was written has been read."""
    provider, client = host

    def asked() -> dict[str, dict[str, Any]]:
        provider.load()
        answer = client.get("/data/plugin/lineage/runs?scalars=last").json
        assert answer is not None
        assert answer["total"] == len(answer["runs"])
        names = [column["name"] for column in answer["columns"]]
        cells = zip(answer["runs"], zip(*answer["values"], strict=True), strict=True)
        return {
            run: {name: one for name, one in zip(names, row, strict=True) if one is not None}
            for run, row in cells
        }

    return asked


def test_one_row_has_hparams_and_scalars(
    rows: Rows, tmp_path: Path, host: tuple[LocalProvider, Client]
) -> None:
    """``add_hparams`` writes below a run, and counts in that run."""
    _trained(tmp_path / "logs/a")
    write_run(tmp_path / "logs/a/1700000000.5", {"lr": 0.1}, {"hp/metric": 0.5}, 1e9 + 5)
    found = rows()
    assert found.keys() == {"a"}
    row = found["a"]
    assert (row["lr"], row["metric/hp/metric"], row["last/loss"]) == (0.1, 0.5, 1.0)
    assert (row["session"], row["session_group"]) == ("a", "a")
    listing = host[1].get("/data/plugin/lineage/columns").json
    assert listing is not None
    counts = {column["name"]: column["count"] for column in listing["columns"]}
    assert listing["runs"] == counts["run"] == counts["lr"] == counts["last/loss"] == 1
    matched = host[1].get("/data/plugin/lineage/runs?where=lr = null").json
    assert matched is not None
    assert matched["runs"] == []


def test_trials_of_hparams_alone_have_one_row_and_one_run_each(
    rows: Rows, tmp_path: Path, host: tuple[LocalProvider, Client]
) -> None:
    """``add_hparams`` writes into a run below; the run above has an event file without values."""
    for trial in range(3):
        EventWriter(tmp_path / f"logs/trial{trial}").close()
        write_run(tmp_path / f"logs/trial{trial}/1700000000.{trial}", {"lr": 0.1 * trial}, {"acc": 0.5})
    found = rows()
    assert [row["lr"] for row in found.values()] == [0.0, 0.1, 0.2]
    assert found.keys() == {run.name for run in host[0].runs()}
    with EventWriter(tmp_path / "logs/trial1", start_time=1e9) as writer:
        writer.text("note", 0, "no scalar")
    found = rows()
    assert (len(found), found["trial1"]["lr"], len(host[0].runs())) == (3, 0.1, 3)


def test_sessions_that_are_runs_of_their_own_stay_rows(rows: Rows, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write_run(logs / "no_scalars_above/s", {"lr": 0.1}, {"m": 1.0})
    _trained(logs / "two")
    write_run(logs / "two/s1", {"lr": 0.1}, {"m": 1.0})
    write_run(logs / "two/s2", {"lr": 0.2}, {"m": 1.0})
    _trained(logs / "more")
    write_run(logs / "more/s", {"lr": 0.1}, {"m": 1.0})
    _trained(logs / "more/s", 1e9 + 1)  # more than its metrics
    write_run(logs / "session", {"lr": 0.1}, {"m": 1.0})
    write_run(logs / "session/s", {"lr": 0.3}, {"m": 1.0})
    expected = {"no_scalars_above/s", "two", "two/s1", "two/s2", "more", "more/s", "session", "session/s"}
    found = rows()
    assert found.keys() == expected
    assert {run for run, row in found.items() if row.get("session") == run} == expected - {"two", "more"}
    assert found["more/s"]["lr"] == 0.1


def test_hyperparameters_that_a_record_adds_later_stand_beside_those_of_before(
    rows: Rows, tmp_path: Path
) -> None:
    with SummaryRecord(tmp_path / "logs/a", dialect="tensorboard") as record:
        for step, hparams in enumerate(({"lr": 0.5, "opt": "sgd"}, {"lr": 0.25}, {"depth": 3}, {"lr": 0.5})):
            record.add_value("hparams", "hparams", hparams)
            record.record(step)
    found = rows()["a"]
    assert {name: found[name] for name in ("lr", "opt", "depth")} == {"lr": 0.5, "opt": "sgd", "depth": 3}
