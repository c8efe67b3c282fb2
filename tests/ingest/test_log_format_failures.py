"""Log formats that fail, hang or are slow: damage of their files, and nothing else."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from attrs import evolve

from insight_core.ingest import log_file
from insight_core.plugin import Points
from tests.ingest.words_format import WORDS, Opener, append, damage, lines, read_words, values


def _exits(stream: BinaryIO, state: object) -> tuple[list[Points], None]:
    sys.exit("no way")


def _raises(stream: BinaryIO, state: object) -> tuple[list[Points], None]:
    raise RuntimeError("no luck")


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (_raises, "RuntimeError: no luck"),
        (_exits, "SystemExit: no way"),
        (lambda stream, state: None, "TypeError"),
        (
            lambda stream, state: (["x"], None),
            "TypeError: it returned a str, not Points, Texts, Images, HyperParameters or a Flaw",
        ),
        (
            lambda stream, state: ([Points("x", [1, 2], [1.0])], None),
            "the columns of 'x' are not equally long",
        ),
        (
            lambda stream, state: ([Points("x", [0.5], [1.0])], None),
            "the steps of 'x' are not a column of int64",
        ),
        (lambda stream, state: ([Points("", [1], [1.0])], None), "'' is not a tag"),
        (lambda stream, state: ([Points("x", [1], [1.0], errors=[0.1, 0.2])], None), "are not equally long"),
        (lambda stream, state: ([], {1, 2}), "not JSON serializable"),
        (lambda stream, state: ([], "x" * 70_000), "its state has 70002 characters"),
        (lambda stream, state: (stream.close(), None), "NoneType"),
    ],
)
def test_a_format_that_fails_is_damage_of_its_file_and_the_others_are_read(
    tmp_path: Path,
    opened: Opener,
    read: Any,  # noqa: ANN401
    reason: str,
) -> None:
    for name in ("bad", "good"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.words").write_text(lines(0, 3))

    def only_bad(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        return (read if "/bad/" in stream.name else read_words)(stream, state)

    provider = opened(evolve(WORDS, read=only_bad))
    provider.load()
    assert values(provider, "good") == [0, 0.5, 1]
    [(file, offset, text, _)] = damage(provider)
    assert (file, offset) == ("bad/a.words", 0)
    assert text.startswith("the log format words failed: ")
    assert reason in text


def test_a_file_whose_format_failed_is_tried_again_when_it_changes(tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "a.words"
    path.write_text(lines(0, 3))
    calls = []

    def failing_once(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        calls.append(stream.tell())
        if len(calls) == 1:
            raise RuntimeError("no luck")
        return read_words(stream, state)

    provider = opened(evolve(WORDS, read=failing_once))
    provider.load()
    provider.load()
    assert calls == [0]
    append(path, lines(3, 4))
    provider.load()
    assert calls == [0, 0]
    assert values(provider, ".") == [0, 0.5, 1, 1.5]
    assert damage(provider) == []


def test_a_format_that_hangs_keeps_no_other_run_from_being_loaded(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_TURN", 0.01)
    monkeypatch.setattr(log_file, "_DEADLINE", 0.3)
    for name in ("stuck", "free"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.words").write_text(lines(0, 3))
    released = threading.Event()

    def hanging(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        if "/stuck/" in stream.name:
            released.wait()
        return read_words(stream, state)

    provider = opened(evolve(WORDS, read=hanging))
    try:
        provider.load()
        assert values(provider, "free") == [0, 0.5, 1]
        assert values(provider, "stuck") == []
        assert [text for _, _, text, _ in damage(provider)] == [
            "the log format words has not returned for 0 s"
        ]
        assert not any(run.loading for run in provider.runs())
    finally:
        released.set()
    [tailed] = provider._loader._files.at(str(tmp_path / "stuck" / "a.words"))
    assert isinstance(tailed._file, log_file.LogFile)
    assert tailed._file._call is not None
    assert tailed._file._call.done.wait(30)
    provider.load()
    assert values(provider, "stuck") == [0, 0.5, 1]
    assert damage(provider) == []


def test_a_call_that_takes_long_is_waited_for(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_TURN", 0.0)
    (tmp_path / "a.words").write_text(lines(0, 500))
    provider = opened()
    provider.load()
    assert len(values(provider, ".")) == 500


def test_no_more_calls_are_begun_than_may_hang(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_TURN", 0.01)
    monkeypatch.setattr(log_file, "_DEADLINE", 0.1)
    for number in range(log_file._MOST_CALLS + 3):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "a.words").write_text(lines(0, 3))
    released, begun = threading.Event(), []

    def hanging(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        begun.append(stream.name)
        released.wait()
        return read_words(stream, state)

    provider = opened(evolve(WORDS, read=hanging))
    try:
        provider.load()
        provider.load()
        assert len(begun) == log_file._MOST_CALLS
        assert {text for _, _, text, _ in damage(provider)} == {
            "the log format words has not returned for 0 s",
            "8 calls of the log format words hang",
        }
    finally:
        released.set()
