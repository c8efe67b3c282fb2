"""The logger of TensorBoard's plugins."""

from __future__ import annotations

import logging


def get_logger() -> logging.Logger:
    return logging.getLogger("tensorboard")
