"""Claims files of samples: by the patterns of their formats, and by their first bytes."""

from __future__ import annotations

from insight_core.plugin import FileName
from insight_samples.all_formats import all_formats, begins_as_samples


def _claims() -> frozenset[FileName]:
    """Files in directories of runs, and those that make the directory above theirs a run."""
    found = set()
    steps: dict[str, str] = {}  # by pattern: that of the first format counts
    for one in all_formats():
        for pattern in one.files:
            steps.setdefault(pattern, one.steps)
    for pattern, step in steps.items():
        found.add(FileName(f"**/{pattern}", makes_run=False, begins=begins_as_samples, step=step))
        found.add(FileName(pattern, makes_run=begins_as_samples, begins=begins_as_samples, step=step))
        if "/" not in pattern:  # rollouts/12.jsonl is of the directory above, with all that lies next to it
            found.add(
                FileName(f"*/{pattern}", makes_run=begins_as_samples, begins=begins_as_samples, step=step)
            )
    return frozenset(found)


CLAIMS = _claims()
