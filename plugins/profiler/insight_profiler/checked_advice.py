"""Advice about a profile and the ranks of its job, with the last results kept."""

from __future__ import annotations

from typing import Any

from insight_profiler.advice.answer import (
    CheckedJob,
    CheckedProfile,
    advice_answer,
    checked_job,
    checked_profile,
)
from insight_profiler.discovery import ProfileFiles
from insight_profiler.jobs import Job, has_ranks, job_of
from insight_profiler.model import Profile
from insight_profiler.opened_profiles import Asked, Recent


class CheckedAdvice:
    """For any thread."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._of_profile: Recent[CheckedProfile] = Recent(1)
        self._of_job: Recent[CheckedJob] = Recent(1)

    def job(self, files: ProfileFiles, profile: Profile, *, reads: bool = True) -> Job:
        """The job of a profile, without ranks if it has one rank only. What is not read yet is read, unless
        ``reads`` is False."""
        if not has_ranks(self._asked, files, profile):
            return Job()
        return job_of(self._asked, files.run, files.path, reads=reads)

    def answer(self, files: ProfileFiles, profile: Profile, job: Job) -> dict[str, Any]:
        """What ``advice_answer`` says of a profile and its job; of ``Job()`` only what the profile says."""
        own = self._of_profile.get(profile, "", lambda: checked_profile(profile))
        checked = self._of_job.get(
            profile, job.version, lambda: checked_job(job.ranks, job.unread, job.missing)
        )
        return advice_answer(own, checked, files.path)


def progress(job: Job) -> dict[str, int]:
    """How many ranks are read, how many are not, and bytes of all."""
    return {"shown": len(job.ranks), "unread": job.unread, "read": job.read, "total": job.total}
