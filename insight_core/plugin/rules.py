"""Rules that look for faults in runs: what a module contributes by ``insight_rules``, and what rules find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import field, frozen

from insight_core.plugin.checks import IDENTIFIER, check_function, is_a
from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_core.plugin.errors import InsightError
from insight_core.plugin.findings import Finding
from insight_core.references import reference
from insight_core.tag_roles import TAG_ROLES, TagRole
from insight_record.formats.reason import Reason

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext


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
        The rule is checked only if the run has a series of each of these plugins. A rule that reads other
        series than scalars names their plugins, so that it is checked again when they change.
    """

    id: str = field(validator=IDENTIFIER)
    title: Reason = field(validator=is_a(Reason, "a Reason"))
    check: Callable[[Examined], Iterable[Finding]] = field(converter=reference, validator=check_function)
    roles: Sequence[TagRole] = field(default=(), converter=_roles, validator=_check_roles)
    plugins: Sequence[str] = field(default=(), converter=_names)
