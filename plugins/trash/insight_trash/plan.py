"""Plans what to move for a run, or says why nothing can be moved."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from insight_core.plugin import InsightError, NotFound, ReasonKind
from insight_core.plugin.data import DataProvider, RunFile

_NO_FILES = ReasonKind("trash_no_files", "no files of run {run!r} are found")


class NotMoved(InsightError):
    """The files of a run are not moved to the trash, and why."""

    status = 409

    def __init__(self, text: str, code: str, **details: str | int) -> None:
        shown = {name: _printable(one) if isinstance(one, str) else one for name, one in details.items()}
        super().__init__(_printable(text), code=code, **shown)


def _printable(text: str) -> str:
    """Bytes of file names that are not UTF-8 as ``\\xNN``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@frozen
class Plan:
    """The files to move for a run: its whole directory, or single files if other runs are below it.

    Paths are real ones: no directory on the way to them is a symbolic link. Links are moved as links.
    """

    run: str
    directory: str
    paths: tuple[str, ...]  # what is moved: the directory, or files in it
    nested: tuple[str, ...]  # other runs in the directory
    files: tuple[str, ...]  # all that goes with it
    size: int  # bytes
    written: float  # last change of a file, seconds since the epoch

    def row(self) -> dict[str, object]:
        """For the page."""
        return {
            "run": self.run,
            "directory": _printable(self.directory),
            "whole": self.is_whole,
            "nested": len(self.nested),
            "files": len(self.files),
            "bytes": self.size,
            "written": self.written,
        }

    @property
    def is_whole(self) -> bool:
        """Whether the directory is moved with all that is in it."""
        return self.paths == (self.directory,)

    @property
    def version(self) -> str:
        """Another one if other files would be moved."""
        text = "\0".join((self.run, *self.paths, "", *self.files))
        return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def plan_of(data: DataProvider, run: str) -> Plan:
    """Finds what would be moved now. Raises NotFound without files of such a run, and NotMoved."""
    found = data.run_files()
    if found is None:
        raise _of_another_machine()
    own = [file for file in found if file.run == run and not file.is_store]
    if not own:
        raise NotFound(_NO_FILES(run=run))
    if any(file.location for file in own):
        raise _of_another_machine()
    directory, is_logdir = _directory_of(own)
    others = [file for file in found if file.run != run or file.is_store]
    places = {file: (_real(file.path), os.path.realpath(file.path)) for file in found}
    names = tuple(sorted({places[file][0] for file in own}))
    for name in names:
        if not _is_below(name, directory):
            raise NotMoved(f"{name} is not in the directory {directory}", code="trash_outside", path=name)
    nested = set()
    for file in others:
        if not {*places[file]}.isdisjoint(names):
            raise NotMoved(
                f"{file.path} is also read as run {file.run!r}",
                code="trash_shared",
                path=file.path,
                run=file.run,
            )
        if any(_is_below(place, directory) for place in (*places[file], _real(file.directory))):
            nested.add(file.run)
    is_whole = not nested and not is_logdir
    files = tuple(sorted(_files_below(directory))) if is_whole else names
    try:
        states = [os.lstat(name) for name in files]
    except OSError as error:
        raise _unreadable(error) from error
    return Plan(
        run,
        directory,
        (directory,) if is_whole else names,
        tuple(sorted(nested)),
        files,
        sum(state.st_size for state in states),
        max((state.st_mtime for state in states), default=0.0),
    )


def _directory_of(own: Sequence[RunFile]) -> tuple[str, bool]:
    """The real directory of a run, and whether it is a logdir. Raises NotMoved."""
    places = {(os.path.realpath(file.directory), os.path.realpath(file.logdir)) for file in own}
    if len({directory for directory, _ in places}) > 1:
        some = " and ".join(sorted(directory for directory, _ in places))
        raise NotMoved(f"the run is in several directories: {some}", code="trash_several", paths=some)
    for file in own:
        directory, logdir = os.path.realpath(file.directory), os.path.realpath(file.logdir)
        if not (directory == logdir or _is_below(directory, logdir)):
            raise NotMoved(
                f"{directory} is outside of the log directory {logdir}", code="trash_outside", path=directory
            )
        named = os.path.join(logdir, os.path.relpath(file.directory, file.logdir))
        if os.path.normpath(named) != directory:
            raise NotMoved(
                f"{file.directory} is reached by a symbolic link", code="trash_link", path=file.directory
            )
    return directory, directory in {logdir for _, logdir in places}


def _real(path: str) -> str:
    """The path with a real directory; the last part may be a link, which is moved as such."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _is_below(path: str, directory: str) -> bool:
    return path.startswith(os.path.join(directory, ""))


def _files_below(directory: str) -> Iterator[str]:
    """Everything in a directory that is not a directory itself; links are not followed. Raises NotMoved."""

    def fail(error: OSError) -> None:
        raise _unreadable(error) from error

    for place, directories, names in os.walk(directory, onerror=fail):
        links: Iterable[str] = (name for name in directories if os.path.islink(os.path.join(place, name)))
        for name in (*names, *links):
            yield os.path.join(place, name)


def _unreadable(error: OSError) -> NotMoved:
    cause = error.strerror or str(error)
    return NotMoved(f"{error.filename}: {cause}", code="trash_failed", path=str(error.filename), cause=cause)


def _of_another_machine() -> NotMoved:
    return NotMoved("the logs are not files that this host reads itself", code="trash_remote")
