"""Answers of routes that compare two profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from werkzeug import Request, Response

from insight_core.plugin.http.parameters import choice, whole_number
from insight_profiler.analysis import compare, operators
from insight_profiler.analysis.compare_summary import summary_of
from insight_profiler.analysis.steps import summary
from insight_profiler.model import Profile
from insight_profiler.opened_profiles import Asked, Opened, side_of_request, table_answer, wanted_of

_TEXTS = ("name", "type", "scope", "shapes")
_MOST_NUMBER = 1 << 53


def compare_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views of two profiles, by route name."""
    views = _Views(asked)
    return {"compare": views.compare, "comparison": views.comparison}


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def compare(self, request: Request) -> Response:
        """A table of operators or kernels of both, by how much longer they take."""
        which = choice(request, "table", ("operators", "kernels"))
        opened, base = self._both(request, which)
        per = choice(request, "per", compare.MEASURES)
        more: dict[str, Any] = {}
        if which == "kernels":
            found = compare.kernel_comparison(base.profile, opened.profile, per)
        else:
            by = choice(request, "by", operators.GROUPINGS)
            side = side_of_request(request, opened.profile)
            found = compare.comparison(base.profile, opened.profile, by, side, per)
            more = {"by": by, "side": side.name.lower()}
        searched = ("name",) if which == "kernels" else ("name", "type", "scope")
        return table_answer(
            request,
            _joined(opened, base),
            found.listing,
            wanted_of(request, searched, "change", texts=_TEXTS),
            "comparison",
            per=per,
            sides=[one.name.lower() for one in operators.sides_of(opened.profile)],
            new=found.new,
            gone=found.gone,
            steps=_step_summary(opened.profile),
            base_steps=_step_summary(base.profile),
            **more,
        )

    def comparison(self, request: Request) -> Response:
        """Steps, memory, communication and advice of both, and the timelines of one step of each."""
        opened, base = self._both(request)
        numbers = [whole_number(request, name, 0, _MOST_NUMBER) for name in ("base_step", "step")]
        found = summary_of(base.profile, opened.profile, numbers[0], numbers[1])
        steps = {"steps": _step_summary(opened.profile), "base_steps": _step_summary(base.profile)}
        return _joined(opened, base).answer({**found, **steps})

    def _both(self, request: Request, table: str = "") -> tuple[Opened, Opened]:
        opened, base = self._asked.opened(request), self._asked.opened(request, "base_")
        for one in (opened, base) if table else ():
            one.table(table)
        return opened, base


def _joined(opened: Opened, base: Opened) -> Opened:
    return Opened(
        opened.profile if base.profile.is_complete else base.profile,
        opened.version + base.version,
        opened.is_final and base.is_final,
    )


def _step_summary(profile: Profile) -> dict[str, Any] | None:
    table = profile.tables.get("steps")
    return None if table is None else summary(table)
