"""The answer of the route that says what to change: the profile's own rules, and those about its job."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from werkzeug import Request, Response

from insight_core.plugin.http.parameters import choice
from insight_profiler.advice.answer import (
    NO_ADVICE,
    CheckedJob,
    CheckedProfile,
    advice_answer,
    checked_job,
    checked_profile,
)
from insight_profiler.jobs import Job, has_ranks, job_of
from insight_profiler.opened_profiles import Asked, Recent


def advice_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """The view of advice, by route name."""
    return {"advice": _Views(asked).advice}


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._of_profile: Recent[CheckedProfile] = Recent(1)
        self._of_job: Recent[CheckedJob] = Recent(1)

    def advice(self, request: Request) -> Response:
        """What the rules say of a profile and of the ranks of its job; of one that is being read nothing yet.

        ``ranks=known`` has no other ranks read: rules about them say nothing until all are.
        """
        reads = choice(request, "ranks", ("all", "known")) == "all"
        opened = self._asked.opened(request)
        profile = opened.profile
        if not opened.is_final:
            return opened.answer(NO_ADVICE)
        own = self._of_profile.get(profile, "", lambda: checked_profile(profile))
        files = self._asked.look(request).files
        job = Job()
        if has_ranks(self._asked, files, profile):
            job = job_of(self._asked, files.run, files.path, reads=reads)
        checked = self._of_job.get(
            profile, job.version, lambda: checked_job(job.ranks, job.unread, job.missing)
        )
        shown = opened.answer({**advice_answer(own, checked, files.path), "ranks": _progress(job)})
        if job.unread:
            shown.cache_control.no_store = True
        return shown


def _progress(job: Job) -> dict[str, int]:
    """How many ranks are read, how many are not, and bytes of all."""
    return {"shown": len(job.ranks), "unread": job.unread, "read": job.read, "total": job.total}
