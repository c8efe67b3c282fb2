"""Log formats: how a plugin reads files other than event files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, BinaryIO, TypeAlias

from attrs import Attribute, field, frozen
from numpy.typing import ArrayLike

from insight_core.checks import check_function
from insight_core.formats.batch import Flaw
from insight_core.plugin.claims import FileName
from insight_core.references import reference


@frozen(eq=False)
class Points:
    """Points of one tag, in the order of the file. One-dimensional columns of equal length.

    Parameters
    ----------
    tag : str
        Name of the series in its run, of one or more characters.
    steps : array_like of int64
    values : array_like of float64
        NaN and infinities are values as well.
    wall_times : array_like of float64, optional
        Seconds since the epoch, NaN where a time is unknown. None: all times are unknown.
    errors : array_like of float64, optional
        Standard errors of the values, NaN where one is unknown: Metrics draws them as error bars. They are
        kept as a series of their own, ``<tag>_stderr``; a log that has such a series needs nothing else.
    """

    tag: str
    steps: ArrayLike
    values: ArrayLike
    wall_times: ArrayLike | None = None
    errors: ArrayLike | None = None


@frozen(eq=False)
class Texts:
    """Texts of one tag, for the tab Text: Markdown, in the order of the file.

    ``steps`` and ``wall_times`` are those of Points, one of each for a text.
    """

    tag: str
    steps: ArrayLike
    texts: Sequence[str]
    wall_times: ArrayLike | None = None


@frozen(eq=False)
class Images:
    """Pictures of one tag, for the tab Images, in the order of the file.

    A picture is the content of an image file, or the path of one, relative to the directory of the log or
    below it: that file is read when someone looks at it, and has to stay as it is. ``steps`` and
    ``wall_times`` are those of Points. A picture that cannot be shown is listed as damage of the log.
    """

    tag: str
    steps: ArrayLike
    images: Sequence[bytes | str | PathLike[str]]
    wall_times: ArrayLike | None = None


@frozen(eq=False)
class HyperParameters:
    """What a run was started with, for the columns of runs: numbers, texts and booleans by name.

    A mapping may hold mappings: ``{"optimizer": {"lr": 0.1}}`` is ``optimizer/lr``. Later items add to
    earlier ones.
    """

    values: Mapping[str, Any]


Item: TypeAlias = Points | Texts | Images | HyperParameters | Flaw
ReadResult: TypeAlias = tuple[Iterable[Item], Any]


def _files(given: FileName | Iterable[FileName]) -> tuple[FileName, ...]:
    return (given,) if isinstance(given, FileName) else tuple(given)


def _check_name(log_format: LogFormat, attribute: Attribute[str], name: str) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError("a log format needs a name")


def _check_files(log_format: LogFormat, attribute: Attribute[Any], files: tuple[FileName, ...]) -> None:
    if not files or not all(isinstance(each, FileName) for each in files):
        raise ValueError("the files of a log format are one or more FileName claims")
    if any(each.step for each in files):
        raise ValueError("a log format says the steps itself: its files have no step=")


@frozen(eq=False)
class LogFormat:
    """A format of log files, read into series as the files grow.

    Parameters
    ----------
    name : str
        Unique among the formats; shown where reading fails.
    files : FileName or iterable of FileName
        Which files have this format. Where ``makes_run`` is a function, only files whose beginning it
        accepts are read, in directories that are runs anyway as well.
    read : callable or str
        ``read(stream, state) -> (items, state)``, or its name, ``"package.module:name"``, to be imported at
        the first file. It reads some MiB at most. ``stream`` is a binary file,
        ``stream.name`` its path, positioned where the last call left it; ``state`` is what the last call
        returned, None at the beginning of the file. Items are Points, Texts, Images, HyperParameters, and a
        Flaw for each malformed part: its offset in the file, a reason that names the line, and how many
        bytes are skipped.

        ``read`` leaves the stream behind the last byte it has dealt with, so that an unfinished last line
        is read again when the file has grown. It is called until it stays where it is or the file ends. A
        Flaw at or behind that place counts only if the file does not go on.

        The state has to be JSON of at most 64 KiB; it is kept in the index with what was read. A file that
        was replaced or truncated is read from its beginning. What ``read`` raises is listed as damage.
    version : int
        Raise it when ``read`` makes something else of the same file: indexes are then made again.
    newest_only : bool
        Of the files of a run that have this format only the one that was modified last is read: for
        formats that write their whole history into every file.
    runs_below : bool
        A file that no run is around is read for each run below its directory, if these are not too many.
    """

    name: str = field(validator=_check_name)
    files: tuple[FileName, ...] = field(converter=_files, validator=_check_files)
    read: Callable[[BinaryIO, Any], ReadResult] = field(converter=reference, validator=check_function)
    version: int = 1
    newest_only: bool = False
    runs_below: bool = False
