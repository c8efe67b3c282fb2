"""Declares formats of tables of metrics, and of files of settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve

from insight_core.plugin import FileName
from insight_core.plugin.log_formats import LogFormat
from insight_core.references import reference
from insight_log_tables.table import DeclaredTable

# a start of the host imports none of these
_BEGINS_LIKE = reference("insight_log_tables.beginnings:begins_like")
_IS_LOG = reference("insight_log_tables.beginnings:is_log")
_READ = reference("insight_log_tables.reading:read")
_READ_SETTINGS = reference("insight_log_tables.settings:read")


def log_table(
    name: str,
    files: FileName | str | Iterable[FileName | str],
    *,
    step: str | Sequence[str] = "step",
    time: str = "",
    time_unit: float = 1.0,
    sums_steps: bool = False,
    names: Mapping[str, str] | None = None,
    settings: Sequence[str] = (),
    without: Sequence[str] = (),
    needs: Sequence[str] = (),
    layout: str = "csv",
    rows: str = "",
    tag: str = "",
    unless: Sequence[str] = (),
    any_name: bool = False,
    most: int = 0,
    version: int = 1,
    newest_only: bool = False,
) -> LogFormat:
    r"""Declares a format of files with rows of numbers. They are read as they grow, and no point is lost.

    Parameters
    ----------
    name : str
        Unique among the formats.
    files : FileName or str, or several
        Which files have this format; a str is the pattern of a FileName. A file is only read if it begins as
        declared: with a column of steps, another one, and what it ``needs``.
    step : str or sequence of str
        The column of steps: of several names the first that a file has. Whole numbers; ``7/100`` is 7. Empty:
        rows are counted from 0.
    time : str
        The column of wall times: numbers in units of ``time_unit`` seconds since the epoch, or dates in ISO
        8601.
    sums_steps : bool
        The step of a row is the sum of this column so far: for lengths of episodes.
    names : mapping of str to str
        Tags by names of columns; one ``*`` stands for any text on both sides: ``{"eval_*": "eval/*"}``. The
        first name that matches counts. Columns without one keep their name.
    settings, without : sequence of str
        Columns, with wildcards, that hold hyperparameters (of the first row; what ``*`` stands for is the
        name), and columns that are not shown, such as identifiers.
    needs : sequence of str
        Columns, with wildcards, without which a file is not of this format; of an ``object`` keys, of which
        one is enough.
    layout : str
        ``csv``, ``tsv``; ``lines``: an object of JSON in each line; ``object``: one object, whose key
        ``rows`` is a list of rows, or which is the only row; ``columns``: one object of lists of equal
        length; ``one``: lines of time (optional), step and value, separated by tabs.
    tag : str
        A regular expression whose group, in the path of the file, stands before the names of columns; alone
        if it ends with such a name.
    unless : sequence of str
        Names of files in the same directory with the same values: where one is there, nothing is read.
    any_name : bool
        ``files`` say little: a file must look like a log of a training, with a column of a loss.
    most : int
        Bytes of a file beyond which it is not read, but damage; 0 for any size.
    version : int
        As that of LogFormat.
    newest_only : bool
        As that of LogFormat.
    """
    steps = (step,) if isinstance(step, str) and step else tuple(step)
    table = DeclaredTable(
        layout,
        steps,
        time,
        time_unit,
        sums_steps,
        dict(names or {}),
        tuple(settings),
        tuple(without),
        tuple(needs),
        rows,
        tag,
        tuple(unless),
        most,
    )
    accepts = partial(_IS_LOG if any_name else _BEGINS_LIKE, table)
    if any_name:
        claims = [FileName(one.pattern, begins=accepts) for one in _claims(files)]
    else:
        given = _claims(files, makes_run=accepts)
        claims = [one if one.makes_run is accepts else evolve(one, makes_run=accepts) for one in given]
    return LogFormat(name, claims, partial(_READ, table), version, newest_only)


def log_settings(
    name: str, files: str | FileName | Iterable[str | FileName], *, runs_below: bool = False, version: int = 1
) -> LogFormat:
    """Declares files of settings, which become hyperparameters of the run that their directory is.

    They make no run of their own. ``files`` are patterns; the suffix of a file says whether it is TOML or
    JSON, anything else is YAML. With ``runs_below`` those that no run is around are of the runs below. Names
    of nested settings are joined by dots. A file is read again when it changes. Texts whose names end like
    those of passwords and tokens are not shown.
    """
    return LogFormat(name, _claims(files, makes_run=False), _READ_SETTINGS, version, runs_below=runs_below)


def _claims(
    files: str | FileName | Iterable[str | FileName], makes_run: Callable[[bytes], bool] | bool = True
) -> list[FileName]:
    """The claims; a str is the pattern of one that makes a run, or not."""
    several = [files] if isinstance(files, (str, FileName)) else files
    return [FileName(one, makes_run=makes_run) if isinstance(one, str) else one for one in several]


def yaml_value(data: bytes) -> Any:  # noqa: ANN401 - any value
    """Reads YAML of others by PyYAML's rules; dates are texts, and keys of mappings are, too.

    Raises ValueError for a text that is not YAML, is nested too deeply, or has too many values.
    """
    from insight_log_tables import yaml_values  # loads a library

    return yaml_values.yaml_value(data)
