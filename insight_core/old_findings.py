"""Findings as the last release had them: constructors, highlights, and answers by run and rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from warnings import warn

from attrs import field, frozen

from insight_core.checks import IDENTIFIER, check_function
from insight_core.plugin.findings.answer import FindFaults, Findings, RuleState
from insight_core.plugin.findings.model import Finding, FindingPlace, Saving
from insight_core.plugin.findings.rules import Examined, Needs, Rule
from insight_core.plugin.messages import Messages
from insight_core.references import reference
from insight_record.formats.reason import Reason, ReasonKind

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext

Given: TypeAlias = tuple[Any, ...]
Named: TypeAlias = dict[str, Any]
_HINT = "hint"  # which was "info"


def _deprecated(text: str) -> None:
    warn(text, DeprecationWarning, stacklevel=4)


def finding_arguments(given: Given, named: Named) -> tuple[Given, Named]:
    """Arguments of ``Finding``, also those of ``(run, severity, saw, why, change, place, saves)``."""
    names = ["runs", "severity", "saw", "change", "place", "saves"]
    is_old = bool({"run", "why"} & named.keys()) or (len(given) > 4 and isinstance(given[4], Reason))
    if is_old:
        names[:1], names[3:3] = ["run"], ["why"]
    values = {**dict(zip(names, given, strict=False)), **named}
    saves = values.get("saves")
    if not is_old and values.get("severity") != "info" and not isinstance(saves, int | float):
        return given, named
    _deprecated(
        "Finding(run, severity, saw, why, change, place, saves) is deprecated: write "
        "Finding(runs, severity, saw, change, place, Saving(low, high)); the severity info is hint"
    )
    values.pop("why", None)
    if "run" in values:
        values["runs"] = values.pop("run")
    if values.get("severity") == "info":
        values["severity"] = _HINT
    if isinstance(saves, int | float):
        share = min(max(float(saves), 0.0), 1.0)
        values["saves"] = Saving(share, share, "run")
    return (), values


def rule_arguments(given: Given, named: Named) -> tuple[Given, Named]:
    """Arguments of ``Rule``, also those of ``(id, title, check, roles, plugins)``."""
    values = {**dict(zip(("id", "title", "check", "needs", "scope"), given, strict=False)), **named}
    needs, title = values.get("needs", Needs()), values.get("title")
    is_old = bool({"roles", "plugins"} & named.keys()) or not isinstance(needs, Needs)
    if not is_old and not isinstance(title, Reason):
        return given, named
    _deprecated("the title of a Rule is a ReasonKind, and what it needs is Needs(roles, plugins)")
    if is_old:
        by_place = not isinstance(needs, Needs)
        roles = needs if by_place else values.pop("roles", ())
        plugins = values.pop("scope", ()) if by_place and len(given) > 4 else values.pop("plugins", ())
        values["needs"] = Needs(roles, plugins)
    if isinstance(title, Reason):
        values["title"] = ReasonKind(title.code, str(title).replace("{", "{{").replace("}", "}}"))
    return (), values


def Highlight(
    tone: str, text: Reason, runs: Sequence[str] = (), place: FindingPlace | None = None
) -> Finding:
    """A sentence about several runs: a finding of a rule that examines them together."""
    severity: Any = _HINT if tone == "info" else tone
    return Finding(runs, severity, text, place=place or FindingPlace())


@frozen
class HighlightSource:
    """Says what matters about runs: a rule of scope ``runs``."""

    id: str = field(validator=IDENTIFIER)
    find: Callable[[PluginContext, Sequence[str]], Iterable[Finding]] = field(
        converter=reference, validator=check_function
    )
    order: int = 100

    def rule(self) -> Rule:
        """The rule that finds the same."""
        find = self.find

        def check(examined: Examined) -> Iterable[Finding]:
            return find(examined.ctx, examined.runs)

        return Rule(self.id, ReasonKind("", self.id), check, scope="runs")


HighlightSource.instead = "contribute a Rule with scope='runs' by insight_rules"  # type: ignore[attr-defined]
Highlight.instead = "a rule of scope 'runs' returns Findings"  # type: ignore[attr-defined]


@frozen
class CheckedRule:
    """What one rule said of one run."""

    plugin: str
    rule: RuleState
    run: str
    findings: tuple[Finding, ...] = ()
    more: int = 0
    unchecked: Reason | None = None
    failed: bool = False
    pending: bool = False


@frozen
class RuleChecks:
    """What all rules said, by run, and texts of plugins by locale."""

    rules: Sequence[CheckedRule]
    messages: Sequence[Messages]


def checks_of(found: Findings) -> RuleChecks:
    """An answer as ``PluginContext.check_rules`` gave it."""
    return RuleChecks(list(_by_run(found)), found.messages)


def _by_run(found: Findings) -> Iterator[CheckedRule]:
    each: dict[tuple[str, str], list[Finding]] = {}
    for one in found.each:
        each.setdefault((one.run, one.rule), []).append(one)
    why = {(run, one.rule): one for one in found.unchecked for run in one.runs or ("",)}
    for run in ("", *found.runs):
        for state in found.rules:
            key = (run, state.id)
            if state.scope == "runs":
                continue
            if (left := why.get(key)) is not None:
                yield CheckedRule(state.plugin, state, run, (), 0, left.reason, left.failed, left.pending)
            elif run in state.checked:
                yield CheckedRule(state.plugin, state, run, tuple(each.get(key, ())))


HighlightTone = Literal["error", "warning", "good", "info"]
HIGHLIGHT_TONES: tuple[HighlightTone, ...] = ("error", "warning", "good", "info")
CheckRules = FindHighlights = FindFaults


@frozen
class OldHighlight:
    """A finding of several runs, as ``PluginContext.highlights`` gave it."""

    tone: HighlightTone
    text: Reason
    runs: Sequence[str]
    place: FindingPlace | None


@frozen
class SourceHighlights:
    """What one source said, or why it failed."""

    plugin: str
    id: str
    highlights: tuple[OldHighlight, ...] = ()
    failed: Reason | None = None


@frozen
class RunHighlights:
    """What all sources said, and texts of plugins by locale."""

    sources: Sequence[SourceHighlights]
    messages: Sequence[Messages]


def highlights_of(found: Findings) -> RunHighlights:
    """An answer as ``PluginContext.highlights`` gave it."""
    failed = {one.rule: one.reason for one in found.unchecked}
    return RunHighlights(
        [
            SourceHighlights(
                state.plugin,
                state.id,
                tuple(_old(one) for one in found.findings if one.rule == state.id),
                failed.get(state.id),
            )
            for state in found.rules
            if state.scope == "runs"
        ],
        found.messages,
    )


def _old(one: Finding) -> OldHighlight:
    tone: HighlightTone = "info" if one.severity == "hint" else one.severity
    return OldHighlight(tone, one.saw, one.runs, one.place)
