"""Many records of scalars at once are the bytes of each alone."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from insight_record import scalars
from insight_record.encoders import encoder_of
from insight_record.events import SUMMARY, VALUE, event
from insight_record.formats.framing import record
from insight_record.formats.protobuf import float32, message_field, text_field

LAYOUTS = [("loss",), (), ("kept",), ("a", "ü"), ("été", "b"), ("loss", "x" * 200), ("b", "aa"), ("last",)]


def alone(step: int, wall_time: float, names: tuple[str, ...], numbers: list[float], key: bytes) -> bytes:
    if not names:
        return b""
    values = b"".join(
        message_field(VALUE, text_field(1, name) + key + float32(number))
        for name, number in zip(names, numbers, strict=True)
    )
    return record(event(step, wall_time, message_field(SUMMARY, values)))


@pytest.mark.parametrize("dialect", ["mindspore", "tensorboard"])
@pytest.mark.parametrize("used", [len(LAYOUTS), 1])
def test_the_bytes_of_each_alone(dialect: Literal["mindspore", "tensorboard"], used: int) -> None:
    random = np.random.default_rng(0)
    layout = random.integers(0, used, 500)
    steps = random.choice([-1, 0, 1, 127, 128, 2**31, 2**62], 500)
    wall_times = random.normal(size=500)
    numbers = [random.normal(size=len(LAYOUTS[one])).tolist() for one in layout]
    written = scalars.scalar_records(
        encoder_of(dialect), LAYOUTS[:used], layout, steps, wall_times, np.concatenate(numbers)
    )
    key = encoder_of(dialect).number_key
    expected = [
        alone(int(steps[at]), float(wall_times[at]), LAYOUTS[layout[at]], numbers[at], key)
        for at in range(500)
    ]
    assert written.data.tobytes() == b"".join(expected)
    assert written.ends.tolist() == np.cumsum([len(one) for one in expected]).tolist()


def test_names_of_one_length_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a thousand names cost what one does."""
    matrices = []
    real = scalars.sealed_rows

    def sealed_rows(summary: NDArray[np.uint8], *given: Any) -> NDArray[np.uint8]:  # noqa: ANN401
        matrices.append(len(summary))
        return real(summary, *given)

    monkeypatch.setattr(scalars, "sealed_rows", sealed_rows)
    layouts = [(f"name{number:03}",) for number in range(1000)]
    every = np.arange(1000)
    scalars.scalar_records(
        encoder_of("mindspore"), layouts, every, np.full(1000, 5), np.zeros(1000), np.zeros(1000)
    )
    assert matrices == [1000]
