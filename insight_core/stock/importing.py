"""Makes ``import tensorboard`` work: the real package where there is one, else what plugins need of it."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

COMPAT = Path(__file__).parent / "compat"  # directory of a package ``tensorboard``


def provide_tensorboard() -> bool:
    """Whether the real package is installed. If not, ours is put at the end of the path.

    Also of the path of processes that plugins start. Of two packages, the real one is imported,
    whatever the order: see the ``__init__`` of ours.
    """
    found = importlib.util.find_spec("tensorboard")
    if found is not None and found.origin is not None:
        return not Path(found.origin).is_relative_to(COMPAT)
    sys.path.append(str(COMPAT))
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{inherited}{os.pathsep}{COMPAT}" if inherited else str(COMPAT)
    importlib.invalidate_caches()
    return False
