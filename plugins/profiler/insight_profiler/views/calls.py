"""Answers about calls as trees, and about the memory that they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import asdict
from werkzeug import Request, Response

from insight_core.plugin.http import Reader, choice, flag, text, whole_number
from insight_profiler.advice.hang_rules import own_place
from insight_profiler.analysis.call_tree import CallTree, compared, module_tree
from insight_profiler.analysis.called_slices import call_tree, has_calls
from insight_profiler.analysis.hangs import GroupState, hangs
from insight_profiler.analysis.held_memory import BY, HeldMemory
from insight_profiler.analysis.leaks import Leak, leaks, taker
from insight_profiler.analysis.pool import pool_at
from insight_profiler.analysis.sampled_tree import (
    counted,
    first_measure,
    measures,
    named_measure,
    same_measure,
    sampled_tree,
)
from insight_profiler.model import Profile, Side
from insight_profiler.profiles.opened import Asked, Opened, Recent, nothing_of, side_of_request, steps_of_runs
from insight_profiler.views.tables import grouped

_FAR = 1 << 53
OF, UP = choice("of", ("memory", "device", "host", "module", "samples")), flag("up")
MEASURE = text("measure")
AT, SINCE = whole_number("at", 0, _FAR), whole_number("since", 0, _FAR)
DEVICE: Reader[int] = whole_number("device", 0, 1 << 16, 0)
_OF_TREE = ("of", "up", "at", "since", "device", "side", "steps")  # parameters on which a tree depends
_MOST_TREES = 8  # of a profile, kept for the next question
_MOST_BLOCKS = 10_000
LIMIT: Reader[int] = whole_number("limit", 1, _MOST_BLOCKS, 1000)
OWNERS, PER = choice("by", BY), choice("per", ("event", "time"))


def has_stacks(profile: Profile) -> bool:
    """Whether a profile says by which calls its memory was taken."""
    return "stacks" in profile.tables and "allocations" in profile.tables


def has_modules(profile: Profile) -> bool:
    """Whether operators are known to belong to modules, which are scopes in scopes."""
    operators = profile.tables.get("operators")
    if operators is None:
        return False
    return any("/" in profile.texts[place] for place in np.unique(operators["scope"]).tolist() if place >= 0)


def trees_of(profile: Profile) -> list[str]:
    """What there are trees of calls of: values of ``of``."""
    return _known.get(profile, None, lambda: _trees_of(profile))


_known: Recent[list[str]] = Recent(1)


def _trees_of(profile: Profile) -> list[str]:
    there = {
        "device": has_calls(profile, Side.DEVICE),
        "host": has_calls(profile, Side.HOST),
        "module": has_modules(profile),
        "memory": has_stacks(profile),
        "samples": "samples" in profile.tables,
    }
    return [name for name, is_there in there.items() if is_there]


def call_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views of calls, by route name."""
    views = _Views(asked)
    return {name: getattr(views, name) for name in ("call_tree", "held", "pool", "blocks", "leaks", "hangs")}


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._held: Recent[HeldMemory] = Recent(4)
        self._trees: Recent[tuple[CallTree, Sequence[str]]] = Recent(_MOST_TREES)

    def call_tree(self, request: Request) -> Response:
        """Nodes with parents before their children: ``parent, name, own, whole, count`` and, with
        ``base_run`` and ``base_profile``, ``before``; ``names`` and the ``total`` of all. Of ``samples``
        also the ``measures`` that there are, and the ``measure`` (place) that this is of."""
        opened = self._asked.opened(request)
        measure = _measure(request, opened)
        tree, names = self._tree(request, opened, measure)
        shown = opened
        if "base_run" in request.args:
            base = self._asked.opened(request, "base_")
            of_base = None if measure is None else _measure_of(base, opened, measure)
            tree, names = compared(tree, names, *self._tree(request, base, of_base))
            shown = Opened(opened.profile, opened.version, opened.is_final and base.is_final)
        size, total = len(tree), tree.total
        tree = tree.largest()
        used, places = _used(tree, names)
        return shown.answer(
            {
                "parent": tree.parent,
                "name": places,
                "own": tree.own,
                "whole": tree.whole,
                "count": tree.count,
                "before": tree.before,
                "names": used,
                "total": total,
                "nodes": size,
                "measures": measures(opened.profile),
                "measure": measure,
                "counted": counted(opened.profile),
            }
        )

    def _tree(self, request: Request, opened: Opened, measure: int | None) -> tuple[CallTree, Sequence[str]]:
        asked = (measure, *(request.args.get(name) for name in _OF_TREE))
        return self._trees.get(opened.profile, asked, lambda: self._grown(request, opened, measure))

    def _grown(self, request: Request, opened: Opened, measure: int | None) -> tuple[CallTree, Sequence[str]]:
        profile = opened.profile
        names: Sequence[str]
        of = OF.read(request)
        if of == "memory":
            held, at = self._memory_at(request, opened)
            tree, names = held.tree(at, SINCE.read(request))
        elif measure is not None:
            tree, names = sampled_tree(profile, measure)
        elif of == "module":
            opened.table("operators")
            side = side_of_request(request, profile)
            tree, names = module_tree(grouped(request, profile, "scope", side).listing)
        else:
            side = Side.DEVICE if of == "device" else Side.HOST
            if of not in trees_of(profile):
                raise nothing_of("calls")
            tree, names = call_tree(profile, side, steps_of_runs(request, profile))
        return (tree.bottom_up() if UP.read(request) else tree), names

    def held(self, request: Request) -> Response:
        """Who held how much when: ``time``, ``names`` (null: the others), ``bytes`` by name; ``peak``."""
        opened = self._asked.opened(request)
        held = self._memory(request, opened)
        width = whole_number(request, "width", 1, 10_000, 1000)
        bands = held.bands(OWNERS.read(request), width, PER.read(request))
        return opened.answer({**bands, "peak": held.peak})

    def pool(self, request: Request) -> Response:
        """Segments and blocks at a moment, by default at the peak."""
        opened = self._asked.opened(request)
        held, at = self._memory_at(request, opened)
        return opened.answer({"at": at, **pool_at(held, at)})

    def blocks(self, request: Request) -> Response:
        """The largest allocations that are held at a moment, or those of them that were taken ``since``."""
        opened = self._asked.opened(request)
        held, at = self._memory_at(request, opened)
        return opened.answer({"at": at, **held.taken(at, SINCE.read(request), LIMIT.read(request))})

    def leaks(self, request: Request) -> Response:
        """What every step takes and none gives back."""
        opened = self._asked.opened(request)
        if not has_stacks(opened.profile):
            raise nothing_of("stacks")
        return opened.answer({"leaks": [_told(opened.profile, one) for one in leaks(opened.profile)]})

    def hangs(self, request: Request) -> Response:
        """Process groups of a job, with who waits in which collective for whom."""
        opened = self._asked.opened(request)
        opened.table("flights")
        return opened.answer({"groups": [_group(one) for one in hangs(opened.profile)]})

    def _memory_at(self, request: Request, opened: Opened) -> tuple[HeldMemory, int]:
        """The memory of a device and the moment that a request names, by default the peak."""
        held, at = self._memory(request, opened), AT.read(request)
        return held, held.peak if at is None else at

    def _memory(self, request: Request, opened: Opened) -> HeldMemory:
        if not has_stacks(opened.profile):
            raise nothing_of("stacks")
        device = DEVICE.read(request)
        return self._held.get(opened.profile, device, lambda: HeldMemory.of(opened.profile, device))


