"""The commands of the how-to page and of the skill run as printed."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from insight_core.cli import main


def _skill(repository: Path) -> str:
    return (repository / "plugins/mcp/insight_mcp/SKILL.md").read_text(encoding="utf-8")


def test_the_skill_is_printed(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    assert main(["skill"]) == 0
    printed = capsys.readouterr().out
    assert printed == _skill(repository)
    assert re.match(r"---\nname: [a-z-]+\ndescription: .{50,1024}\n---\n", printed)


def test_the_commands_of_the_skill_run(
    repository: Path,
    sample_logs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    (tmp_path / "runs").symlink_to(sample_logs)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"`insight-host ([^`]+runs/[^`]*)`", _skill(repository))
    assert len(commands) == 10
    for command in commands:
        assert main(shlex.split(command)) == 0, command
        printed = capsysbinary.readouterr().out.decode()
        assert len(printed.splitlines()) > 1 or "--json" in command, command
        if "--json" in command:
            assert len(json.loads(printed)) > 0, command


def test_a_message_from_a_shell_is_answered(repository: Path) -> None:
    page = (repository / "docs/how-to/agents.md").read_text(encoding="utf-8")
    [(message, command)] = re.findall(r"^echo '(\{.*\})' \| insight-host (.+)$", page, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-m", "insight_core.cli", *shlex.split(command)],
        input=f"{message}\n",
        capture_output=True,
        text=True,
        cwd=repository,
        timeout=120,
        check=True,
    )
    [line] = done.stdout.splitlines()
    assert "torch/lr0.2_seed0" in json.loads(line)["result"]["content"][0]["text"]


def test_places_that_are_not_there_end_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(["mcp", str(tmp_path / "none")]) == 1
    assert "no such directory" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["mcp"])
    assert "no logs: give a directory" in capsys.readouterr().err
