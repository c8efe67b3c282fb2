"""Discovers profiles among claimed files, by their names alone.

| profile | its files |
|---|---|
| a directory ``*_ascend_ms`` or ``*_ascend_pt`` | all claimed below it |
| a file ``*.xplane.pb`` | itself; traces of the same directory say the same, and are left out |
| a file ``*.pickle``: a memory snapshot | itself |
| dumps of torch's flight recorder, a file for each rank | those of a directory are one, ``flight_recorder`` |
| ``structured_logs/*.global_rank_N.*.jsonl``, a file for each start of a rank | a directory is one |
| what MindSpore wrote for MindInsight, in any directory | a profile for each rank |
| another database of an Ascend profiler | itself, its log, and ``analysis.db`` next to it |
| a directory of msprof, ``PROF_*`` | its database, else its text export, which says less |
| an export ``*.sqlite`` of Nsight Systems, ``*_results.db`` of ROCm, a trace of Perfetto | itself |
| what msprof-analyze found about the ranks of a job | those of a directory are one, of all ranks |
| collapsed stacks, a profile of speedscope or pprof | itself |
| any other file: a trace; its reader knows stacks and speedscope too | itself |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from insight_core.plugin.data import SeriesInfo
from insight_core.plugin.databases import SIDE_FILES
from insight_profiler.claims import (
    CLUSTER_FILES,
    FOLDED,
    NAMED_TRACE,
    NSIGHT,
    ROCPD,
    SNAPSHOTS,
    is_mindinsight,
)
from insight_profiler.model import Source

_ASCEND = {"_ascend_ms": Source.MINDSPORE, "_ascend_pt": Source.ASCEND}
_TORCH = re.compile(r"^(?P<worker>.*?)(\.\d+)?\.pt\.trace\.json(\.gz)?$")
_XPLANE = ".xplane.pb"
_PACKABLE = {
    ".pftrace": Source.PERFETTO,
    ".perfetto-trace": Source.PERFETTO,
    ".speedscope.json": Source.SPEEDSCOPE,
    ".pprof": Source.PPROF,
    **dict.fromkeys(FOLDED, Source.FOLDED),
}
_SINGLES = {  # sources by the end of a name
    NSIGHT: Source.NSIGHT,
    ROCPD: Source.ROCPD,
    ".pb.gz": Source.PPROF,
    ".prof": Source.PPROF,
    **{f"{name}{packed}": source for name, source in _PACKABLE.items() for packed in (".gz", "")},
}
_FOLDED = ".txt"  # of names that are not MindSpore's
_CLUSTER = frozenset(f"{name}{side}" for name in CLUSTER_FILES for side in ("", *SIDE_FILES))
_ASCEND_DATABASE = re.compile(r"(?:ascend_(?P<maker>pytorch|mindspore)_profiler|msprof_).*\.db")
_ANALYSIS = re.compile(r"(?:analysis|communication_analyzer)\.db")
_FLIGHT = re.compile(r"(?:(?:nccl|comm_lib)_trace_rank_\d+(?:\.(?:json|pickle|pkl))?|(?:^|/)rank_\d+)$")
_RANK_STEPS = re.compile(r"(?:^|/)structured_logs/[^/]*\.global_rank_\d+\.[^/]*\.jsonl$")
_RANK = re.compile(r"_(\d{1,9})(?:_detail_time|_type|_detail)?\.(?:csv|txt|json|ckpt)$")
_ADDITIONAL = re.compile(r"^(profiler_info_|step_trace_point_info)|strategy\.json$")
_DEVICE = re.compile(r"^PROF_[^/]*/device_(\d+)/")
_MSPROF = re.compile(r"^PROF_[^/]*/mindstudio_profiler_output/(?!msprof_slice)[a-z_]+_(\d{1,9})_")
_PROF = re.compile(r"(^|/)(PROF_[^/]*|mindstudio_profiler_output)/")
_EXPORT = "mindstudio_profiler_output/"  # of msprof, below PROF_*


@frozen
class File:
    """One file of a profile, and the series that it is."""

    tag: str
    size: int  # bytes; -1 where nobody looked
    wall_time: float  # of its last change, seconds since the epoch


@frozen
class ProfileFiles:
    """Where a profile is. ``path`` names it within its run: a directory, or a file, with ``#`` and the rank
    where a directory holds those of several. ``files`` are by their paths within it."""

    run: str
    path: str
    source: Source
    rank: int = -1
    files: Mapping[str, File] = field(factory=dict)

    @property
    def wall_time(self) -> float:
        """Modification time of the newest file, in seconds since the epoch; 0 without files."""
        return max((file.wall_time for file in self.files.values()), default=0.0)

    @property
    def name(self) -> str:
        """Its title in the page, in addition to the name of its run."""
        name = self.path.rpartition("/")[2]
        if name.partition("#")[0] == ".":  # the run's own directory
            name = self.run.rpartition("/")[2] + name[1:]
        torch = _TORCH.match(name)
        if torch:
            return torch["worker"] or name
        if self.source in (Source.FOLDED, Source.SPEEDSCOPE, Source.PPROF):
            return name  # a program writes several kinds of them with one name
        for ending in (_XPLANE, *_SINGLES, ".gz"):
            name = name.removesuffix(ending)
        return name


def profiles_of(series: Iterable[SeriesInfo]) -> list[ProfileFiles]:
    """The profiles among files that the plugin claims, by run and path."""
    by_run: dict[str, dict[str, File]] = {}
    for info in series:
        file = File(info.key.tag, -1, info.last_wall_time)
        by_run.setdefault(info.key.run, {})[info.key.tag] = file
    return [profile for run, files in sorted(by_run.items()) for profile in _of_run(run, files)]


def _of_run(run: str, files: Mapping[str, File]) -> list[ProfileFiles]:
    directories: dict[tuple[str, Source], dict[str, File]] = {}
    singles: list[ProfileFiles] = []
    with_xplane = {tag.rpartition("/")[0] for tag in files if tag.endswith(_XPLANE)}
    beside = {tag: file for tag, file in files.items() if tag.endswith(SIDE_FILES) or _is_analysis(tag)}
    in_databases = tuple({_export_of(tag) for tag in files if _is_of_msprof(tag)})
    for tag in sorted(files):
        if tag.startswith(in_databases) and not _is_of_msprof(tag) and tag not in beside:
            continue
        file = files[tag]
        where, _, name = tag.rpartition("/")
        if within := _ascend(tag):
            directory, source = within
            directories.setdefault((directory, source), {})[tag[len(directory) + 1 :]] = file
        elif name in _CLUSTER:
            directories.setdefault((where or ".", Source.CLUSTER), {})[name] = file
        elif tag in beside:
            continue
        elif database := _ASCEND_DATABASE.fullmatch(name):
            source = Source.MINDSPORE if database["maker"] == "mindspore" else Source.ASCEND
            singles.append(ProfileFiles(run, tag, source, files=_with_sides(tag, files, beside)))
        elif alone := next((one for end, one in _SINGLES.items() if tag.endswith(end)), None):
            own = {
                f"{name}{side}": files[f"{tag}{side}"]
                for side in ("", *SIDE_FILES)
                if f"{tag}{side}" in files
            }
            singles.append(ProfileFiles(run, tag, alone, files=own))
        elif tag.endswith(_XPLANE):
            singles.append(ProfileFiles(run, tag, Source.XPLANE, files={name: file}))
        elif _FLIGHT.search(tag):
            directories.setdefault((f"{where}/flight_recorder".lstrip("/"), Source.FLIGHT), {})[name] = file
        elif _RANK_STEPS.search(tag):
            directories.setdefault((where, Source.RANK_STEPS), {})[name] = file
        elif tag.endswith(SNAPSHOTS):
            singles.append(ProfileFiles(run, tag, Source.SNAPSHOT, files={name: file}))
        elif is_mindinsight(tag):
            prof = _PROF.search(tag)
            directory = tag[: prof.start()] if prof else where
            inner = tag[len(directory) :].lstrip("/")
            if prof and _EXPORT in inner and _rank_of(inner) is None:  # it does not say of which device
                directory, inner = tag[: prof.end() - 1], tag[prof.end() :]
            directories.setdefault((directory or ".", Source.MINDINSIGHT), {})[inner] = file
        elif tag.endswith(_FOLDED) and NAMED_TRACE not in name:
            singles.append(ProfileFiles(run, tag, Source.FOLDED, files={name: file}))
        elif where not in with_xplane:
            source = Source.TORCH if _TORCH.match(name) else Source.CHROME
            singles.append(ProfileFiles(run, tag, source, files={name: file}))
    found = list(singles)
    for (directory, source), inside in directories.items():
        if source is not Source.MINDINSIGHT:
            found.append(ProfileFiles(run, directory, source, files=inside))
        else:
            found += _by_rank(run, directory, inside)
    return sorted(found, key=lambda profile: (profile.path, profile.rank))


def _ascend(tag: str) -> tuple[str, Source] | None:
    """The outermost directory around a file that MindSpore or torch_npu made."""
    parts = tag.split("/")[:-1]
    for place, part in enumerate(parts):
        for ending, source in _ASCEND.items():
            if part.endswith(ending):
                return "/".join(parts[: place + 1]), source
    return None


def _is_analysis(tag: str) -> bool:
    return _ANALYSIS.fullmatch(tag.rpartition("/")[2]) is not None


def _with_sides(tag: str, files: Mapping[str, File], beside: Mapping[str, File]) -> dict[str, File]:
    """A database with its logs, and with the analysis in its directory."""
    where = tag[: tag.rfind("/") + 1]
    own = {tag, *(f"{tag}{side}" for side in SIDE_FILES)}
    chosen = [
        other
        for other in (tag, *beside)
        if other in own or (other.startswith(where) and _ANALYSIS.fullmatch(other[len(where) :]))
    ]
    return {other[len(where) :]: files[other] for other in chosen}


def _is_of_msprof(tag: str) -> bool:
    """Whether a file is a database of msprof itself."""
    database = _ASCEND_DATABASE.fullmatch(tag.rpartition("/")[2])
    return database is not None and database["maker"] is None


def _export_of(tag: str) -> str:
    """Where a database of msprof has the same as text: next to it, or in its own directory."""
    where = tag[: tag.rfind("/") + 1]
    return where if f"/{where}".endswith(f"/{_EXPORT}") else f"{where}{_EXPORT}"


def _by_rank(run: str, directory: str, files: Mapping[str, File]) -> list[ProfileFiles]:
    """A profile for each rank; files that name none belong to all."""
    ranks: dict[int, dict[str, File]] = {}
    shared: dict[str, File] = {}
    for name, file in files.items():
        rank = _rank_of(name)
        (shared if rank is None else ranks.setdefault(rank, {}))[name] = file
    if not ranks:
        return [ProfileFiles(run, directory, Source.MINDINSIGHT, files=shared)] if _says(shared) else []
    return [
        ProfileFiles(
            run,
            directory if len(ranks) == 1 else f"{directory}#{rank}",
            Source.MINDINSIGHT,
            rank,
            {**shared, **own},
        )
        for rank, own in sorted(ranks.items())
        if _says(own)
    ]


def _rank_of(name: str) -> int | None:
    for pattern in (_DEVICE, _MSPROF, _RANK):
        if match := pattern.search(name):
            return int(match[1])
    return None


def _says(files: Sequence[str] | Mapping[str, File]) -> bool:
    """Whether there is more than the sheet that goes with a profile."""
    return any(not _ADDITIONAL.search(name) for name in files)
