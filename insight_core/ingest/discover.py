"""Discovers runs and files in logdirs, by the naming rules of TensorBoard, MindInsight and plugins."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from attrs import frozen

from insight_core.formats.batch import Flaw, unreadable
from insight_core.ingest.beginnings import Beginnings
from insight_core.ingest.file_order import order_of, settle_ties
from insight_core.ingest.file_patterns import (
    AwaitedFile,
    Directory,
    FileNames,
    Match,
)
from insight_core.ingest.file_runs import all_runs, taken
from insight_core.ingest.found import Found, FoundFile, FoundStore
from insight_core.ingest.links import Links, leads_back
from insight_core.ingest.listing import DirectoryListing
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import file_version
from insight_core.ingest.suspects import TOGETHER, Suspects, is_claimed
from insight_core.ingest.walk import Walk
from insight_core.plugin import Dialect, LogFormat
from insight_core.store.held_file import NamedFile
from insight_record.formats.reason import Reason, ReasonKind, system_reason

# TensorBoard reads every file with `tfevents` in its name; MindInsight every one with `summary.<digits>`.
_MINDSPORE = re.compile(r"summary\.\d+")
# Names that writers give to files; a directory called just `tfevents` is not reported.
_EVENT_FILE_NAME = re.compile(r"(tfevents|summary)\.\d+")
_LINEAGE_SUFFIX = "_lineage"
_BESIDE_EVENTS = (_LINEAGE_SUFFIX, "_explain")
# Graph files that MindSpore writes; of other .pb files (saved models, profiles) plugins know more.
_MINDSPORE_GRAPH = re.compile(r"ms_output_.*\.pb$")
_LEADS_NOWHERE = Reason("a symbolic link that leads nowhere", "link_broken")
_LEADS_OUT = Reason(
    "a symbolic link to a place outside of the logdirs is not followed; link that place directly in a logdir "
    "or give --follow-symlinks",
    "link_outside",
)
_LEADS_BACK = Reason("a symbolic link that leads back to a directory above it", "link_loop")
_NAMED_LIKE_FILE = Reason("a directory that is named like an event file", "directory_named_like_file")
_NO_NAMES = FileNames()
_DIRECTORY_UNREADABLE = ReasonKind("directory_unreadable", "the directory cannot be read: {cause}")


def printable(path: str) -> str:
    """``path`` with bytes that are not UTF-8 written as ``\\xNN``."""
    if path.isascii():
        return path
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def discover(
    logdirs: Sequence[Logdir],
    names: FileNames = _NO_NAMES,
    beginnings: Beginnings | None = None,
    *,
    follow_symlinks: bool = False,
    counts_unread: bool = False,
) -> Found:
    """Walks every directory below the logdirs, each once for each logdir.

    ``names`` are patterns of files that plugins claim; ``beginnings`` caches the checks of their first bytes.
    Symbolic links are followed as docs/reference/formats.md says, and with ``follow_symlinks`` wherever they
    lead. With ``counts_unread`` files that nothing reads are counted.
    """
    found = Found()
    beginnings = Beginnings() if beginnings is None else beginnings
    prefixes = run_prefixes(logdirs)
    links = Links([logdir.path for logdir in logdirs], everywhere=follow_symlinks)
    suspects = Suspects(beginnings)
    walked: list[tuple[str, _Walked]] = []
    for logdir, prefix in zip(logdirs, prefixes, strict=True):
        if not os.path.isdir(logdir.path):
            found.missing.append(logdir.path)
            continue
        walked.append(
            (prefix, _walk(logdir, prefix, names, links, suspects, found, counts_unread=counts_unread))
        )
    for prefix, one in walked:
        _add_named(found, prefix, one, links, beginnings)
    settle_ties(found.files, beginnings)
    beginnings.forget_others()
    return found


def may_count_below(logdirs: Sequence[Logdir], names: FileNames = _NO_NAMES) -> Callable[[str], bool]:
    """A function that returns whether a change of the file at a path is relevant."""
    roots = [os.path.join(logdir.path, "") for logdir in logdirs]

    def counts(path: str) -> bool:
        return may_count(os.path.basename(path)) or any(
            path.startswith(root) and is_claimed(names, path, path[len(root) :]) for root in roots
        )

    return counts


def run_prefixes(logdirs: Sequence[Logdir]) -> list[str]:
    """The run name prefix of each logdir: empty for a single logdir, else a unique name."""
    prefixes: list[str] = []
    for logdir in logdirs:
        prefix = logdir.name or ("" if len(logdirs) == 1 else Path(logdir.path).resolve().name or "root")
        candidate, number = printable(prefix), 2
        while candidate and candidate in prefixes:
            candidate, number = f"{prefix}~{number}", number + 1
        prefixes.append(candidate)
    return prefixes


def run_name(prefix: str, relative: str) -> str:
    """The run of the directory at a path relative to a logdir, by the prefix of the logdir."""
    shown = printable(relative)
    return f"{prefix}/{shown}" if prefix and shown else prefix or shown or "."


def dialect_of(name: str) -> Dialect:
    """The dialect that the name of an event file suggests."""
    return Dialect.TENSORBOARD if "tfevents" in name else Dialect.MINDSPORE


@frozen
class _Walked:
    """The open decisions after the walk of one logdir; they need the walks of all logdirs."""

    awaited: Sequence[AwaitedFile]
    holding: set[str]  # directories that hold event files


def _walk(
    logdir: Logdir,
    prefix: str,
    names: FileNames,
    links: Links,
    suspects: Suspects,
    found: Found,
    *,
    counts_unread: bool,
) -> _Walked:
    root = logdir.path
    walk = Walk(root)
    holding: set[str] = set()
    awaited: list[AwaitedFile] = []
    outside: list[tuple[str, str]] = []  # links to directories: the directory that has it, and its name

    for relative, listed in _listed(walk, prefix, names, found):
        run = run_name(prefix, relative)
        directory = Directory(names, relative) if names else None
        undecided: list[tuple[AwaitedFile, Sequence[Match]]] = []
        for entry in listed:
            name = f"{relative}/{entry.name}" if relative else entry.name
            matches: Sequence[Match] = ()
            suspecting: Sequence[Match] = ()
            try:
                is_directory = entry.is_dir()
                if not is_directory:
                    if directory is not None and not _is_event_file(entry.name):
                        matches = directory.matches(entry.name)
                        suspecting = suspects.asked(entry.name, directory.suspects(entry.name, matches))
                    if not (matches or suspecting or may_count(entry.name) or entry.is_symlink()):
                        if counts_unread:
                            found.leave_out(entry.path)
                        continue
                info = entry.stat() if not is_directory else None
            except FileNotFoundError:
                if entry.is_symlink() and _is_event_file(entry.name):
                    _note(found, run, printable(name), _LEADS_NOWHERE)
                elif entry.is_symlink() and matches:
                    awaited.append(AwaitedFile(entry.path, name, matches, None, _LEADS_NOWHERE))
                continue
            except OSError as error:
                if _is_event_file(entry.name) or entry.is_symlink():
                    _note(found, run, printable(name), unreadable(error))
                continue
            if info is None:
                is_link = entry.is_symlink()
                if is_link and leads_back(entry.path, root, relative):
                    _note(found, run, printable(name), _LEADS_BACK)
                    continue
                if is_link and not links.follow(entry.path):
                    found.not_followed.append(entry.path)
                    outside.append((relative, name))
                    continue
                if _EVENT_FILE_NAME.search(entry.name):
                    _note(found, run_name(prefix, name), printable(name), _NAMED_LIKE_FILE)
                walk.add(entry.path, name, is_link=is_link)
            elif stat.S_ISREG(info.st_mode):
                if may_count(entry.name) and entry.is_symlink() and not links.follow(entry.path):
                    if _is_event_file(entry.name):
                        found.not_followed.append(entry.path)
                        _note(found, run, printable(name), _LEADS_OUT)
                elif _add_file(found, logdir, run, entry.path, name, entry.name, info):
                    holding.add(relative)
                if not matches and not suspecting:
                    continue
                file = AwaitedFile(entry.path, name, matches, info, is_link=entry.is_symlink())
                if suspecting and not (file.is_link and not links.lead_inside(entry.path)):
                    undecided.append((file, suspecting))
                elif matches:
                    awaited.append(file)
                if len(undecided) == TOGETHER:
                    awaited += _decided(undecided, suspects, found)
                    undecided.clear()
        if undecided:
            awaited += _decided(undecided, suspects, found)
    for relative, name in outside:
        if relative not in holding:  # below a run, links lead to checkpoints and data sets
            _note(found, run_name(prefix, relative), printable(name), _LEADS_OUT)
    return _Walked(awaited, holding)


def _listed(
    walk: Walk, prefix: str, names: FileNames, found: Found
) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """The entries of each directory of a walk, by its path relative to the logdir."""
    with DirectoryListing(lambda name: may_count(name) or names.may_match(name), walk.upcoming) as listing:
        for path, relative in walk:
            try:
                listed = listing.entries(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                reason = _DIRECTORY_UNREADABLE(cause=system_reason(error))
                _note(found, run_name(prefix, relative), printable(relative) or ".", reason)
                continue
            yield relative, listed


def _decided(
    undecided: Sequence[tuple[AwaitedFile, Sequence[Match]]], suspects: Suspects, found: Found
) -> list[AwaitedFile]:
    """The files that begin as a plugin wants; the others are read by nobody."""
    accepted = suspects.decide(undecided)
    paths = {one.path for one in accepted}
    for file, _ in undecided:
        if file.path not in paths and not may_count(os.path.basename(file.path)):
            found.leave_out(file.path)
    return accepted


def _add_named(found: Found, prefix: str, walked: _Walked, links: Links, beginnings: Beginnings) -> None:
    awaited, holding = walked.awaited, walked.holding
    for each in awaited:
        # a link could expose any file that is not a log
        if each.is_link and not links.lead_inside(each.path):
            each.info, each.reason = None, _LEADS_OUT
    for each in awaited:
        _take_store(found, prefix, each, beginnings)
    of_stores = tuple(  # directories that are a store, and so are the run of the store
        f"{above}/"
        for store in found.stores
        if store.prefix == prefix and (above := os.path.dirname(store.name)) != store.directory
    )

    def tells(each: AwaitedFile, accepts: Callable[[bytes], bool]) -> bool:
        if each.info is None or each.name.startswith(of_stores):
            return False
        return beginnings.say(each.path, each.info, accepts)

    runs = all_runs(awaited, holding, tells)
    in_order = cache(lambda: sorted(runs))  # of the few files that are of the runs below
    named: list[NamedFile] = []
    for each in awaited:
        begins_like = partial(_begins_like, each, beginnings)
        files = taken(each, holding, runs, in_order, begins_like)
        if each.matches and not files:
            found.leave_out(each.path)
        for file in files:
            run = run_name(prefix, file.directory)
            if each.info is None:
                _note(found, run, printable(each.name), each.reason)
                continue
            info = each.info
            found.runs[run] = max(found.runs.get(run, 0.0), info.st_mtime)
            if file.format is not None:
                _add_log(found, run, each, file.tag, file.format, info)
            claims = tuple(one for one in file.claims if file.format is None or not one[1].beside)
            if not claims:
                continue
            named.append(
                NamedFile(
                    run,
                    each.path,
                    printable(each.name),
                    printable(file.tag),
                    claims,
                    info.st_size,
                    info.st_mtime_ns,
                )
            )
    there = {(one.run, os.path.basename(one.path_in_run)) for one in named}
    for one in named:
        claims = tuple(
            (plugin, claim)
            for plugin, claim in one.claims
            if not claim.beside or (one.run, claim.beside) in there
        )
        if claims:
            found.named[(one.run, one.path)] = one._replace(claims=claims)


def _take_store(found: Found, prefix: str, awaited: AwaitedFile, beginnings: Beginnings) -> None:
    """Notes the file as a store if a store format accepts it; leaves the patterns of other claims."""
    stores = [match for match in awaited.matches if match[0].store is not None]
    if not stores:
        return
    awaited.matches = [match for match in awaited.matches if match[0].store is None]
    for pattern, above in stores:
        makes_run = pattern.claim.makes_run
        if awaited.info is None or not (
            makes_run if isinstance(makes_run, bool) else _begins_like(awaited, beginnings, makes_run)
        ):
            continue
        directory = "/".join(awaited.name.split("/")[: above[0]])
        assert pattern.store is not None
        found.stores.append(
            FoundStore(awaited.path, printable(awaited.name), prefix, directory, pattern.store)
        )
        return
    if not awaited.matches:
        found.leave_out(awaited.path)


def _begins_like(awaited: AwaitedFile, beginnings: Beginnings, tells: Callable[[bytes], bool]) -> bool:
    """A file that cannot be read counts: the reason is listed."""
    if awaited.info is None or beginnings.say(awaited.path, awaited.info, tells):
        return True
    return not os.access(awaited.path, os.R_OK)


def _add_log(
    found: Found, run: str, awaited: AwaitedFile, tag: str, log_format: LogFormat, info: os.stat_result
) -> None:
    """Notes a file that a log format reads, before the event files of the run."""
    file = FoundFile(
        run,
        awaited.path,
        printable(awaited.name),
        (-1.0, tag),
        Dialect.TENSORBOARD,
        file_version(info),
        log_format,
    )
    if log_format.newest_only:
        others = [key for key, other in found.files.items() if key[0] == run and other.format is log_format]
        for key in others:
            if _age(found.files[key]) > _age(file):
                return
            del found.files[key]
    found.files[(run, awaited.path)] = file


def _age(file: FoundFile) -> tuple[int, list[int]]:
    """A sort key: modification time, then the numbers in the name."""
    return file.mtime_ns, [int(digits) for digits in re.findall(r"\d+", file.order[1])]


def _note(found: Found, run: str, file: str, reason: str) -> None:
    found.damage[(run, file)] = Flaw(0, reason)
    found.runs.setdefault(run, 0.0)


def may_count(name: str) -> bool:
    """Whether a file of this name may be an event file."""
    return "tfevents" in name or "summary." in name or name.endswith(".pb")


def _is_event_file(name: str) -> bool:
    if name.endswith(_BESIDE_EVENTS):
        return False
    return "tfevents" in name or _MINDSPORE.search(name) is not None


def _add_file(
    found: Found, logdir: Logdir, run: str, path: str, relative: str, name: str, info: os.stat_result
) -> bool:
    """Adds an event file; returns whether its directory is a run, also if the dialect is excluded."""
    is_event_file = _is_event_file(name)
    lineage = name.endswith(_LINEAGE_SUFFIX) and _MINDSPORE.search(name)
    if not (is_event_file or lineage or _MINDSPORE_GRAPH.search(name)):
        return False
    dialect = dialect_of(name)
    if dialect not in logdir.dialects:
        return True
    if is_event_file:
        found.files[(run, path)] = FoundFile(
            run, path, printable(relative), order_of(name), dialect, file_version(info)
        )
    found.runs[run] = max(found.runs.get(run, 0.0), info.st_mtime)
    return True
