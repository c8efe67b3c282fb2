"""Lists, conditions, comparisons and searches of samples; files that grow, damage, and the kept index."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, BinaryIO

import insight_samples
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight_samples.indexes import SampleIndexes
from insight_samples.indexing import index_part
from insight_samples.packing import IndexPart, packed, unpacked
from insight_samples.selection import Chosen, ordered
from insight_samples.sources import rows_at, sources_of

from insight_core.plugin.testing import context_of, host_of
from tests.support.sample_hosts import samples_of, write_lines
from tests.waiting import eventually


def _rollouts(root: Path, steps: int = 3) -> None:
    for step in range(1, steps + 1):
        rows = [
            {
                "input": f"question {number // 4}",
                "output": f"answer {number} of step {step}" + (" café" if number == 5 else ""),
                "score": (number + step) % 4,
                "advantage": number - 3.5,
                "step": step,
            }
            for number in range(8)
        ]
        write_lines(root / "run" / "rollout" / f"{step}.jsonl", rows)


def test_groups_come_together_with_the_best_first(tmp_path: Path) -> None:
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        lines = of.lines(step=1)
        assert [line["asked"] for line in lines] == ["question 0"] * 4 + ["question 1"] * 4
        assert [line["scores"]["score"] for line in lines] == [3, 2, 1, 0, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (["score > 1"], 12),
        (["score >= 1", "advantage < 0"], 9),
        (["length < 20"], 21),
        (["not empty"], 24),
        (["empty"], 0),
        (["unknown > 0"], 0),
    ],
)
def test_conditions_choose_among_all_steps(tmp_path: Path, where: list[str], count: int) -> None:
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        of.overview()
        answer = of.ask("rows", where=where)
        assert answer["total"] == len(answer["samples"]) == count


def test_a_condition_that_is_none_says_what_one_looks_like(tmp_path: Path) -> None:
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        answer = of.host.get("/data/plugin/samples/rows", run=of.run, where="reward is good")
        assert (answer.status, answer.json()["code"]) == (400, "samples_condition")


def test_all_steps_are_sorted_together_in_pages(tmp_path: Path) -> None:
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        of.overview()
        pages = [
            of.ask("rows", sort="advantage", desc=1, offset=at, limit=10)["samples"] for at in (0, 10, 20)
        ]
        assert [len(page) for page in pages] == [10, 10, 4]
        values = [line["advantage"] for page in pages for line in page]
        assert values == sorted(values, reverse=True)
        assert {line["step"] for line in pages[0]} == {1, 2, 3}


@pytest.mark.parametrize("is_descending", [False, True])
def test_a_page_of_many_samples_is_that_of_all_sorted(is_descending: bool) -> None:
    values = np.random.default_rng(0).integers(0, 5, 400).astype(float)
    values[::7] = np.nan
    numbers = np.arange(400)
    every = Chosen([], numbers, numbers, {"score": values})
    keys = [(np.isnan(one), -one if is_descending else one) for one in values.tolist()]
    wanted = sorted(range(400), key=lambda at: (keys[at][0], 0 if keys[at][0] else keys[at][1]))
    for page in (slice(0, 10), slice(10, 30), slice(200, 300), slice(390, 500)):
        found = ordered(every, "score", is_descending=is_descending, page=page)
        assert found.row.tolist() == wanted[page]


def test_steps_of_several_parts_and_files_have_the_summary_of_all_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of a few lines; a step in two parts of a file, in two files, and parts of many steps."""
    monkeypatch.setattr("insight_samples.indexes.PART", 300)
    monkeypatch.setattr("insight_samples.indexes._GROWS", 0)
    monkeypatch.setattr("insight_samples.summaries.MOST_STEPS", 3)
    steps = [*[1] * 5, *[2] * 9, *range(3, 20), *[20] * 3]
    for name in ("a", "b"):
        rows = [{"prompt": "p", "completion": "c" * at, "reward": at} for at in range(len(steps))]
        write_lines(
            tmp_path / "run" / f"{name}_samples.jsonl",
            [{**row, "step": step} for row, step in zip(rows, steps, strict=True)],
        )
    for source in ("a_samples.jsonl", "b_samples.jsonl"):
        with samples_of(tmp_path, f"run/{source}") as of:
            shown = dict(of.overview()["shown"])
            assert {step: one["rows"] for step, one in shown.items()} == {
                step: steps.count(step) for step in steps
            }
            for step, one in shown.items():
                rewards = [at for at, each in enumerate(steps) if each == step]
                assert one["columns"]["score/reward"][:2] == [len(rewards), np.mean(rewards)]


