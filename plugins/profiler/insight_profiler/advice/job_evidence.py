"""The facts of the ranks of a job that rules share, each computed at most once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.plugin.findings import NotChecked
from insight_profiler.advice.dialects import endings_of
from insight_profiler.advice.words import said
from insight_profiler.analysis.cluster import counted_steps, rank_of
from insight_profiler.analysis.outliers import median_of
from insight_profiler.analysis.rank_links import RankLinks, links_of
from insight_profiler.analysis.rank_pace import waiting_for_slower
from insight_profiler.analysis.rank_stages import stages_of_job
from insight_profiler.analysis.stragglers import (
    RankSteps,
    division_of_ranks,
    stragglers,
    sum_of_columns,
    warm_up_of,
)
from insight_profiler.model import Profile


@define(eq=False, slots=False)
class JobEvidence:
    """Summaries of the ranks of a job by the paths of their profiles, how many are not read yet, and how
    many have no profile that can be read."""

    summaries: Mapping[str, Profile] = field(factory=dict)
    unread: int = 0
    missing: int = 0
    run: str = ""

    @property
    def ranks(self) -> Mapping[str, Profile]:
        """The summaries. Raises NotChecked for a profile of one rank, and while some are not read: a
        verdict about a part of the ranks may name the wrong one."""
        if self.unread:
            count, known = len(self.summaries) + self.unread, len(self.summaries)
            raise NotChecked(said("ranks_unread", known=known, count=count), may_change=True)
        if len(self.summaries) < 2:
            raise NotChecked(said("one_rank"))
        return self.summaries

    @cached_property
    def endings(self) -> Sequence[str]:
        """The endings of the codes of texts in the words of the job: those of its first rank."""
        return next(map(endings_of, self.summaries.values()), ())

    @cached_property
    def steps(self) -> list[RankSteps]:
        """The steps of each rank without the warm-up of any. Raises NotChecked without steps."""
        left_out = warm_up_of(list(self.ranks.values()))
        found = [
            rank_of(profile, path, counted, self.stage_of.get(profile.rank))
            for path, profile in self.ranks.items()
            if (counted := counted_steps(profile, None, left_out)) is not None
        ]
        if len(found) < 2:
            raise NotChecked(said("needs_rank_steps"))
        return found

    @cached_property
    def stage_of(self) -> Mapping[int, Any]:
        """The pipeline stage of each rank; nothing where it is not known."""
        return stages_of_job(list(self.ranks.values()))

    @cached_property
    def stragglers(self) -> list[dict[str, Any]]:
        """What ``stragglers`` finds, the slowest of all stages first."""
        return sorted(stragglers(self.steps), key=lambda one: one["usual"] / max(1, one["work"]))

    @cached_property
    def stages(self) -> Mapping[Any, float]:
        """The median of the work of the ranks of each pipeline stage, ns."""
        division = division_of_ranks([rank.steps for rank in self.steps])
        if division is None:
            return {}
        found: dict[Any, list[int]] = {}
        for rank in self.steps:
            own = median_of(sum_of_columns(rank.steps, division.work))
            if own is not None and rank.stage is not None:
                found.setdefault(rank.stage, []).append(own)
        return {stage: float(np.median(times)) for stage, times in found.items()}

    @cached_property
    def waiting(self) -> Mapping[str, float]:
        """What ``waiting_for_slower`` says; nothing while ranks are not read or where steps do not tell."""
        try:
            return waiting_for_slower(self.steps)
        except NotChecked:
            return {}

    @property
    def has_links(self) -> bool:
        """Whether the logs name peers."""
        return any("links" in rank.tables for rank in self.ranks.values())

    @cached_property
    def links(self) -> RankLinks:
        """Links between the ranks. Raises NotChecked where the logs name no peers."""
        found = links_of(list(self.ranks.values()), None)
        if not len(found.source):
            raise NotChecked(said("needs_links"))
        return found

    def durations(self, rank: int) -> NDArray[np.int64]:
        """Of all steps of a rank, ns; none where it has no steps."""
        table = next((p.tables.get("steps") for p in self.ranks.values() if p.rank == rank), None)
        return np.zeros(0, np.int64) if table is None else np.asarray(table["duration"].clip(0))
