"""Log files that a plugin's LogFormat reads: found, read in parts, tailed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from attrs import evolve

from insight_core.plugin import FileName, Flaw, Points
from insight_core.plugin.data import SeriesKey
from tests.ingest.words_format import LINES, WORDS, Opener, append, damage, lines, read_words, values


def test_a_file_is_read_in_several_calls_into_scalars_of_a_run_without_dialects(
    tmp_path: Path, opened: Opener
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.words").write_text(lines(0, 3 * LINES + 7))
    provider = opened()
    provider.load()
    assert values(provider, "run") == [step / 2 for step in range(3 * LINES + 7)]
    [run] = provider.runs()
    assert (run.name, run.dialects, run.start_time, run.damage) == ("run", (), None, 0)
    key = SeriesKey("run", "loss")
    assert np.isnan(provider.scalars("scalar", [key])[key].wall_times).all()


def test_a_growing_file_is_read_on_from_where_the_last_call_stopped(tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "a.words"
    path.write_text(lines(0, 5) + "loss 5 ")
    positions: list[int] = []

    def noting(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
        positions.append(stream.tell())
        return read_words(stream, state)

    provider = opened(evolve(WORDS, read=noting))
    provider.load()
    assert values(provider, ".") == [0, 0.5, 1, 1.5, 2]
    whole = len(lines(0, 5))
    assert damage(provider) == [("a.words", whole, "the end is not finished", len("loss 5 "))]
    append(path, "2.5\n" + lines(6, 8))
    del positions[:]
    provider.load()
    assert positions == [whole]
    assert values(provider, ".") == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    assert damage(provider) == []


def test_steps_that_go_back_are_another_attempt(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "a.words").write_text(lines(0, 5) + lines(3, 6))
    provider = opened()
    provider.load()
    key = SeriesKey(".", "loss")
    [info] = provider.series("scalar")
    assert info.points == 8
    assert provider.scalars("scalar", [key])[key].steps.tolist() == [0, 1, 2, 3, 4, 5]


def test_malformed_lines_are_damage_and_the_others_are_kept(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "a.words").write_text(lines(0, 2) + "loss x\n" + lines(2, 4))
    provider = opened()
    provider.load()
    assert values(provider, ".") == [0, 0.5, 1, 1.5]
    assert damage(provider) == [("a.words", len(lines(0, 2)), "line 3 is malformed", 7)]


@pytest.mark.parametrize("change", ["truncated", "rewritten", "replaced"])
def test_a_file_that_was_written_anew_is_read_from_its_beginning(
    tmp_path: Path, opened: Opener, change: str
) -> None:
    path = tmp_path / "a.words"
    path.write_text(lines(0, 100))
    provider = opened()
    provider.load()
    text = lines(7, 9) if change == "truncated" else lines(7, 200)
    if change == "replaced":
        (tmp_path / "new").write_text(text)
        os.replace(tmp_path / "new", path)
    else:
        path.write_text(text)
    provider.load()
    provider.load()
    assert values(provider, ".") == [step / 2 for step in range(7, 9 if change == "truncated" else 200)]


def test_only_files_that_begin_as_the_format_wants_it_are_read(tmp_path: Path, opened: Opener) -> None:
    picky = evolve(WORDS, files=FileName("*.words", makes_run=lambda text: text.startswith(b"loss")))
    for name, text in {"yes": lines(0, 2), "no": "prose\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.words").write_text(text)
    (tmp_path / "yes" / "b.words").write_text("prose\n")
    provider = opened(picky)
    provider.load()
    assert [run.name for run in provider.runs()] == ["yes"]
    assert damage(provider) == []
    (tmp_path / "no" / "a.words").write_text(lines(0, 1))
    provider.load()
    assert values(provider, "no") == [0]


def test_of_formats_that_repeat_their_history_the_newest_file_is_read(tmp_path: Path, opened: Opener) -> None:
    newest = evolve(WORDS, files=FileName("at-*/a.words"), newest_only=True)
    for number, time in ((5, 1_000), (10, 1_000), (15, 900)):
        (tmp_path / f"at-{number}").mkdir()
        path = tmp_path / f"at-{number}" / "a.words"
        path.write_text(lines(0, number))
        os.utime(path, (time, time))
    provider = opened(newest)
    provider.load()
    assert len(values(provider, ".")) == 10
    os.utime(tmp_path / "at-15" / "a.words", (2_000, 2_000))
    provider.load()
    [info] = provider.series("scalar")
    assert info.points == 15


def test_a_format_that_comes_late_reads_what_is_there(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "a.words").write_text(lines(0, 2))
    provider = opened(evolve(WORDS, files=FileName("*.other")))
    provider.load()
    assert list(provider.runs()) == []
    provider.admit_log_formats([WORDS])
    provider.load()
    assert values(provider, ".") == [0, 0.5]


def test_a_file_that_is_gone_takes_its_run_along(tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "a.words"
    path.write_text(lines(0, 2))
    provider = opened()
    provider.load()
    path.unlink()
    provider.load()
    assert list(provider.runs()) == []
