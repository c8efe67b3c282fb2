"""Parallel strategies of jobs that are known: stages, shards, communication, and which rank holds what."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.analysis.strategy_communication import kind_of, ranks_of
from insight_profiler.model import Source
from insight_profiler.profiles.discovery import profiles_of

from insight_core.plugin import NotFound
from insight_core.plugin.data import SeriesInfo, SeriesKey
from tests.conformance.our_profiles import read_directory
from tests.parallel_strategies import Sizes, write_job
from tests.profiler_routes import Get, served_profiles

# written by node_strategy_pb2 of MindSpore 2.10, of stage 1: the operator MatMul_net.l0.w1 with
# ((2, 1), (1, 4)); over the device matrix (2, 1, 4) the layouts (-1, 0) of net.l0.w1, and (0, -1) of
# net.l0.w2 with 2 parts by the optimizer
STRATEGY_FILE = bytes.fromhex(
    "080112220a104d61744d756c5f6e65742e6c302e7731120e08011204080208011204080108041a2e0a096e65742e6c302e773112"
    "210a06080208010804120d08ffffffffffffffffff0108001a0022002800300038001a2e0a096e65742e6c302e773212210a0608"
    "0208010804120d080008ffffffffffffffffff011a002200280030043802"
)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Get, Sizes]]:
    logs = tmp_path_factory.mktemp("logs")
    sizes = write_job(logs / "job/profiler", Sizes(stages=2, data=2, model=2, layers=2))
    with served_profiles() as opened:
        yield opened(logs), sizes


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Get]]:
    with served_profiles() as opened:
        yield opened


OF = {"run": "job/profiler", "profile": ".#0"}


def test_every_stage_is_that_of_one_rank(job: tuple[Get, Sizes]) -> None:
    get, sizes = job
    answer = get("strategy", **OF)
    assert [(one["stage"], one["profile"], one["ranks"]) for one in answer["stages"]] == [
        (0, ".#0", [0, 1, 2, 3]),
        (1, ".#4", [4, 5, 6, 7]),
    ]
    of_another = get("strategy", run="job/profiler", profile=".#6")
    assert [one["profile"] for one in of_another["stages"]] == [".#0", ".#6"]
    types = [one["type"] for one in answer["stages"][0]["operators"]]
    assert types.count("MatMul") == 2 * sizes.layers
    assert answer["others"] == []


def test_operators_have_their_layouts_and_shards(job: tuple[Get, Sizes]) -> None:
    get, sizes = job
    product = next(one for one in get("strategy", **OF)["stages"][0]["operators"] if one["type"] == "MatMul")
    assert product["devices"] == [2, 1, 2]
    assert product["output_axes"] == [[0], [2]]
    assert product["shards"] == 4
    assert product["output_shapes"] == [[sizes.rows, 4 * sizes.hidden // sizes.model]]

    detail = get("strategy_operator", **OF, stage="0", name=product["id"])
    given, weight, output = detail["tensors"]
    assert (given["shape"], given["shard"]) == ([sizes.rows * 2, sizes.hidden], [sizes.rows, sizes.hidden])
    assert (weight["name"], weight["shape"]) == ("network.layers.0.mlp.up.weight", [64, 256])
    assert weight["bytes"] == 64 * 128 * 2
    assert output["shape"] == [sizes.rows * 2, 256]
    assert detail["ranks"] == [0, 1, 2, 3]
    assert detail["slices"][1] == [
        [[0, 64], [0, 128]],
        [[0, 64], [128, 256]],
        [[0, 64], [0, 128]],
        [[0, 64], [128, 256]],
    ]
    rows = [[[0, sizes.rows]], [[sizes.rows, 2 * sizes.rows]]]
    assert [slices[:1] for slices in detail["slices"][0]] == [rows[0], rows[0], rows[1], rows[1]]


def test_collectives_say_ranks_bytes_and_reason(job: tuple[Get, Sizes]) -> None:
    get, sizes = job
    stage = get("strategy", **OF)["stages"][0]
    found = [one["communication"] for one in stage["operators"] if one["type"] == "AllReduce"]
    whole = sizes.rows * sizes.hidden * 2
    assert (found[0]["ranks"], found[0]["bytes"], found[0]["sent"]) == ([0, 1], whole, whole)
    assert found[0]["reason"] == "result"
    gradients = [one for one in found if one["reason"] == "gradient"]
    assert len(gradients) == 2 * sizes.layers
    assert gradients[0]["ranks"] == [0, 2]


def test_sends_find_their_receives(job: tuple[Get, Sizes]) -> None:
    get, sizes = job
    answer = get("strategy", **OF)
    (link,) = answer["links"]
    by_id = [{one["id"]: one for one in stage["operators"]} for stage in answer["stages"]]
    assert (link["from_stage"], by_id[0][link["from"]]["type"]) == (0, "Send")
    assert (link["to_stage"], by_id[1][link["to"]]["type"]) == (1, "Receive")
    assert link["bytes"] == sizes.rows * sizes.hidden * 2
    assert by_id[0][link["from"]]["communication"]["peer"] == {"stage": 1, "rank": 4}


def test_only_the_planted_edge_changes_its_layout(job: tuple[Get, Sizes]) -> None:
    get, sizes = job
    first, last = get("strategy", **OF)["stages"]
    assert first["changes"] == []
    (change,) = last["changes"]
    assert (change["before"], change["after"]) == ([2, 1], [1, 1])
    assert change["collectives"] == [
        {
            "kind": "AllGather",
            "dim": 0,
            "ranks": 2,
            "bytes": sizes.rows * sizes.hidden * 2,
            "sent": sizes.rows * sizes.hidden * 2,
        }
    ]


def test_parameters_are_cut_as_their_readers_want_them(job: tuple[Get, Sizes]) -> None:
    get, _ = job
    rows = {one["name"]: one for one in get("strategy", **OF)["stages"][1]["parameters"]}
    down = rows["network.layers.3.mlp.down.weight"]
    assert (down["shape"], down["parts"], down["shard"]) == ([256, 64], [2, 1], [128, 64])


def test_an_operator_that_is_not_there(job: tuple[Get, Sizes]) -> None:
    get, _ = job
    with pytest.raises(NotFound):
        get("strategy_operator", **OF, stage="1", name="1")  # that of another profile
    with pytest.raises(NotFound):
        get("strategy_operator", **OF, stage="0", name="none")


def _layouts(get: Get, **of: str) -> dict[str, Any]:
    (stage,) = get("strategy", **of)["stages"]
    return {one["name"]: one for one in stage["parameters"]}


def test_a_strategy_file_without_a_graph(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job/src_strategy.ckpt").write_bytes(STRATEGY_FILE)
    get = serve(tmp_path)
    of = {"run": "job", "profile": "."}
    (stage,) = get("strategy", **of)["stages"]
    assert (stage["stage"], stage["ranks"]) == (1, [8, 9, 10, 11, 12, 13, 14, 15])
    (operator,) = stage["operators"]
    assert (operator["type"], operator["scope"], operator["devices"]) == ("MatMul", "net/l0", [2, 1, 4])
    layouts = _layouts(get, **of)
    assert layouts["net.l0.w1"]["parts"] == [1, 4]
    assert layouts["net.l0.w2"]["parts"] == [8, 1]  # 4 by the layout, 2 by the optimizer
    detail = get("strategy_operator", **of, stage="1", name=operator["id"])
    assert detail["slices"][0][:2] == [[[0, 1], [0, 1]], [[0, 1], [1, 2]]]  # parts: the shape is not known


def test_a_strategy_file_as_json_has_shapes(tmp_path: Path, serve: Callable[[Path], Get]) -> None:
    layout = {"dev_matrix": [2, 4], "tensor_map": [0, -1], "tensor_shape": [64, 8]}
    more = {"field": 0, "opt_weight_shard_step": 0, "opt_weight_shard_size": 0}
    content = {
        "current_stage": 0,
        "parallel_strategy_item": {"MatMul_w": {"stage": 0, "parallel_strategy": [[2, 4], [4, 1]]}},
        "parallel_layout_item": {"w": layout | more},
    }
    (tmp_path / "job").mkdir()
    (tmp_path / "job/ckpt_strategy_rank_3.json").write_text(json.dumps(content))
    row = _layouts(serve(tmp_path), run="job", profile=".")["w"]
    assert (row["shape"], row["shard"], row["parts"]) == ([64, 8], [16, 8], [4, 1])


def test_broken_strategy_files_are_noted(tmp_path: Path) -> None:
    write_job(tmp_path, Sizes(stages=1, layers=1))
    (tmp_path / "a_strategy.ckpt").write_bytes(STRATEGY_FILE[:-5])
    (tmp_path / "b_strategy.ckpt").write_bytes(b"")
    (tmp_path / "c_strategy.json").write_text('{"parallel_layout_item": {"w": {}}}')
    profile = read_directory(tmp_path, Source.MINDINSIGHT).profile
    assert [note.values["file"] for note in profile.notes] == [
        "a_strategy.ckpt",
        "b_strategy.ckpt",
        "c_strategy.json",
    ]
    assert len(profile.documents["strategy"]["stages"]) == 4


def test_a_json_file_alone_that_is_called_strategy_is_no_profile() -> None:
    def found(*names: str) -> list[str]:
        return [
            one.path for one in profiles_of(SeriesInfo(SeriesKey("run", name), 1, 1, 0, 0) for name in names)
        ]

    assert found("trading/strategy.json") == []
    assert found("a/strategy.json", "a/parallel_strategy_0.json") == ["a"]
    assert found("a/ckpt_strategy_rank_0.ckpt", "a/ckpt_strategy_rank_1.ckpt") == ["a#0", "a#1"]


def test_groups_by_ranks_or_the_world() -> None:
    stages = [[0, 1], [2, 3]]
    assert ranks_of({"group_ranks": "0-2"}, stages) == [0, 2]
    assert ranks_of({"group_ranks": "WORLD_GROUP"}, stages) == [0, 1, 2, 3]
    assert ranks_of({"group": "hccl_world_group"}, stages) == [0, 1, 2, 3]
    assert ranks_of({"group": "5-1234567"}, stages) == []
    assert [kind_of(name) for name in ("_AlltoAll", "AllGather", "MatMul")] == ["AllToAll", "AllGather", None]
