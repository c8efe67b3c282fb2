"""Tables, the status line and what is shown while loading."""

from __future__ import annotations

import io
import logging
import re
import time

import pytest

from insight_core.cli.terminal import LoadingDisplay, Pace, StatusLine, open_terminal, progress_text
from insight_core.cli.text_table import printable, table, width
from insight_core.plugin.data import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def screen(self) -> list[str]:
        """What a terminal would show: an erased line is gone."""
        return [re.split(r"\r\x1b\[2K", line)[-1] for line in self.getvalue().split("\n")]


def test_columns_are_aligned_whatever_is_in_them() -> None:
    rows = [("训练", 5, "loss"), ("a\x1b[31m", 12345, "x"), ("", 0, "")]
    assert table(("RUN", "POINTS", "TAG"), rows, right=("POINTS",)).splitlines() == [
        "RUN        POINTS  TAG",
        "---------  ------  ----",
        "训练            5  loss",
        r"a\x1b[31m   12345  x",
        "                0",
    ]


def test_a_table_without_rows_is_its_header() -> None:
    assert table(("A", "B"), []).splitlines() == ["A  B", "-  -"]


def test_printable_escapes_what_a_terminal_would_obey() -> None:
    assert printable("a\x1b[2Jb\nc\x07") == r"a\x1b[2Jb\nc\x07"
    assert printable("bad\udcff") == r"bad\xff"
    assert printable("损失 β") == "损失 β"
    printable("\ud800").encode()


def test_width_counts_terminal_columns() -> None:
    assert (width("abc"), width("损失"), width("e\u0301"), width("")) == (3, 4, 1, 0)


def test_nothing_is_shown_without_a_terminal() -> None:
    pipe = io.StringIO()
    line = StatusLine(pipe)
    line.show("Loading")
    display = LoadingDisplay(line, lambda: Progress(1, 2), lambda: 1)
    display.start()
    display.stop()
    assert pipe.getvalue() == ""
    line.print("text")
    assert pipe.getvalue() == "text\n"


def test_other_output_stands_above_the_status_line() -> None:
    terminal = Terminal()
    line = StatusLine(terminal)
    line.show("Loading 1")
    line.print("a warning")
    line.show("Loading 2")
    line.show("")
    line.print("another")
    assert terminal.screen() == ["a warning", "another", ""]


def test_a_long_status_is_cut_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Terminal()
    StatusLine(terminal).show("x" * 500)
    assert terminal.screen() == ["x" * 19]


def test_a_terminal_that_goes_away_is_not_an_error() -> None:
    terminal = Terminal()
    line = StatusLine(terminal)
    terminal.close()
    line.show("Loading")
    line.print("text")
    assert not line.visible


def test_the_log_goes_through_the_status_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    try:
        line = open_terminal("info")
        line.show("Loading")
        logging.getLogger("some").info("odd\x1b[2J name")
        logging.getLogger("some").debug("not this")
        line.show("")
    finally:
        root.handlers[:], root.level = handlers, level
    assert terminal.screen() == [r"INFO some: odd\x1b[2J name", ""]


def test_progress_is_shown_until_everything_is_loaded() -> None:
    terminal = Terminal()
    stages = [Progress(0, 0), Progress(500_000, 2_000_000), Progress(2_000_000, 2_000_000, loaded_once=True)]

    def progress() -> Progress:
        return stages.pop(0) if len(stages) > 1 else stages[0]

    display = LoadingDisplay(StatusLine(terminal), progress, lambda: 3)
    display.start()
    deadline = time.monotonic() + 5
    while "Loaded" not in terminal.getvalue() and time.monotonic() < deadline:
        time.sleep(0.01)
    display.stop()
    assert "0.5 MB of 2.0 MB (25 %), 3 runs" in terminal.getvalue()
    assert terminal.screen() == ["Loaded 3 runs, 2.0 MB.", ""]


def test_a_provider_that_fails_does_not_end_the_display_badly() -> None:
    terminal = Terminal()

    def progress() -> Progress:
        raise RuntimeError("gone")

    display = LoadingDisplay(StatusLine(terminal), progress, lambda: 0)
    display.start()
    display.stop()
    assert terminal.screen() == [""]


def test_progress_text() -> None:
    assert progress_text(Progress(0, 0), 0) == "Loading: 0.0 MB of 0.0 MB, 0 runs"
    assert progress_text(Progress(1, 3_000_000), 1) == "Loading: 0.0 MB of 3.0 MB (0 %), 1 run"


def test_the_pace_is_told_once_it_is_known() -> None:
    times = iter([0.0, 1.0, 2.0, 4.0, 5.0, 6.0])
    pace = Pace(lambda: next(times))
    read = [0, 100_000_000, 200_000_000, 200_000_000, 100_000_000, 1_000_000_000]
    told = [pace.text(Progress(count, 1_000_000_000)) for count in read]
    assert told[:2] == ["", ""]
    assert told[2] == ", 100.0 MB/s, 8 s left"
    assert told[3] == ", 50.0 MB/s, 16 s left"
    assert told[4] == ", 20.0 MB/s, 45 s left"  # a file was replaced
    assert told[5] == ""


def test_a_name_in_the_log_cannot_pass_for_a_line_of_it(capfd: pytest.CaptureFixture[str]) -> None:
    open_terminal("info")
    name = "two\nERROR forged\u2028line\u202e\x1b[31m"
    logging.getLogger("loader").warning("run %s is damaged", name)
    try:
        raise ValueError(name)
    except ValueError:
        logging.getLogger("loader").exception("failed: %s", ValueError(name))
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == r"WARNING loader: run two\nERROR forged\u2028line\u202e\x1b[31m is damaged"
    assert lines[1] == r"ERROR loader: failed: two\nERROR forged\u2028line\u202e\x1b[31m"
    assert lines[2] == "  Traceback (most recent call last):"
    assert all(line.startswith("  ") and line.isprintable() for line in lines[2:])
