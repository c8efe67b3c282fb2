"""Stored tensors of a graph: what each is for, and how many values and bytes these are."""

from __future__ import annotations

import enum
import math
import re
from collections import Counter
from collections.abc import Iterable

from attrs import frozen

from insight_graph.columns import OutputType

_BITS = re.compile(r"[a-z]*?([0-9]+)(_.*|e[0-9].*)?")


class Role(enum.IntEnum):
    """What a stored tensor is for. PARAMETER: whether it is trained is not known; UNKNOWN: a parameter or an
    input."""

    TRAINABLE = 0
    OTHER = 1  # not trained
    BUFFER = 2
    PARAMETER = 3
    UNKNOWN = 4
    OPTIMIZER = 5
    INPUT = 6
    CONSTANT = 7


ROLES = {role: role.name.lower() for role in Role}  # as answers call them


@frozen
class Stored:
    """One stored tensor of a node; its type has no shape where the log does not record the size."""

    node: int
    role: Role
    type: OutputType

    @property
    def values(self) -> int | None:
        """Number of values; None if a dimension is unknown."""
        return values_of(self.type)

    @property
    def nbytes(self) -> int | None:
        """Size in bytes; None if the shape or the type is unknown."""
        values = self.values
        bits = _bits(self.type.dtype)
        return None if values is None or not bits else -(-values * bits // 8)


def summed(tensors: Iterable[Stored]) -> dict[str, dict[str, int]]:
    """By role: how many tensors, their values and bytes; ``unsized``, how many have no known size, and
    ``unsized_nodes``, of how many nodes these are."""
    found: dict[str, dict[str, int]] = {}
    tensors = list(tensors)
    unsized = {(one.role, one.node) for one in tensors if one.values is None}
    nodes = Counter(role for role, _ in unsized)
    for one in tensors:
        row = found.setdefault(
            ROLES[one.role],
            {"tensors": 0, "values": 0, "bytes": 0, "unsized": 0, "unsized_nodes": nodes[one.role]},
        )
        row["tensors"] += 1
        row["values"] += one.values or 0
        row["bytes"] += one.nbytes or 0
        row["unsized"] += one.values is None
    return {name: found[name] for name in ROLES.values() if name in found}


def values_of(one: OutputType) -> int | None:
    """How many values a tensor has; None where its shape is not known."""
    return None if one.shape is None or min(one.shape, default=0) < 0 else math.prod(one.shape)


def _bits(dtype: str) -> int:
    if dtype == "bool":
        return 8
    match = _BITS.fullmatch(dtype)
    return int(match[1]) if match else 0
