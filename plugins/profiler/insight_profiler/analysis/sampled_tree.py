"""Trees of the calls of profiles that have sums alone, by what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from insight_profiler.analysis.call_tree import CallTree, tree_of_calls
from insight_profiler.model import Profile


def measures(profile: Profile) -> Sequence[Mapping[str, str]]:
    """What was measured in calls: ``name`` and ``unit`` (ns, bytes, count or another) of each."""
    found: Sequence[Mapping[str, str]] = profile.documents.get("samples", {}).get("measures", ())
    return found


def first_measure(profile: Profile) -> int:
    """The place of the measure that is shown first."""
    found = int(profile.documents.get("samples", {}).get("first", 0))
    return found if 0 <= found < len(measures(profile)) else 0


def counted(profile: Profile) -> str:
    """What counts of calls are of: ``samples`` or ``calls``."""
    return str(profile.documents.get("samples", {}).get("counted", "calls"))


def named_measure(profile: Profile, name: str) -> int | None:
    """The place of a measure by its name, or by its unit where it has no name; None if there is none."""
    names = [one["name"] or one["unit"] for one in measures(profile)]
    return names.index(name) if name in names else None


def same_measure(profile: Profile, wanted: Mapping[str, Any]) -> int | None:
    """The place of a measure in another profile: of the same name and unit, else the first of the unit; None
    if there is none."""
    own = measures(profile)
    equal = [place for place, one in enumerate(own) if dict(one) == dict(wanted)]
    of_unit = [place for place, one in enumerate(own) if one["unit"] == wanted["unit"]]
    return next(iter((*equal, *of_unit)), None)


def sampled_tree(profile: Profile, measure: int) -> tuple[CallTree, Sequence[str]]:
    """The tree of the calls in which some of a measure was spent, and the texts of its names."""
    paths, samples = profile.tables["call_paths"], profile.tables["samples"]
    rows = np.flatnonzero(samples["measure"] == measure)
    own, count = (np.zeros(len(paths["name"]), np.int64) for _ in range(2))
    np.add.at(own, samples["path"][rows], samples["value"][rows])
    np.add.at(count, samples["path"][rows], samples["count"][rows])
    tree = tree_of_calls(paths["parent"], paths["name"], own, count)
    return tree.having(np.flatnonzero(tree.whole)), profile.texts
