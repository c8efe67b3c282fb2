"""What SummaryRecord writes is read back value for value by MindInsight, by TensorBoard and by this host."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from insight_core.plugin.payloads import decoded_histogram
from insight_record import SummaryRecord
from tests.conformance.our_payloads import plugins_over
from tests.conformance.payload_values import image_value, tensor_value
from tests.conformance.recorded import (
    DIALECTS,
    HISTOGRAMS,
    IMAGE,
    NUMBERS,
    STEPS,
    TAGS,
    TENSORS,
    Dialect,
    jpeg,
)

Oracle = Callable[..., Any]
BOTH = pytest.mark.parametrize("dialect", DIALECTS)


def _expected_scalars() -> dict[str, list[list[Any]]]:
    with np.errstate(over="ignore"):
        rows = [
            [step, float(1e9 + step % 1000).hex(), float(np.float32(number)).hex()]
            for step, number in zip(STEPS, NUMBERS, strict=True)
        ]
    return dict.fromkeys(TAGS, rows)


def test_scalars(recorded: Path, tensorboard: Oracle, mindinsight: Oracle, insight: Oracle) -> None:
    assert tensorboard(recorded)["tensorboard"] == _expected_scalars()
    assert mindinsight(recorded, "read")["mindspore"] == _expected_scalars()
    ours = insight(recorded)
    assert ours["tensorboard"] == ours["mindspore"] == _expected_scalars()


def _expected(dialect: Dialect) -> dict[str, dict[str, Any]]:
    encoded = jpeg()
    with np.errstate(over="ignore"):
        tensors = {
            name: tensor_value(np.array(array, np.float32 if dialect == "mindspore" else None, order="C"))
            for name, array in TENSORS.items()
        }
    height, width, _ = IMAGE.shape
    return {
        "image": {
            "picture": image_value(width, height, [_png_of(IMAGE)]),
            "encoded ü": image_value(width, height, [encoded]),
        },
        "tensor": tensors,
    }


def _png_of(pixels: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def _values(kinds: dict[str, Any], kind: str) -> dict[str, Any]:
    """What was written twice, of each tag once."""
    found = {}
    for tag, rows in kinds[kind].items():
        assert [row[:2] for row in rows] == [[3, (5.5).hex()], [2**40, (5.5).hex()]], tag
        assert rows[0][2] == rows[1][2]
        found[tag] = rows[0][2]
    return found


@BOTH
def test_pictures_and_tensors_of_peers(
    recorded: Path, dialect: Dialect, tensorboard_payloads: Oracle, mindinsight_payloads: Oracle
) -> None:
    asked = (
        mindinsight_payloads(recorded, "read") if dialect == "mindspore" else tensorboard_payloads(recorded)
    )
    theirs = asked[f"{dialect}_payloads"]
    expected = _expected(dialect)
    assert _values(theirs, "image") == expected["image"]
    assert _values(theirs, "tensor") == expected["tensor"]


@BOTH
def test_pictures_tensors_and_histograms_here(
    recorded: Path, dialect: Dialect, tensorboard_payloads: Oracle, mindinsight_payloads: Oracle
) -> None:
    asked = (
        mindinsight_payloads(recorded, "read") if dialect == "mindspore" else tensorboard_payloads(recorded)
    )
    theirs = asked[f"{dialect}_payloads"]
    with plugins_over(recorded / f"{dialect}_payloads") as plugins:
        [ours] = plugins.payloads().values()
        expected = _expected(dialect)
        assert _values(ours, "image") == expected["image"]
        found, wanted = _values(ours, "tensor"), expected["tensor"]
        if dialect == "mindspore":  # the type is said, the values are float32
            found, wanted = ({name: value[1:] for name, value in each.items()} for each in (found, wanted))
            found = {
                name: value for name, value in found.items() if name in ("float32", "odd", "empty", "single")
            }
            wanted = {name: wanted[name] for name in found}
        assert found == wanted
        assert _values(ours, "histogram").keys() == _values(theirs, "histogram").keys() == HISTOGRAMS.keys()
        bounded = [name for name in HISTOGRAMS if name not in ("near", "equal")]
        ours_of, theirs_of = _values(ours, "histogram"), _values(theirs, "histogram")
        assert {name: ours_of[name] for name in bounded} == {name: theirs_of[name] for name in bounded}
        for name, values in HISTOGRAMS.items():
            key = next(info.key for info in plugins.data.series("histogram") if info.key.tag == name)
            decoded = decoded_histogram(plugins.data.payload("histogram", key, 0))
            finite = values[np.isfinite(values)]
            assert decoded.counts.sum() == len(finite), name
            is_told = len(finite) and (dialect == "mindspore" or len(finite) == len(values))
            assert (decoded.min, decoded.max) == ((finite.min(), finite.max()) if is_told else (None, None))
            if dialect == "mindspore":
                odd = (decoded.nan, decoded.pos_inf, decoded.neg_inf, decoded.count)
                assert odd == (
                    np.isnan(values).sum(),
                    np.isposinf(values).sum(),
                    np.isneginf(values).sum(),
                    len(values),
                )


def test_texts_of_tensorboard(tmp_path: Path, tensorboard_payloads: Oracle) -> None:
    with SummaryRecord(tmp_path, dialect="tensorboard") as record:
        record.add_value("text", "notes", "größer **fett**")
        record.add_value("text", "several", ["a", ""])
        record.record(7)
    found = tensorboard_payloads(tmp_path)["."]["tensor"]
    assert found["notes"][0][2] == ["string", [1], ["größer **fett**".encode().hex()]]
    assert found["several"][0][2] == ["string", [2], [b"a".hex(), ""]]
