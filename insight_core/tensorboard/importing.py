"""Makes ``import tensorboard`` work: the real package where there is one, else what plugins need of it."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

COMPAT = Path(__file__).parent / "compat"  # directory of a package ``tensorboard``


def has_tensorboard() -> bool:
    """Whether the real package is installed."""
    elsewhere = [entry for entry in sys.path if Path(entry) != COMPAT]
    found = PathFinder.find_spec("tensorboard", elsewhere)
    return found is not None and found.origin is not None  # a mere directory of that name has none


def provide_tensorboard() -> bool:
    """Whether the real package is installed. If not, ours is put at the end of the path.

    Also of the path of processes that plugins start. Of two packages, the real one is imported,
    whatever the order: see the ``__init__`` of ours.
    """
    if has_tensorboard():
        return True
    if str(COMPAT) not in sys.path:
        sys.path.append(str(COMPAT))
        importlib.invalidate_caches()
    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if str(COMPAT) not in inherited:
        os.environ["PYTHONPATH"] = os.pathsep.join([*inherited, str(COMPAT)])
    return False
