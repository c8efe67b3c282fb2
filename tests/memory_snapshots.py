"""Memory snapshots as PyTorch writes them, of trainings that a test makes up."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from attrs import define, field

MB = 1 << 20
GB = 1 << 30
_BLOCK = 512
_TRAIN = "/home/me/train.py"
_TORCH = "/x/site-packages/torch"


def frame(name: str, file: str = _TRAIN, line: int = 1) -> dict[str, Any]:
    """A call as a snapshot has it."""
    return {"name": name, "filename": file, "line": line}


@define
class _Block:
    address: int
    size: int
    requested: int = 0
    frames: list[dict[str, Any]] | None = None  # None: free


@define(eq=False)
class Allocator:
    """A caching allocator of one device. The best free block is split, free neighbours become one, and what
    fits nowhere gets a new segment of at least ``segment`` bytes."""

    segment: int = 20 * MB
    limit: int = 1 << 40  # bytes of the device
    events: list[dict[str, Any]] = field(factory=list)
    marks: list[dict[str, Any]] = field(factory=list)
    segments: list[list[_Block]] = field(factory=list)
    time: int = 1_700_000_000_000_000

    def take(self, size: int, *frames: dict[str, Any]) -> int:
        """The address of new memory; 0 if there is none, which the events say."""
        rounded = max(_BLOCK, -(-size // _BLOCK) * _BLOCK)
        fitting = [
            (block.size, at, segment)
            for segment in self.segments
            for at, block in enumerate(segment)
            if block.frames is None and block.size >= rounded
        ]
        if not fitting:
            whole = max(rounded, self.segment)
            free = self.limit - self.reserved
            if whole > free:
                self._say("oom", device_free=free, size=size, frames=list(frames))
                return 0
            address = 0x7F00_0000_0000 + self.reserved + len(self.segments) * GB
            self.segments.append([_Block(address, whole)])
            self._say("segment_alloc", addr=address, size=whole, frames=[])
            fitting = [(whole, 0, self.segments[-1])]
        _, at, segment = min(fitting, key=lambda one: one[0])
        block = segment[at]
        if block.size > rounded:
            segment.insert(at + 1, _Block(block.address + rounded, block.size - rounded))
        segment[at] = _Block(block.address, rounded, size, list(frames))
        self._say("alloc", addr=block.address, size=size, frames=list(frames))
        return block.address

    def give(self, address: int) -> None:
        """Frees memory."""
        [(segment, at)] = [
            (segment, at)
            for segment in self.segments
            for at, block in enumerate(segment)
            if block.address == address and block.frames is not None
        ]
        for action in ("free_requested", "free_completed"):
            self._say(action, addr=address, size=segment[at].requested, frames=[])
        segment[at] = _Block(address, segment[at].size)
        for other in (at, at - 1):
            if 0 <= other < len(segment) - 1 and segment[other].frames is segment[other + 1].frames is None:
                segment[other].size += segment.pop(other + 1).size

    @property
    def reserved(self) -> int:
        """Bytes of all segments."""
        return sum(block.size for segment in self.segments for block in segment)

    def step(self) -> None:
        """Marks an update of the parameters."""
        for stage in ("START", "END"):
            self.time += 10
            mark = {"stage": stage, "name": "Optimizer.step#Adam.step", "device": 0, "time_us": self.time}
            self.marks.append(mark)

    def snapshot(self, lost: int = 0) -> dict[str, Any]:
        """All of it; the first ``lost`` events are no longer there, as in torch's ring of events."""
        return {
            "segments": [self._told(segment) for segment in self.segments],
            "device_traces": [self.events[lost:]],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "garbage_collection_threshold": 0.5},
            "external_annotations": self.marks,
        }

    def write(self, path: Path) -> None:
        """Writes the snapshot."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(self.snapshot()))

    def _say(self, action: str, **more: Any) -> None:  # noqa: ANN401 - what torch writes
        self.time += 1
        self.events.append({"action": action, "stream": 0, "time_us": self.time, **more})

    def _told(self, segment: list[_Block]) -> dict[str, Any]:
        blocks = [
            {
                "address": block.address,
                "size": block.size,
                "requested_size": block.requested,
                "state": "inactive" if block.frames is None else "active_allocated",
                "frames": block.frames or [],
            }
            for block in segment
        ]
        return {
            "device": 0,
            "address": segment[0].address,
            "total_size": sum(block.size for block in segment),
            "stream": 0,
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": blocks,
        }


def training(one: Allocator, steps: int = 6, *, batch: int = 64 * MB, layers: int = 8) -> None:
    """A healthy training: parameters, gradients, the state of Adam from the first step on, activations of
    layers that are freed in the backward pass. Its own lines: 10 makes the model, 20 to 20 + ``layers`` are
    of the forward pass, 40 calls the backward pass, 50 the optimiser."""
    main = frame("main", line=60)
    model = [frame("_apply", f"{_TORCH}/nn/modules/module.py", 900), frame("build", line=10), main]
    update = [frame("step", f"{_TORCH}/optim/adam.py", 9), frame("update", line=50), main]
    for _ in range(layers):
        one.take(48 * MB, *model)
    gradients: list[int] = []
    for number in range(steps):
        inputs = one.take(4 * MB, frame("load", line=15), main)
        kept = [
            one.take(batch // layers, frame("forward", line=20 + layer), frame("forward", line=30), main)
            for layer in range(layers)
        ]
        for address in gradients:
            one.give(address)
        gradients = []
        for address in reversed(kept):
            gradients.append(
                one.take(48 * MB, frame("autograd::Engine::run", "??", 0), frame("back", line=40))
            )
            one.give(address)
        if number == 0:
            for _ in range(2 * layers):
                one.take(48 * MB, *update)
        one.step()
        one.give(inputs)
