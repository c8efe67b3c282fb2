"""The formatter wraps TypeScript, but no strings, templates and comments: these are wrapped by hand."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 120  # characters, as `.oxfmtrc.json` has it


def test_no_line_of_typescript_is_too_long() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.ts", "*.tsx"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    long = [
        f"{name}:{number}"
        for name in listed.stdout.split("\0")
        if name and (ROOT / name).is_file()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert long == []
