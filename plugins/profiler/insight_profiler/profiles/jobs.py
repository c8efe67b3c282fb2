"""The ranks of the job that a profile belongs to, as far as they are read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from attrs import field, frozen
from werkzeug import Response

from insight_core.plugin.http import json_response
from insight_profiler.analysis.cluster import may_be_ranks, nearest_of_ranks, processes_of
from insight_profiler.analysis.rank_summary import ranks_of
from insight_profiler.model import Profile, Source
from insight_profiler.profiles.discovery import ProfileFiles
from insight_profiler.profiles.known import unknown_profile
from insight_profiler.profiles.opened import Asked, described


@frozen
class Job:
    """Summaries of the ranks that are read, by their paths and in their order, what of the other processes is
    known, and how many bytes of all are read. ``version`` differs whenever the summaries may."""

    ranks: Mapping[str, Profile] = field(factory=dict)
    others: list[dict[str, Any]] = field(factory=list)
    read: int = 0
    total: int = 0
    version: Hashable = ()

    @property
    def unread(self) -> int:
        """How many processes are not read yet."""
        return sum(one["state"] == "reading" for one in self.others)

    @property
    def missing(self) -> int:
        """How many ranks have no profile that can be read, by the size of the job; where no profile says
        that, how many profiles cannot be read."""
        size = max((profile.world_size for profile in self.ranks.values()), default=0)
        return max(0, size - len(self.ranks) - self.unread) if size else len(self.others) - self.unread

    @property
    def progress(self) -> dict[str, int]:
        """How many ranks are read, how many are not, and bytes of all."""
        return {"shown": len(self.ranks), "unread": self.unread, "read": self.read, "total": self.total}

    def answer(self, values: Mapping[str, object]) -> Response:
        """A JSON answer with how far the ranks are read."""
        known = {"others": self.others, "missing": self.missing, "read": self.read, "total": self.total}
        shown = json_response({**values, **known})
        if self.unread:
            shown.cache_control.no_store = True
        return shown


def job_of(asked: Asked, run: str, path: str | None = None, *, reads: bool = True) -> Job:
    """The job of a profile, without ``path`` of the newest of the run. What is not read yet is read, unless
    ``reads`` is False. Raises NotFound for an unknown profile."""
    listed = sorted(asked.profiles.listing([run]), key=lambda one: -one.wall_time)
    if path is None:
        path = listed[0].path if listed else ""
    named = next((files for files in listed if files.path == path), None)
    if named is None:
        raise unknown_profile(run, path)
    if named.source is Source.CLUSTER:
        return _analysed(asked, named, listed, reads=reads)
    known: dict[str, Profile] = {}
    versions: dict[str, Hashable] = {}
    others: list[dict[str, Any]] = []
    read = total = 0
    for files in processes_of(listed, named):
        look = asked.rank(files, reads=reads)
        read, total = read + look.read, total + look.total
        if look.profile is not None:
            known[files.path] = look.profile
            versions[files.path] = (files.wall_time, look.total)
        else:
            failure = look.failure and described(look.failure)
            others.append({"profile": files.path, "state": look.state, "failure": failure})
    ranks = {rank: known[rank] for rank in nearest_of_ranks(known, named.path)}
    version = tuple((rank, versions[rank]) for rank in ranks), len(others)
    return Job(ranks, others, read, total, version)


def _analysed(asked: Asked, named: ProfileFiles, listed: Sequence[ProfileFiles], *, reads: bool) -> Job:
    """The ranks of a job that one profile is about, by the paths of their own profiles where the run has
    these, else by its path and their numbers."""
    look = asked.rank(named, reads=reads)
    if look.profile is None:
        failure = look.failure and described(look.failure)
        others = [{"profile": named.path, "state": look.state, "failure": failure}]
        return Job({}, others, look.read, look.total)
    own: dict[int, str] = {}
    for files in listed:
        summary = asked.rank(files, reads=False).profile
        rank = files.rank if summary is None else summary.rank
        if files.source is not Source.CLUSTER and rank >= 0:
            own.setdefault(rank, files.path)
    ranks = {own.get(rank.rank, f"{named.path}#{rank.rank}"): rank for rank in ranks_of(look.profile)}
    return Job(ranks, [], look.read, look.total, (named.wall_time, look.total))


def has_ranks(asked: Asked, files: ProfileFiles, profile: Profile) -> bool:
    """Whether other profiles of the run are of other ranks of the same job, or may be."""
    if files.source is Source.CLUSTER:
        return len(ranks_of(profile)) > 1
    profiles = asked.profiles
    processes = processes_of(profiles.listing([files.run]), files)
    return may_be_ranks(profile, [(one, profiles.held(one)) for one in processes if one.path != files.path])
