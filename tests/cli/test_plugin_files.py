"""``--plugin-file``: plugins without a package."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

MINE = """
from werkzeug import Response

from insight_core.plugin import Command, FileName, LogFormat, Plugin, Points, Route, hookimpl
from insight_core.plugin import RecordDecoder, SummaryPlugin
import words_beside


@hookimpl
def insight_plugin():
    decoder = RecordDecoder({SummaryPlugin("mine_too")}, decode="mine:text")
    return Plugin("mine", words_beside.TITLE, decoder=decoder, routes="mine:routes")


def text(payload):
    return payload.data.decode()


def routes(ctx):
    return [Route("/hello", lambda request: Response("hello"))]


@hookimpl
def insight_log_formats():
    return [LogFormat("mine", FileName("mine.txt"), "mine:read")]


def read(stream, state):
    return [Points("loss", [1, 2], [0.5, 0.25])] if stream.read() else [], None


@hookimpl
def insight_commands(host):
    return [Command("greet", "greets", "mine:greet")]


def greet(words):
    print("hello")
    return 0
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A plugin in one file, which imports another file of its directory."""
    (tmp_path / "words_beside.py").write_text('TITLE = "Mine"\n', encoding="utf-8")
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return tmp_path / "mine.py"


def _rows(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["plugins"]}


def test_a_plugin_in_a_file_is_listed_with_its_routes_and_needs_no_package(run: Run, mine: Path) -> None:
    row = _rows(run("plugins", "--json", "--plugin-file", str(mine)))["mine"]
    assert (row["state"], row["title"], row["distribution"]) == ("ok", "Mine", str(mine))
    assert row["routes"] == ["GET /hello"]
    row = _rows(run("plugins", "--json", env={"INSIGHT_HOST_PLUGIN_FILE": str(mine)}))["mine"]
    assert row["claims"] == ["plugin:mine_too"]


@pytest.mark.parametrize("load", ["inprocess", "server"])
def test_its_log_format_is_read_by_whatever_reads_logs(run: Run, mine: Path, load: str) -> None:
    logs = mine.parent / "logs/run"
    logs.mkdir(parents=True)
    (logs / "mine.txt").write_text("1", encoding="utf-8")
    words = ("series", str(logs.parent), "--plugin-file", str(mine), "--json")
    done = run(*words, env={"INSIGHT_HOST_LOAD": load})
    assert done.returncode == 0, done.stderr
    assert [(row["tag"], row["points"]) for row in json.loads(done.stdout)] == [("loss", 2)]


def test_its_commands_are_those_of_insight_host(run: Run, mine: Path) -> None:
    assert run("greet", env={"INSIGHT_HOST_PLUGIN_FILE": str(mine)}).stdout == "hello\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "--plugin-file {file}: ZeroDivisionError: division by zero (mine.py:1)"),
        ("", "it implements no hook"),
        (
            "from insight_core.plugin import *\n@hookimpl\ndef insight_plugin(): return Plugin('scalar', '')",
            "the name 'scalar' is reserved for insight-host",
        ),
    ],
)
def test_no_host_starts_without_a_file_that_it_was_given(
    run: Run, mine: Path, text: str, reason: str
) -> None:
    mine.write_text(text, encoding="utf-8")
    done = run("plugins", "--plugin-file", str(mine))
    assert (done.returncode, done.stdout) == (1, "")
    assert reason.format(file=mine) in done.stderr


def test_a_guard_in_a_file_is_around_the_host(run: Run, mine: Path) -> None:
    mine.write_text(
        "from insight_core.plugin import InvalidArgument, hookimpl\n"
        "@hookimpl\ndef insight_wrap_app(app):\n    raise InvalidArgument('the guard was asked')\n",
        encoding="utf-8",
    )
    done = run("--logdir", str(mine.parent), "--port", "0", "--plugin-file", str(mine))
    assert done.returncode == 1
    assert "the guard was asked" in done.stderr


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("absent.py", "the file does not exist"),
        ("mine.txt", "is not a Python file"),
        ("my-plugin.py", "is not a Python file with the name of a module"),
    ],
)
def test_a_file_that_cannot_be_a_module_is_a_wrong_flag(run: Run, mine: Path, name: str, reason: str) -> None:
    if name != "absent.py":
        mine.rename(mine.with_name(name))
    done = run("plugins", "--plugin-file", str(mine.with_name(name)))
    assert done.returncode == 2
    assert reason in done.stderr


def test_a_file_with_the_name_of_an_installed_module_is_refused(run: Run, mine: Path) -> None:
    taken = mine.rename(mine.with_name("json.py"))
    done = run("plugins", "--plugin-file", str(taken))
    assert done.returncode == 1
    assert "json is also the name of a module in" in done.stderr
