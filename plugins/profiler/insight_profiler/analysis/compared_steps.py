"""The steps by which two profiles are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.outliers import middle_of
from insight_profiler.analysis.steps import rows_of, usual_rows
from insight_profiler.analysis.usual_times import has_steps_of_calls
from insight_profiler.model import Profile

MEASURES = ("total", "step", "call")


@frozen(eq=False)
class ComparedSteps:
    """The steps of one profile that count: the chosen ones (``is_chosen``), or else all but outliers.

    ``rows`` are theirs in the step table, none in a profile without steps; ``count`` is of all its steps.
    ``has_calls``: the log says in which steps calls were; where it does not, their times are sums over all.
    """

    profile: Profile
    rows: NDArray[np.intp]
    count: int
    is_chosen: bool
    has_calls: bool

    @property
    def left_out(self) -> int:
        """How many outlier steps do not count."""
        return 0 if self.is_chosen else self.count - len(self.rows)

    @property
    def divisor(self) -> int:
        """Over how many steps the times of calls are spread."""
        return len(self.rows) if self.has_calls else self.count

    def rows_of_calls(self, per: str) -> NDArray[np.intp] | None:
        """In which rows of steps calls count (-1: between the steps); None for all calls. Totals are of the
        whole profile unless steps are chosen."""
        if not self.has_calls or (per == "total" and not self.is_chosen):
            return None
        return np.append(self.rows, -1) if per == "call" and not self.is_chosen else self.rows

    def summary(self) -> dict[str, Any] | None:
        """``count`` and ``median`` (ns) of the steps that count, and how many outliers are ``left_out``; None
        in a profile without steps."""
        if not self.count:
            return None
        median = middle_of(self.profile.tables["steps"]["duration"][self.rows])
        return {"count": len(self.rows), "median": median, "left_out": self.left_out}

    def limit(self, per: str) -> str | None:
        """The code of what cannot be compared as it was asked for."""
        if not self.count:
            return "no_steps" if per != "total" or self.is_chosen else None
        if not len(self.rows):
            return "none_chosen"
        if self.has_calls:
            return None
        return (
            "only_sums" if self.is_chosen else "with_outliers" if per != "total" and self.left_out else None
        )


def compared_steps(profile: Profile, text: str | None, table: str = "operators") -> ComparedSteps:
    """Of one profile; ``text`` names the chosen steps (``2-5,9``), ``table`` what is compared."""
    chosen, steps = rows_of(profile, text), profile.tables.get("steps")
    if steps is None or not len(steps["number"]):
        return ComparedSteps(profile, np.zeros(0, np.intp), 0, chosen is not None, has_calls=False)
    rows = usual_rows(steps) if chosen is None else chosen
    has_calls = has_steps_of_calls(profile, table)
    return ComparedSteps(profile, rows, len(steps["number"]), chosen is not None, has_calls)


def measure_of(base: ComparedSteps, own: ComparedSteps, per: str) -> str:
    """How times can be compared: by the step only if both profiles have steps that count."""
    return "total" if per == "step" and not (len(base.rows) and len(own.rows)) else per


def alike(base: ComparedSteps, own: ComparedSteps) -> tuple[ComparedSteps, ComparedSteps]:
    """Both with all calls if one of the logs does not say in which steps its calls were: times with and
    without outlier steps do not compare. Chosen steps stay."""
    if (base.has_calls and own.has_calls) or base.is_chosen:
        return base, own
    return evolve(base, has_calls=False), evolve(own, has_calls=False)


def limits_of(base: ComparedSteps, own: ComparedSteps, per: str) -> dict[str, str]:
    """The code of ``limit`` of each side that has one, by ``base`` and ``own``."""
    codes = {"base": base.limit(per), "own": own.limit(per)}
    return {side: code for side, code in codes.items() if code is not None}
