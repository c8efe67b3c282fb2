"""The two wire formats of event files."""

from __future__ import annotations

import enum


class Dialect(enum.StrEnum):
    """An event wire format, named after the writer family."""

    TENSORBOARD = "tensorboard"
    MINDSPORE = "mindspore"
