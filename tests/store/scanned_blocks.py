"""Blocks as the scanner makes them, and a store that they are appended to."""

from __future__ import annotations

import insight_scalar
import numpy as np

from insight_core.formats.batch import Batch
from insight_core.formats.columns import Block, Columns
from insight_core.formats.event import Metadata
from insight_core.plugin import Dialect
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

SCALAR = insight_scalar.insight_plugin()
FILES = [(float(number), f"f{number}") for number in range(3)]
Steps = dict[str, list[int]]  # by tag


def found(field: str, steps: Steps) -> Block:
    """Values of all tags end to end: their steps as numbers, or places made of these."""
    whole = np.array([step for each in steps.values() for step in each], np.int64)
    ends = np.cumsum([len(each) for each in steps.values()])
    ascending = np.array([each == sorted(each) for each in steps.values()])
    columns = Columns(whole, whole.astype(float))
    if field == "simple_value":
        columns.values = whole.astype(np.float32)
    else:
        columns.places = np.array((whole * 100, whole + 20, whole + 7))
    return Block(field, tuple(steps), ends, ascending, columns)


def append(store: Store, order: FileOrder, *blocks: Block, about: str = "") -> None:
    metadata = {"a": Metadata("scalars", about, "", b"content", 1)} if about else {}
    batch = Batch(1000, Dialect.TENSORBOARD, list(blocks), metadata, first_wall_time=5.0)
    store.append("r", order[1], order, Dialect.TENSORBOARD, batch)
