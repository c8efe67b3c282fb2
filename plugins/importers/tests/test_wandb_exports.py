"""History that the wandb package downloaded as Parquet: the values that pandas reads of the same files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight_importers import wandb_exports
from insight_lineage.hparams import session_of

from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

HISTORY = Path(__file__).parent / "fixtures" / "wandb_history"
NAME = "somebody_digits_abcd1234"
Load = Callable[[], LocalProvider]


def _points(provider: LocalProvider, tag: str, run: str = NAME) -> list[list[object]]:
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])[key]
    return [
        [step, repr(value)] for step, value in zip(found.steps.tolist(), found.values.tolist(), strict=True)
    ]


def _reasons(provider: LocalProvider) -> list[str]:
    return [str(one.reason) for one in provider.damage()]


def test_a_history_in_parts_has_the_values_that_pandas_reads(tmp_path: Path, load: Load) -> None:
    shutil.copytree(HISTORY, tmp_path, dirs_exist_ok=True)
    provider = load()
    assert [run.name for run in provider.runs()] == [NAME]
    for tag, points in json.loads((HISTORY / "values.json").read_text()).items():
        assert _points(provider, tag) == points
    assert [one.key.tag for one in provider.series("text")] == ["note"]
    assert _reasons(provider) == ["values of 'picture' in media files that are not next to the history: 1"]


def test_a_part_that_arrives_later_joins_its_run(tmp_path: Path, load: Load) -> None:
    first, second = (f"{NAME}_{number}.runhistory.parquet" for number in (0, 1))
    shutil.copy(HISTORY / first, tmp_path)
    assert _points(load(), "loss")[0][0] == 40
    shutil.copy(HISTORY / second, tmp_path)
    load()
    assert [point[0] for point in _points(load(), "loss")] == list(range(60))


def test_settings_and_summary_that_were_downloaded_too_count(tmp_path: Path, load: Load) -> None:
    shutil.copytree(HISTORY, tmp_path, dirs_exist_ok=True)
    config = "_wandb:\n  value: {}\nlr:\n  desc: null\n  value: 0.1\nnet:\n  value: {width: 64}\n"
    (tmp_path / "config.yaml").write_text(config)
    (tmp_path / "wandb-summary.json").write_text(
        '{"best": 0.5, "loss": 1, "_runtime": 3, "_wandb": {"runtime": 3}}'
    )
    provider = load()
    [info] = [one for one in provider.series("lineage") if one.key.tag.endswith("start_info")]
    assert session_of(info.content).hparams == {"lr": 0.1, "net/width": 64.0}
    assert _points(provider, "best") == [[59, "0.5"]]


@pytest.mark.parametrize("size", [0, 4, 100, 4000])
def test_a_truncated_file_is_named_and_the_other_part_is_shown(tmp_path: Path, load: Load, size: int) -> None:
    shutil.copytree(HISTORY, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"{NAME}_0.runhistory.parquet"
    path.write_bytes(path.read_bytes()[:size])
    provider = load()
    assert [point[0] for point in _points(provider, "loss")] == list(range(40))
    assert any(path.name in reason and "Parquet" in reason for reason in _reasons(provider))


def test_values_of_any_type_are_shown_or_named(tmp_path: Path, load: Load) -> None:
    histogram = {"_type": "histogram", "bins": [0.0, 1.0, 2.0], "values": [3, 4]}
    columns = {
        "_step": pa.array([3.0, 4.0, float("nan")]),
        "text or number": pa.array(["NaN", "Infinity", None]),
        "whole": pa.array([1 << 62, None, 5], pa.uint64()),
        "bins": pa.array([histogram, None, None]),
        "list": pa.array([[1, 2], None, None]),
        "coded": pa.array(["a", "b", "a"]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "a_b_c_0.runhistory.parquet")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "a_b_d_0.runhistory.parquet")
    provider = load()
    assert _points(provider, "text or number", "a_b_c") == [[3, "nan"], [4, "inf"]]
    assert _points(provider, "whole", "a_b_c") == [[3, repr(float(1 << 62))]]
    assert {one.key.tag for one in provider.series("text", runs=["a_b_c"])} == {"list", "coded"}
    assert _reasons(provider) == ["a_b_d_0.runhistory.parquet has no column _step of numbers"]


def test_many_row_groups_are_read_by_several_calls(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = np.arange(1000)
    columns = {f"loss/{number}": steps * 0.5 + number for number in range(3)}
    table = pa.table({"_step": steps, **columns})
    path = tmp_path / "a_b_c_0.runhistory.parquet"
    pq.write_table(table, path, row_group_size=100)
    monkeypatch.setattr(wandb_exports, "_MOST_CELLS", 200)
    monkeypatch.setattr(wandb_exports, "_LEAST_CELLS", 1)
    target = tmp_path / "target"
    target.mkdir()
    calls = 1
    while not wandb_exports.translate(str(path), target).is_done:
        calls += 1
    assert calls == 11
    shutil.rmtree(target)
    provider = load()
    for tag, values in columns.items():
        expected = list(zip(steps.tolist(), map(repr, values.tolist()), strict=True))
        assert _points(provider, tag, "a_b_c") == [list(one) for one in expected]


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wandb_exports, "pa", None)
    path = str(shutil.copy(HISTORY / f"{NAME}_0.runhistory.parquet", tmp_path))
    with pytest.raises(ValueError, match=r"pip install 'insight-host\[parquet\]'"):
        wandb_exports.translate(path, tmp_path)
