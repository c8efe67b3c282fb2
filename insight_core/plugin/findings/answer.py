"""What all rules say of runs, and how a plugin asks for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from attrs import frozen

from insight_core.plugin.findings.model import Finding
from insight_core.plugin.messages import Messages
from insight_record.formats.reason import Reason, ReasonKind


@frozen
class Unchecked:
    """Runs of which a rule could not tell, and why: ``failed`` by an error of the rule or because it does not
    return, ``pending`` what is being read, ``missing`` what the rule needs.
    """

    rule: str
    runs: tuple[str, ...]
    reason: Reason
    failed: bool = False
    pending: bool = False
    missing: bool = False


@frozen
class RuleState:
    """A rule of a plugin, of which runs it could tell, and how many findings are left out."""

    plugin: str
    id: str
    title: ReasonKind
    scope: str
    checked: tuple[str, ...] = ()
    more: int = 0


@frozen
class Findings:
    """What all rules say of runs.

    ``findings`` are merged by rule over the runs and sorted: by severity, then by runs and saving. ``rules``
    are all rules, ``unchecked`` those that could not tell, once for each reason, and modules whose hook
    failed. ``left`` runs were not checked for lack of time: asking again goes on with them.
    """

    findings: Sequence[Finding]
    rules: Sequence[RuleState]
    unchecked: Sequence[Unchecked]
    runs: Sequence[str]  # those of the question that are there
    left: int
    messages: Sequence[Messages]  # texts of plugins by locale

    @property
    def each(self) -> Sequence[Finding]:
        """The findings before they are merged, in the same order."""
        return [part for one in self.findings for part in one.each or (one,)]


class FindFaults(Protocol):
    """Checks the rules of all plugins: ``PluginContext.findings``."""

    def __call__(
        self,
        runs: Sequence[str] | None = None,
        roles: Mapping[str, str] = ...,
        *,
        rules: Collection[str] | None = None,
        seconds: float | None = None,
        profile: str | None = None,
    ) -> Findings:
        """What the rules find in these runs, or in all. Answers are kept until series of the runs change.

        ``roles`` maps tags to roles, where those of their names are wrong; the role "" is none. Unknown runs
        are left out. ``rules`` are the ids of those that are asked, which then say all that they found. After
        ``seconds`` it answers with what is known by then; at least one run more is checked. With a
        ``profile`` only rules about profiles are asked, about those of this name. Raises Unavailable if the
        data cannot be reached.
        """
        ...
