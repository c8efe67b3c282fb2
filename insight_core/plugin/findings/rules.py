"""Rules that look for faults in runs: what a module contributes by ``insight_rules``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from attrs import field, frozen

from insight_core.checks import IDENTIFIER, check_function, is_a, one_of
from insight_core.errors import InsightError
from insight_core.moved import accept_old_arguments
from insight_core.plugin.data.provider import ScalarColumns, SeriesKey
from insight_core.plugin.data.series_tables import SeriesTable
from insight_core.plugin.findings.model import Finding
from insight_core.references import reference
from insight_core.tag_roles import TAG_ROLES, TagRole
from insight_record.formats.reason import Reason, ReasonKind

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext

Scope: TypeAlias = Literal["run", "runs", "profile"]
_NO_SERIES = partial(SeriesTable, "", (), {}, {"points": (), "attempts": (), "last_step": ()})


class NotChecked(InsightError):
    """A rule cannot be checked for a run; the text, a ``Reason``, says why.

    ``may_change``: the answer may differ although the logs do not, such as while a profile is being read.
    """

    status = 409
    code = "not_checked"

    def __init__(self, reason: Reason, *, may_change: bool = False) -> None:
        super().__init__(reason)
        self.may_change = may_change


@frozen(eq=False)
class Examined:
    """The run that a rule examines, or all runs together. All rules share what ``read`` has read."""

    ctx: PluginContext  # of the first plugin of the rule's module
    runs: Sequence[str]
    roles: Mapping[TagRole, Sequence[str]]  # tags of the run; empty for a rule that examines several runs
    read: Callable[[SeriesKey], ScalarColumns | None]  # all points of a scalar series, of the last attempt
    series: Callable[[], SeriesTable] = _NO_SERIES  # scalars: points, attempts, last_step, last_value
    profile: Any = None  # the evidence of the profile, as its plugin gives it (``RunProfile.open``)

    @property
    def run(self) -> str:
        """The run, the first of several."""
        return self.runs[0]

    def keys(self, role: TagRole) -> list[SeriesKey]:
        """The scalar series of a role."""
        return [SeriesKey(self.run, tag) for tag in self.roles.get(role, ())]

    def scalars(self, role: TagRole) -> Iterable[tuple[SeriesKey, ScalarColumns]]:
        """The series of a role with all their points, without empty ones; each is read when it is reached."""
        for key in self.keys(role):
            columns = self.read(key)
            if columns is not None and len(columns.steps):
                yield key, columns


def _tuple(given: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(given)


def _check_roles(needs: Needs, attribute: object, roles: Sequence[str]) -> None:
    for role in roles:
        if role not in TAG_ROLES:
            raise ValueError(f"{role!r} is not a role: {', '.join(TAG_ROLES)}")


@frozen
class Needs:
    """What a run must have for a rule to be checked: a tag of each role, a series of each plugin.

    Without it a rule is not applicable. ``any_of``: plugins of which the run has series of at least one. A
    rule that reads other series than scalars names their plugins, so that it is asked again when they change.
    ``profiles``: kinds of profiles, or plugins, that a rule of scope ``profile`` examines; all without any.
    """

    roles: Sequence[TagRole] = field(default=(), converter=_tuple, validator=_check_roles)
    plugins: Sequence[str] = field(default=(), converter=_tuple)
    any_of: Sequence[str] = field(default=(), converter=_tuple)
    profiles: Sequence[str] = field(default=(), converter=_tuple)


def _check_title(rule: Rule, attribute: object, title: ReasonKind) -> None:
    if not isinstance(title, ReasonKind) or title.names:
        raise TypeError("its title is not a ReasonKind without details")


@frozen
class Rule:
    """Looks for one kind of fault, or for what matters about runs taken together.

    Parameters
    ----------
    id : str
        Unique and stable: ``[a-z][a-z0-9_]*``.
    title : ReasonKind
        What it finds, without details and in at most 60 characters: "Loss diverged".
    check : function or "package.module:function"
        Gets an ``Examined`` and returns findings, none if nothing is wrong. Called in a thread of the module
        with a deadline (``Limits.rule``). Raises NotChecked where it cannot tell. Any other exception is a
        failure of this rule alone.
    needs : Needs
        Without it the rule is not checked.
    scope : "run", "runs" or "profile"
        What one check sees: one run, all runs that are asked about, or one profile of a run.
    may_change : bool
        What it says of a run may differ although the logs do not, as with time: it is asked again.
    """

    id: str = field(validator=IDENTIFIER)
    title: ReasonKind = field(validator=_check_title)
    check: Callable[[Examined], Iterable[Finding]] = field(converter=reference, validator=check_function)
    needs: Needs = field(factory=Needs, validator=is_a(Needs, "what it Needs"))
    scope: Scope = field(default="run", validator=one_of(get_args(Scope)))
    may_change: bool = field(default=False, kw_only=True)


accept_old_arguments(Rule, "rule_arguments")
