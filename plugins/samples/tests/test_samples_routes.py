"""Lists, conditions, comparisons and searches of samples; files that grow, damage, and the kept index."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, BinaryIO

import insight_samples
import numpy as np
import pytest
from insight_samples.indexes import SampleIndexes
from insight_samples.indexing import IndexPart, index_part, packed, unpacked
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