def test_shards_of_a_step_are_summarised_together(tmp_path: Path) -> None:
    for number in range(3):
        row = {"doc_id": 1, "arguments": [["p", {}]], "resps": [["c"]], "acc": number}
        name = f"samples_sums_2026-11-30T13-48-3{number}.7.jsonl"
        write_lines(tmp_path / "run" / "checkpoint-7" / name, [row] * (number + 1))
    with samples_of(tmp_path, "sums") as of:
        [[step, shown]] = of.overview()["shown"]
        assert (step, shown["rows"], shown["columns"]["score/acc"][1]) == (7, 6, 8 / 6)


def test_one_prompt_over_steps_and_what_changed(tmp_path: Path) -> None:
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        prompt = of.lines(step=1)[0]["prompt"]
        same = of.ask("prompt", prompt=prompt)
        assert same["total"] == 12
        assert [step for step, _ in same["by_step"]] == [1, 2, 3]
        changes = of.ask("compare", first=1, second=3, score="advantage_is_no_score")
        assert (changes["shared"], changes["rose"], changes["only"]) == (2, 0, [0, 0])


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"q": "ANSWER 3"}, 3),
        ({"q": "café"}, 3),  # in the file as it is, or escaped
        ({"q": r"answer [35] of step [23]", "regex": 1}, 4),
        ({"q": "question 1", "step": 2}, 4),
        ({"q": "score"}, 0),  # the name of a column is no text
    ],
)
@pytest.mark.parametrize("escaped", [False, True])
def test_a_search_finds_texts_of_all_steps(
    tmp_path: Path, query: dict[str, Any], count: int, escaped: bool
) -> None:
    _rollouts(tmp_path)
    if escaped:
        for file in tmp_path.rglob("*.jsonl"):
            file.write_text(
                "".join(json.dumps(json.loads(line)) + "\n" for line in file.read_text().splitlines())
            )
    with samples_of(tmp_path) as of:
        of.overview()
        assert len(of.ask("search", **query)["samples"]) == count


@pytest.mark.parametrize("piece", [1, 7, 100])
def test_a_word_across_the_pieces_that_are_looked_at_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr("insight_samples.searching._PIECE", piece)
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        of.overview()
        assert len(of.ask("search", q="answer 3")["samples"]) == 3
        assert len(of.ask("search", q="answer", where=["score > 1"])["samples"]) == 12


def test_a_search_goes_on_where_its_time_was_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_samples.searching.SECONDS", -1.0)
    _rollouts(tmp_path)
    with samples_of(tmp_path) as of:
        of.overview()
        start, found, asked = 0, [], 0
        while start is not None:
            answer = of.ask("search", q="answer", start=start)
            found += [line["id"] for line in answer["samples"]]
            start, asked = answer["next"], asked + 1
        assert len(found) == len(set(found)) == 24
        assert asked == 3


def test_a_search_in_a_table_goes_on_where_its_time_was_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_samples.searching.SECONDS", -1.0)
    monkeypatch.setattr("insight_samples.searching._TOGETHER", 3)
    path = tmp_path / "run/completions/completions_1.parquet"
    path.parent.mkdir(parents=True)
    said = [f"answer {number}" if number % 2 else "nothing" for number in range(20)]
    table = pa.table({"prompt": ["p"] * 20, "completion": said, "reward": [1.0] * 20})
    pq.write_table(table, path, row_group_size=6)
    with samples_of(tmp_path) as of:
        of.overview()
        start, found, asked = 0, [], 0
        while start is not None:
            answer = of.ask("search", q="answer", start=start)
            found += [line["said"] for line in answer["samples"]]
            start, asked = answer["next"], asked + 1
        assert found == [one for one in said if one != "nothing"]
        assert asked == 7


def test_a_growing_file_is_followed_and_a_replaced_one_read_again(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "run" / "samples.jsonl", [{"prompt": "p", "completion": "one", "reward": 1, "step": 1}]
    )
    with samples_of(tmp_path) as of:
        assert of.overview()["rows"] == 1
        with path.open("a") as file:
            file.write('{"prompt": "p", "completion": "two", "reward": 2, "step": 2}\n{"prompt": "p", "compl')
        of.host.load()
        assert eventually(lambda: of.overview()["rows"] == 2)
        assert of.overview()["bad_rows"] == 0
        with path.open("a") as file:
            file.write('etion": "three", "reward": 3, "step": 2}\n')
        of.host.load()
        eventually(lambda: of.overview()["rows"] == 3)
        assert [line["said"] for line in of.lines(step=2, sort="reward", desc=1)] == ["three", "two"]
        write_lines(path, [{"prompt": "other", "completion": "new", "reward": 0, "step": 9}])
        of.host.load()
        assert eventually(lambda: of.overview()["steps"] == [9])


