"""Compiled modules are made when they are stale, and missing ones are reported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Barrier, Lock
from types import ModuleType

import pytest


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The source of a module in a package of its own."""
    package = tmp_path / "insight_core"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "number.h").write_text("#define NUMBER 41\n")
    source = package / "_one.pyx"
    source.write_text(
        'cdef extern from "number.h":\n    int NUMBER\ndef number() -> int:\n    return NUMBER + 1\n'
    )
    return source


def _number(root: Path) -> str:
    program = "from insight_core import _one; print(_one.number())"
    answer = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True)
    return answer.stdout.strip() or answer.stderr


def test_modules_are_compiled_when_they_are_stale(hook: ModuleType, module: Path) -> None:
    root = module.parents[1]
    warnings: list[str] = []
    hook.compile_stale(root, warnings.append)
    assert (warnings, _number(root)) == ([], "42")
    made = hook.compiled_path(module).stat().st_mtime_ns
    hook.compile_stale(root, warnings.append)
    assert hook.compiled_path(module).stat().st_mtime_ns == made
    (module.parent / "number.h").write_text("#define NUMBER 1\n")
    hook.compile_stale(root, warnings.append)
    assert (warnings, _number(root)) == ([], "2")
    hook.compiled_path(module).unlink()
    hook.compile_stale(root, warnings.append)
    assert (warnings, _number(root)) == ([], "2")


def test_no_more_modules_are_compiled_at_once_than_there_are_processors(
    hook: ModuleType, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        module.with_name(f"_more{number}.pyx").write_text("")
    lock, pair = Lock(), Barrier(2)
    running, most = 0, 0

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        pair.wait(60)  # two do run at once
        with lock:
            running -= 1
        return subprocess.CompletedProcess(command, 0, "")

    monkeypatch.setattr(hook.subprocess, "run", run)
    monkeypatch.setattr(hook.os, "cpu_count", lambda: 2)
    hook.compile_stale(module.parents[1], lambda _: None)
    assert (most, running) == (2, 0)


def test_without_a_compiler_it_is_said_and_what_is_stale_goes(
    hook: ModuleType, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook.compiled_path(module).write_bytes(b"compiled from another source")
    monkeypatch.setenv("CC", "no-compiler")
    warnings: list[str] = []
    hook.compile_stale(module.parents[1], warnings.append)
    [warning] = warnings
    assert "insight_core/_one.pyx is not compiled" in warning
    assert "no-compiler" in warning
    assert not hook.compiled_path(module).exists()
