"""The answer of the route that says what to change: the findings about a profile and its job."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen
from werkzeug import Request, Response

from insight_core.plugin.http import choice
from insight_profiler.advice.answer import NO_ADVICE, ProfileAdvice


def advice_views(advice: ProfileAdvice) -> Mapping[str, Callable[[Request], Response]]:
    """The view of advice, by route name."""
    return {"advice": _Views(advice).advice}


@frozen(eq=False)
class _Views:
    advised: ProfileAdvice

    def advice(self, request: Request) -> Response:
        """What the rules say of a profile and of the ranks of its job; of one that is being read nothing yet.

        ``ranks=known`` has no other ranks read: rules about them say nothing until all are.
        """
        reads = choice(request, "ranks", ("all", "known")) == "all"
        asked = self.advised.opened.asked
        opened = asked.opened(request)
        if not opened.is_final:
            return opened.answer(NO_ADVICE)
        files = asked.look(request).files
        job = self.advised.opened.job(files, opened.profile, reads=reads)
        answer = self.advised.answer(files, opened.profile, job)
        shown = opened.answer({**answer, "ranks": job.progress})
        if any(one["may_change"] for one in answer["rules"]):
            shown.cache_control.no_store = True
        return shown
