"""Run it with pytest, in an environment that has insight-host; nothing is installed and no port is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import insight_extensions
import pytest
from insight_extensions.findings import longest
from insight_extensions.memory import runs_in_memory
from insight_extensions.store import SampleFiles

from insight_core.plugin import InvalidArgument, hooks
from insight_core.plugin.findings import Examined
from insight_core.plugin.testing import EventWriter, FakeProvider, HostClient, context_of, host_of, read_all


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostClient]:
    with EventWriter(tmp_path / "run") as writer:
        for step in range(3):
            writer.scalar("learning_rate", step, 0.0)
    (tmp_path / "run/a.words").write_text("loss 0 1.5\nhello\nloss 1 0.5\n")
    (tmp_path / "run/b.settings").write_text("optimizer = adam\nrate = 0.1\n")
    options = {"greeting": "hello"}
    with host_of(insight_extensions, logdir=tmp_path, options=options, built_ins=["scalar"]) as host:
        yield host


def test_each_hook_has_an_example() -> None:
    deprecated = {"insight_highlights"}
    every = {name for name in vars(hooks) if name.startswith("insight_")} - deprecated
    shown = {name for name, value in vars(insight_extensions).items() if hasattr(value, "insight_impl")}
    assert shown == every


def test_the_decoder_reads_settings(host: HostClient) -> None:
    answer = host.get("/data/plugin/extensions/value", run="run", tag="b.settings", index=0).json()
    assert answer["value"] == [
        {"name": "optimizer", "value": "adam"},
        {"name": "rate", "value": "0.1"},
    ]


def test_the_middleware_greets(host: HostClient) -> None:
    assert host.get("/data/runs").headers["X-Greeting"] == "hello"


def test_a_line_that_is_no_point_is_damage_in_the_language_of_the_user(host: HostClient) -> None:
    [damage] = host.damage()
    assert str(damage.reason) == "line 2 is not a tag, a step and a value"
    answer = host.get("/data/damage").json()
    assert "reason.extensions_line" in answer["messages"]["zh-CN"]


def test_the_log_format_reads_the_same_however_the_file_grows() -> None:
    words, *_ = insight_extensions.insight_log_formats()
    content = b"loss 0 1.5\nhello\nloss 1 0.5\nloss 2"
    for pieces in (1, 7, len(content)):
        read = read_all(words, content, pieces)
        assert read.points["loss"].values.tolist() == [1.5, 0.5]
        assert [flaw.offset for flaw in read.flaws] == [11, 28]


def test_the_column_counts_the_longest_series(host: HostClient) -> None:
    [column] = host.context("extensions").run_columns(["length"])
    assert column.values == {"run": 3}


def test_the_rule_finds_a_learning_rate_of_0(host: HostClient) -> None:
    [finding] = [
        one for one in host.context("extensions").findings(["run"]).findings if one.rule == "zero_rate"
    ]
    assert str(finding.saw) == "learning_rate is 0 at every step"
    assert (finding.place.tag, finding.place.steps) == ("learning_rate", (0, 2))


def test_the_highlight_names_the_run_with_the_most_points() -> None:
    data = FakeProvider()
    data.add_scalars("short", "loss", [1.0])
    data.add_scalars("long", "loss", [1.0, 0.5])
    ctx = context_of(insight_extensions.insight_plugin(), data)
    [found] = longest(Examined(ctx, ["short", "long"], {}, lambda _: None))
    assert (str(found.saw), found.runs) == ("long has the most points: 2", ("long",))
    assert list(longest(Examined(ctx, ["short"], {}, lambda _: None))) == []


def test_the_table_has_a_row_for_each_run(host: HostClient) -> None:
    [one] = host.context("extensions").query_tables()

    wanted: Any = SimpleNamespace(columns=("run", "longest"), of=lambda column, values: values)
    assert list(one.read(wanted)) == [{"run": ["run"], "longest": [len("learning_rate")]}]


def test_locations_of_others_are_left_to_others() -> None:
    assert insight_extensions.insight_open_files("s3://bucket") is None
    with pytest.raises(InvalidArgument, match="sample://RUNS"):
        insight_extensions.insight_open_files("sample://many")


def test_the_store_gives_parts_of_its_files() -> None:
    files = SampleFiles(2)
    [page] = files.pages()
    assert [file.path for file in page] == ["run1/a.words", "run2/a.words"]
    assert files.read(page[0], 5, 10) == b"0 1.5"


def test_the_command_greets(capsys: pytest.CaptureFixture[str]) -> None:
    [command] = insight_extensions.insight_commands()
    assert command.run(["Ada"]) == 0
    assert capsys.readouterr().out == "Hello Ada\n"


def test_the_data_source_has_as_many_runs_as_its_location_says() -> None:
    with host_of(insight_extensions, data=runs_in_memory(3), built_ins=["scalar", "image"]) as host:
        assert host.get("/data/runs").json() == ["run1", "run2", "run3"]
        [column] = host.context("extensions").run_columns(["length"])
        picture = host.get("/data/plugin/image/info", run="run1", tag="colour", index=0).json()
    assert (picture["width"], picture["height"]) == (16, 16)
    assert column.values == {"run1": 1, "run2": 2, "run3": 3}
