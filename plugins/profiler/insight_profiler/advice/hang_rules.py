"""Rules about a job that hangs: ranks that are missing in a collective, and ranks that ask differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from insight_core.plugin import Reason
from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.words import said
from insight_profiler.analysis.hangs import Disagreement, GroupState, RankLast, hangs

_NAMED = 8  # ranks
_PLACE = (EvidencePlace("view", "hangs"),)


def hang(evidence: Evidence) -> Iterator[Finding]:
    """Ranks that are missing in a collective in which others wait, and ranks that ask for different ones."""
    if "flights" not in evidence.profile.tables:
        raise NotChecked(said("needs_flight"))
    for group in hangs(evidence.profile):
        if group.differences:
            saw = _differs(group, group.differences[0])
            yield finding(evidence, saw, said("hang_differs_change"), _PLACE, severity="error")
        if group.missing:
            yield finding(evidence, _misses(group), said("hang_change"), _PLACE, severity="error")
        for rank, seconds in group.late.items():
            facts = {"rank": rank, "seconds": seconds, "name": group.name, "number": group.sequence}
            late = said("hang_late", group=group.group, **facts)
            yield finding(evidence, late, said("hang_change"), _PLACE, severity="warning")


def _misses(group: GroupState) -> Reason:
    facts = {
        "ranks": _ranks([one.rank for one in group.missing]),
        "name": group.name,
        "number": group.sequence,
        "group": group.group,
        "waiting": len(group.waiting),
    }
    last: RankLast = group.missing[0]
    if last.sequence < 0:
        return said("hang_missing_all", **facts)
    return said("hang_missing", last=last.name, at=last.sequence, place=own_place(last.stack), **facts)


def _differs(group: GroupState, difference: Disagreement) -> Reason:
    parts = [f"{text or '-'} (rank {_ranks(ranks)})" for text, ranks in difference.said.items()]
    facts = {"number": difference.sequence, "group": group.group, "said": ", ".join(parts[:_NAMED])}
    match difference.what:
        case "name":
            return said("hang_name", **facts)
        case "sizes":
            return said("hang_sizes", **facts)
    return said("hang_types", **facts)


def _ranks(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:_NAMED]))
    return shown if len(ranks) <= _NAMED else f"{shown} … ({len(ranks)})"


def own_place(stack: Sequence[str]) -> str:
    """The innermost frame outside of installed packages, else the innermost."""
    own = (one for one in stack if "-packages/" not in one)
    return next(own, stack[0] if stack else "?")


RULES = (profile_rule("hang", said("hang_title"), hang),)
