"""Jobs of many ranks: what is kept of each, what makes room, and which profile is read first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler import insight_plugin
from insight_profiler.analysis.rank_links import links_of
from insight_profiler.analysis.rank_summary import DOCUMENT, summary_of
from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.profiles import known
from insight_profiler.profiles.known import Profiles
from insight_profiler.profiles.reading import limits
from insight_profiler.profiles.storage import load, load_summary, save, shrink
from insight_profiler.reading.trace import read

from benchmarks.cluster_traces import job, write_job
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.worker import Workers
from insight_core.providers.local import LocalProvider
from tests.waiting import eventually


def _rank(rank: int, **more: Any) -> Profile:  # noqa: ANN401 - columns
    building = Building(Source.ASCEND, rank=rank)
    building.add("steps", number=[1, 2], start=[0, 10], duration=[10, 10], computing=[8, 7])
    group, kind = building.text("group"), building.text("HCCS")
    for name, columns in more.items():
        marks = {"group": group, "kind": kind} if name == "links" else {"kind": kind}
        count = len(columns["step"])
        building.add(name, **columns, **{mark: [value] * count for mark, value in marks.items()})
    return building.finish()


def test_a_summary_has_the_steps_and_the_sums_of_communication() -> None:
    collectives = {
        "step": [1, 1, 1, 2],
        "elapsed": [100, 50, 70, 40],
        "transit": [60, -1, 30, -1],
        "wait": [40, 20, -1, -1],
        "bytes": [600.0, 500, np.nan, 800],
    }
    links = {
        "step": [1, 1, 2],
        "source": [0, 0, 0],
        "target": [1, 1, 1],
        "elapsed": [10, 30, 5],
        "bytes": [1, 3, 5],
    }
    found = summary_of(_rank(0, collectives=collectives, links=links))
    assert found.tables["steps"]["computing"].tolist() == [8, 7]
    sums = found.tables["collectives"]
    assert sums["elapsed"].tolist() == [220, 40]
    assert sums["wait"].tolist() == [60, -1]
    assert (sums["transit"].tolist(), sums["bytes"].tolist()) == ([110, 40], [1100, 800])
    assert found.tables["links"]["bytes"].tolist() == [4, 5]
    assert found.tables["links"]["bandwidth"].tolist() == pytest.approx([1e8, 1e9])
    assert found.documents[DOCUMENT] == {"peak_memory": None, "flops": {}}


def test_summaries_stay_when_columns_make_room(tmp_path: Path) -> None:
    profile = _rank(3)
    for name in ("a", "b"):
        save(profile, tmp_path / name, summary_of(profile))
    size = sum(path.stat().st_size for path in (tmp_path / "a").iterdir())
    shrink(tmp_path, 2 * size - 1, spared=[tmp_path / "b"])
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "a")
    assert load_summary(tmp_path / "a").tables["steps"]["number"].tolist() == [1, 2]
    assert load(tmp_path / "b").rank == 3
    shrink(tmp_path, 0)
    assert list(tmp_path.iterdir()) == []


def test_ranks_need_their_columns_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_MOST_HELD", 2)
    write_job(tmp_path / "logs/job", job(5, 3))
    cache = tmp_path / "cache"
    provider = LocalProvider([Logdir(str(tmp_path / "logs"))], [insight_plugin()], watch=False)
    provider.load()

    def are_ready(opened: Profiles) -> bool:
        return all(opened.rank(files, cache).state == "ready" for files in opened.listing())

    try:
        opened = Profiles(provider, Workers(limits(), idle=0.2))
        eventually(lambda: are_ready(opened))
        for directory in cache.iterdir():
            (directory / "tables.safetensors").unlink()
        again = Profiles(provider, Workers(limits(), command=["/no/such/program"]))
        assert are_ready(again)  # at once, and nothing is read
        found = [again.rank(files, cache).profile for files in again.listing()]
        assert [one and one.rank for one in found] == [0, 1, 2, 3, 4]
        assert [one and one.tables["steps"]["number"].tolist() for one in found] == 5 * [[0, 1, 2]]
    finally:
        provider.close()


def test_ranks_of_a_group_are_those_of_the_job() -> None:
    """Ranks 4 and 6 are 0 and 1 of their group; each says which it is by the copy to itself."""
    both = {"elapsed": [2, 10], "bytes": [0, 100], "step": [1, 1]}
    fourth = _rank(4, links={"source": [0, 0], "target": [0, 1], **both})
    sixth = _rank(6, links={"source": [1, 1], "target": [1, 0], **both})
    links = links_of([summary_of(fourth), summary_of(sixth)], None)
    assert list(zip(links.source.tolist(), links.target.tolist(), strict=True)) == [(4, 6), (6, 4)]
    assert links.bandwidth.tolist() == [1e10, 1e10]


def test_the_receiver_is_heard_where_the_sender_says_nothing() -> None:
    building = Building(Source.TORCH, rank=1)
    building.add("links", step=[0, 0], source=[0, 1], target=[1, 0], elapsed=[20, 10], bytes=[40, 40])
    (receiver,) = [summary_of(building.finish())]
    assert links_of([receiver], None).elapsed.tolist() == [20, 10]
    building = Building(Source.TORCH, rank=0)
    building.add("links", step=[0], source=[0], target=[1], elapsed=[16], bytes=[40])
    assert links_of([summary_of(building.finish()), receiver], None).elapsed.tolist() == [16, 10]


def test_collectives_of_a_trace_have_their_sizes(tmp_path: Path) -> None:
    def kernel(start: int, **said: object) -> dict[str, Any]:
        common = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 20, "dur": 10}
        return {**common, "ts": start, "args": {"device": 0, "stream": 20, **said}}

    step = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 100}
    sizes = {"In msg nelems": 100, "Out msg nelems": 800}
    events = [
        {**step, "name": "ProfilerStep#7", "ts": 0},
        {**step, "name": "ProfilerStep#8", "ts": 100},
        kernel(10, **{"Collective name": "_allgather_base", "dtype": "BFloat16", **sizes}),
        kernel(30, **{"Collective name": "allreduce", "dtype": "Unheard", **sizes}),
        kernel(110, **{"Collective name": "send", "dtype": "Float", "Dst Rank": "3", **sizes}),
        kernel(130, **{"Collective name": "recv", "dtype": "Float", "Src Rank": 1, **sizes}),
        kernel(250, **{"Collective name": "barrier"}),
    ]
    place = tmp_path / "a.pt.trace.json"
    place.write_text(json.dumps({"traceEvents": events, "distributedInfo": {"rank": 2, "world_size": 4}}))
    building = Building(Source.TORCH)
    read(Files.of_directory(tmp_path, place.name), building)
    profile = building.finish()
    table = profile.tables["collectives"]
    names = [profile.texts[name] for name in table["name"].tolist()]
    assert names == ["_allgather_base", "allreduce", "send", "recv", "barrier"]
    assert [profile.texts[kind] for kind in table["kind"].tolist()] == 2 * ["collective"] + 2 * ["p2p"] + [
        "collective"
    ]
    np.testing.assert_array_equal(table["bytes"], [1600, np.nan, 3200, 3200, np.nan])
    assert table["step"].tolist() == [7, 7, 8, 8, -1]
    assert set(table["elapsed"].tolist()) == {10_000}
    links = profile.tables["links"]
    assert list(zip(links["source"].tolist(), links["target"].tolist(), strict=True)) == [(2, 3), (1, 2)]
    assert links["step"].tolist() == [8, 8]
