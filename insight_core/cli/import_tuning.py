"""What a process of ours need not spend while it starts."""

from __future__ import annotations

import gc
import os


def prepare_imports() -> None:
    """Called before numpy is imported."""
    # nothing here multiplies matrices, yet numpy's OpenBLAS starts a thread a core, and they spin for a while
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # nearly all that a start makes stays: looking through it for garbage is in vain


def settle_imports() -> None:
    """Called when what the command needs is there: from now on garbage is looked for, among what is new."""
    gc.freeze()
    gc.enable()
