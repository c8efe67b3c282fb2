"""All rules about profiles, and the evidence of a profile that they share."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock
from weakref import WeakKeyDictionary

from attrs import evolve, field, frozen

from insight_core.plugin import NotFound, PluginContext, ReasonKind, RunProfile
from insight_core.plugin.findings import Finding, NotChecked, Rule
from insight_profiler.advice import (
    communication_rules,
    copy_rules,
    device_rules,
    every_step_rules,
    hang_rules,
    host_rules,
    idle_rules,
    memory_rules,
    operator_rules,
    optimiser_rules,
    precision_rules,
    rank_rules,
    step_rules,
    waiting_rules,
)
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.figures import figures
from insight_profiler.advice.findings import ProfileCheck
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.words import said
from insight_profiler.model import Profile
from insight_profiler.profiles.discovery import ProfileFiles
from insight_profiler.profiles.jobs import Job, has_ranks, job_of
from insight_profiler.profiles.opened import Asked, Recent

_log = logging.getLogger(__name__)
_NOT_READ = ReasonKind("profiler_not_read", "{profile} cannot be read: {cause}")
_BEING_READ = ReasonKind("profiler_being_read", "{profile} is being read")

RANK_RULES: Sequence[Rule] = rank_rules.RULES
RULES: Sequence[Rule] = (
    *host_rules.RULES,
    *waiting_rules.RULES,
    *copy_rules.RULES,
    *idle_rules.RULES,
    *optimiser_rules.RULES,
    *precision_rules.RULES,
    *device_rules.RULES,
    *operator_rules.RULES,
    *communication_rules.RULES,
    *step_rules.RULES,
    *memory_rules.RULES,
    *hang_rules.RULES,
    *every_step_rules.RULES,
    *RANK_RULES,
)


@frozen(eq=False)
class DeviceUse:
    """``path``: ns of the critical path of the replayed steps by what it consists of, None where nothing can
    be replayed; ``figures``: how well the device is used; ``unprofiled``: ns of a step without the profiler,
    from and to, None where the trace does not tell."""

    path: Mapping[str, int] | None = None
    figures: Mapping[str, float] = field(factory=dict)
    unprofiled: tuple[float, float] | None = None

    @classmethod
    def of(cls, evidence: Evidence) -> DeviceUse:
        """What the evidence of a profile says."""
        try:
            path, unprofiled = evidence.path or None, evidence.unprofiled
        except NotChecked:
            path, unprofiled = None, None
        return cls(path, figures(evidence), unprofiled)


class OpenedProfiles:
    """The profiles of a host and their evidence, for routes and for rules. For any thread."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._uses: Recent[DeviceUse] = Recent(1)
        self._jobs: Recent[JobEvidence] = Recent(1)
        self._measured: Recent[Mapping[str, Sequence[Finding]]] = Recent(1)

    def job(self, files: ProfileFiles, profile: Profile, *, reads: bool = True) -> Job:
        """The job of a profile, without ranks if it has one rank only. What is not read yet is read, unless
        ``reads`` is False."""
        if not has_ranks(self.asked, files, profile):
            return Job()
        return job_of(self.asked, files.run, files.path, reads=reads)

    def job_evidence(self, files: ProfileFiles, profile: Profile, job: Job) -> JobEvidence:
        """The evidence of the ranks of the job of a profile."""
        return self._jobs.get(
            profile, job.version, lambda: JobEvidence(job.ranks, job.unread, job.missing, files.run)
        )

    def use(self, profile: Profile, evidence: Evidence | None = None) -> DeviceUse:
        """How a profile uses its device, by its evidence, which is made here where it is not given."""
        try:
            return self._uses.get(profile, "", lambda: DeviceUse.of(evidence or Evidence(profile)))
        except Exception:  # no matter of the rules
            _log.exception("the use of the device is not known")
            return DeviceUse()

    def examined(self, run: str, name: str | None) -> Iterator[RunProfile]:
        """The profile of this name, else the newest: older ones say what may have been mended since.

        The ranks of its job are read only if it has no name: whoever names it decides.
        """
        listed = sorted(self.asked.profiles.listing([run]), key=lambda one: (-one.wall_time, one.path))
        for files in [one for one in listed if name in (None, one.path)][:1]:
            kind = files.source.name.lower()
            open_it = partial(self._open, files, reads=name is None)
            yield RunProfile(files.path, kind, open_it, self._version(files))

    def _version(self, files: ProfileFiles) -> object:
        """Another one once all ranks of the job are read, on which the evidence depends."""
        summary = self.asked.rank(files, reads=False).profile
        job = None if summary is None else self.job(files, summary, reads=False)
        return None if job is None or job.unread else job.version

    def checked(self, files: ProfileFiles, measured: float) -> Mapping[str, Sequence[Finding]]:
        """What rules about a single profile find by their names, if a step takes so long (ns) without the
        profiler; rules that cannot tell are left out."""
        evidence = self._open(files, reads=False)
        key = measured, evidence.job  # that one is another once other ranks are read
        make = partial(_checked, evolve(evidence, measured=measured))
        return self._measured.get(evidence.profile, key, make)

    def _open(self, files: ProfileFiles, *, reads: bool) -> Evidence:
        try:
            look = self.asked.opened_profile(files.run, files.path)
            if look.failure is not None:
                raise NotChecked(_NOT_READ(profile=files.path, cause=look.failure.reason))
            if look.state == "reading" or look.profile is None:
                raise NotChecked(_BEING_READ(profile=files.path), may_change=True)
            job = self.job(look.files, look.profile, reads=reads)
        except NotFound as error:  # gone meanwhile
            raise NotChecked(said("no_profile"), may_change=True) from error
        ranks = self.job_evidence(look.files, look.profile, job)
        evidence = Evidence(look.profile, ranks, files.run, files.path)
        self.use(look.profile, evidence)
        return evidence


def _checked(evidence: Evidence) -> Mapping[str, Sequence[Finding]]:
    found: dict[str, Sequence[Finding]] = {}
    for rule in RULES:
        if isinstance(rule.check, ProfileCheck):
            with suppress(NotChecked):
                found[rule.id] = [evolve(one, rule=rule.id) for one in rule.check.of(evidence)]
    return found


_lock = Lock()
_by_context: WeakKeyDictionary[PluginContext, OpenedProfiles] = WeakKeyDictionary()


def opened_by(ctx: PluginContext) -> OpenedProfiles:
    """The one of a context; reading processes end with the host."""
    with _lock:
        opened = _by_context.get(ctx)
        if opened is None:
            asked = Asked(ctx)
            ctx.on_close(asked.profiles.close)
            opened = _by_context[ctx] = OpenedProfiles(asked)
        return opened


def profiles(ctx: PluginContext, run: str, name: str | None) -> Iterator[RunProfile]:
    """The profiles of a run that rules examine: see ``OpenedProfiles.examined``."""
    return opened_by(ctx).examined(run, name)
