"""Writes memory snapshots as PyTorch does, of a known size: ``python -m benchmarks.snapshots 1000 a.pickle``.

The events of a recorded snapshot come first, whole; then those that take and free within it, again and again,
at later times and other addresses. What is written is never held: a repetition is the bytes of the first with
other numbers in them.
"""

from __future__ import annotations

import argparse
import gzip
import pickle
from collections import defaultdict
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

RECORDED = Path(__file__).parents[1] / "plugins/profiler/tests/data/leak.snapshot.pickle.gz"
_APART = 1 << 41  # bytes between the addresses of a repetition and those of another
_LAUNCHER = 60  # calls
_PLACES = 7  # of repetitions, which come back: an allocator gives the same addresses again
_NUMBERS = {"addr": 6, "time_us": 7}  # bytes of what differs from repetition to repetition
_FREED = "free_completed"


@frozen
class Grown:
    """What was written: ``sizes`` are the changes of what is allocated at each event of the recorded part,
    ``again`` those of a repetition, of which there are ``count``."""

    sizes: NDArray[np.int64]
    again: NDArray[np.int64]
    count: int
    events: int

    def levels(self) -> NDArray[np.int64]:
        """Bytes that are allocated after each event that changes them."""
        first = np.cumsum(self.sizes)
        later = np.cumsum(self.again) + first[-1]
        return np.concatenate([first, np.tile(later, self.count)])


