"""Store formats: how a plugin translates the runs that another tracker stored to event files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import Attribute, Factory, field, frozen

from insight_core.formats.batch import Flaw
from insight_core.plugin.claims import FileName
from insight_core.references import name_of, reference


@frozen(eq=False)
class Translation:
    """The state of a store after one call of ``StoreFormat.translate``.

    Parameters
    ----------
    runs : mapping of str to str
        Names of runs by directory below ``target``. A name is relative to the directory of the store, and
        empty for that directory itself. The event files of a directory belong to its run.
    is_done : bool
        False: there is more to translate, and ``translate`` is called again immediately.
    watched : sequence of str
        Paths of the files and directories that decide whether there is something new. By default the file
        of the store alone. A path need not exist yet.
    flaws : sequence of (str, Flaw)
        All damage of the store that is known now, each with the name of a run, empty for the whole store.
    tail : sequence of (str, Flaw)
        Likewise, damage at the end of the store that vanishes if it is only being written, such as a record
        that is not whole. It is listed once the store rests, as that of event files is.
    """

    runs: Mapping[str, str]
    is_done: bool = True
    watched: Sequence[str] = ()
    flaws: Sequence[tuple[str, Flaw]] = Factory(tuple)
    tail: Sequence[tuple[str, Flaw]] = Factory(tuple)


def _check_name(store_format: StoreFormat, attribute: Attribute[str], name: str) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError("a store format needs a name")


def _files(given: FileName | Iterable[FileName]) -> tuple[FileName, ...]:
    return (given,) if isinstance(given, FileName) else tuple(given)


def _check_files(store_format: StoreFormat, attribute: Attribute[Any], files: tuple[FileName, ...]) -> None:
    if not files or not all(isinstance(each, FileName) for each in files):
        raise ValueError("the files of a store format are one or more FileName claims")
    if any(each.step for each in files):
        raise ValueError("a store format says the steps itself: its files have no step=")


def _check_translate(store_format: StoreFormat, attribute: Attribute[Any], translate: Any) -> None:  # noqa: ANN401
    name_of(translate)


@frozen(eq=False)
class StoreFormat:
    """A format in which another tracker stores runs: a database, a binary log, a tree of files.

    Where a ``LogFormat`` gives numbers of one run, a store may hold many runs, with texts, pictures and
    hyperparameters, and need not grow at its end. ``translate`` writes what it holds as event files, which
    the host reads and follows like any others.

    Parameters
    ----------
    name : str
        Unique among the formats; shown where reading fails.
    files : FileName or iterable of FileName
        Which file stands for a store. The directory from which the pattern counts is the directory of the
        store: ``*/meta.yaml`` makes it the one above. ``makes_run`` decides by the beginning of a file
        whether it is a store.
    translate : callable or str
        ``translate(source, target) -> Translation``, or its name, ``"package.module:name"``. ``source`` is
        the path of the file. ``target`` is a directory outside of every logdir that belongs to this store
        alone; it is empty at first and kept for later starts, with what ``translate`` wrote there.

        It is called in a worker process (``insight_core.plugin.worker``), so it must be a function of a
        module. A call writes some MiB at most and returns within 30 s, or its process is ended; it has 1 GiB
        of memory. It appends to event files below ``target`` and keeps there what it needs to go on. It is
        called again when a watched file has changed, and at every start; it never opens the store for
        writing. What it raises is listed as damage, and it is called again when a watched file has changed,
        but not after three calls in a row that a limit ended.
    version : int
        Raise it when ``translate`` makes something else of the same store: ``target`` is then empty again.
    """

    name: str = field(validator=_check_name)
    files: tuple[FileName, ...] = field(converter=_files, validator=_check_files)
    translate: Callable[[str, Path], Translation] = field(converter=reference, validator=_check_translate)
    version: int = 1
