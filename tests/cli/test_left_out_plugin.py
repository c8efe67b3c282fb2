"""A plugin that is left out takes nothing with it but its own tab."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_without_a_plugin_its_values_are_listed_and_claimed_by_nobody(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    """Also with the index that was written while the plugin was there."""

    def series(*flags: str) -> Any:  # noqa: ANN401
        logs = repository / "plugins/pr_curves/tests/fixtures"
        environment = {"INSIGHT_HOST_CACHE_DIR": str(tmp_path / "cache")}
        done = run("series", str(logs), "--json", *flags, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    left_out = ("--disable-plugin", "pr_curves")
    before = series(*left_out)
    assert {row["plugin"] for row in before} == {"plugin:pr_curves"}
    assert {row["plugin"] for row in series()} == {"pr_curves"}
    assert series(*left_out) == before
