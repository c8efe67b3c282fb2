"""The answer of the route that says what to change: the profile's own rules, and those about its job."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from werkzeug import Request, Response

from insight_core.plugin.http import choice
from insight_profiler.advice.answer import NO_ADVICE
from insight_profiler.checked_advice import CheckedAdvice, progress
from insight_profiler.opened_profiles import Asked


def advice_views(asked: Asked, advice: CheckedAdvice) -> Mapping[str, Callable[[Request], Response]]:
    """The view of advice, by route name."""
    return {"advice": _Views(asked, advice).advice}


class _Views:
    def __init__(self, asked: Asked, advice: CheckedAdvice) -> None:
        self._asked = asked
        self._advice = advice

    def advice(self, request: Request) -> Response:
        """What the rules say of a profile and of the ranks of its job; of one that is being read nothing yet.

        ``ranks=known`` has no other ranks read: rules about them say nothing until all are.
        """
        reads = choice(request, "ranks", ("all", "known")) == "all"
        opened = self._asked.opened(request)
        if not opened.is_final:
            return opened.answer(NO_ADVICE)
        files = self._asked.look(request).files
        job = self._advice.job(files, opened.profile, reads=reads)
        answer = self._advice.answer(files, opened.profile, job)
        shown = opened.answer({**answer, "ranks": progress(job)})
        if job.unread:
            shown.cache_control.no_store = True
        return shown
