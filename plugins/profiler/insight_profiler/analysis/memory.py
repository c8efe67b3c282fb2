"""Memory use over time, and its largest allocations."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.allocations import highest, largest_of, live, of_one_device
from insight_profiler.analysis.pool import failures, pool_facts, pools
from insight_profiler.analysis.sums import numbered
from insight_profiler.model import Profile, Table

MOST_HOLDERS = 50
_OWNER = ("name", "module", "purpose")


@frozen(eq=False)
class Reduced:
    """A curve in few columns: each has the extremes of what it stands for, and the last value."""

    times: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    last: NDArray[np.float64]


def reduced(times: NDArray[np.int64], values: NDArray[np.float64], width: int) -> Reduced:
    """At most ``width`` columns of a curve in the order of its times; its points as they are, if they are
    no more."""
    if len(times) <= width:
        return Reduced(times, values, values, values)
    span = max(1, int(times[-1] - times[0]) + 1)
    starts = np.unique(np.searchsorted(times, times[0] - (-np.arange(width) * span // width)))
    ends = np.append(starts[1:], len(times)) - 1
    return Reduced(
        times[starts], np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts), values[ends]
    )


@frozen(eq=False)
class _Curve:
    """All points of one counter of memory, in the order of time."""

    said: dict[str, str]  # label, device, unit
    times: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def peak(self) -> dict[str, Any]:
        top = int(np.argmax(self.values))
        return {**self.said, "value": float(self.values[top]), "time": int(self.times[top])}


def memory(profile: Profile, width: int) -> dict[str, Any]:
    """Curves of the counters of memory, their peaks, and what is known of who took it; of what MindSpore
    planned for a device, its sum and by node of its graphs."""
    curves = _curves(profile)
    by_node = profile.documents.get("memory", {})
    return {
        "curves": [_shown(curve, width) for curve in curves],
        "peaks": [curve.peak for curve in curves],
        **_allocations(profile),
        "pools": [
            {"device": one.name, **pool_facts(known)}
            for place, one in enumerate(profile.devices)
            if (known := pools(profile, place))
        ],
        "failures": [{**asdict(one), "device": _device(profile, one.device)} for one in failures(profile)],
        "summary": by_node.get("summary"),
        "graphs": by_node.get("graphs", []),
    }


def peaks(profile: Profile) -> list[dict[str, Any]]:
    """The highest point of each curve of memory: ``label, device, unit, value, time``."""
    return [curve.peak for curve in _curves(profile)]


def peak(profile: Profile) -> dict[str, Any] | None:
    """The highest point of what was allocated, on the device where it is highest; ``time`` is null where
    only its height is known."""
    peaks = [curve.peak for curve in _curves(profile)]
    allocated = [one for one in peaks if _is_allocated(one)] or peaks
    planned = (profile.documents.get("memory", {}).get("summary") or {}).get("peak_bytes")
    if not allocated and planned:
        return {"label": "planned", "device": "", "unit": "bytes", "time": None, "value": planned}
    return max(allocated, key=lambda one: one["value"], default=None)


def _is_allocated(said: dict[str, Any]) -> bool:
    return "alloc" in said["label"].lower()


def _curves(profile: Profile) -> list[_Curve]:
    counters = profile.tables.get("counters")
    found = []
    for place, counter in enumerate(profile.counters):
        if counter.group != "memory" or counters is None:
            continue
        # by counter and time they are sorted, so that nothing is copied
        rows = slice(*np.searchsorted(counters["counter"], [place, place + 1]).tolist())
        if rows.stop > rows.start:
            said = {"label": counter.label, "device": _device(profile, counter.device), "unit": counter.unit}
            found.append(_Curve(said, counters["time"][rows], counters["value"][rows]))
    return found


def _shown(curve: _Curve, width: int) -> dict[str, Any]:
    drawn = reduced(curve.times, curve.values, width)
    return {
        **curve.said,
        "points": len(curve.times),
        "time": drawn.times,
        "minimum": drawn.minimum,
        "maximum": drawn.maximum,
        "last": drawn.last,
    }


def _allocations(profile: Profile) -> dict[str, Any]:
    """The largest allocations, and by owner what was held at the highest point of each device."""
    table = profile.tables.get("allocations")
    if table is None or not len(table["bytes"]):
        return {"holders": [], "largest": []}
    largest = largest_of(table["bytes"], MOST_HOLDERS)
    rows = [
        {
            **_owner(profile, table, row),
            "shapes": _text(profile, int(table["shapes"][row])),
            "device": _device(profile, int(table["device"][row])),
            "bytes": int(table["bytes"][row]),
            "start": int(table["start"][row]),
            "end": None if table["end"][row] < 0 else int(table["end"][row]),
        }
        for row in largest.tolist()
    ]
    holders: list[dict[str, Any]] = []
    for device in np.unique(table["device"]).tolist():
        of_device = of_one_device(table, device)
        at, level, before = _peak_of(profile, device, of_device)
        held = live(table, at)
        held = held[table["device"][held] == device]
        groups, firsts = numbered([table[name][held] for name in _OWNER], np.ones(len(held), bool))
        counts = np.bincount(groups, minlength=len(firsts))
        sizes = np.zeros(len(firsts), np.int64)
        np.add.at(sizes, groups, table["bytes"][held])
        order = np.argsort(-sizes, kind="stable")
        holders.append(
            {
                "device": _device(profile, device),
                "time": at,
                "bytes": level,
                "before": before,
                "names": len(firsts),
                "purposes": _by_purpose(profile, table, held),
                "rows": [
                    {
                        **_owner(profile, table, int(held[firsts[place]])),
                        "bytes": int(sizes[place]),
                        "count": int(counts[place]),
                    }
                    for place in order[:MOST_HOLDERS].tolist()
                ],
            }
        )
    return {"holders": holders, "largest": rows}


def _by_purpose(profile: Profile, table: Table, rows: NDArray[np.intp]) -> list[dict[str, Any]]:
    """How much of some allocations is for what, the most first."""
    purposes, places = np.unique(table["purpose"][rows], return_inverse=True)
    sizes = np.zeros(len(purposes), np.int64)
    np.add.at(sizes, places, table["bytes"][rows])
    order = np.argsort(-sizes, kind="stable").tolist()
    return [{"purpose": _text(profile, int(purposes[one])), "bytes": int(sizes[one])} for one in order]


def _owner(profile: Profile, table: Table, row: int) -> dict[str, str]:
    return {name: _text(profile, int(table[name][row])) for name in _OWNER}


def _peak_of(profile: Profile, device: int, mine: Table) -> tuple[int, int, int | None]:
    """When most was allocated on a device, how much, and how much of that was allocated before recording
    began: bytes at the peak that are in none of the recorded allocations. None where no counter has all that
    is allocated, or where it has less than the allocations: then the first two are of these alone."""
    name = _device(profile, device)
    peaks = [curve.peak for curve in _curves(profile) if curve.said["device"] == name]
    top = max((one for one in peaks if _is_allocated(one)), key=lambda one: one["value"], default=None)
    if top is not None and top["unit"] == "bytes":
        held = int(mine["bytes"][live(mine, top["time"])].sum())
        if held <= top["value"]:
            return top["time"], int(top["value"]), int(top["value"]) - held
    return *highest(mine), None


def _device(profile: Profile, place: int) -> str:
    return profile.devices[place].name if 0 <= place < len(profile.devices) else ""


def _text(profile: Profile, place: int) -> str:
    return profile.texts[place] if place >= 0 else ""
