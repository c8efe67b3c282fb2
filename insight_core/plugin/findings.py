"""What rules and sources of highlights say of runs, and how a plugin asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, get_args

from attrs import field, frozen

from insight_core.plugin.checks import TEXT, is_a, one_of
from insight_core.plugin.messages import Messages
from insight_record.formats.reason import Reason

Severity: TypeAlias = Literal[
    "error", "warning", "info"
]  # The run is lost, is worse than need be, or a hint.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")  # All severities, the worst first.
HighlightTone: TypeAlias = Literal["error", "warning", "good", "info"]  # How the page marks it.
HIGHLIGHT_TONES: tuple[HighlightTone, ...] = get_args(HighlightTone)  # All tones.


def _names(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(given)


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
class Finding:
    """A fault that a rule found in a run.

    The texts are in English; the page has them in the user's language by their codes, from the hook
    ``insight_messages``.

    Parameters
    ----------
    run : str
        The run that the rule examined.
    severity : "error", "warning" or "info"
    saw : Reason
        What is wrong, with the tag and the numbers among its details.
    why : Reason
        Why it matters.
    change : Reason
        What the user should change.
    place : FindingPlace
        Where the evidence is.
    saves : float, optional
        The share of the time of the run that the change saves, estimated, from 0 to 1.
    """

    run: str = field(validator=TEXT)
    severity: Severity = field(validator=one_of(SEVERITIES))
    saw: Reason = field(validator=is_a(Reason, "a Reason"))
    why: Reason = field(validator=is_a(Reason, "a Reason"))
    change: Reason = field(validator=is_a(Reason, "a Reason"))
    place: FindingPlace = field(factory=FindingPlace)
    saves: float | None = None


class AboutRule(Protocol):
    """What a ``Rule`` is, without what it does."""

    @property
    def id(self) -> str:
        """Unique in its module."""

    @property
    def title(self) -> Reason:
        """What it looks for."""


@frozen
class CheckedRule:
    """What one rule said of one run. A module whose hook failed has one of these, with no run ("").

    ``unchecked`` says why it could not be checked, None if it was. ``failed``: because of an error of the
    rule, or because it does not return. ``pending``: it may be checked later although the logs stay.
    ``more`` findings are left out.
    """

    plugin: str  # that has the rule
    rule: AboutRule
    run: str
    findings: tuple[Finding, ...] = ()
    more: int = 0
    unchecked: Reason | None = None
    failed: bool = False
    pending: bool = False


@frozen
class RuleChecks:
    """What all rules said, by run and in the order of modules, and texts of plugins by locale."""

    rules: Sequence[CheckedRule]
    messages: Sequence[Messages]


class CheckRules(Protocol):
    """Checks the rules of all plugins: ``PluginContext.check_rules``."""

    def __call__(self, runs: Sequence[str], roles: Mapping[str, str] = ...) -> RuleChecks:
        """What the rules find in these runs. Answers are kept until series of the runs change.

        ``roles`` maps tags to roles, where those of their names are wrong; the role "" is none. Unknown runs
        are left out. Raises Unavailable if the data cannot be reached.
        """
        ...


@frozen
class Highlight:
    """One sentence about runs, such as which of them is best.

    Parameters
    ----------
    tone : "error", "warning", "good" or "info"
    text : Reason
        In English; the page has it in the user's language by its code, from the hook ``insight_messages``.
    runs : sequence of str
        The runs that it is about, the most important first; the page selects them when it is opened.
    place : FindingPlace, optional
        Where the evidence is; None if no tab shows it.
    """

    tone: HighlightTone = field(validator=one_of(HIGHLIGHT_TONES))
    text: Reason = field(validator=is_a(Reason, "a Reason"))
    runs: Sequence[str] = field(default=(), converter=_names)
    place: FindingPlace | None = None


@frozen
class SourceHighlights:
    """What one source said, or why it failed."""

    plugin: str  # that has the source
    id: str
    highlights: tuple[Highlight, ...] = ()
    failed: Reason | None = None


@frozen
class RunHighlights:
    """What all sources said, in their order, and texts of plugins by locale."""

    sources: Sequence[SourceHighlights]
    messages: Sequence[Messages]


class FindHighlights(Protocol):
    """Asks the sources of all plugins: ``PluginContext.highlights``."""

    def __call__(self, runs: Sequence[str]) -> RunHighlights:
        """What matters about these runs; unknown ones are left out."""
        ...
