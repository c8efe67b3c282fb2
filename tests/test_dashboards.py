"""docs/reference/dashboards.md: every tab that it names has data of the log that it names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider

ROOT = Path(__file__).parents[1]
_ROW = re.compile(
    r"\| (?P<view>[^|]+) \| (?P<here>native|hosted|no) \| (?P<tab>.*?) ?\| (?:`(?P<log>[^`]+)` )?\|"
)
_PLUGIN = re.compile(r"\]\(\.\./\.\./plugins/(\w+)/README\.md\)")


def _rows() -> list[re.Match[str]]:
    text = (ROOT / "docs/reference/dashboards.md").read_text(encoding="utf-8").replace("\\|", "/")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [_ROW.fullmatch(line) for line in lines]
    heads = [line for line, row in zip(lines, rows, strict=True) if row is None]
    assert all(re.match(r"\| (dashboard|view) \||\|---", line) for line in heads), heads
    return [row for row in rows if row is not None]


def test_rows_are_complete() -> None:
    rows = _rows()
    assert len(rows) > 40
    for row in rows:
        plugins = _PLUGIN.findall(row["tab"])
        assert row["here"] == "native" or not (plugins or row["log"]), row[0]
        assert all((ROOT / f"plugins/{name}/README.md").is_file() for name in plugins), row[0]


@pytest.mark.parametrize("log", sorted({row["log"] for row in _rows() if row["log"]}))
def test_tabs_have_data_of_the_logs_that_the_page_names(log: str) -> None:
    wanted = {name: row for row in _rows() if row["log"] == log for name in _PLUGIN.findall(row["tab"])[:1]}
    plugins = [importlib.import_module(f"insight_{name}").insight_plugin() for name in sorted(wanted)]
    provider = LocalProvider([Logdir(str(ROOT / log))], plugins, reload_interval=0)
    provider.load()
    try:
        for plugin in plugins:
            assert provider.series(plugin.name), f"{wanted[plugin.name][0]}: no series in {log}"
    finally:
        provider.close()
