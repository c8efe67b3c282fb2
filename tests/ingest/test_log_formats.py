"""Log files that a plugin's LogFormat reads: found, tailed, resumed, and contained when the format fails."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import insight_scalar
import numpy as np
import pytest
from attrs import evolve

from insight_core.ingest import log_file
from insight_core.ingest.discover import Logdir
from insight_core.plugin import FileName, Flaw, LogFormat, Points, SeriesKey
from insight_core.providers.local import LocalProvider

_LINES = 40  # in one call


def _read(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
    """``tag step value`` on each line, as a package of others might read it."""
    number = state["line"] if state else 0
    found: dict[str, tuple[list[int], list[float]]] = {}
    flaws: list[Points | Flaw] = []
    for _ in range(_LINES):
        offset = stream.tell()
        line = stream.readline()
        if not line.endswith(b"\n"):
            stream.seek(offset)
            break
        number += 1
        try:
            tag, step, value = line.decode().split()
            steps, values = found.setdefault(tag, ([], []))
            steps.append(int(step))
            values.append(float(value))
        except ValueError:
            flaws.append(Flaw(offset, f"line {number} is malformed", len(line)))
    return [*(Points(tag, *columns) for tag, columns in found.items()), *flaws], {"line": number}


WORDS = LogFormat("words", FileName("*.words"), _read)
Opener = Callable[..., LocalProvider]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    providers: list[LocalProvider] = []

    def open_(
        log_format: LogFormat = WORDS, logdir: Path = tmp_path, cache: Path | None = None
    ) -> LocalProvider:
        plugins = [insight_scalar.insight_plugin()]
        provider = LocalProvider(
            [Logdir(str(logdir))], plugins, log_formats=[log_format], reload_interval=0, cache_directory=cache
        )
        providers.append(provider)
        return provider

    yield open_
    for provider in providers:
        provider.close()


def _lines(first: int, end: int, tag: str = "loss") -> str:
    return "".join(f"{tag} {step} {step / 2}\n" for step in range(first, end))


def _append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def _values(provider: LocalProvider, run: str, tag: str = "loss") -> list[float]:
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])
    return found[key].values.tolist() if key in found else []


def _damage(provider: LocalProvider) -> list[tuple[str, int, str, int]]:
    return [(each.file, each.offset, each.reason, each.skipped) for each in provider.damage()]


def test_a_file_is_read_in_several_calls_into_scalars_of_a_run_without_dialects(
    tmp_path: Path, opened: Opener
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.words").write_text(_lines(0, 3 * _LINES + 7))
    provider = opened()
    provider.load()
    assert _values(provider, "run") == [step / 2 for step in range(3 * _LINES + 7)]
    [run] = provider.runs()
    assert (run.name, run.dialects, run.start_time, run.damage) == ("run", (), None, 0)
    key = SeriesKey("run", "loss")
    assert np.isnan(provider.scalars("scalar", [key])[key].wall_times).all()


def test_a_growing_file_is_read_on_from_where_the_last_call_stopped(tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "a.words"
    path.write_text(_lines(0, 5) + "loss 5 ")
    positions: list[int] = []

    def noting(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
        positions.append(stream.tell())
        return _read(stream, state)

    provider = opened(evolve(WORDS, read=noting))
    provider.load()
    assert _values(provider, ".") == [0, 0.5, 1, 1.5, 2]
    whole = len(_lines(0, 5))
    assert _damage(provider) == [("a.words", whole, "the end is not finished", len("loss 5 "))]
    _append(path, "2.5\n" + _lines(6, 8))
    del positions[:]
    provider.load()
    assert positions == [whole]
    assert _values(provider, ".") == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    assert _damage(provider) == []


def test_steps_that_go_back_are_another_attempt(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "a.words").write_text(_lines(0, 5) + _lines(3, 6))
    provider = opened()
    provider.load()
    key = SeriesKey(".", "loss")
    [info] = provider.series("scalar")
    assert info.points == 8
    assert provider.scalars("scalar", [key])[key].steps.tolist() == [0, 1, 2, 3, 4, 5]


def test_malformed_lines_are_damage_and_the_others_are_kept(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "a.words").write_text(_lines(0, 2) + "loss x\n" + _lines(2, 4))
    provider = opened()
    provider.load()
    assert _values(provider, ".") == [0, 0.5, 1, 1.5]
    assert _damage(provider) == [("a.words", len(_lines(0, 2)), "line 3 is malformed", 7)]


@pytest.mark.parametrize("change", ["truncated", "rewritten", "replaced"])
def test_a_file_that_was_written_anew_is_read_from_its_beginning(
    tmp_path: Path, opened: Opener, change: str
) -> None:
    path = tmp_path / "a.words"
    path.write_text(_lines(0, 100))
    provider = opened()
    provider.load()
    text = _lines(7, 9) if change == "truncated" else _lines(7, 200)
    if change == "replaced":
        (tmp_path / "new").write_text(text)
        os.replace(tmp_path / "new", path)
    else:
        path.write_text(text)
    provider.load()
    provider.load()
    assert _values(provider, ".") == [step / 2 for step in range(7, 9 if change == "truncated" else 200)]


def test_a_warm_start_goes_on_with_the_state_of_the_index(tmp_path: Path, opened: Opener) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    logdir.mkdir()
    path = logdir / "a.words"
    path.write_text(_lines(0, 9_000) + "bad\n")
    first = opened(logdir=logdir, cache=cache)
    first.load()
    first.close()
    states: list[Any] = []

    def noting(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
        states.append((stream.tell(), state))
        return _read(stream, state)

    again = opened(evolve(WORDS, read=noting), logdir, cache)
    again.load()
    assert states == []
    assert _values(again, ".") == [step / 2 for step in range(9_000)]
    assert [reason for _, _, reason, _ in _damage(again)] == ["line 9001 is malformed"]
    size = path.stat().st_size
    _append(path, _lines(9_000, 9_010) + "worse\n")
    again.load()
    assert states == [(size, {"line": 9_001})]
    assert _values(again, ".") == [step / 2 for step in range(9_010)]
    assert [reason for _, _, reason, _ in _damage(again)][1:] == ["line 9012 is malformed"]


@pytest.mark.parametrize("changed", [{"version": 2}, {"name": "other words"}])
def test_an_index_of_another_version_or_format_is_not_used(
    tmp_path: Path, opened: Opener, changed: dict[str, Any]
) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    logdir.mkdir()
    (logdir / "a.words").write_text(_lines(0, 9_000))
    first = opened(logdir=logdir, cache=cache)
    first.load()
    first.close()
    again = opened(
        evolve(WORDS, **changed, read=lambda stream, _: ([Points("x", [1], [2.0])], stream.seek(0, 2))),
        logdir,
        cache,
    )
    again.load()
    assert _values(again, ".", "x") == [2.0]
    assert _values(again, ".") == []


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
        (lambda stream, state: (["x"], None), "TypeError: it returned a str, not Points or a Flaw"),
        (
            lambda stream, state: ([Points("x", [1, 2], [1.0])], None),
            "the columns of 'x' are not equally long",
        ),
        (
            lambda stream, state: ([Points("x", [0.5], [1.0])], None),
            "the steps of 'x' are not a column of int64",
        ),
        (lambda stream, state: ([Points("", [1], [1.0])], None), "'' is not a tag"),
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
        (tmp_path / name / "a.words").write_text(_lines(0, 3))

    def only_bad(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        return (read if "/bad/" in stream.name else _read)(stream, state)

    provider = opened(evolve(WORDS, read=only_bad))
    provider.load()
    assert _values(provider, "good") == [0, 0.5, 1]
    [(file, offset, text, _)] = _damage(provider)
    assert (file, offset) == ("bad/a.words", 0)
    assert text.startswith("the log format words failed: ")
    assert reason in text


def test_a_file_whose_format_failed_is_tried_again_when_it_changes(tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "a.words"
    path.write_text(_lines(0, 3))
    calls = []

    def failing_once(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        calls.append(stream.tell())
        if len(calls) == 1:
            raise RuntimeError("no luck")
        return _read(stream, state)

    provider = opened(evolve(WORDS, read=failing_once))
    provider.load()
    provider.load()
    assert calls == [0]
    _append(path, _lines(3, 4))
    provider.load()
    assert calls == [0, 0]
    assert _values(provider, ".") == [0, 0.5, 1, 1.5]
    assert _damage(provider) == []


def test_a_format_that_hangs_keeps_no_other_run_from_being_loaded(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_TURN", 0.01)
    monkeypatch.setattr(log_file, "_DEADLINE", 0.3)
    for name in ("stuck", "free"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.words").write_text(_lines(0, 3))
    released = threading.Event()

    def hanging(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        if "/stuck/" in stream.name:
            released.wait()
        return _read(stream, state)

    provider = opened(evolve(WORDS, read=hanging))
    try:
        provider.load()
        assert _values(provider, "free") == [0, 0.5, 1]
        assert _values(provider, "stuck") == []
        assert [text for _, _, text, _ in _damage(provider)] == [
            "the log format words has not returned for 0 s"
        ]
        assert not any(run.loading for run in provider.runs())
    finally:
        released.set()
    tailed = provider._loader._files[("stuck", str(tmp_path / "stuck" / "a.words"))].file
    assert isinstance(tailed, log_file.LogFile)
    assert tailed._call is not None
    assert tailed._call.done.wait(30)
    provider.load()
    assert _values(provider, "stuck") == [0, 0.5, 1]
    assert _damage(provider) == []


def test_a_call_that_takes_long_is_waited_for(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_TURN", 0.0)
    (tmp_path / "a.words").write_text(_lines(0, 500))
    provider = opened()
    provider.load()
    assert len(_values(provider, ".")) == 500


def test_no_more_calls_are_begun_than_may_hang(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_TURN", 0.01)
    monkeypatch.setattr(log_file, "_DEADLINE", 0.1)
    for number in range(log_file._MOST_CALLS + 3):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "a.words").write_text(_lines(0, 3))
    released, begun = threading.Event(), []

    def hanging(stream: BinaryIO, state: Any) -> Any:  # noqa: ANN401
        begun.append(stream.name)
        released.wait()
        return _read(stream, state)

    provider = opened(evolve(WORDS, read=hanging))
    try:
        provider.load()
        provider.load()
        assert len(begun) == log_file._MOST_CALLS
        assert {text for _, _, text, _ in _damage(provider)} == {
            "the log format words has not returned for 0 s",
            "8 calls of the log format words hang",
        }
    finally:
        released.set()


def test_only_files_that_begin_as_the_format_wants_it_are_read(tmp_path: Path, opened: Opener) -> None:
    picky = evolve(WORDS, files=FileName("*.words", makes_run=lambda text: text.startswith(b"loss")))
    for name, text in {"yes": _lines(0, 2), "no": "prose\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.words").write_text(text)
    (tmp_path / "yes" / "b.words").write_text("prose\n")
    provider = opened(picky)
    provider.load()
    assert [run.name for run in provider.runs()] == ["yes"]
    assert _damage(provider) == []
    (tmp_path / "no" / "a.words").write_text(_lines(0, 1))
    provider.load()
    assert _values(provider, "no") == [0]


def test_of_formats_that_repeat_their_history_the_newest_file_is_read(tmp_path: Path, opened: Opener) -> None:
    newest = evolve(WORDS, files=FileName("at-*/a.words"), newest_only=True)
    for number, time in ((5, 1_000), (10, 1_000), (15, 900)):
        (tmp_path / f"at-{number}").mkdir()
        path = tmp_path / f"at-{number}" / "a.words"
        path.write_text(_lines(0, number))
        os.utime(path, (time, time))
    provider = opened(newest)
    provider.load()
    assert len(_values(provider, ".")) == 10
    os.utime(tmp_path / "at-15" / "a.words", (2_000, 2_000))
    provider.load()
    [info] = provider.series("scalar")
    assert info.points == 15


def test_a_format_that_comes_late_reads_what_is_there(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "a.words").write_text(_lines(0, 2))
    provider = opened(evolve(WORDS, files=FileName("*.other")))
    provider.load()
    assert list(provider.runs()) == []
    provider.admit_log_format(WORDS)
    provider.load()
    assert _values(provider, ".") == [0, 0.5]


def test_a_file_that_is_gone_takes_its_run_along(tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "a.words"
    path.write_text(_lines(0, 2))
    provider = opened()
    provider.load()
    path.unlink()
    provider.load()
    assert list(provider.runs()) == []


_KILLED = """
import sys
import insight_scalar
from insight_core.ingest.discover import Logdir
from insight_core.ingest import tailer
from insight_core.ingest.index import writer
from insight_core.plugin import FileName, LogFormat
from insight_core.providers.local import LocalProvider
from pathlib import Path
import importlib.util
spec = importlib.util.spec_from_file_location("words", {module!r})
words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(words)
writer._APART = writer._GROWTH = writer._PATIENCE = tailer._SHORT = 0
writer._GROWTH_SHARE = 0.0
provider = LocalProvider([Logdir({logdir!r})], [insight_scalar.insight_plugin()], log_formats=[words.WORDS],
                         reload_interval=0.01, watch=False, cache_directory=Path({cache!r}))
