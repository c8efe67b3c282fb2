"""What rules find in runs: a finding, its place, its saving, and what its runs have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from attrs import field, frozen, validators

from insight_core.checks import is_a, one_of
from insight_core.moved import accept_old_arguments
from insight_record.formats.reason import Reason

Severity: TypeAlias = Literal["error", "warning", "hint", "good"]  # lost, worse than need be, to know, good
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "hint", "good")  # All severities, the worst first.
Confidence: TypeAlias = Literal["measured", "estimated", "suspected"]


@frozen
class FindingPlace:
    """Where the page shows what a rule found.

    Parameters
    ----------
    plugin : str
        The tab; empty for that of the scalars.
    tag : str
        The series; empty if the finding is about no series.
    steps : tuple of int or None
        The first and the last step, both included.
    state : mapping of str to str
        Keys of the tab's URL, without the tag and the step.
    """

    plugin: str = ""
    tag: str = ""
    steps: tuple[int, int] | None = None
    state: Mapping[str, str] = field(factory=dict)


@frozen
class Saving:
    """The share of time, from 0 to 1, that a change saves: between ``low`` and ``high``.

    ``of`` says whether it is a share of a training step or of the whole run; ``assumes`` what the estimate
    rests on.
    """

    low: float = field(validator=[validators.ge(0), validators.le(1)])
    high: float = field(validator=[validators.ge(0), validators.le(1)])
    of: Literal["step", "run"] = field(default="step", validator=one_of(("step", "run")))
    assumes: Reason | None = None


@frozen
class SharedCondition:
    """What the runs of a finding have in common and others have not.

    ``text`` is of hyperparameters, in the grammar of the run filter: ``lr >= 0.3``. ``having`` of the ``of``
    runs with the finding meet it, and ``others_having`` of the ``others`` without it.
    """

    text: str
    columns: tuple[str, ...]
    having: int
    of: int
    others_having: int
    others: int

    def __str__(self) -> str:
        """The text, with the numbers of runs where there are exceptions."""
        if self.having == self.of and not self.others_having:
            return self.text
        return f"{self.text} ({self.having} of {self.of}, and {self.others_having} of {self.others} others)"


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _check_names(owner: object, attribute: object, runs: tuple[object, ...]) -> None:
    if not all(isinstance(run, str) for run in runs):
        raise TypeError("its runs are not names")


@frozen
class Finding:
    """What a rule found in one run, or in several.

    The texts are in English; the page has them in the user's language by their codes, from the hook
    ``insight_messages``. Of a rule that looks at one run at a time the host makes one finding for all runs,
    and keeps those of the runs in ``each``.

    Parameters
    ----------
    runs : str or sequence of str
        The runs that it is about.
    severity : "error", "warning", "hint" or "good"
    saw : Reason
        One sentence with the figures.
    change : Reason, optional
        One action for the user, in the words of the framework that wrote the log.
    place : FindingPlace
        Where the evidence is.
    saves : Saving, optional
        What the change saves.
    confidence : "measured", "estimated" or "suspected"
        Suspected: the evidence of the cause is not in the logs.
    shared, rule, title, each
        Filled in by the host: what the runs have in common (several: the runs do not show which is the
        cause), the id of the rule, a line of at most 60 characters (a shorter ``title`` of the rule's own
        stays), and the findings of the runs.
    """

    runs: tuple[str, ...] = field(converter=_names, validator=_check_names)
    severity: Severity = field(validator=one_of(SEVERITIES))
    saw: Reason = field(validator=is_a(Reason, "a Reason"))
    change: Reason | None = field(default=None, validator=is_a(Reason, "a Reason", optional=True))
    place: FindingPlace = field(factory=FindingPlace, validator=is_a(FindingPlace, "a FindingPlace"))
    saves: Saving | None = None
    confidence: Confidence = field(default="measured", validator=one_of(get_args(Confidence)), kw_only=True)
    shared: tuple[SharedCondition, ...] = field(default=(), kw_only=True)
    rule: str = field(default="", kw_only=True)
    title: Reason = field(factory=Reason, kw_only=True)
    each: tuple[Finding, ...] = field(default=(), kw_only=True)

    @property
    def run(self) -> str:
        """The first of its runs."""
        return self.runs[0] if self.runs else ""


accept_old_arguments(Finding, "finding_arguments")
