"""How tensors are cut over devices: MindSpore's device matrix and tensor map.

A device matrix arranges the devices of a stage, the last axis running fastest. A tensor map names, for each
dimension of a tensor, the axis that cuts it, counted from the right; -1 stands for no axis
(https://www.mindspore.cn/docs/en/master/model_train/parallel/operator_parallel.html).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any

from attrs import frozen

Dims = tuple[int, ...]
_BITS = re.compile(r"(\d+)(?:E\d.*)?$")


@frozen
class Layout:
    """How one tensor is cut.

    ``axes`` has, for each dimension, the axes of ``devices`` that cut it, the coarsest first, counted from
    the left.
    """

    devices: Dims
    axes: tuple[Dims, ...]

    @property
    def parts(self) -> Dims:
        """Into how many parts each dimension is cut."""
        return tuple(prod(self.devices[axis] for axis in axes) for axes in self.axes)

    def shard_shape(self, shape: Sequence[int]) -> Dims | None:
        """The shape of one shard of a tensor; None if the tensor cannot be cut evenly."""
        parts = self.parts
        if len(parts) != len(shape) or any(
            size < 0 or size % part for size, part in zip(shape, parts, strict=True)
        ):
            return None
        return tuple(size // part for size, part in zip(shape, parts, strict=True))

    def full_shape(self, shard: Sequence[int]) -> Dims | None:
        """The shape of the tensor, one shard of which has the shape ``shard``."""
        if len(shard) != len(self.axes):
            return None
        return tuple(size * part for size, part in zip(shard, self.parts, strict=True))

    def places(self, index: int) -> Dims:
        """Which part of each dimension the device number ``index`` of the stage holds."""
        coordinates: list[int] = []
        for size in reversed(self.devices):
            index, coordinate = divmod(index, size)
            coordinates.insert(0, coordinate)
        places = []
        for axes in self.axes:
            place = 0
            for axis in axes:
                place = place * self.devices[axis] + coordinates[axis]
            places.append(place)
        return tuple(places)

    def slices(self, shape: Sequence[int], index: int) -> list[list[int]] | None:
        """Start and end of what device ``index`` of the stage holds, in each dimension of a tensor."""
        shard = self.shard_shape(shape)
        if shard is None:
            return None
        places = self.places(index)
        return [[place * width, (place + 1) * width] for place, width in zip(places, shard, strict=True)]


def layout_of(devices: Sequence[int], tensor_map: Iterable[int | Sequence[int]]) -> Layout:
    """A layout from MindSpore's numbers. Raises ValueError for a tensor map that names no axis."""
    count = len(devices)
    axes = []
    for entry in tensor_map:
        named = [one for one in (entry if isinstance(entry, Sequence) else [entry]) if one != -1]
        if any(not 0 <= one < count for one in named):
            raise ValueError(f"the tensor map names axis {entry}, the device matrix has {count} axes")
        axes.append(tuple(count - 1 - one for one in named))
    return Layout(tuple(devices), tuple(axes))


def cut_by_optimizer(layout: Layout, parts: int) -> Layout | None:
    """Optimizer parallelism cuts dimension 0 of every shard into ``parts`` again, -1 for as many as devices
    hold the same shard: by the axes that do not cut the tensor, the last ones first. None if they do not
    suffice."""
    used = {axis for axes in layout.axes for axis in axes}
    free = [axis for axis, size in enumerate(layout.devices) if axis not in used and size > 1]
    rest = prod(layout.devices[axis] for axis in free) if parts == -1 else parts
    if not layout.axes or rest < 1:
        return None
    taken: list[int] = []
    while rest > 1 and free:
        axis = free.pop()
        size = layout.devices[axis]
        if size > rest:
            if size % rest:
                return None
            layout = _divided(layout, axis, rest)
            taken = [one + 1 for one in taken]
            axis, size = axis + 1, rest
        if rest % size:
            return None
        taken.insert(0, axis)
        rest //= size
    if rest > 1:
        return None
    return Layout(layout.devices, (layout.axes[0] + tuple(taken), *layout.axes[1:]))


