"""A tab that is a distribution of its own comes with pip, and without it the host is as before."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.distributions import bare_venv


class _User:
    """Somebody with this host in an environment of their own, which has no other plugin."""

    def __init__(self, python: Path, environment: Mapping[str, str]) -> None:
        self.python = python
        self.environment = environment

    def run(self, *words: str | Path) -> str:
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def pip(self, *words: str | Path) -> None:
        self.run(sys.executable, "-m", "pip", "--python", self.python, *words)

    def series(self, logs: Path) -> Any:  # noqa: ANN401
        """All series, and to which plugin each belongs."""
        return json.loads(self.run(self.python, "-m", "insight_core.cli", "series", logs, "--json"))


@pytest.fixture
def user(tmp_path: Path, offline_environment: dict[str, str]) -> _User:
    python = bare_venv(tmp_path / "venv", offline_environment)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "venv")}))
    # this checkout as it is installed here
    (site / "checkout.pth").write_text("".join(f"{path}\n" for path in sys.path if path), encoding="utf-8")
    return _User(python, {**offline_environment, "INSIGHT_HOST_CACHE_DIR": str(tmp_path / "cache")})


def test_without_the_distribution_the_host_is_as_before_it(user: _User, repository: Path) -> None:
    logs = repository / "plugins/pr_curves/tests/fixtures"
    before = user.series(logs)
    assert {row["plugin"] for row in before} == {"plugin:pr_curves"}, "values that no plugin claims"
    options = ["--quiet", "--no-deps", "--no-build-isolation"]
    user.pip("install", *options, repository / "plugins/pr_curves")
    assert {row["plugin"] for row in user.series(logs)} == {"pr_curves"}
    user.pip("uninstall", "--quiet", "--yes", "insight-plugin-pr-curves")
    assert user.series(logs) == before, "with the index that was written while the plugin was there"
