"""Samples that a training records are those that the tab shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from insight_record.samples import SampleWriter
from tests.support.sample_hosts import samples_of


def test_recorded_samples_are_shown_with_rewards_groups_and_references(tmp_path: Path) -> None:
    with SampleWriter(tmp_path / "run") as writer:
        for step in (0, 10):
            writer.add_samples(
                step,
                [[{"role": "user", "content": "hi"}]] * 2,
                [f"a{step} \u202e", "b"],
                {"right": np.array([1, 0], np.float32), "form": [0.5, float("nan")]},
                advantages=[1.0, -1.0],
                lengths=[7, 3],
                references=["a", None],
                truncated=[False, True],
                temperature=[0.5, 0.5],
            )
    with samples_of(tmp_path) as of:
        assert of.overview()["steps"] == [0, 10]
        first, second = of.lines(step=10, sort="file")
        assert first["scores"] == {"right": 1.0, "form": 0.5, "temperature": 0.5}
        assert second["scores"]["form"] is None
        assert (second["signs"], second["length"], second["advantage"]) == (["truncated"], 3, -1.0)
        assert first["group"] == second["group"]
        assert of.sample(first)["reference"] == "a"
        assert of.sample(first)["completion"][0]["parts"][0]["text"] == "a10 \u202e"


def test_each_rank_writes_a_file_and_a_start_goes_on(tmp_path: Path) -> None:
    for rank in (0, 1, 0):
        with SampleWriter(tmp_path, rank) as writer:
            writer.add_samples(rank, ["p"], ["c"], [1.0])
    counts = {path.name: len(path.read_text().splitlines()) for path in tmp_path.iterdir()}
    assert counts == {"samples.jsonl": 2, "samples_rank1.jsonl": 1}


def test_columns_of_another_length_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with SampleWriter(tmp_path) as writer, pytest.raises(ValueError, match="reward: 1 values for 2 prompts"):
        writer.add_samples(0, ["a", "b"], ["c", "d"], [1.0])
    assert (tmp_path / "samples.jsonl").read_text() == ""
