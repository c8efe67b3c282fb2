"""Which files each run has now, and where its directory is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from insight_core.ingest.discover import discover, run_name, run_prefixes
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.found import Found
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import RunFile


def unread_files(logdirs: Sequence[Logdir], names: FileNames) -> Mapping[str, int]:
    """How many files there are now that nothing reads, by what they hold, those of the most files first."""
    counted = discover(logdirs, names, counts_unread=True).unread
    return {kind: count for kind, count in counted.most_common() if kind}


def run_files(logdirs: Sequence[Logdir], names: FileNames, folded: Callable[[Found], Found]) -> list[RunFile]:
    """Every file of every run as it is now, each for every run that it belongs to.

    ``folded`` gives files of parts to the runs above them.
    A store of another tracker may hold many runs, and is there as a file of its directory.
    """
    found = folded(discover(logdirs, names))
    roots = [(logdir.path, prefix) for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)]
    files = []
    for run, path in {**found.files, **found.named}:
        for root, prefix in roots:
            below = os.path.join(root, "")
            relative = path[len(below) :] if path.startswith(below) else ""
            while relative:
                relative = os.path.dirname(relative)
                if run_name(prefix, relative) == run:
                    files.append(RunFile(run, path, below + relative, root))
                    break
    for store in found.stores:
        for root, prefix in roots:
            below = os.path.join(root, "")
            if prefix == store.prefix and store.path.startswith(below):
                relative = os.path.dirname(store.path[len(below) :])
                run = run_name(prefix, relative)
                files.append(RunFile(run, store.path, below + relative, root, is_store=True))
    return files