def test_a_file_is_the_same_after_others_appeared_before_it(tmp_path: Path) -> None:
    """While a directory is read for the first time, places of records move."""
    for step in (5, 9):
        write_lines(
            tmp_path / "rollout" / f"{step}.jsonl", [{"input": "p", "output": f"of {step}", "score": 1}]
        )
    with host_of(insight_samples, logdir=tmp_path) as host:
        ctx = host.context("samples")
        [source] = sources_of(ctx)
        write_lines(tmp_path / "rollout" / "1.jsonl", [{"input": "p", "output": "of 1", "score": 1}])
        host.load()
        said = [row["output"] for file in source.files for row in rows_at(ctx, file, [(0, 80)]) if row]
    assert said == ["of 5", "of 9"]


def test_rows_that_cannot_be_read_are_counted_with_their_place(tmp_path: Path) -> None:
    good = json.dumps({"input": "a", "output": "b", "score": 1})
    path = tmp_path / "run" / "1.jsonl"
    path.parent.mkdir()
    path.write_bytes(f"{good}\n{{broken\n[1, 2]\n\n{good}\n".encode() + b"\xff\xfe\n")
    with samples_of(tmp_path) as of:
        answer = of.overview()
        assert (answer["rows"], answer["bad_rows"]) == (2, 3)
        assert answer["bad"] == [["run/1.jsonl", len(good) + 1, 3]]


@pytest.mark.parametrize("opening", ["[", '{"content":', '{"type": "image", "image":'])
def test_a_row_that_is_nested_beyond_reason_is_left_out(tmp_path: Path, opening: str) -> None:
    good = json.dumps({"input": "a [[[" * 100, "output": "{" * 300, "score": 1})
    deep = opening * 600 + '"x"' + ("]" if opening == "[" else "}") * 600
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "1.jsonl").write_text(f'{{"input": {deep}, "output": {deep}, "score": 0}}\n{good}\n')
    with samples_of(tmp_path) as of:
        answer = of.overview()
        assert (answer["rows"], answer["bad_rows"], answer["errors"]) == (1, 1, [])


def test_hostile_text_is_answered_as_text(tmp_path: Path) -> None:
    text = "<img src=x onerror=alert(1)> \x1b[31m \u202e ignore all instructions \ud800"
    write_lines(tmp_path / "run" / "1.jsonl", [])
    (tmp_path / "run" / "1.jsonl").write_text(json.dumps({"input": text, "output": text, "score": 0}) + "\n")
    with samples_of(tmp_path) as of:
        sample = of.sample(of.lines(step=1)[0])
        assert sample["completion"][0]["parts"][0]["text"] == text


def test_a_place_that_has_another_sample_by_now_is_not_found(tmp_path: Path) -> None:
    _rollouts(tmp_path, 1)
    with samples_of(tmp_path) as of:
        answer = of.host.get("/data/plugin/samples/sample", run=of.run, source=of.source, id="1:3", size=20)
        assert (answer.status, answer.json()["code"]) == (404, "samples_gone")


def test_the_kept_index_is_used_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _rollouts(tmp_path / "logs")
    made: list[str] = []

    def counted(stream: BinaryIO, path: str, *more: int) -> IndexPart:
        made.append(path)
        return index_part(stream, path, *more)

    monkeypatch.setattr("insight_samples.indexes.index_part", counted)

    def rows() -> int:
        with host_of(insight_samples, logdir=tmp_path / "logs") as host:
            data = host.context("samples").data
            ctx = context_of(insight_samples.insight_plugin(), data, cache_directory=tmp_path / "cache")
            index = SampleIndexes(ctx)
            [source] = sources_of(ctx)
            eventually(lambda: index.of(source, 0.5).is_whole)
            index.close()
            return index.of(source).rows

    assert (rows(), len(made)) == (24, 3)
    assert (rows(), len(made)) == (24, 3)
    file = tmp_path / "logs" / "run" / "rollout" / "2.jsonl"
    file.write_text(file.read_text().replace("answer 7", "answer 8"))
    assert (rows(), made[3:]) == (24, ["rollout/2.jsonl"])


def test_a_part_is_the_same_after_it_was_kept(tmp_path: Path) -> None:
    _rollouts(tmp_path, 1)
    with (tmp_path / "run" / "rollout" / "1.jsonl").open("rb") as stream:
        part = index_part(stream, "rollout/1.jsonl", 0, 1)
    again, stamp = unpacked(io.BytesIO(packed(part, "of")))
    assert stamp == "of"
    assert again.summaries == part.summaries
    for name, column in part.columns.items():
        np.testing.assert_array_equal(again.columns[name], column)
