"""Encoders of event files, one per dialect."""

from __future__ import annotations

from insight_record.encoders.encoder import EventEncoder


def encoder_of(name: str) -> EventEncoder:
    """The encoder of a dialect; raises ValueError for an unknown name. Imports only that encoder."""
    if name == "mindspore":
        from insight_record.encoders.mindspore import MINDSPORE

        return MINDSPORE
    if name == "tensorboard":
        from insight_record.encoders.tensorboard import TENSORBOARD

        return TENSORBOARD
    raise ValueError(f"dialect must be 'mindspore' or 'tensorboard', not {name!r}")
