"""Speeds up imports: fewer threads of numpy, and no garbage collection until they are done."""

from __future__ import annotations

import gc
import os


def prepare_imports() -> None:
    """Called before numpy is imported."""
    # numpy's OpenBLAS would start a busy thread for each core, and nothing here multiplies matrices
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # nearly all objects of a start live until the end


def settle_imports() -> None:
    """Called when the command has imported its modules: enables garbage collection, of new objects only."""
    gc.freeze()
    gc.enable()
