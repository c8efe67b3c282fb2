"""What plugins import of TensorBoard, for environments that do not have it.

insight-host puts the directory of this package at the end of the path, and only where no package
``tensorboard`` is installed. A process that inherits the path may have one nevertheless (another
interpreter): then it gets that one.
"""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

__version__ = "2.21.0"  # whose contract this follows


def _become_the_real_one() -> None:
    here = Path(__file__).resolve().parent.parent
    elsewhere = [entry for entry in sys.path if Path(entry).resolve() != here]
    real = PathFinder.find_spec(__name__, elsewhere)
    if real is None or real.loader is None or real.origin is None:
        return
    module = sys.modules[__name__]
    module.__spec__, module.__file__ = real, real.origin
    module.__path__ = list(real.submodule_search_locations or ())
    real.loader.exec_module(module)


_become_the_real_one()
