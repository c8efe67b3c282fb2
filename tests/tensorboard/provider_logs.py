"""The logs that a data provider is tested with by tests/tensorboard/provider_suite.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

import insight_authoring.testing.wire as wire
from insight_authoring.testing.tensors import tensorflow_tensor
from insight_core.plugin.testing import EventWriter
from tests.support.pictures import png

STEPS = range(0, 60, 2)  # of the scalars `loss` and `accuracy` of run `train`
CONTENT, DESCRIPTION, DISPLAY_NAME = b"\x08\x01custom", "how far *off*", "Loss"


@frozen(eq=False)
class Written:
    """What ``write_logs`` wrote: values by step."""

    loss: Mapping[int, float]
    odd: Mapping[int, float]
    notes: Mapping[int, str]
    pictures: Mapping[int, Sequence[bytes]]
    arrays: Mapping[int, Any]


WRITTEN = Written(
    loss={step: float(np.float32(1 / (1 + step))) for step in STEPS},
    odd={0: float("nan"), 1: float("inf"), 2: float("-inf"), 3: -0.0},
    notes={0: "first", 5: "ünïcode **bold**", 9: "<script>"},
    pictures={
        step: [png(np.full((3, 4, 3), shade, np.uint8)) for shade in (step, 200)] for step in (1, 2, 4)
    },
    arrays={step: np.arange(6, dtype=np.float64).reshape(2, 3) * step for step in range(1, 5)},
)


def write_logs(logdir: Path) -> None:
    """Runs ``train`` and ``eval/deep``: scalars, text, images, and tensors of a plugin called custom."""
    with EventWriter(logdir / "train") as writer:
        for step, value in WRITTEN.loss.items():
            writer.scalars_tf2("loss", step, value, description=DESCRIPTION, display_name=DISPLAY_NAME)
            writer.scalars_tf2("accuracy", step, 1 - value)
        for step, value in WRITTEN.odd.items():
            writer.scalar("odd", step, value)
        for step, text in WRITTEN.notes.items():
            writer.text("note", step, text)
        for step, pictures in WRITTEN.pictures.items():
            writer.images_tf2("picture", step, pictures, 4, 3)
    with EventWriter(logdir / "eval/deep") as writer:
        for step in range(5):
            writer.scalar("loss", step, float(step))
        first = wire.metadata("custom", 2, content=CONTENT)
        for step, values in WRITTEN.arrays.items():
            writer.values(step, [wire.tensor_value("array", tensorflow_tensor(values), first)])
            first = b""
