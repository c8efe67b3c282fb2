"""Settings of imported runs keep digits, infinities and texts, as the trackers' own readers have them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import insight_importers
import insight_lineage
import pytest
import yaml
from attrs import frozen
from insight_importers.cells import Cell, cell_of, cell_of_text, cells_of, config_cells
from insight_lineage.query_table import rows
from insight_lineage.run_columns import listed, values

from insight_core.filters.column import Column, values_of
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.log_tables import yaml_value
from insight_core.plugin.testing import context_of
from insight_core.providers.local import LocalProvider


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *(
            (text, text)
            for text in (
                *(
                    "01234",
                    "-007",
                    "00",
                    "9007199254740993",
                    "-18446744073709551616",
                    "12345678901234567890.5",
                ),
                *("1e400", "inf", "nan", "1_000", "0x10", "+5", "", "-", ".", "e5", "\u0663", "1" * 500),
            )
        ),
        *(("42", 42), (" 7 ", 7), ("-0.5", -0.5), (".5", 0.5), ("1e-4", 1e-4), ("1e22", 1e22)),
        *(("9007199254740992", 2**53), ("0", 0), ("0.10", 0.1), ("True", True), ("false", False)),
    ],
)
def test_a_text_becomes_a_number_only_if_that_keeps_its_digits(text: str, cell: Cell) -> None:
    found = cell_of_text(text)
    assert (found, type(found)) == (cell, type(cell))


def test_digits_of_long_integers_stay() -> None:
    assert [cell_of(2**53), cell_of(2**53 + 1), cell_of(-(2**70))] == [2**53, str(2**53 + 1), str(-(2**70))]


def test_a_long_text_and_too_many_settings_say_that_they_were_cut() -> None:
    assert str(cell_of("a" * 5_000)).endswith("… (the first 2,000 of 5,000 characters)")
    [name], _ = config_cells({"n" * 900: 1})
    assert name.endswith("… (the first 500 of 900 characters)")
    found, [flaw] = cells_of((f"s{number}", number) for number in range(5_003))
    assert len(found) == 5_000
    assert flaw.reason == "3 settings behind the first 5,000 are not shown"


@frozen
class _EveryRow:
    columns: list[str]

    def of(self, column: str, values: Sequence[str]) -> list[str]:
        return list(values)

    def span(self, column: str, first: int, last: int) -> tuple[int, int] | None:
        return first, last


def _mlflow(experiment: Path, name: str, params: dict[str, str]) -> None:
    run = experiment / name
    (run / "params").mkdir(parents=True)
    (experiment / "meta.yaml").write_text("artifact_location: x\nexperiment_id: '1'\nname: e\n")
    (run / "meta.yaml").write_text(f"run_id: {name}\nrun_name: {name}\nstatus: 3\n")
    for key, value in params.items():
        (run / "params" / key).write_text(value)


def test_run_columns_sql_and_conditions_have_the_digits_of_mlflows_parameters(tmp_path: Path) -> None:
    """MLflow's client has texts: seed 9007199254740993 and zip "01234"."""
    experiment = tmp_path / "mlruns" / "1"
    _mlflow(experiment, "a", {"seed": "9007199254740993", "zip": "01234"})
    _mlflow(experiment, "b", {"seed": "42", "zip": "99"})
    plugins = [insight_lineage.insight_plugin(), insight_importers.insight_plugin()]
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=insight_importers.FORMATS)
    provider.load()
    ctx = context_of(plugins[0], provider)
    names = {column.title: column.name for column in listed(ctx)}
    runs = sorted(run.name for run in provider.runs())
    cells = values(ctx, [names["seed"], names["zip"]], runs)
    assert [list(cells[names[name]].values()) for name in ("seed", "zip")] == [
        ["9007199254740993", 42.0],
        ["01234", 99.0],
    ]
    [table] = rows(ctx, _EveryRow([names["seed"]]))
    assert table[names["seed"]] == ["9007199254740993", "42"]
    seeds = Column("seed", "hyperparameter", "seed", values_of(list(cells[names["seed"]].values())))
    assert seeds.matches("eq", 9007199254740993).tolist() == [True, False]
    assert seeds.matches("eq", 9007199254740992).tolist() == [False, False]
    assert seeds.matches("gt", 9007199254740992).tolist() == [True, False]
    assert seeds.matches("lt", 100).tolist() == [False, True]
    assert seeds.matches("eq", "9007199254740993").tolist() == [True, False]
    provider.close()


def test_settings_of_swanlab_are_what_pyyaml_reads() -> None:
    settings = {
        "layers": [{"type": "conv", "k": 3}, {"type": "fc", "k": 1}],
        "nested": [[1, 2], [3]],
        "model:size": 3,
        "http://x": 5,
        "prompt": "one\ntwo\n# heading\n\n- item: x\n'quoted'",
        "words": ["nan", "1e3", "~", "null", "on", "2024-01-01", "a: b", "# c", ""],
        "esc": "a\x1bb\x85\u2028",
        "long": " ".join(f"word{number}" for number in range(60)),
        "share": float("inf"),
        "seed": 2**53 + 1,
    }
    same = settings["layers"]
    text = yaml.dump({"settings": settings, "again": same, "more": same}, allow_unicode=True)
    assert "&id" in text
    assert yaml_value(text.encode()) == {"settings": settings, "again": same, "more": same}


def test_a_value_of_yaml_that_cannot_be_made_leaves_the_others_alone() -> None:
    text = b"""
day: 2024-13-45
born: 2024-01-31
sizes: !!python/tuple [1, 2]
kind: !Special x
1: one
base: &base {lr: 0.5, wd: 1}
own: {<<: *base, wd: 2}
"""
    assert yaml_value(text) == {
        "day": "2024-13-45",
        "born": "2024-01-31",
        "sizes": [1, 2],
        "kind": "x",
        "1": "one",
        "base": {"lr": 0.5, "wd": 1},
        "own": {"lr": 0.5, "wd": 2},
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- " * 5_000 + "x", "it is nested too deeply"),
        ("a: &a [*a]", "it is nested too deeply"),
        ("a: b\nc: d: e\n", "it is not valid YAML (line 2)"),
        ("a: \x00", "it is not valid YAML"),
        (
            "\n".join(
                [
                    "a0: &a0 [x]",
                    *(f"a{one}: &a{one} [{', '.join([f'*a{one - 1}'] * 9)}]" for one in range(1, 9)),
                ]
            ),
            "it has more than 200,000 values",
        ),
    ],
)
def test_yaml_that_would_take_stack_or_memory_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="it ") as raised:
        yaml_value(text.encode())
    assert str(raised.value.args[0]) == reason


def test_infinities_of_settings_are_cells(tmp_path: Path) -> None:
    (tmp_path / "a.aim.jsonl").write_text(
        json.dumps({"aim_export": 1, "id": "a", "parameters": {"hparams": {"clip": float("inf")}}}) + "\n"
    )
    plugins = [insight_lineage.insight_plugin(), insight_importers.insight_plugin()]
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=insight_importers.FORMATS)
    provider.load()
    ctx = context_of(plugins[0], provider)
    [clip] = [column.name for column in listed(ctx) if column.title == "clip"]
    assert values(ctx, [clip], ["a"]) == {clip: {"a": float("inf")}}
    assert provider.damage() == []
    provider.close()
