"""Advice about a profile and the ranks of its job, with the last results kept."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from attrs import frozen

from insight_core.plugin import PluginContext
from insight_profiler.advice.answer import (
    CheckedJob,
    CheckedProfile,
    advice_answer,
    all_rules,
    checked_job,
    checked_profile,
)
from insight_profiler.advice.contract import CheckedProfileRule
from insight_profiler.discovery import ProfileFiles
from insight_profiler.jobs import Job, has_ranks, job_of
from insight_profiler.model import Profile
from insight_profiler.opened_profiles import Asked, Recent


class CheckedAdvice:
    """Rules are checked once for each profile. For any thread."""

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
        own, checked = self._checked(profile, job)
        return advice_answer(own, checked, files.path)

    def rules(self, files: ProfileFiles, profile: Profile, job: Job) -> Mapping[str, CheckedProfileRule]:
        """What each rule says of a profile and its job, by id."""
        own, checked = self._checked(profile, job)
        return {one.rule.id: one for one in all_rules(own, checked, files.path)}

    def _checked(self, profile: Profile, job: Job) -> tuple[CheckedProfile, CheckedJob]:
        own = self._of_profile.get(profile, "", lambda: checked_profile(profile))
        of_job = self._of_job.get(
            profile, job.version, lambda: checked_job(job.ranks, job.unread, job.missing)
        )
        return own, of_job


@frozen(eq=False)
class OpenedProfiles:
    """The profiles of a host and what rules say of them, for routes and for rules about runs."""

    asked: Asked
    advice: CheckedAdvice


_lock = Lock()
_by_context: WeakKeyDictionary[PluginContext, OpenedProfiles] = WeakKeyDictionary()


def opened_by(ctx: PluginContext) -> OpenedProfiles:
    """The one of a context; reading processes end with the host."""
    with _lock:
        opened = _by_context.get(ctx)
        if opened is None:
            asked = Asked(ctx)
            ctx.on_close(asked.profiles.close)
            opened = _by_context[ctx] = OpenedProfiles(asked, CheckedAdvice(asked))
        return opened


def progress(job: Job) -> dict[str, int]:
    """How many ranks are read, how many are not, and bytes of all."""
    return {"shown": len(job.ranks), "unread": job.unread, "read": job.read, "total": job.total}
