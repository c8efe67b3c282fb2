"""Commands that the documents print: their words and flags are those of the program."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from insight_core.cli.completed_commands import completed_commands
from insight_core.cli.data_server_flags import DataServerOptions
from insight_core.cli.flags import flags_of

_BLOCK = re.compile(r"^ *```(?:sh|bash|console)?\n(.*?)^ *```$", re.M | re.S)
_SPAN = re.compile(r"(?<!`)`((?:insight-host|insight-data-server) [^`]+)`")
_OF_ALL = {"--help", "--version"}
_STARTING_A_HOST = ("snapshot", "plugin dev", "alerts test")  # they take its flags, too
_OF_EXAMPLES = {"--greeting"}  # of examples/insight-plugin-extensions
_HISTORY = ("CHANGELOG.md",)  # tells of flags that were


class _Printed(NamedTuple):
    document: str
    words: list[str]


def _commands(document: str, text: str) -> Iterator[_Printed]:
    """Commands of ours in blocks of a shell and in the text, without what they are piped into."""
    lines = [line for block in _BLOCK.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    for line in [*lines, *_SPAN.findall(text)]:
        for part in re.split(r"[|;&]+\s|\$\(|>", line):
            try:
                words = shlex.split(part.strip().removeprefix("$ "), comments=True)
            except ValueError:  # a quotation that goes on in the next line
                continue
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                del words[0]
            if words and words[0] in ("insight-host", "insight-data-server"):
                yield _Printed(document, words)


def _unknown(printed: _Printed, known: Mapping[str, set[str]]) -> list[str]:
    """Flags of a command that it does not have."""
    program, *words = printed.words
    flags = [word.partition("=")[0].replace("_", "-") for word in words if word.startswith("--")]
    name = "data-server" if program == "insight-data-server" else ""
    for length in (2, 1):
        if program == "insight-host" and (command := " ".join(words[:length])) in known:
            name = command
            break
    return [flag for flag in flags if flag not in known[name]]


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    """Flags by command; the data server is one, too."""
    found = {one.name: {name for flag in one.flags for name in flag.names} for one in completed_commands()}
    found[""] |= _OF_EXAMPLES
    for name in _STARTING_A_HOST:
        found[name] |= found[""]
    options = flags_of(DataServerOptions).values()
    found["data-server"] = {
        f"--{name}" for one in options for name in (one.name, f"no-{one.name}", *one.aliases)
    }
    return {name: flags | _OF_ALL for name, flags in found.items()}


def test_every_flag_of_a_printed_command_exists(repository: Path, known: Mapping[str, set[str]]) -> None:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True, cwd=repository).stdout.split()
    printed = [
        command
        for name in names
        if name not in _HISTORY and (repository / name).is_file()
        for command in _commands(name, (repository / name).read_text(encoding="utf-8"))
    ]
    assert len(printed) > 150
    wrong = [(*one, unknown) for one in printed if (unknown := _unknown(one, known))]
    assert wrong == []


def test_a_flag_that_does_not_exist_is_found(known: Mapping[str, set[str]]) -> None:
    text = "```\n$ insight-host get runs --tagg loss | head\n```\n`insight-data-server --logdir DIR --fast`"
    found = [(one.words[1], _unknown(one, known)) for one in _commands("a.md", text)]
    assert found == [("get", ["--tagg"]), ("--logdir", ["--fast"])]
