"""Lines, searches and steps of a log: whatever its size, its bytes, and what happens to it meanwhile."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import insight_console
import pytest
from attrs import evolve
from insight_console import line_index, routes, searching, source
from insight_console.line_index import Indexes
from insight_console.source import OpenLog
from insight_console.steps import step_of
from insight_console.texts import plain, text_of

from insight_core import matching
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter, HostClient, host_of


class Written:
    """The log of one run, which grows and changes, and a host that reads it."""

    def __init__(self, path: Path, host: HostClient) -> None:
        self.path, self.host = path, host

    def write(self, content: str | bytes, mode: str = "wb") -> None:
        with self.path.open(mode) as file:
            file.write(content.encode() if isinstance(content, str) else content)
        self.host.load()

    def ask(self, route: str, **query: Any) -> Any:  # noqa: ANN401
        return self.host.get(f"/data/plugin/console/{route}", run="run", tag="train.log", **query).json()

    def lines(self, **query: str | int) -> list[tuple[int, str]]:
        return [(number, text) for number, text, *_ in self.ask("lines", **query)["lines"]]

    def found(self, **query: str | int) -> list[int]:
        """Numbers of the lines that match, slice by slice."""
        hits: list[int] = []
        place: Any = [0, 0]
        while place is not None:
            answer = self.ask("search", offset=place[0], line=place[1], **query)
            hits += [line for line, _ in answer["hits"]]
            assert answer["next"] is None or answer["next"][0] > place[0]
            place = answer["next"]
        return hits


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Written]:
    monkeypatch.setattr(source, "PIECE", 1 << 10)  # many pieces of a small log
    path = tmp_path / "run" / "train.log"
    with EventWriter(path.parent) as writer:
        writer.scalar("loss", 0, 1.0)
    path.write_text("epoch 0 loss 1\n")
    with host_of(insight_console, logdir=tmp_path) as host:
        yield Written(path, host)


def test_lines_of_any_place_are_those_of_the_file(log: Written) -> None:
    chance = random.Random(5)
    expected = [f"line {number} {'x' * chance.choice([0, 3, 80, 3000])}" for number in range(2000)]
    log.write("\n".join(expected))
    assert log.ask("lines")["total"] == len(expected)
    for first in (0, 1, 777, 1990, 1999):
        assert log.lines(first=first, count=5) == [*enumerate(expected)][first : first + 5]
    assert log.lines(first=5000) == []
    assert [number for number, _ in log.lines(count=3)] == [1997, 1998, 1999]
    offset = len("\n".join(expected[:1234])) + 3
    assert log.ask("lines", at=offset)["found"] == 1234


def test_lines_are_counted_on_by_the_same_question(log: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_INDEXED", 0.0)  # a piece for each answer
    log.write("epoch 1 loss 2\n" * 300)
    for _ in range(5):
        answer = log.ask("lines")
    assert (answer["indexed"], answer["total"]) == (answer["size"], 300)


def test_a_log_that_grows_goes_on_where_it_was(log: Written) -> None:
    log.write("epoch 1\nepoch 2 lo")
    assert log.lines() == [(0, "epoch 1"), (1, "epoch 2 lo")]
    log.write("ss 0.5\nepoch 3\n", "ab")
    assert log.lines() == [(0, "epoch 1"), (1, "epoch 2 loss 0.5"), (2, "epoch 3")]
    answer = log.ask("lines")
    assert (answer["total"], answer["indexed"]) == (3, answer["size"])


@pytest.mark.parametrize("again", ["short\nepoch\n", "another log of epochs\n" * 500])
def test_a_log_that_is_truncated_or_replaced_begins_anew(log: Written, again: str) -> None:
    log.write("the first log, epoch 1\n" * 300)
    assert log.ask("lines")["total"] == 300
    log.write(again)
    answer = log.ask("lines", first=0)
    assert answer["total"] == again.count("\n")
    assert answer["lines"][0][1] == again.split("\n")[0]


def test_a_log_has_another_identity_after_it_was_replaced(log: Written) -> None:
    log.write("epoch 1\n")
    first = log.ask("lines")["log"]
    log.write("epoch 2\n" * 500, "ab")
    assert log.ask("lines")["log"] == first  # it has only grown
    log.write("another log, longer than the first\n" * 500)
    assert log.ask("lines")["log"] != first


def test_a_short_log_that_grows_is_not_read_again(log: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    log.write("epoch 1\n")
    log.ask("lines")
    log.write("epoch 2\n" * 1000, "ab")
    log.ask("lines")
    reads: list[tuple[int, int]] = []
    whole = OpenLog.pieces

    def pieces(log: OpenLog, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        reads.append((start, end))
        return whole(log, start, end)

    monkeypatch.setattr(OpenLog, "pieces", pieces)
    answer = log.ask("lines", first=1000, count=1)
    assert answer["lines"][0][:2] == [1000, "epoch 2"]
    assert min(start for start, _ in reads) > 7000  # the last piece alone


def test_an_answer_that_comes_late_does_not_make_the_index_shorter(log: Written) -> None:
    log.write("epoch 1\n" * 100)
    ctx, key = log.host.context("console"), SeriesKey("run", "train.log")
    indexes = Indexes(ctx)
    with OpenLog(ctx, key) as early:
        log.write("epoch 2\n" * 100, "ab")
        with OpenLog(ctx, key) as late:
            assert indexes.of(late, key, 10.0).total == 200
        assert indexes.of(early, key, 10.0).total == 200


@pytest.mark.parametrize(
    ("raw", "text", "states"),
    [
        (b"plain\r\n", "plain", 0),
        (b"\r  0%|  | 0/9\r 50%|# | 4/9\r100%|##| 9/9\n", "100%|##| 9/9", 2),
        (b"1/9\b\b\b2/9\b\b\b3/9", "3/9", 2),
        (b"caf\xe9", "caf\ufffd", 0),
        (b"\r\r\r", "", 0),
        (b"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m", 0),
    ],
)
def test_a_line_is_what_a_terminal_would_show_last(raw: bytes, text: str, states: int) -> None:
    assert text_of(raw) == (text, states)


@pytest.mark.parametrize(
    "raw",
    [
        *(
            b"\x1b[1;31mred\x1b[0m",
            b"\x1b]0;title\x07red",
            b"\x1b]8;;file:x\x1b\\red\x1b]8;;\x1b\\",
            b"red\x1b]0;no end",
        ),
        *(b"red\x1b(B\x1b[m", b"\x1b7red\x1b8", b"\x1b=red\x1b>", b"\x1bcred"),
    ],
)
def test_no_escape_sequence_is_text(raw: bytes) -> None:
    assert plain(raw) == b"red"


def test_a_long_line_is_cut_and_a_long_progress_bar_is_its_last_state(log: Written) -> None:
    bar = "".join(f"\r{number}/9999 [00:01<00:02]" for number in range(9999))
    log.write(f"epoch\n{'y' * 300_000}\n{bar}\nend\n")
    rows = log.ask("lines")["lines"]
    assert [row[0] for row in rows] == [0, 1, 2, 3]
    assert rows[1][1] == "y" * 4096
    assert rows[1][3] == 300_000
    assert rows[2][1] == "9998/9999 [00:01<00:02]"
    assert rows[3][1] == "end"
    assert log.found(q="yyy") == [1]
    assert log.found(q="end") == [3]


def test_compressed_logs_are_named_and_not_read(log: Written) -> None:
    log.write(gzip.compress(b"epoch 1 loss 2\n" * 1000))
    assert log.ask("lines") == {"compressed": True, "size": log.path.stat().st_size}
    assert log.found(q="epoch") == []


def test_searches_find_what_grep_finds(log: Written) -> None:
    chance = random.Random(7)
    words = ["loss", "LOSS", "\x1b[31mERROR\x1b[0m: bad", "step 12", "", "naïve", "a.b"]
    lines = [" ".join(chance.choices(words, k=4)) for _ in range(3000)]
    log.write("\n".join(lines) + "\n")
    plain = [line.replace("\x1b[31m", "").replace("\x1b[0m", "") for line in lines]

    def those(accept: Callable[[str], bool]) -> list[int]:
        return [number for number, line in enumerate(plain) if accept(line)]

    assert log.found(q="Loss") == those(lambda line: "loss" in line.lower())
    assert log.found(q="NAÏVE") == those(lambda line: "naïve" in line)
    assert log.found(q="error: bad") == those(lambda line: "ERROR: bad" in line)
    assert log.found(q="a.b") == those(lambda line: "a.b" in line)
    assert log.found(q="^loss .*12$", regex=1) == those(
        lambda line: line.lower().startswith("loss ") and line.endswith("12")
    )
    assert log.found(q="nowhere") == []


def test_a_search_takes_lines_of_windows_as_lines(log: Written) -> None:
    log.write(b"epoch 1 loss 12\r\nepoch 2 loss 3\r\n")
    assert log.found(q="12$", regex=1) == [0]


def test_a_title_that_does_not_end_shifts_no_line_numbers(log: Written) -> None:
    log.write(b"epoch 1\n\x1b]0;no end\nepoch 2\nbell \x07\nepoch 3\n")
    assert log.found(q="epoch 3") == [4]
    assert log.found(q="epoch") == [0, 2, 4]


def test_a_very_long_line_is_one_hit(log: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_LONGEST", 1 << 12)
    log.write("epoch 1\n" + "\r loss 0.5" * 3000 + "\nloss 3\n")
    assert log.found(q="loss") == [1, 2]


def test_a_pattern_that_takes_for_ever_is_refused(log: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    log.write("epoch " + "a" * 5000 + "!\n")
    monkeypatch.setattr(matching, "SECONDS", 0.3)
    q = "(a+)+$"
    answer = log.host.get("/data/plugin/console/search", run="run", tag="train.log", q=q, regex=1)
    assert (answer.status, answer.json()["code"]) == (400, "slow_pattern")


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("INFO step 120 loss 0.3", 120),
        ("global_step=7, loss=1", 7),
        ("iter: 50 | lr 0.1", 50),
        ("{'step': 31, 'loss': 2.0}", 31),
        ('{"step": 31}', 31),
        ("Iteration 9/100", 9),
        ("Step[120/500]", 120),
        ("11/30 10:00:00 - mmengine - INFO - Iter(train) [  50/90000]  lr: 1.0e-04", 50),
        ("mmcv - INFO - Epoch [3][50/1000] lr: 0.1", 2050),
        ("mmengine - INFO - Epoch(train) [2][  10/100]  lr: 0.1", 110),
        ("50/100 [00:10<00:10, 5.0it/s]", None),
        ("stepsize 0.3", None),
        ("footstep 9", None),
        ("3 s/step: 2.5 s", None),
        ("Epoch 3/10", None),
    ],
)
def test_which_step_a_line_names(line: str, step: int | None) -> None:
    assert step_of(line.encode()) == step


def test_a_step_is_found_in_the_last_attempt_that_has_it(log: Written) -> None:
    first = [f"step {step} first" for step in range(0, 40_000, 10)]
    second = [f"step {step} second {'z' * 300}" for step in range(20_000, 30_000, 10)]
    log.write("\n".join([*first, *second]) + "\n")

    def at(step: int) -> tuple[int, str]:
        answer = log.ask("step", step=step)
        found = log.ask("lines", at=answer["at"])
        return answer["step"], dict(log.lines(first=found["found"], count=1))[found["found"]].split(" z")[0]

    assert at(25_000) == (25_000, "step 25000 second")
    assert at(25_004) == (25_000, "step 25000 second")
    assert at(100) == (100, "step 100 first")
    assert at(35_000) == (35_000, "step 35000 first")
    assert log.host.get("/data/plugin/console/step", run="run", step=1, tag="none").status == 404


def test_a_step_before_the_first_one_leads_to_the_first(log: Written) -> None:
    log.write("".join(f"step {step} {'z' * 300}\n" for step in range(100, 10_000)))
    assert log.ask("step", step=7) == {"file": "train.log", "at": 0, "step": 100}


def test_a_compressed_log_names_no_step(log: Written) -> None:
    log.write(gzip.compress(b"epoch 1\nstep 120\n" * 10, compresslevel=0))
    assert log.host.get("/data/plugin/console/step", run="run", step=120).status == 404


def test_epochs_count_where_no_line_names_a_step(log: Written) -> None:
    log.write("".join(f"Epoch {epoch}/10\nloss: {1 / epoch:.3f}\n" for epoch in range(1, 11)))
    assert log.ask("step", step=4)["step"] == 4


def test_an_index_that_is_made_piece_by_piece_is_kept(
    tmp_path: Path, log: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_index, "_KEPT", 4 << 10)
    log.write("epoch 1 loss 2\n" * 1000)
    key = SeriesKey("run", "train.log")
    ctx = evolve(log.host.context("console"), cache_directory=tmp_path / "cache")
    indexes = Indexes(ctx)
    with OpenLog(ctx, key) as opened:
        while indexes.of(opened, key, 0.0).size < opened.size:
            pass
    assert len([*(tmp_path / "cache" / "lines").glob("*.npz")]) == 1


def test_the_index_is_kept_for_the_next_start_and_a_damaged_one_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_index, "_KEPT", 1 << 10)
    monkeypatch.setattr(source, "PIECE", 1 << 10)
    path = tmp_path / "logs" / "run" / "train.log"
    path.parent.mkdir(parents=True)
    path.write_text("epoch 1 loss 2\n" * 1000)
    key = SeriesKey("run", "train.log")
    with host_of(insight_console, logdir=tmp_path / "logs") as host:
        ctx = evolve(host.context("console"), cache_directory=tmp_path / "cache")

        def counted(reads: list[int]) -> int:
            """How many lines a new index has; notes what it reads."""

            def pieces(log: OpenLog, start: int, end: int) -> Iterator[tuple[int, bytes]]:
                reads.append(end - start)
                return whole(log, start, end)

            monkeypatch.setattr(OpenLog, "pieces", pieces)
            with OpenLog(ctx, key) as log:
                return Indexes(ctx).of(log, key, 10.0).total

        whole = OpenLog.pieces
        size = path.stat().st_size
        for expected in ([size], [0]):
            reads: list[int] = []
            assert counted(reads) == 1000
            assert reads == expected
        [kept] = (tmp_path / "cache" / "lines").glob("*.npz")
        kept.write_bytes(b"damaged")
        reads = []
        assert counted(reads) == 1000
        assert reads == [size]
