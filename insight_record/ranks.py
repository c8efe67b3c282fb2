"""Detects the rank of this process in a distributed training, from the framework or the launcher."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_VARIABLES = (
    "RANK",  # torchrun and other launchers that use env://
    "RANK_ID",  # MindSpore
    "OMPI_COMM_WORLD_RANK",  # Open MPI
    "PMI_RANK",  # MPICH, Intel MPI
    "HOROVOD_RANK",
)


def rank_of_process(environment: Mapping[str, str] = os.environ) -> int | None:
    """The rank, 0 or more; None if the training is not distributed.

    ``torch.distributed`` has priority, then ``jax.distributed``, if the program has imported and initialised
    it; then the variables of launchers. ``SLURM_PROCID`` counts only in a job step with several tasks,
    because plain job scripts have it too.
    """
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    jax = sys.modules.get("jax")
    initialized = getattr(getattr(jax, "distributed", None), "is_initialized", None)
    if jax is not None and initialized is not None and initialized():
        return int(jax.process_index())
    for name in _VARIABLES:
        rank = _number(environment.get(name))
        if rank is not None:
            return rank
    if (_number(environment.get("SLURM_STEP_NUM_TASKS")) or 0) > 1:
        return _number(environment.get("SLURM_PROCID"))
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
