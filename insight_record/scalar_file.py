"""Writes an event file of scalars that are there already, as fast as columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from insight_record.encoders import encoder_of
from insight_record.event_file import new_file
from insight_record.events import version_record
from insight_record.scalars import scalar_records


def write_scalars(
    directory: Path,
    tags: Sequence[str],
    tag_of: NDArray[np.integer],
    steps: NDArray[np.int64],
    wall_times: NDArray[np.float64],
    values: NDArray[np.float64],
) -> Path:
    """Writes one record for each point into a new event file of TensorBoard's, and returns its path.

    ``tag_of`` is the place of the tag of each point in ``tags``. Values become float32; those beyond its
    range become infinite. Raises OSError.
    """
    dialect = encoder_of("tensorboard")
    finite = wall_times[np.isfinite(wall_times)]
    begin = float(finite.min()) if len(finite) else 0.0

    def path(seconds: int, host: str) -> Path:
        return directory / dialect.file_name("events", dialect.suffix, seconds, 0, host, os.getpid(), 0)

    file, _ = new_file(path, max(0, int(begin)), version_record(dialect.version, begin))
    try:
        layouts = [(tag,) for tag in tags]
        with np.errstate(over="ignore"):
            records = scalar_records(dialect, layouts, tag_of.astype(np.int64), steps, wall_times, values)
        file.write([records.data.tobytes()])
        file.sync()
    finally:
        file.close()
    return file.path
