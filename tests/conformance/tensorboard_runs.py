"""Run by the Python of an environment with TensorBoard: what is read of each run of a directory, as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping


def print_runs(read: Callable[[str], Mapping[str, object]]) -> None:
    """Prints ``{run: what is read of its directory}`` for the directory that the command line names.

    Runs of which nothing is read are left out.
    """
    root = sys.argv[1]
    runs = {}
    for directory, _, names in os.walk(root):
        if any("tfevents" in name for name in names):
            found = read(directory)
            if found:
                runs[os.path.relpath(directory, root).replace(os.sep, "/")] = found
    json.dump(runs, sys.stdout)
