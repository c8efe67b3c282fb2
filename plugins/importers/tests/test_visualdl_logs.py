"""Logs of VisualDL of all versions, and the kinds of values that they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from insight_importers import beginnings, visualdl_store
from insight_pr_curves.decoder import curve_of

from insight_core.plugin.data import SeriesKey
from insight_core.plugin.payloads import MessageTypes
from insight_core.providers.local import LocalProvider

TYPES = MessageTypes(Path(visualdl_store.__file__).with_name("visualdl.binpb"))
TIME = 1_588_000_000
Opened = Callable[..., LocalProvider]
NAME = "vdlrecords.1588000000.log"
COUNTS = {"TP": [4, 3, 1, 0], "FP": [6, 2, 0, 0], "TN": [0, 4, 6, 6], "FN": [0, 1, 3, 4]}


def _log(directory: Path, values: Sequence[dict[str, object]], name: str = NAME) -> bytes:
    directory.mkdir(exist_ok=True)
    data = b""
    for value in values:
        record = TYPES.new("Record", values=[value]).SerializeToString()
        data += len(record).to_bytes(8, "little") + record
    (directory / name).write_bytes(data)
    return data


@pytest.mark.parametrize("unit", [1, 1000], ids=["seconds", "milliseconds"])
def test_a_log_of_version_2_0_has_no_first_record_and_times_in_seconds(
    tmp_path: Path, unit: int, opened: Opened
) -> None:
    rows: list[dict[str, object]] = [
        {"id": step, "tag": "loss", "timestamp": (TIME + step) * unit, "value": step / 2} for step in range(5)
    ]
    _log(tmp_path / "old", rows, "vdlrecords.1588000000.log.suffix")
    provider = opened(tmp_path)
    key = SeriesKey("old", "loss")
    columns = provider.scalars("scalar", [key])[key]
    assert columns.values.tolist() == [step / 2 for step in range(5)]
    assert columns.wall_times.tolist() == [TIME + step for step in range(5)]
    provider.close()


def test_only_files_that_begin_as_visualdls_logs_are_logs(tmp_path: Path) -> None:
    picture = {"id": 3, "tag": "a picture", "timestamp": TIME, "image": {"encoded_image_string": bytes(9000)}}
    data = _log(tmp_path / "a", [picture])
    assert beginnings.of_visualdl(data[:4096])
    assert beginnings.of_visualdl(_log(tmp_path / "a", [{"tag": "meta_data_tag", "timestamp": TIME}]))
    for other in (b"", b"vdlrecords", bytes(64), data[:20], data[1:4096], data[:8] + b"\x12" + data[9:4096]):
        assert not beginnings.of_visualdl(other)


def test_pr_and_roc_curves_are_in_the_tab_for_pr_curves(tmp_path: Path, opened: Opened) -> None:
    shares = {"precision": [0.4, 0.6, 1.0, 0.0], "recall": [1.0, 0.75, 0.25, 0.0]}
    rates = {"precision": [1.0, 0.75, 0.25, 0.0], "recall": [1.0, 1 / 3, 0.0, 0.0]}  # of a ROC curve
    _log(
        tmp_path / "run",
        [
            {"tag": "pr", "id": 1, "timestamp": TIME, "pr_curve": {**COUNTS, **shares}},
            {"tag": "roc", "id": 1, "timestamp": TIME, "roc_curve": {**COUNTS, **rates}},
            {"tag": "uneven", "id": 1, "timestamp": TIME, "pr_curve": {**COUNTS, "TP": [1]}},
            {"tag": "scalars", "id": 1, "timestamp": TIME, "tag_value": {"tag": "one", "value": 0.5}},
        ],
    )
    provider = opened(tmp_path)
    for tag in ("pr", "roc"):
        curve = curve_of(provider.payload("pr_curves", SeriesKey("run", tag), 0))
        assert (curve.recorded, curve.true_positives.tolist()) == (4, [4, 3, 1])
        assert np.allclose(curve.precision, [0.4, 0.6, 1.0])
        assert np.allclose(curve.recall, [1.0, 0.75, 0.25])
    key = SeriesKey("run", "scalars/one")
    assert provider.scalars("scalar", [key])[key].values.tolist() == [0.5]
    assert [damage.reason for damage in provider.damage()] == [
        "the media of 'uneven' at step 1 cannot be shown: the columns of a curve are not equally long"
    ]
    provider.close()


def test_values_that_no_tab_shows_are_named_once(tmp_path: Path, opened: Opened) -> None:
    values: list[dict[str, object]] = [
        {"tag": tag, "id": step, "timestamp": TIME, **({"embeddings": b""} if tag == "words" else {})}
        for step in range(3)
        for tag in ("words", "new")
    ]
    _log(tmp_path / "run", values)
    provider = opened(tmp_path)
    assert [(damage.run, damage.reason.partition(";")[0]) for damage in provider.damage()] == [
        ("run", "'words': embeddings of VisualDL are not shown"),
        ("run", "'new' has values of a kind that is not known"),
    ]
    provider.close()
