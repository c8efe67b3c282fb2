"""Reads files of stack profilers as profiles, and says what they hold as plain Python does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from insight_profiler.analysis.sampled_tree import sampled_tree
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from tests.conformance.our_profiles import read_files

Sums = dict[tuple[str, ...], int]


def read_stacks(directory: Path, source: Source, data: bytes, name: str) -> Profile:
    """The profile that a reader makes of these bytes."""
    (directory / name).write_bytes(data)
    return read_files(Files.of_directory(directory, name), source)


def sums_of(profile: Profile, measure: int = 0) -> Sums:
    """What was spent in each path of calls itself, as a tree of calls says; nothing where it is 0."""
    tree, names = sampled_tree(profile, measure)
    paths: list[tuple[str, ...]] = []
    for parent, name in zip(tree.parent.tolist(), tree.name.tolist(), strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), names[name]))
    assert len(set(paths)) == len(paths)
    whole = np.zeros(len(tree), np.int64)
    for place in reversed(range(len(tree))):
        whole[place] += tree.own[place]
        if (parent := int(tree.parent[place])) >= 0:
            whole[parent] += whole[place]
    assert whole.tolist() == tree.whole.tolist()
    return {path: own for path, own in zip(paths, tree.own.tolist(), strict=True) if own}


def summed(stacks: Iterable[tuple[Sequence[str], float]]) -> Sums:
    """The same of stacks, one by one."""
    found: Counter[tuple[str, ...]] = Counter()
    for stack, value in stacks:
        found[tuple(stack)] += round(value)
    return {path: value for path, value in found.items() if path and value}


def codes_of(profile: Profile) -> dict[str, object]:
    """By the code of each note its count."""
    return {note.code: note.values.get("count") for note in profile.notes}