def _divided(layout: Layout, axis: int, inner: int) -> Layout:
    """An axis that cuts nothing becomes two, the second of which has ``inner`` devices."""
    devices = (*layout.devices[:axis], layout.devices[axis] // inner, inner, *layout.devices[axis + 1 :])
    return Layout(devices, tuple(tuple(one + (one > axis) for one in axes) for axes in layout.axes))


def refined(first: Layout, second: Layout) -> tuple[Layout, Layout] | None:
    """Both layouts over one device matrix that is fine enough for both; None without such a matrix."""
    if prod(first.devices) != prod(second.devices):
        return None
    ends = sorted(_ends(first.devices) | _ends(second.devices))
    if any(larger % smaller for smaller, larger in pairwise(ends)):
        return None
    devices = tuple(larger // smaller for smaller, larger in pairwise(ends))[::-1]
    return _over(first, devices, ends), _over(second, devices, ends)


def _ends(devices: Dims) -> set[int]:
    """Products of the last axes: how far apart neighbours along each axis are, and the number of devices."""
    return {prod(devices[place:]) for place in range(len(devices) + 1)}


def _over(layout: Layout, devices: Dims, ends: Sequence[int]) -> Layout:
    def finer(axis: int) -> list[int]:
        low, high = prod(layout.devices[axis + 1 :]), prod(layout.devices[axis:])
        inside = [place for place, end in enumerate(ends[:-1]) if low <= end < high]
        return [len(devices) - 1 - place for place in reversed(inside)]

    axes = tuple(tuple(fine for axis in dim for fine in finer(axis)) for dim in layout.axes)
    return Layout(devices, axes)


def redistribution(before: Layout, after: Layout, shard: Sequence[int], item: int) -> list[dict[str, Any]]:
    """The collectives that bring a tensor from one layout to the other.

    As MindSpore does without its option for AllToAll: each dimension whose axes change is gathered, and cut
    again on each device, which moves nothing. ``shard`` is the shape of a shard before, ``item`` the bytes of
    an element, 0 if unknown.
    """
    both = refined(before, after)
    if both is None or len(before.axes) != len(after.axes):
        return []
    first, second = both
    found = []
    held: int = prod(shard) * item
    for dim, (old, new) in enumerate(zip(first.axes, second.axes, strict=True)):
        kept = 0
        while kept < min(len(old), len(new)) and old[kept] == new[kept]:
            kept += 1
        ranks = prod(first.devices[axis] for axis in old[kept:])
        if ranks > 1:
            found.append(
                {"kind": "AllGather", "dim": dim, "ranks": ranks, "bytes": held or None,
                 "sent": sent_bytes("AllGather", held, ranks)}
            )  # fmt: skip
            held *= ranks
    return found


def same(first: Layout, second: Layout) -> bool:
    """Whether every device holds the same part of a tensor in both layouts."""
    both = refined(first, second)
    return both is not None and both[0].axes == both[1].axes


# what a device sends in a ring, times its own input (AllGather) or its whole buffer (the others):
# https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
_RING: Mapping[str, Any] = {
    "AllReduce": lambda ranks: 2 * (ranks - 1) / ranks,
    "AllGather": lambda ranks: ranks - 1,
    "ReduceScatter": lambda ranks: (ranks - 1) / ranks,
    "AllToAll": lambda ranks: (ranks - 1) / ranks,
    "Broadcast": lambda ranks: 1,
    "Send": lambda ranks: 1,
}


def sent_bytes(kind: str, held: int, ranks: int) -> int | None:
    """Bytes that each device sends if the collective runs as a ring; None if unknown."""
    factor = _RING.get(kind)
    return None if factor is None or not held or ranks < 1 else round(held * factor(ranks))


def item_size(data_type: str) -> int:
    """Bytes of an element of MindSpore's data type, such as ``DT_FLOAT16``; 0 if unknown."""
    name = data_type.upper().removeprefix("DT_").removeprefix("BASE_")
    if name == "BOOL":
        return 1
    if name == "BF16":
        return 2
    bits = _BITS.search(name)
    return int(bits[1]) // 8 if bits else 0
