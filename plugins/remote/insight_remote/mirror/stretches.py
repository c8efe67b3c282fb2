"""The parts of a file that are present, as sorted stretches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Stretches: TypeAlias = tuple[tuple[int, int], ...]  # start and end of each, sorted; they do not touch


def with_stretch(present: Stretches, start: int, end: int) -> Stretches:
    """``present`` and the bytes from ``start`` to ``end``."""
    if start >= end:
        return present
    apart = [each for each in present if each[1] < start or each[0] > end]
    touching = [each for each in present if not (each[1] < start or each[0] > end)]
    joined = min([start, *(a for a, _ in touching)]), max([end, *(b for _, b in touching)])
    return tuple(sorted([*apart, joined]))


def missing(present: Stretches, start: int, end: int) -> list[tuple[int, int]]:
    """The stretches between ``start`` and ``end`` that are not present."""
    found = []
    for a, b in present:
        if b <= start:
            continue
        if a >= end:
            break
        if a > start:
            found.append((start, a))
        start = b
    if start < end:
        found.append((start, end))
    return found


def total(present: Iterable[tuple[int, int]]) -> int:
    """The bytes that are present."""
    return sum(end - start for start, end in present)
