"""Says by a stack of calls who took memory, and what for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.derived.library_calls import is_noise, step_of_library, without_arguments

_INSTALLED = re.compile(r"/(site|dist)-packages/|^<|/lib/python3\.\d+/")
# the first of these that a frame of a stack is, from its innermost to its outermost, says what it is for
_PURPOSES: Sequence[tuple[str, re.Pattern[str]]] = (
    ("optimiser", re.compile(r"/torch/optim/|/optimizers?/|^Optimizer\.")),
    ("gradient", re.compile(r"autograd::Engine|autograd::python::PythonEngine|_engine_run_backward")),
    ("data", re.compile(r"/torch/utils/data/|/torchdata/")),
    (
        "parameter",
        re.compile(r"/torch/nn/modules/module\.py _apply$|/torch/nn/init\.py |/torch/nn/parameter\.py "),
    ),
    ("activation", re.compile(r" forward$|\.py _call_impl$|/torch/nn/functional\.py ")),
)


@frozen(eq=False)
class Owners:
    """Texts of each stack: ``name`` is the innermost call of the user's own code with its place, else of
    Python; without these the step of the backward pass, the operator, or the function of the library.
    ``module`` are the ``forward`` calls around, ``purpose`` is as in allocations."""

    name: Sequence[str]
    module: Sequence[str]
    purpose: Sequence[str]


@frozen(eq=False)
class StackOwners:
    """Frames by name, file and line, and what they say about a stack in which they are."""

    names: Sequence[str]
    files: Sequence[str]
    lines: NDArray[np.int32]

    def of(self, stack_frames: NDArray[np.int32], ends: NDArray[np.int64]) -> Owners:
        """The owners of stacks, whose innermost frames come first."""
        said = [f"{file} {name}" for name, file in zip(self.names, self.files, strict=True)]
        is_python = np.array([file.endswith(".py") or file.startswith("<") for file in self.files], bool)
        is_own = is_python & ~np.array([_INSTALLED.search(file) is not None for file in self.files], bool)
        is_step = np.array([bool(step_of_library(name)) for name in self.names], bool)
        is_known = ~np.array([is_noise(name) for name in self.names], bool)
        purpose = np.full(len(said), -1, np.int8)
        for place, (_, pattern) in reversed(list(enumerate(_PURPOSES))):
            purpose[[pattern.search(one) is not None for one in said]] = place
        is_forward = np.array([name == "forward" for name in self.names], bool) & is_python
        found: list[tuple[str, str, str]] = []
        start = 0
        for end in ends.tolist():
            frames = stack_frames[start:end]
            start = end
            found.append(
                (
                    self._called(_first(frames, is_own, is_python, is_step, is_known)),
                    "/".join(self._placed(frame) for frame in frames[is_forward[frames]][::-1].tolist()),
                    self._purpose(purpose[frames]),
                )
            )
        names, modules, purposes = zip(*found, strict=True) if found else ((), (), ())
        return Owners(names, modules, purposes)

    def _purpose(self, places: NDArray[np.int8]) -> str:
        known = places[places >= 0]
        return _PURPOSES[int(known[0])][0] if len(known) else ""

    def _called(self, frame: int) -> str:
        if frame < 0:
            return ""
        if self.files[frame].endswith(".py"):
            return f"{self.names[frame]} ({self._placed(frame)})"
        function = self.names[frame]
        return step_of_library(function) or without_arguments(function)

    def _placed(self, frame: int) -> str:
        return f"{PurePosixPath(self.files[frame]).name}:{self.lines[frame]}"


def _first(frames: NDArray[np.int32], *kinds: NDArray[np.bool_]) -> int:
    """The innermost frame of the first of some kinds that there is; -1 if there is none."""
    for kind in kinds:
        found = np.flatnonzero(kind[frames])
        if len(found):
            return int(frames[found[0]])
    return -1