def write_snapshot(
    path: Path, megabytes: int, *, protocol: int = 4, shares_frames: bool = True, source: Path = RECORDED
) -> Grown:
    """Writes a snapshot of about that size. As in PyTorch, stacks share their frames; without
    ``shares_frames`` each stack has its own, as in a snapshot that was copied or edited."""
    packed = source.read_bytes()
    recorded = pickle.loads(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
    _deepen(recorded)
    if shares_frames:
        known: dict[tuple[object, ...], dict[str, Any]] = {}
        _share(recorded, known)
    events = recorded["device_traces"][0]
    closed = _closed(events)
    times = [event["time_us"] for event in closed]
    pause = max(event["time_us"] for event in events) + 1 - min(times)
    with path.open("wb") as file:
        out = _Pickled(file)
        file.write(bytes([0x80, protocol]))
        out.begin(b"}")
        for key, value in recorded.items():
            out.put(key)
            if key != "device_traces":
                out.put(value)
                continue
            out.begin(b"]")
            out.begin(b"]")
            for event in events:
                out.put(event)
            file.write(b"e")
            count = _repeat(out, closed, pause, megabytes * 1_000_000, 2 if shares_frames else 3)
            file.write(b"e")
        file.write(b"u.")
    return Grown(_changes(events), _changes(closed), count, len(events) + count * len(closed))


def _deepen(snapshot: dict[str, Any]) -> None:
    """Has all calls come from a launcher, so that stacks are as deep as those of trainings are."""
    launcher = [
        {"name": f"call_{place}", "filename": f"/x/site-packages/launcher/{place % 7}.py", "line": place}
        for place in range(_LAUNCHER)
    ]
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    for one in (*snapshot["device_traces"][0], *snapshot["segments"], *blocks):
        if one["frames"] or one.get("action"):
            one["frames"] = [*one["frames"], *(dict(frame) for frame in launcher)]


def _share(value: object, known: dict[tuple[object, ...], dict[str, Any]]) -> None:
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(one, list) and one and isinstance(one[0], dict) and "filename" in one[0]:
            one[:] = [known.setdefault(tuple(frame.values()), frame) for frame in one]
        else:
            _share(one, known)


def _closed(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events of allocations that are taken and freed."""
    by_address: dict[int, list[int]] = defaultdict(list)
    found: set[int] = set()
    for place, event in enumerate(events):
        if event["action"] == "alloc":
            by_address[event["addr"]] = [place]
        elif taken := by_address.get(event["addr"]):
            taken.append(place)
            if event["action"] == _FREED:
                found.update(taken)
    return [event for place, event in enumerate(events) if place in found]


def _changes(events: Sequence[dict[str, Any]]) -> NDArray[np.int64]:
    signs = {"alloc": 1, "free_requested": -1}
    return np.array([signs[one["action"]] * one["size"] for one in events if one["action"] in signs])


def _repeat(out: _Pickled, events: Sequence[dict[str, Any]], pause: int, size: int, new: int) -> int:
    """Writes events, of which ``new`` levels are not those written before, until the file has that size.
    Returns how often."""
    kept, before = BytesIO(), out.count
    template = _Pickled(kept, dict(out.memo), out.count)
    kept.write(b"(")
    for event in events:
        template.put(event, new)
    kept.write(b"e")
    assert template.memo.keys() == out.memo.keys(), "a repetition must refer to what the first one wrote"
    data = np.frombuffer(kept.getvalue(), np.uint8).copy()
    addresses, times = (
        np.array(template.places[name])[:, None] + np.arange(size) for name, size in _NUMBERS.items()
    )
    first_address, first_time = (
        np.array([event[name] for event in events], "<i8")[:, None] for name in _NUMBERS
    )
    count = 0
    while out.file.tell() < size:
        address = first_address - (1 + count % _PLACES) * _APART
        count += 1
        for places, numbers in ((addresses, address), (times, first_time + count * pause)):
            data[places] = numbers.view(np.uint8)[:, : places.shape[1]]
        out.file.write(data.tobytes())
        out.count += template.count - before
    return count


@define(eq=False)
class _Pickled:
    """Writes values as the pickle module does, but piece by piece. ``places`` are where the numbers of events
    stand that differ in their repetitions."""

    file: BinaryIO
    memo: dict[object, int] = field(factory=dict)  # by text, or by id
    count: int = 0  # of what was memoized
    places: dict[str, list[int]] = field(factory=lambda: {name: [] for name in _NUMBERS})

    def begin(self, kind: bytes) -> None:
        """Begins a dict or a list of which the caller writes what is in it, up to its end."""
        self.file.write(kind + b"\x94(")
        self.count += 1

    def put(self, value: object, new: int = 0) -> None:
        """Writes a value, or that it is there; ``new`` levels of dicts and lists are written again."""
        write = self.file.write
        if value is None or isinstance(value, bool):
            write(b"N" if value is None else b"\x88" if value else b"\x89")
        elif isinstance(value, int):
            self._number(value)
        elif isinstance(value, float):
            write(b"G" + np.array(value, ">f8").tobytes())
        elif isinstance(value, str):
            if not self._again(value):
                data = value.encode()
                write(b"X" + len(data).to_bytes(4, "little") + data + b"\x94")
                self._keep(value)
        elif isinstance(value, tuple):
            write(b"(")
            for one in value:
                self.put(one)
            write(b"t\x94")
            self.count += 1
        elif new > 0 or not self._again(id(value)):
            self._put_all(value, new)

    def _put_all(self, value: Any, new: int) -> None:  # noqa: ANN401 - a dict or a list
        write = self.file.write
        write((b"}" if isinstance(value, dict) else b"]") + b"\x94")
        if new > 0:
            self.count += 1
        else:
            self._keep(id(value))
        if not value:
            return
        write(b"(")
        if isinstance(value, list):
            for one in value:
                self.put(one, new - 1)
        else:
            for key, one in value.items():
                self.put(key)
                if new > 0 and key in _NUMBERS:
                    size = _NUMBERS[key]
                    write(bytes([0x8A, size]) + one.to_bytes(size, "little"))
                    self.places[key].append(self.file.tell() - size)
                else:
                    self.put(one, new - 1)
        write(b"u" if isinstance(value, dict) else b"e")

    def _number(self, value: int) -> None:
        if 0 <= value < 1 << 8:
            self.file.write(b"K" + value.to_bytes(1, "little"))
        elif 0 <= value < 1 << 16:
            self.file.write(b"M" + value.to_bytes(2, "little"))
        elif -(1 << 31) <= value < 1 << 31:
            self.file.write(b"J" + value.to_bytes(4, "little", signed=True))
        else:
            size = value.bit_length() // 8 + 1
            self.file.write(bytes([0x8A, size]) + value.to_bytes(size, "little", signed=True))

    def _keep(self, key: object) -> None:
        self.memo[key] = self.count
        self.count += 1

    def _again(self, key: object) -> bool:
        place = self.memo.get(key)
        if place is None:
            return False
        small = place < 256
        self.file.write((b"h" if small else b"j") + place.to_bytes(1 if small else 4, "little"))
        return True


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--source", type=Path, default=RECORDED, help="a snapshot whose events are repeated")
    parser.add_argument("--own-frames", action="store_true", help="no stack shares its frames")
    options = parser.parse_args(arguments)
    grown = write_snapshot(
        options.path, options.megabytes, shares_frames=not options.own_frames, source=options.source
    )
    print(f"{grown.events:,} events, {options.path.stat().st_size / 1e6:.1f} MB: {options.path}")


if __name__ == "__main__":
    main()
