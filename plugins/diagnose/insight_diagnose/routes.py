"""The route that lists findings of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from attrs import asdict
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, Messages, PluginContext, Route, Unavailable
from insight_core.plugin.data import TAG_ROLES
from insight_core.plugin.findings import SEVERITIES, CheckedRule, Finding, RuleChecks
from insight_core.plugin.http import json_response


def routes(ctx: PluginContext) -> Sequence[Route]:
    """``/findings`` and ``/highlights``."""
    return [
        Route("/findings", partial(_findings, ctx), takes_where=True),
        Route("/highlights", partial(_highlights, ctx), takes_where=True),
    ]


def _highlights(ctx: PluginContext, request: Request) -> Response:
    """What matters about the runs ``run`` (repeated) taken together, as all plugins say."""
    found = ctx.highlights(request.args.getlist("run"))
    told: dict[str, object] = {
        "highlights": [
            {
                "plugin": source.plugin,
                "source": source.id,
                "tone": one.tone,
                "text": one.text.fields(),
                "runs": one.runs,
                "place": one.place and asdict(one.place),
            }
            for source in found.sources
            for one in source.highlights
        ],
        "failed": [
            {"plugin": one.plugin, "source": one.id, "reason": one.failed.fields()}
            for one in found.sources
            if one.failed is not None
        ],
    }
    answer = json_response({**told, "messages": Messages.said_in(told, found.messages)})
    answer.cache_control.no_store = True  # alerts and annotations change while the data do not
    return answer


def _findings(ctx: PluginContext, request: Request) -> Response:
    """What the rules of all plugins find in the runs ``run`` (repeated), the worst first."""
    checks = ctx.check_rules(request.args.getlist("run"), roles_given(request.args.getlist("role")))
    answer = json_response(described(checks))
    if any(map(_may_change, checks.rules)):
        answer.cache_control.no_store = True
    return answer


def _may_change(one: CheckedRule) -> bool:
    """Whether the rule may say something else although the data stay."""
    is_away = one.unchecked is not None and one.unchecked.code == Unavailable.code
    return one.failed or one.pending or is_away


def roles_given(texts: Sequence[str]) -> Mapping[str, str]:
    """Tags with the roles that ``ROLE=TAG`` gives them; ``none=TAG`` for no role. Raises InvalidArgument."""
    found = {}
    for text in texts:
        role, equals, tag = text.partition("=")
        if not (equals and tag and role in (*TAG_ROLES, "none")):
            raise InvalidArgument(
                f"role must be ROLE=TAG with one of {', '.join(TAG_ROLES)}, none; not {text!r}"
            )
        found[tag] = "" if role == "none" else role
    return found


def described(checks: RuleChecks) -> dict[str, object]:
    """The answer: findings, which rules were checked, and texts by locale."""
    rules = {(one.plugin, one.rule.id): one.rule for one in checks.rules}
    findings = [(one, finding) for one in checks.rules for finding in one.findings]
    findings.sort(key=lambda pair: SEVERITIES.index(pair[1].severity))  # stable: else as rules and runs are
    told: dict[str, object] = {
        "rules": [
            {"plugin": plugin, "id": id_, "title": rule.title.fields()}
            for (plugin, id_), rule in rules.items()
        ],
        "findings": [_row(one, finding) for one, finding in findings],
        "more": sum(one.more for one in checks.rules),
        "checked": [
            {"plugin": one.plugin, "rule": one.rule.id, "run": one.run}
            for one in checks.rules
            if one.unchecked is None
        ],
        "unchecked": [
            {
                "plugin": one.plugin,
                "rule": one.rule.id,
                "run": one.run,
                "failed": one.failed,
                "pending": one.pending,
                "reason": one.unchecked.fields(),
            }
            for one in checks.rules
            if one.unchecked is not None
        ],
    }
    return {**told, "messages": Messages.said_in(told, checks.messages)}


def _row(one: CheckedRule, finding: Finding) -> dict[str, object]:
    return {
        "plugin": one.plugin,
        "rule": one.rule.id,
        "run": finding.run,
        "severity": finding.severity,
        "saw": finding.saw.fields(),
        "why": finding.why.fields(),
        "change": finding.change.fields(),
        "place": asdict(finding.place),
        "saves": finding.saves,
    }
