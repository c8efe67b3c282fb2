"""The contract of data providers, run on the provider of this package."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import insight_sqlite
import pytest

from insight_core.plugin import InvalidArgument, ProviderSettings
from insight_core.plugin.data import DataProvider
from insight_core.plugin.testing import WrittenSeries, provider_contract

TABLES = """
CREATE TABLE IF NOT EXISTS points (run TEXT, tag TEXT, step INTEGER, seconds REAL, value REAL);
CREATE TABLE IF NOT EXISTS pictures (run TEXT, tag TEXT, step INTEGER, seconds REAL, png BLOB);
"""


def write(directory: Path, written: Sequence[WrittenSeries]) -> None:
    with closing(sqlite3.connect(directory / "runs.db")) as database, database:
        database.executescript(TABLES)
        for series in written:
            table = "points" if series.plugin == "scalar" else "pictures"
            rows = zip(series.steps, series.wall_times, series.values, strict=True)
            full = [(series.run, series.tag, *row) for row in rows]
            database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", full)


def opened(directory: Path, written: Sequence[WrittenSeries], settings: ProviderSettings) -> DataProvider:
    write(directory, written)
    provider = insight_sqlite.insight_open_provider(f"sqlite:{directory / 'runs.db'}", settings)
    assert provider is not None
    provider.start()
    return provider


CONTRACT = provider_contract(opened, records="image", write_more=write)


@pytest.mark.parametrize("check", CONTRACT)
def test_the_contract(check: str) -> None:
    CONTRACT[check]()


def test_a_file_that_is_not_there_ends_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="the file does not exist"):
        insight_sqlite.insight_open_provider(f"sqlite:{tmp_path / 'none.db'}", ProviderSettings({}))
    assert insight_sqlite.insight_open_provider("mem://3", ProviderSettings({})) is None
