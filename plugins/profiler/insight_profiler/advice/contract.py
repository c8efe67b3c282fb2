"""What a rule about a profile is, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from attrs import field, frozen

from insight_core.plugin import Reason

Severity: TypeAlias = Literal["error", "warning", "info"]
Basis: TypeAlias = Literal["replay", "share"]
E = TypeVar("E")  # evidence


class NotApplicable(Exception):
    """A profile lacks what a rule needs; the text, a ``Reason``, says what. ``may_change``: not yet read."""

    def __init__(self, reason: Reason, *, may_change: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_change = may_change


@frozen
class EvidencePlace:
    """Where the page shows evidence: a view, and keys of its URL.

    ``kind`` and ``text`` name it for the user: an operator, a kernel, a step, another rank of the job; a
    range of the timeline, a figure (named by the key ``figure``) and a whole view have no ``text``.
    """

    kind: Literal["operator", "kernel", "step", "range", "rank", "figure", "view"]
    view: str
    text: str = ""
    state: Mapping[str, str] = field(factory=dict)


@frozen
class Advice:
    """What a rule found.

    Parameters
    ----------
    saw : Reason
        What is wrong, with the numbers among its details.
    why : Reason
        Why it matters.
    change : Reason
        What the user should change.
    places : sequence of EvidencePlace
        Where the evidence is, the best first.
    saves : float, optional
        The share of the time of a step that the change saves, estimated, from 0 to 1.
    basis : "replay" or "share"
        How ``saves`` was estimated: by replaying steps with the change (``Replay``), or as the share of the
        time that the cause takes.
    later : float, optional
        What the change saves once the host keeps up with the device, where that is much more than now.
    """

    saw: Reason
    why: Reason
    change: Reason
    places: tuple[EvidencePlace, ...] = ()
    saves: float | None = None
    basis: Basis = "share"
    severity: Severity = "warning"
    later: float | None = None


@frozen
class ProfileRule(Generic[E]):
    """Looks for one kind of fault in a profile, or in the ranks of a job.

    ``check`` gets the ``Evidence`` of a profile, or the ``JobEvidence`` of its job, and returns what it
    found, nothing if nothing is wrong. It raises NotApplicable if it cannot tell.
    """

    id: str
    title: Reason
    check: Callable[[E], Iterable[Advice]]


@frozen
class CheckedProfileRule:
    """What one rule said of a profile. ``unchecked`` says why it could not tell, None if it could;
    ``may_change`` if it can tell when more is read."""

    rule: ProfileRule[Any]
    found: tuple[Advice, ...] = ()
    unchecked: Reason | None = None
    may_change: bool = False
