"""Extras are optional: without any of them the rest works, and what needs one says what to install."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import insight_host
from insight_core.plugin import Unavailable

_WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({names!r}))  # of None: they cannot be imported
from insight_core.cli import main
sys.exit(main({arguments!r}))
"""
_EXTRA = {
    "duckdb",
    "obstore",
    "pyarrow",
    "pandas",
    "polars",
    "tensorboard",
    "mcp",
    "pydantic",
    "starlette",
}
_CALL = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", "arguments": {%s}}}\n'


def _run(arguments: list[str], lines: str = "") -> subprocess.CompletedProcess[str]:
    source = _WITHOUT.format(names=_EXTRA, arguments=arguments)
    return subprocess.run(
        [sys.executable, "-c", source], input=lines, capture_output=True, text=True, timeout=120
    )


def test_agents_need_no_extra_but_for_sql(sample_logs: Path) -> None:
    lines = _CALL % ("compare", "") + _CALL % ("sql", '"query": "select 1"')
    done = _run(["mcp", str(sample_logs)], lines)
    assert done.returncode == 0, done.stderr
    assert "torch/lr0.2_seed0" in done.stdout
    assert "pip install 'insight-host[sql]'" in done.stdout


def test_the_command_of_sql_says_what_to_install(sample_logs: Path) -> None:
    done = _run(["sql", "select 1", str(sample_logs)])
    assert (done.returncode, "pip install 'insight-host[sql]'" in done.stderr) == (1, True)


@pytest.mark.parametrize("library", ["duckdb", "pyarrow"])
def test_sql_needs_both_libraries(library: str, sample_logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "insight_query.engine", raising=False)
    monkeypatch.delitem(sys.modules, "insight_query.scanned_table", raising=False)
    with (
        insight_host.open(sample_logs) as logs,
        pytest.raises(Unavailable, match=r"pip install 'insight-host\[sql\]'"),
    ):
        logs.sql("select 1")


@pytest.mark.parametrize(
    ("library", "convert"),
    [
        ("pandas", insight_host.LogTable.to_pandas),
        ("polars", insight_host.LogTable.to_polars),
        ("pyarrow", insight_host.LogTable.to_arrow),
    ],
)
def test_a_table_says_which_library_it_needs(
    library: str,
    convert: Callable[[insight_host.LogTable], object],
    sample_logs: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with insight_host.open(sample_logs) as logs:
        table = logs.runs()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(Unavailable, match=f"pip install {library}"):
        convert(table)


def test_no_default_dependency_is_that_of_an_extra(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[^\w.-]", one)[0] for one in requirements}

    optional = set().union(*(names(extras[extra]) for extra in ("lake", "parquet", "tensorboard")))
    assert {"duckdb", "obstore", "pyarrow", "tensorboard"} <= optional
    assert not names(project["dependencies"]) & (optional | _EXTRA)
