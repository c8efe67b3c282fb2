"""Runs with tags to compare, hyperparameters, and a layout of custom scalars."""

from __future__ import annotations

import math
from pathlib import Path

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.lineage_samples import write_run

STEPS = 30


def loss_of(run: int, step: int) -> float:
    """What run number ``run`` records as ``train/loss`` at a step."""
    return (1 + run % 7) * math.exp(-step / (5 + run % 5)) + 0.01 * run


def layout(*patterns: str) -> bytes:
    """Lines of these tags and a band, as ``add_custom_scalars`` of torch and tensorboardX encodes them."""

    def text(number: int, value: str) -> bytes:
        return wire.message_field(number, value.encode())

    lines = wire.message_field(2, b"".join(text(1, one) for one in patterns))
    both = text(1, "train and val") + lines
    series = text(1, "train/loss") + text(2, "edge/low") + text(3, "edge/high")
    band = text(1, "with a band") + wire.message_field(3, wire.message_field(1, series))
    charts = wire.message_field(2, both) + wire.message_field(2, band)
    return wire.message_field(2, text(1, "Overview") + charts)


def write_panels(root: Path, runs: int = 3, *, steps: int = STEPS) -> None:
    """Runs ``r000``, ``r001``, …; each with a learning rate, the first with a layout."""
    for run in range(runs):
        directory = root / f"r{run:03}"
        hparams = {"lr": 10.0 ** -(1 + run % 4), "optimizer": ("adam", "sgd")[run % 2]}
        write_run(directory, hparams, {}, start_time=1.7e9 + run)
        with EventWriter(directory, start_time=1.7e9 + run) as writer:
            if run == 0:
                first = wire.metadata("custom_scalars", 0)
                tensor = wire.text_tensor([layout("train/loss", "val/.*")])
                writer.values(0, [wire.tensor_value("custom_scalars__config__", tensor, first)])
            for step in range(steps):
                loss = loss_of(run, step)
                values = {
                    "train/loss": loss,
                    "val/loss": 1.2 * loss,
                    "val/accuracy": 1 - loss / 10,
                    "edge/low": 0.8 * loss,
                    "edge/high": 1.3 * loss,
                }
                writer.values(step, [wire.scalar_value(tag, value) for tag, value in values.items()])
