"""Which hyperparameters all faulty runs and none of the others share."""

from __future__ import annotations

from insight_core.contrast.conditions import Condition
from insight_core.contrast.shared import CHANCE, Shared, contrast

__all__ = ["CHANCE", "Condition", "Shared", "contrast"]
