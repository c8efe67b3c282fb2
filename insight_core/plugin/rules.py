"""Rules that look for faults in runs: what a module contributes by ``insight_rules``, and what rules find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from attrs import field, frozen

from insight_core.plugin.checks import IDENTIFIER, TEXT, check_function, is_a, one_of
from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_core.plugin.errors import InsightError
from insight_core.plugin.extensions import Messages
from insight_core.plugin.tag_roles import TAG_ROLES, TagRole
from insight_core.references import reference
from insight_record.formats.reason import Reason

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext

Severity: TypeAlias = Literal[
    "error", "warning", "info"
]  # The run is lost, is worse than need be, or a hint.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")  # All severities, the worst first.


class NotChecked(InsightError):
    """A rule cannot be checked for a run; the text, a ``Reason``, says why.

    ``may_change``: the answer may differ although the logs do not, such as while a profile is being read.
    """

    status = 409
    code = "not_checked"

    def __init__(self, reason: Reason, *, may_change: bool = False) -> None:
        super().__init__(reason)
        self.may_change = may_change


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


@frozen(eq=False)
class Examined:
    """The run that a rule examines. All rules share what ``read`` has read."""

    ctx: PluginContext  # of the first plugin of the rule's module
    run: str
    roles: Mapping[TagRole, Sequence[str]]  # tags by role
    read: Callable[[SeriesKey], ScalarColumns | None]  # all points of a scalar series, of the last attempt

    def keys(self, role: TagRole) -> list[SeriesKey]:
        """The scalar series of a role."""
        return [SeriesKey(self.run, tag) for tag in self.roles[role]]

    def scalars(self, role: TagRole) -> Iterable[tuple[SeriesKey, ScalarColumns]]:
        """The series of a role with all their points, without empty ones; each is read when it is reached."""
        for key in self.keys(role):
            columns = self.read(key)
            if columns is not None and len(columns.steps):
                yield key, columns


def _roles(given: Iterable[TagRole]) -> tuple[TagRole, ...]:
    return tuple(given)


def _names(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(given)


def _check_roles(rule: Rule, attribute: object, roles: Sequence[str]) -> None:
    for role in roles:
        if role not in TAG_ROLES:
            raise ValueError(f"rule {rule.id!r}: {role!r} is not a role: {', '.join(TAG_ROLES)}")


@frozen
class Rule:
    """Looks for one kind of fault in a run.

    Parameters
    ----------
    id : str
        Unique in the module: ``[a-z][a-z0-9_]*``.
    title : Reason
        What it looks for, as a text that has a code.
    check : function or "package.module:function"
        Gets an ``Examined`` and returns findings, none if nothing is wrong. Called in a thread of the module
        with a deadline (``Limits.rule``). Raises NotChecked where it cannot tell. Any other exception is a
        failure of this rule alone.
    roles : sequence of TagRole
        The rule is checked only if the run has a tag of each of these roles.
    plugins : sequence of str
        The rule is checked only if the run has a series of each of these plugins. A rule that reads series
        of other plugins than ``scalar`` names them, so that it is checked again when they change.
    """

    id: str = field(validator=IDENTIFIER)
    title: Reason = field(validator=is_a(Reason, "a Reason"))
    check: Callable[[Examined], Iterable[Finding]] = field(converter=reference, validator=check_function)
    roles: Sequence[TagRole] = field(default=(), converter=_roles, validator=_check_roles)
    plugins: Sequence[str] = field(default=(), converter=_names)


@frozen
class CheckedRule:
    """What one rule said of one run. A module whose hook failed has one of these, with no run ("").

    ``unchecked`` says why it could not be checked, None if it was. ``failed``: because of an error of the
    rule, or because it does not return. ``pending``: it may be checked later although the logs stay.
    ``more`` findings are left out.
    """

    plugin: str  # that has the rule
    rule: Rule
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
