"""Completion in real shells: commands, their flags, and values of flags."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from insight_core.cli.completed_commands import completed_commands
from insight_core.cli.completion import SCRIPTS
from tests.waiting import PATIENCE

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # of a terminal
Run = Callable[..., subprocess.CompletedProcess[str]]

LINES = [  # what is typed, what is offered, what is not
    ("insight-host ca", {"cache"}, {"runs", "plugins"}),
    ("insight-host cache ", {"info", "clear"}, {"runs"}),
    ("insight-host cache info --js", {"--json"}, {"--logdir"}),
    ("insight-host --receive-t", {"--receive-token-file"}, {"--receive"}),  # of a plugin
    ("insight-host export x --to ", {"parquet", "csv", "tensorboard"}, {"server", "logs"}),
    ("insight-host --load s", {"server"}, {"rust"}),
    ("insight-host completion ", {"bash", "zsh", "fish"}, {"logs"}),
    ("insight-host --logdir lo", {"logs"}, {"log.txt"}),
    ("insight-host runs lo", {"logs"}, {"log.txt"}),
    ("insight-host logs --tls-cert lo", {"logs", "log.txt"}, set[str]()),
    ("insight-host logs --port ", set[str](), {"logs", "cache"}),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the scripts, and with a directory and a file that can be completed."""
    made = tmp_path_factory.mktemp("completion")
    commands = completed_commands()
    for shell, script in SCRIPTS.items():
        (made / shell).write_text(script(commands))
    (made / "logs/run").mkdir(parents=True)
    (made / "log.txt").write_text("")
    return made


def _shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here (Debian: `apt install {name}`)")
    return found


def _bash(line: str, place: Path) -> set[str]:
    """As readline asks: the words of the line, ``=`` a word of its own."""
    words = [word for word in re.split(r"( +|=)", line) if word.strip()] + (
        [""] if line.endswith(" ") else []
    )
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"source ./bash; complete -p insight-host | grep -q _insight_host || exit 3; COMP_WORDS=({quoted}); "
        f"COMP_CWORD={len(words) - 1}; _insight_host; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    answer = subprocess.run(
        [_shell("bash"), "--norc", "-c", program], cwd=place, capture_output=True, text=True, check=True
    )
    assert answer.stderr == ""
    return set(answer.stdout.split())


def _fish(line: str, place: Path) -> set[str]:
    program = f"source ./fish; complete -C {line!r}"
    home = {"HOME": str(place), "XDG_CONFIG_HOME": str(place), "XDG_DATA_HOME": str(place)}
    answer = subprocess.run(
        [_shell("fish"), "--no-config", "-c", program],
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | home,
    )
    assert answer.stderr == ""
    return {one.partition("\t")[0].rstrip("/") for one in answer.stdout.splitlines()}


def _zsh(line: str, place: Path) -> set[str]:
    """Types the line and two tabs into a terminal; returns what is listed below the line."""
    _shell("zsh")
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover
        os.chdir(place)
        os.execvpe("zsh", ["zsh", "-f", "-i"], os.environ | {"PS1": "", "TERM": "xterm", "COLUMNS": "200"})
    try:
        start = "autoload -Uz compinit && compinit -u -D; LISTMAX=9999; source ./zsh; print -r ready:$?"
        _type(terminal, f"{start}\n", "ready:0")
        shown = _type(terminal, f"{line}\t\t", "")
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)
    listed = _CONTROLS.sub(" ", shown.partition("\n")[2].rpartition("\x1b[A")[0])
    return {word.rstrip("/") for word in listed.split()}


def _type(terminal: int, text: str, awaited: str) -> str:
    """What is shown after a text was typed: up to ``awaited``, or until the shell is at rest."""
    os.write(terminal, text.encode())
    shown, until = "", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if select.select([terminal], [], [], 1.0)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
        elif not awaited and len(shown) > len(text):
            return shown
        if awaited and re.search(rf"^{awaited}", shown, re.MULTILINE):
            return shown
    pytest.fail(f"the shell shows {shown!r}")


@pytest.mark.parametrize("shell", [_bash, _fish, _zsh])
@pytest.mark.parametrize(("line", "offered", "others"), LINES)
def test_a_shell_offers_what_may_follow(
    place: Path, shell: Callable[[str, Path], set[str]], line: str, offered: set[str], others: set[str]
) -> None:
    if shell is _zsh and len(offered) == 1:
        return  # it lists only where there is a choice
    found = shell(line, place)
    assert offered <= found
    assert not others & found


def test_bash_completes_values_after_an_equals_sign(place: Path) -> None:
    assert _bash("insight-host --load=s", place) == {"server"}
    assert _bash("insight-host export x --to= ", place) >= {"csv", "parquet"}


def test_every_command_is_completed_with_its_flags(run: Run) -> None:
    commands = {one.name: one for one in completed_commands()}
    listed = re.findall(
        r"^  ([a-z]+(?: [a-z]+)?) {2,}", run("--help").stdout.partition("commands (")[2], re.M
    )
    assert {*listed} == commands.keys() - {""}
    without = [name for name, one in commands.items() if not [*one.named]]
    assert without == []
    assert [flag.path for flag in commands[""].named if "--receive" in flag.names] == ["directory"]


def test_the_command_prints_what_a_shell_reads(run: Run, place: Path) -> None:
    answer = run("completion", "bash")
    assert (answer.returncode, answer.stdout) == (0, (place / "bash").read_text())
    refused = run("completion", "csh")
    assert refused.returncode == 2
    assert "choose from" in refused.stderr
