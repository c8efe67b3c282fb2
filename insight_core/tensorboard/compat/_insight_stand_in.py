"""What the packages here do when a process that inherited the path has the real one as well."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def become_the_real_one(name: str) -> None:
    """Makes the module ``name``, which stands in for another of that name, the other one if there is one."""
    elsewhere = [entry for entry in sys.path if Path(entry).resolve() != _HERE]
    real = PathFinder.find_spec(name, elsewhere)
    if real is None or real.loader is None or real.origin is None:
        return
    module = sys.modules[name]
    module.__spec__, module.__file__ = real, real.origin
    module.__path__ = list(real.submodule_search_locations or ())
    real.loader.exec_module(module)
