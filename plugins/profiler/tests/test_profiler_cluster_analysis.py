"""Analyses of the ranks of a job by msprof-analyze: what the program wrote, as text and as a database.

``fixtures/write_cluster_analysis.py`` writes them. Oracles: the text against the database, and pandas.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from insight_profiler.analysis.rank_summary import ranks_of
from insight_profiler.building import Unreadable
from insight_profiler.model import Source

from insight_core.plugin.testing import EventWriter
from tests.conformance.our_profiles import ReadProfile, read_directory, read_profiles
from tests.profiler_routes import Get, served_profiles

FIXTURES = Path(__file__).parent / "fixtures/cluster_analysis"
NAME = "cluster_analysis_output"
FORMS = ("text", "db")


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Get]]:
    with served_profiles() as opened:
        yield opened


def _read(form: str) -> ReadProfile:
    return read_directory(FIXTURES / form / NAME, Source.CLUSTER)


def _rows(profile: ReadProfile, table: str, *names: str) -> list[str]:
    return sorted(json.dumps([row[name] for name in names], default=str) for row in profile.rows(table))


@pytest.mark.parametrize(
    ("table", "names", "count"),
    [
        ("rank_steps", ("rank", "number", "duration", "computing", "bubble", "receive", "stage"), 20),
        ("steps", ("number", "duration", "computing"), 5),
        ("collectives", ("rank", "step", "name", "kind", "start", "elapsed", "wait", "transit", "bytes"), 60),
        ("links", ("step", "source", "target", "kind", "elapsed", "bytes", "bandwidth"), 70),
    ],
)
def test_text_and_database_say_the_same(table: str, names: tuple[str, ...], count: int) -> None:
    text, database = (_rows(_read(form), table, *names) for form in FORMS)
    assert text == database
    assert len(text) == count


@pytest.mark.parametrize("form", FORMS)
def test_steps_are_those_that_pandas_reads(form: str) -> None:
    frame = pd.read_csv(FIXTURES / "text" / NAME / "cluster_step_trace_time.csv")
    frame = frame[frame["Type"] == "rank"].sort_values(["Index", "Step"])
    found = _read(form).profile.tables["rank_steps"]
    order = np.lexsort((found["number"], found["rank"]))
    for ours, theirs in {
        "computing": "Computing",
        "communication_not_overlapped": "Communication(Not Overlapped)",
        "free": "Free",
        "preparing": "Preparing",
    }.items():
        assert found[ours][order].tolist() == (frame[theirs] * 1000).round().astype(int).tolist()


def test_communication_is_what_sqlite_sums() -> None:
    with closing(sqlite3.connect(FIXTURES / "db" / NAME / "cluster_analysis.db")) as database:
        sums = database.execute(
            "SELECT rank_id, step, round(sum(elapsed_time) * 1e6) FROM ClusterCommunicationTime "
            "WHERE hccl_op_name <> 'Total Op Info' GROUP BY rank_id, step ORDER BY rank_id, step"
        ).fetchall()
        links = database.execute(
            "SELECT src_rank, dst_rank, round(sum(transit_size) * 1e6), round(sum(transit_time) * 1e6) "
            "FROM ClusterCommunicationMatrix WHERE hccl_op_name LIKE '%-total' AND src_rank <> dst_rank "
            "GROUP BY src_rank, dst_rank ORDER BY src_rank, dst_rank"
        ).fetchall()
    found = _read("db").profile.tables
    ours = [
        (rank, f"step{step}", float(found["collectives"]["elapsed"][rows].sum()))
        for rank in range(4)
        for step in range(1, 6)
        if (rows := (found["collectives"]["rank"] == rank) & (found["collectives"]["step"] == step)).any()
    ]
    assert ours == [tuple(row) for row in sums]
    table = found["links"]
    pairs = sorted(
        {(a, b) for a, b in zip(table["source"].tolist(), table["target"].tolist(), strict=True) if a != b}
    )
    of = {pair: (table["source"] == pair[0]) & (table["target"] == pair[1]) for pair in pairs}
    assert [
        (*pair, float(table["bytes"][rows].sum()), float(table["elapsed"][rows].sum()))
        for pair, rows in of.items()
    ] == [tuple(row) for row in links]


def test_the_ranks_of_the_job() -> None:
    profile = _read("db").profile
    ranks = ranks_of(profile)
    assert [(one.rank, one.host, one.facts["stage"], one.world_size) for one in ranks] == [
        (0, "node0", 0, 4),
        (1, "node0", 0, 4),
        (2, "node1", 1, 4),
        (3, "node1", 1, 4),
    ]
    assert [one.tables["steps"]["number"].tolist() for one in ranks] == [[1, 2, 3, 4, 5]] * 4


@pytest.mark.parametrize("form", FORMS)
def test_a_job_without_profiles_of_its_ranks(tmp_path: Path, serve: Callable[[Path], Get], form: str) -> None:
    shutil.copytree(FIXTURES / form, tmp_path / "job")
    get = serve(tmp_path)
    (listed,) = get("profiles")["profiles"]
    assert (listed["run"], listed["profile"], listed["source"]) == ("job", NAME, "cluster")
    named = {"run": "job", "profile": NAME}
    assert {"overview", "steps", "communication", "cluster"} <= set(get("profile", **named)["views"])
    said = get("cluster", **named)
    assert [(row["rank"], row["profile"], row["stage"]) for row in said["ranks"]] == [
        (rank, f"{NAME}#{rank}", rank // 2) for rank in range(4)
    ]
    assert [row["times"]["computing"] for row in said["ranks"]] == [630_000, 931_000, 632_000, 633_000]
    assert [(one["rank"], one["stage"]) for one in said["stragglers"]] == [(1, 0)]
    assert (said["missing"], said["others"]) == (0, [])
    links = get("rank_links", **named)
    shown = dict(zip(zip(links["source"], links["target"], strict=True), links["bandwidth"], strict=True))
    assert shown == {
        (0, 1): 20e9,
        (0, 2): 10e9,
        (1, 0): 20e9,
        (1, 3): 10e9,
        (2, 3): 20e9,
        (3, 2): 5e9,
    }
    assert get("rank_map", **named, measure="compute")["values"][1] == [
        911_000 + 10_000 * at for at in range(5)
    ]
    assert [row for row in get("overview", **named)["facts"] if row["code"] == "stage"] == []


def test_ranks_with_profiles_of_their_own_lead_to_these(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    """The analysis lies next to the profiles that it was made of, and belongs to the same run."""
    shutil.copytree(FIXTURES / "db", tmp_path / "job")
    for rank in range(2):
        trace = {
            "distributedInfo": {"rank": rank, "world_size": 4},
            "traceEvents": [{"ph": "X", "ts": 1, "pid": 1}],
        }
        path = tmp_path / f"job/worker{rank}.1.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, **trace}))
    get = serve(tmp_path)
    for rank in range(2):
        get("profile", run="job", profile=f"worker{rank}.1.pt.trace.json")
    found = [row["profile"] for row in get("cluster", run="job", profile=NAME)["ranks"]]
    assert found == ["worker0.1.pt.trace.json", "worker1.1.pt.trace.json", f"{NAME}#2", f"{NAME}#3"]
    assert {one["run"] for one in get("profiles")["profiles"]} == {"job"}


def test_where_an_analysis_may_lie(tmp_path: Path) -> None:
    """In a run with event files, or alone, or opened itself."""
    shutil.copytree(FIXTURES / "text", tmp_path / "with_events")
    with EventWriter(tmp_path / "with_events"):
        pass
    shutil.copytree(FIXTURES / "db" / NAME, tmp_path / "renamed")
    assert sorted(read_profiles(tmp_path)) == ["renamed:.", f"with_events:{NAME}"]
    assert list(read_profiles(tmp_path / "renamed")) == [".:."]


# --- bad input ------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURES / "text" / NAME, tmp_path / NAME))


def test_a_damaged_database_next_to_the_text(damaged: Path) -> None:
    (damaged / "cluster_analysis.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    profile = read_directory(damaged, Source.CLUSTER)
    assert len(profile.profile.tables["rank_steps"]["rank"]) == 20
    assert [note.code for note in profile.profile.notes] == ["broken_database"]


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "empty_file"), (b"SQLite format 3\0" + b"\xff" * 4096, "broken_database")]
)
def test_a_damaged_database_alone(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "cluster_analysis.db").write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        read_directory(tmp_path, Source.CLUSTER)
    assert raised.value.note.code == code
    assert "cluster_analysis.db" in str(raised.value)


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"a": {"step1": {"x@y": {"0": 5, "0-1": 5}}}}', '{"a": 7}', "\0"]
)
def test_broken_text_stops_nothing_else(damaged: Path, text: str) -> None:
    (damaged / "cluster_communication.json").write_text(text)
    (damaged / "cluster_communication_matrix.json").write_text(text)
    profile = read_directory(damaged, Source.CLUSTER)
    assert len(profile.profile.tables["steps"]["number"]) == 5
    assert {note.code for note in profile.profile.notes} == {"file_unreadable"}
    assert {note.values["file"] for note in profile.profile.notes} == {
        "cluster_communication.json",
        "cluster_communication_matrix.json",
    }


def test_an_analysis_without_ranks(damaged: Path) -> None:
    for name in ("cluster_communication.json", "cluster_communication_matrix.json"):
        (damaged / name).write_text("{}")
    (damaged / "cluster_step_trace_time.csv").write_text('Step,Type,Index,Computing\n1,stage,"(0, 1)",5\n')
    with pytest.raises(Unreadable, match="no rows"):
        read_directory(damaged, Source.CLUSTER)


def test_names_of_older_versions(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "cluster_analysis.db")) as database:
        database.execute(
            "CREATE TABLE ClusterCommAnalyzerTime (rank_set TEXT, step TEXT, rank_id INTEGER, "
            "hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, "
            "transit_time NUMERIC, wait_time NUMERIC)"
        )
        database.execute(
            "INSERT INTO ClusterCommAnalyzerTime "
            "VALUES ('(0)', 'step7', 3, 'hcom_broadcast_', 'g', 1, 2, 1.5, .5)"
        )
        database.commit()
    (row,) = read_directory(tmp_path, Source.CLUSTER).rows("collectives")
    assert (row["step"], row["rank"], row["elapsed"], row["wait"]) == (7, 3, 2_000_000, 500_000)
    assert np.isnan(row["bytes"])