provider.start()
step = int(sys.argv[1])
while True:
    with open({path!r}, "a") as file:
        file.write(words._lines(step, step + 999) + "bad\\n")
    step += 1000
    while not provider.series("scalar") or provider.series("scalar")[0].last_step < step - 2:
        provider.changes(provider.generation(), timeout=0.05)
    print(step, flush=True)
"""


def test_a_process_killed_at_any_time_leaves_an_index_that_agrees_with_the_file(
    tmp_path: Path, opened: Opener
) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    logdir.mkdir()
    path = logdir / "a.words"
    program = _KILLED.format(module=__file__, logdir=str(logdir), cache=str(cache), path=str(path))
    step = 0
    for turns in (4, 7, 5):
        child = subprocess.Popen([sys.executable, "-c", program, str(step)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        while turns > 0 or not list(cache.glob("index-*/*/*")):
            step = int(child.stdout.readline())
            turns -= 1
        child.kill()
        child.wait()
        child.stdout.close()
        text = path.read_bytes()
        path.write_bytes(text[: text.rfind(b"\n") + 1])
        warm = opened(logdir=logdir, cache=cache)
        warm.load()
        lines = path.read_text().splitlines()
        assert _values(warm, ".") == [float(line.split()[2]) for line in lines if line != "bad"]
        assert [int(text.split()[1]) for _, _, text, _ in _damage(warm)] == [
            number for number, line in enumerate(lines, 1) if line == "bad"
        ]
        step = max(int(line.split()[1]) for line in lines if line != "bad") + 1