def _measure(request: Request, opened: Opened) -> int | None:
    """The measure that a request wants of calls that have sums alone; None for other trees."""
    if OF.read(request) != "samples":
        return None
    opened.table("samples")
    found = named_measure(opened.profile, MEASURE.read(request) or "")
    return first_measure(opened.profile) if found is None else found


def _measure_of(base: Opened, opened: Opened, measure: int) -> int:
    """The same in another profile. Raises NotFound if that has none of this unit."""
    base.table("samples")
    found = same_measure(base.profile, measures(opened.profile)[measure])
    if found is None:
        raise nothing_of("samples")
    return found


def _group(state: GroupState) -> dict[str, Any]:
    """A process group as JSON, each rank with the innermost of its calls outside of installed packages."""
    told = asdict(state)
    for ranks in (told["waiting"], told["missing"]):
        for one in ranks:
            one["place"] = own_place(one["stack"])
    return {**told, "late": [{"rank": rank, "seconds": lag} for rank, lag in state.late.items()]}


def _told(profile: Profile, leak: Leak) -> dict[str, Any]:
    name, device = taker(profile, leak), profile.devices[leak.device].name
    return {**asdict(leak), "name": name, "device": device}


def _used(tree: CallTree, names: Sequence[str]) -> tuple[list[str], list[int]]:
    """The names that a tree uses, and for each node the place among them."""
    places: dict[int, int] = {}
    nodes = [places.setdefault(name, len(places)) for name in tree.name.tolist()]
    return [names[name] for name in places], nodes
