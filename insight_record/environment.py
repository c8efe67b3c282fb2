"""The environment of a training: program, versions, host, git commit and changes, installed packages."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from insight_record.accelerators import accelerator_names

_MOST = 256 * 1024  # bytes of changes
_PATIENCE = 10  # seconds for git
_SECRET = re.compile(r"(?i)(pass(word|wd)?|secret|token|api[-_]?key|credential)")
_HIDDEN = "***"


def environment_cells() -> dict[str, str | int]:
    """Collects the cells of the run table; takes less than a millisecond and starts no program."""
    found: dict[str, str | int] = {
        "program": os.path.basename(sys.argv[0]) if sys.argv else "",
        "command": command_line(sys.argv),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
        "host": platform.node(),
        "processors": os.cpu_count() or 0,
    }
    if commit := git_commit(Path.cwd()):
        found["git_commit"] = commit
    return found


def command_line(arguments: Sequence[str]) -> str:
    """The arguments, without the values of those that are named like a secret."""
    shown: list[str] = []
    hides = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        secret = bool(_SECRET.search(name)) and (argument.startswith("-") or bool(equals))
        if hides and not argument.startswith("-"):
            shown.append(_HIDDEN)
            hides = False
            continue
        shown.append(f"{name}={_HIDDEN}" if secret and equals else argument)
        hides = secret and not equals
    return " ".join(shown)


def git_commit(directory: Path) -> str | None:
    """The commit of the checkout that contains a directory, read from git's files; None outside of one."""
    for place in (directory, *directory.parents):
        entry = place / ".git"
        with contextlib.suppress(OSError, ValueError):
            if entry.is_file():  # a worktree or a submodule
                entry = place / entry.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            if entry.is_dir():
                return _resolved(entry)
    return None


def _resolved(git: Path) -> str | None:
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return head
    name = head.partition(":")[2].strip()
    common = git
    with contextlib.suppress(OSError):
        common = git / (git / "commondir").read_text(encoding="utf-8").strip()
    for place in (git, common):
        with contextlib.suppress(OSError):
            return (place / name).read_text(encoding="utf-8").strip()
    with contextlib.suppress(OSError):
        for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
            commit, _, known = line.partition(" ")
            if known == name:
                return commit
    return None


def git_changes(directory: Path, most: int = _MOST) -> str | None:
    """Returns ``git diff HEAD``, at most ``most`` bytes; None without changes."""
    command = ["git", "-C", str(directory), "--no-optional-locks", "diff", "--no-ext-diff", "HEAD"]
    try:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            data = process.stdout.read(most + 1)
            process.stdout.close()
            process.wait(_PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if not data:
        return None
    text = data[:most].decode("utf-8", "replace")
    return f"{text}\n... more than {most} bytes: cut off here\n" if len(data) > most else text


def package_list() -> str:
    """Installed distributions, a ``name==version`` a line, as ``pip freeze`` has them."""
    import importlib.metadata  # loads email and zipfile: half of what importing this package takes

    found = {
        f"{one.metadata['Name']}=={one.version}"
        for one in importlib.metadata.distributions()
        if one.metadata["Name"]
    }
    return "\n".join(sorted(found, key=str.lower))


def environment_texts(directory: Path) -> dict[str, str]:
    """Texts in Markdown by tag: packages, accelerators, and changes since the commit. Takes up to seconds."""
    found = {"environment/packages": _fenced(package_list())}
    if names := accelerator_names():
        found["environment/accelerators"] = _fenced("\n".join(names))
    if changes := git_changes(directory):
        found["environment/changes"] = _fenced(changes, "diff")
    return found


def _fenced(text: str, language: str = "") -> str:
    longest = max((len(one) for one in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
