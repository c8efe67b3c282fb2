"""Which tests `make test` runs, and which only `make verify`.

`make test` has one smoke test for each tab, the stories of users, and the browser tests of what the last
commit and the working tree change. The other browser tests, and what installs, fuzzes or kills, belong to
`make verify`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

_SMOKE = re.compile(r"test_every_tab_keeps_the_rules|/test_stories|/test_page\.py|/test_live\.py")
_LONG = (
    "tests/packaging/",
    "tests/fuzz/",
    "tests/soak/",
    "tests/test_kill.py",
    "tests/test_new_plugin.py",
    "tests/test_first_plugin.py",
    "tests/test_extensions_example.py",
    "tests/test_skeleton.py",
)


def changed_paths(repository: Path) -> frozenset[str]:
    """Paths that differ from the commit before the last one; none where git does not know it."""
    done = subprocess.run(
        ["git", "diff", "--name-only", "HEAD~1"], cwd=repository, capture_output=True, text=True
    )
    return frozenset(done.stdout.split("\n")) - {""} if done.returncode == 0 else frozenset()


def mark_tiers(items: Iterable[pytest.Item], repository: Path, changed: frozenset[str]) -> None:
    """Marks with ``verify`` what `make test` leaves out."""
    texts: dict[Path, str] = {}
    for item in items:
        path = item.path.relative_to(repository).as_posix()
        if item.get_closest_marker("browser") is None:
            is_left_out = path.startswith(_LONG) and path not in changed
        else:
            text = texts.setdefault(item.path, item.path.read_text(encoding="utf-8"))
            is_left_out = not _SMOKE.search(item.nodeid) and not _is_about(path, text, changed)
        if is_left_out:
            item.add_marker(pytest.mark.verify)


def _is_about(path: str, text: str, changed: frozenset[str]) -> bool:
    """Whether a file of browser tests drives what has changed: itself, a plugin, or the page of all."""
    for one in changed:
        if ".test." in one:  # of Vitest
            continue
        if one == path or one.startswith(("frontend/shell/", "frontend/packages/")):
            return True
        plugin = re.match(r"plugins/(\w+)/(?:frontend|insight_)", one)
        if plugin and re.search(rf"tab[=-]{plugin[1]}\b|plugin/{plugin[1]}\b|insight_{plugin[1]}\b", text):
            return True
    return False
