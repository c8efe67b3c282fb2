"""Answers of routes that compare two profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from werkzeug import Request, Response

from insight_core.plugin import Messages
from insight_core.plugin.http import choice, text, whole_number
from insight_profiler.advice.answer import ProfileAdvice
from insight_profiler.advice.words import texts
from insight_profiler.analysis import compare, operators
from insight_profiler.analysis.compare_summary import compared_advice, summary_of
from insight_profiler.analysis.compared_steps import MEASURES, ComparedSteps, compared_steps, limits_of
from insight_profiler.profiles.jobs import Job
from insight_profiler.profiles.opened import Asked, Opened, side_of_request
from insight_profiler.rules import RANK_RULES
from insight_profiler.views.tables import GROUPED, TableFilter, TableRows, TableView

_COMPARED = TableFilter("table", "compare.what", ("operators", "kernels"))
_PER = TableFilter("per", "compare.per", MEASURES)
_MOST_NUMBER = 1 << 53


def compare_views(advice: ProfileAdvice) -> Mapping[str, Callable[[Request], Response]]:
    """Views of two profiles, by route name."""
    return {"comparison": _Views(advice).comparison}


class _Views:
    def __init__(self, advice: ProfileAdvice) -> None:
        self._asked = advice.opened.asked
        self._advice = advice

    def comparison(self, request: Request) -> Response:
        """Steps, memory, communication and advice of both, and the timelines of one step of each."""
        opened, base = self._asked.opened(request), self._asked.opened(request, "base_")
        numbers = [whole_number(request, name, 0, _MOST_NUMBER) for name in ("base_step", "step")]
        before, after = (_steps(request, one) for one in (base, opened))
        advice = self._advice_of(request, opened, base)
        answer = {
            **summary_of(before, after, numbers[0], numbers[1]),
            **advice,
            "messages": Messages.said_in(advice, texts()),
            "steps": after.summary(),
            "base_steps": before.summary(),
        }
        shown = _joined(opened, base).answer(answer)
        if answer["ranks"]["unread"]:
            shown.cache_control.no_store = True
        return shown

    def _advice_of(self, request: Request, opened: Opened, base: Opened) -> dict[str, Any]:
        """What the view of advice says of each. While ranks of one of the jobs are not read, rules about
        ranks are left out; while one of the profiles is being read, advice is left out."""
        if not (opened.is_final and base.is_final):
            return {"advice": None, "ranks": Job().progress}
        sides = [
            (self._asked.look(request, *_named(request, prefix)).files, one.profile)
            for prefix, one in (("base_", base), ("", opened))
        ]
        jobs = [self._advice.opened.job(files, profile) for files, profile in sides]
        read = [job.progress for job in (jobs[:1] if jobs[0] == jobs[1] else jobs)]
        ranks = {name: sum(one[name] for one in read) for name in read[0]}
        without = [rule.id for rule in RANK_RULES] if ranks["unread"] else []
        before, after = (
            self._advice.answer(*side, job, without) for side, job in zip(sides, jobs, strict=True)
        )
        return {"advice": compared_advice(before, after), "ranks": ranks}


def _named(request: Request, prefix: str) -> tuple[str, str]:
    return text(request, f"{prefix}run", required=True), text(request, f"{prefix}profile", required=True)


def _steps(request: Request, opened: Opened, table: str = "operators") -> ComparedSteps:
    return compared_steps(opened.profile, request.args.get("steps"), table)


def _joined(opened: Opened, base: Opened) -> Opened:
    return Opened(
        opened.profile if base.profile.is_complete else base.profile,
        opened.version + base.version,
        opened.is_final and base.is_final,
    )


def _compared(asked: Asked, opened: Opened, request: Request) -> TableRows:
    """Operators or kernels of both profiles, by how much longer they take."""
    which = choice(request, _COMPARED.name, _COMPARED.values)
    base = asked.opened(request, "base_")
    for one in (opened, base):
        one.table(which)
    per = choice(request, _PER.name, _PER.values)
    before, after = (_steps(request, one, which) for one in (base, opened))
    more: dict[str, Any] = {}
    if which == "kernels":
        found = compare.kernel_comparison(before, after, per)
    else:
        by = choice(request, GROUPED.name, GROUPED.values)
        side = side_of_request(request, opened.profile)
        found = compare.comparison(before, after, by, side, per)
        more = {"by": by, "side": side.name.lower()}
    more = {
        "per": found.per,
        "limits": limits_of(before, after, per),
        "sides": [one.name.lower() for one in operators.sides_of(opened.profile)],
        "new": found.new,
        "gone": found.gone,
        "steps": after.summary(),
        "base_steps": before.summary(),
        **more,
    }
    searched = ("name",) if which == "kernels" else None
    return TableRows(found.listing, more, searched=searched, file="comparison", opened=_joined(opened, base))


COMPARED = TableView(
    "compare",
    "view.compare",
    _compared,
    "name type base value difference ratio share base_calls calls scope shapes",
    "-change",
    filters=(GROUPED, _PER),
    searched=("name", "type", "scope"),
    hidden=("change", "share"),
    widths={"name": 420, "difference": 230},
    asks=("side", "steps"),
    address="compare",
)
