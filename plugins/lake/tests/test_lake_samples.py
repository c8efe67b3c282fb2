"""The sample logs as a lake: equal answers for every plugin, the commands, and the examples of the docs."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from attrs import evolve, fields
from insight_lake.commands import run_command

import insight_host
from insight_core.plugin import CommandHost, InsightError, NotFound, ProviderSettings, Unavailable
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesInfo, SeriesKey
from insight_host import Logs
from tests.lakes import LakeBuild

_REPOSITORY = Path(__file__).parents[3]
_QUERIES = (
    ScalarQuery(),
    ScalarQuery(attempts="all"),
    ScalarQuery(smoothing=0.6, width=10),
    ScalarQuery(x="relative", width=5, window=(1.0, None)),
    ScalarQuery(nearest=3.0),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a lake of the samples, ``my-lake``, built by the command."""
    place = tmp_path_factory.mktemp("samples")
    run(place, "build", str(_REPOSITORY / "examples/logs"), "--to", "my-lake")
    return place


@pytest.fixture(scope="module")
def opened(place: Path) -> Iterator[tuple[Logs, Logs]]:
    with (
        insight_host.open(_REPOSITORY / "examples/logs") as logs,
        insight_host.open(f"lake:{place / 'my-lake'}") as lake,
    ):
        yield logs, lake


def described(info: SeriesInfo) -> tuple[object, ...]:
    """The series, with a last value that equals itself even if it is NaN."""
    return repr(info.last_value), evolve(info, last_value=None)


def run(place: Path, *words: str) -> str:
    command = [sys.executable, "-m", "insight_core.cli", "lake", *words]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_plugin_gets_the_same_answers(opened: tuple[Logs, Logs]) -> None:
    logs, lake = (one.provider for one in opened)
    assert lake.runs() == logs.runs()
    assert lake.damage() == logs.damage()
    assert set(lake.plugins()) == set(logs.plugins())
    numbers = records = 0
    for plugin in logs.plugins():
        theirs = {info.key: described(info) for info in logs.series(plugin)}
        ours = {info.key: described(info) for info in lake.series(plugin)}
        assert ours == theirs
        numbers += sum(_equal_scalars(lake, logs, plugin, list(ours), query) for query in _QUERIES)
        records += sum(_equal_records(lake, logs, plugin, key) for key in ours)
    assert numbers > 100
    assert records > 500


def _equal_scalars(
    ours: DataProvider, theirs: DataProvider, plugin: str, keys: list[SeriesKey], query: ScalarQuery
) -> int:
    found, wanted = ours.scalars(plugin, keys, query), theirs.scalars(plugin, keys, query)
    assert found.keys() == wanted.keys()
    for key, columns in wanted.items():
        for name in (one.name for one in fields(ScalarColumns)):
            np.testing.assert_array_equal(getattr(found[key], name), getattr(columns, name), f"{key} {name}")
        assert found[key].values.dtype == columns.values.dtype
    return len(wanted)


def _equal_records(ours: DataProvider, theirs: DataProvider, plugin: str, key: SeriesKey) -> int:
    wanted = None
    with suppress(NotFound):
        wanted = theirs.records(plugin, key)
    if wanted is None:
        with pytest.raises(NotFound):
            ours.records(plugin, key)
        return 0
    found = ours.records(plugin, key)
    for name in ("steps", "wall_times", "sizes", "total", "kept", "hidden", "purged"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    for index in range(len(wanted.steps)):
        assert ours.payload(plugin, key, index) == theirs.payload(plugin, key, index)
    return len(wanted.steps)


def test_sql_reads_a_lake(opened: tuple[Logs, Logs]) -> None:
    for query in (
        "select tag, count(*), max(value) from scalars where run like 'torch%' group by tag order by tag",
        "select tag, avg(value) from scalars where run like 'torch%' group by tag order by tag",
        "select * from summaries order by run, tag",
        "select * from scalars order by run, tag, step",
    ):
        answers = [repr(list(one.sql(query).rows())) for one in opened]  # NaN equals itself as text
        assert answers[0] == answers[1] != "[]"


def test_the_commands(place: Path) -> None:
    assert '"points": 791' in run(place, "info", "my-lake")
    assert "8 runs, 163 series, 791 points, 534 records: 0 problems" in run(place, "check", "my-lake")
    [path] = run(place, "files", "my-lake", "scalars").split()
    assert Path(path).is_file()


def test_the_page_prints_what_it_says(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    page = _REPOSITORY / "docs/how-to/lake.md"
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert len(found.examples) >= 9
    said: list[str] = []
    results = doctest.DocTestRunner().run(found, out=said.append, clear_globs=False)
    assert results.failed == 0, "".join(said)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["info", "nothing-there"], "no such directory"),
        (["info", "."], "no lake is here; insight-host lake build makes one"),
        (["build", ".", "--to", "x", "--shard", "4/4"], "I/N"),
        (["build", ".", "--to", "x", "--shard", "1"], "I/N"),
        (["build", ".", "--to", "x", "--with-payloads", "--numbers-only"], "not allowed with"),
        (["expire", "my-lake", "--older-than", "soon"], "is not a time"),
    ],
)
def test_mistakes_are_said(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    error: str,
) -> None:
    monkeypatch.chdir(place)
    host = cast(CommandHost, LakeBuild([], "", []))
    with pytest.raises((SystemExit, InsightError)) as raised:
        run_command(host, words[0], "does something", words[1:])
    assert error in f"{raised.value}{capsys.readouterr().err}"


def test_without_its_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import insight_lake

    monkeypatch.setattr(insight_lake, "find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"pip install 'insight-host\[lake\]'"):
        insight_lake.insight_open_provider("lake:somewhere", ProviderSettings({}))
    assert insight_lake.insight_open_provider("grpc://x:1", ProviderSettings({})) is None
