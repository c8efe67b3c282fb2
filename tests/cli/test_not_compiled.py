"""Where a compiled module is missing, one sentence says what to install or build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_MODULES = (
    "insight_core.ingest.scanner._kernel",
    "insight_core.ingest.scanner._small_files",
    "insight_core.store._reduction",
)
_PROGRAM = """
import sys
sys.modules[sys.argv.pop(1)] = None  # an import of it fails
from insight_core.cli import main
sys.exit(main())
"""


def _said(missing: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _PROGRAM, missing, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("missing", _MODULES)
def test_a_host_says_what_to_install_in_one_line(missing: str, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    flags = (f"--logdir={tmp_path}/logs", "--port=0", "--no-cache", f"--state-dir={tmp_path}/state")
    done = _said(missing, *flags)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith(f"insight-host: error: {missing} is not compiled: install a wheel")
    assert "a C compiler" in line


def test_the_version_says_so_too() -> None:
    done = _said(_MODULES[0], "--version")
    assert done.returncode == 0
    assert f"scanner: {_MODULES[0]} is not compiled: install a wheel" in done.stdout


def test_a_plugin_without_its_module_says_so_and_leaves_the_others(tmp_path: Path) -> None:
    done = _said("insight_graph._interned", "plugins")
    assert done.returncode == 0, done.stderr
    assert "scalar" in done.stdout
    assert "insight_graph._interned is not compiled: install a wheel" in done.stdout + done.stderr
