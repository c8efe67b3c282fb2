"""Translates ``*.runhistory.parquet``, a history that W&B's ``Run.download_history_exports`` downloaded.

The wandb package names the files ``<entity>_<project>_<run>_<number>.runhistory.parquet``; the numbers do not
say which of them has the first steps. W&B's settings and summary are other files of the run, which users may
download, too: they are read next to the history of one run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_core.plugin.log_tables import yaml_value
from insight_importers.cells import cell_of, config_cells, flat_leaves, loaded, number_of
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles
from insight_importers.odd_values import contained
from insight_importers.side_files import content_of, open_file
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_values import with_files, write_value

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError:
    pa = None

_NAME = re.compile(r"(?P<run>.+)_(?P<number>\d+)\.runhistory\.parquet")
_KEY = "run"
_STEP, _TIME = "_step", "_timestamp"
_NOT_SHOWN = {_STEP, _TIME, "_runtime", "_wandb"}
_MOST_CELLS = 4 << 20  # of a call, and of columns that are read together
_LEAST_CELLS = 2_000  # that a column counts for: a tag costs time, too
_MOST_ROWS = 4 << 20  # of a row group, which is read whole
_MOST_COLUMNS = 20_000  # of a history
_COLUMNS = 200  # that are read together at most
_DEEPEST = 20
_SIDE = ("config.yaml", "wandb-summary.json", "wandb-metadata.json")
_LARGEST = 4 << 20  # bytes of one of these
_FILES = {"image-file", "images/separated", "html-file", "table-file", "plotly-file", "video-file"}
_NO_PYARROW = Reason(
    "W&B's Parquet history needs pyarrow: pip install 'insight-host[parquet]'", "importers_no_pyarrow"
)
_PARQUET = ReasonKind("importers_parquet", "{file}: the Parquet data cannot be read: {cause}")
_NO_STEPS = ReasonKind("importers_parquet_steps", "{file} has no column _step of numbers")
_ROWS = ReasonKind(
    "importers_parquet_rows", "{file}: a row group of {rows:,} rows is not read; the most are {most:,}"
)
_MORE = ReasonKind(
    "importers_parquet_columns", "{file}: {more:,} columns after the first {most:,} are not read"
)
_NO_MEDIA = ReasonKind(
    "importers_parquet_media",
    "values of {tag!r} in media files that are not next to the history: {count:,}",
)
_SIDE_FILE = ReasonKind("importers_side_file", "{file}: {cause}")


def translate(source: str, target: Path) -> Translation:
    """Reads some row groups more. The first file of a run stands for it; the others are stores without runs.

    Raises OSError, and ValueError without pyarrow.
    """
    made = TranslatedRuns(target)
    directory = os.path.dirname(source)
    runs = _histories(directory, os.stat(directory).st_mtime_ns)
    found = _NAME.fullmatch(os.path.basename(source))
    name = found["run"] if found else os.path.basename(source).removesuffix(".runhistory.parquet")
    paths = [os.path.join(directory, one) for one in runs.get(name, ())] or [source]
    watched = [*paths, directory, *(os.path.join(directory, one) for one in _SIDE)]
    if paths[0] != source:
        made.start_anew()
        return made.finish(watched=watched)
    if pa is None:
        raise ValueError(_NO_PYARROW)
    versions = [_version(path) for path in paths]
    known = made.state.get("versions", [])
    if known != versions[: len(known)]:
        made.start_anew()
    made.state["versions"] = versions
    run, flaws = made.run(_KEY, name), list[Flaw]()
    history = _History(run, made, Path(directory))
    is_done = history.read_more(paths)
    facts = run.facts
    facts.origin = {"tracker": "W&B", "name": name}
    facts.started = float(made.state.get("started", 0.0))
    if len(runs) <= 1:
        _take_side_files(run, Path(directory), made.state.get("tags", []), flaws)
    flaws += [
        Flaw(0, _NO_MEDIA(tag=tag, count=count)) for tag, count in made.state.get("missing", {}).items()
    ]
    return made.finish(is_done=is_done, watched=watched, flaws=[(name, flaw) for flaw in flaws])


@lru_cache(maxsize=16)
def _histories(directory: str, mtime_ns: int) -> Mapping[str, Sequence[str]]:
    """Names of files by run, by number. They are listed again when one is added."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in os.listdir(directory):
        parts = _NAME.fullmatch(name)
        if parts is not None:
            found.setdefault(parts["run"], []).append((int(parts["number"]), name))
    return {run: [name for _, name in sorted(names)] for run, names in found.items()}


def _version(path: str) -> list[int]:
    info = os.stat(path)
    return [info.st_ino, info.st_size, info.st_mtime_ns]


class _History:
    """Row groups of the files of a run, one after the other, some columns at a time.

    The state says by file how many row groups are written, and how many columns of the next one.
    """

    def __init__(self, run: ImportedRun, made: TranslatedRuns, directory: Path) -> None:
        self._run, self._made, self._files = run, made, MediaFiles(directory)
        self._state = made.state
        for key, empty in (("done", {}), ("missing", {}), ("tags", [])):
            self._state.setdefault(key, empty)
        self._tags = set(self._state["tags"])
        self._cells = 0

    def read_more(self, paths: Sequence[str]) -> bool:
        """Writes the values of the next row groups; returns whether these are the last."""
        for path in paths:
            name = os.path.basename(path)
            done: list[int] = self._state["done"].setdefault(name, [0, 0])
            if done[0] < 0:
                continue
            try:
                with open_file(path) as file, pq.ParquetFile(file, pre_buffer=False) as table:
                    while done[0] < table.num_row_groups:
                        self._read_group(table, done, name)
                        self._state["tags"] = sorted(self._tags)
                        if self._cells >= _MOST_CELLS:
                            return False
            except pa.ArrowMemoryError:
                raise MemoryError from None
            except (pa.ArrowException, OSError, ValueError) as error:
                self._note(_PARQUET(file=name, cause=str(error).partition("\n")[0]))
            done[0] = -1  # all of it; another version of the file begins anew
        return True

    def _note(self, reason: Reason) -> None:
        self._made.note(self._run.name, Flaw(0, reason))

    def _read_group(self, table: pq.ParquetFile, done: list[int], file: str) -> None:
        """Reads columns of a row group until there are enough of a call, and counts what is ``done``."""
        group, column = done
        rows = table.metadata.row_group(group).num_rows
        schema = table.schema_arrow
        done[:] = [group + 1, 0]
        if rows > _MOST_ROWS:
            self._note(_ROWS(file=file, rows=rows, most=_MOST_ROWS))
            return
        if _STEP not in schema.names or not _is_number(schema.field(_STEP).type):
            self._note(_NO_STEPS(file=file))
            return
        names = [name for name in dict.fromkeys(schema.names) if name not in _NOT_SHOWN]
        if len(names) > _MOST_COLUMNS:
            self._note(_MORE(file=file, more=len(names) - _MOST_COLUMNS, most=_MOST_COLUMNS))
        axes = [name for name in (_STEP, _TIME) if name in schema.names]
        columns = table.read_row_group(group, axes, use_threads=False)
        steps = _numbers(columns[_STEP])
        is_row = np.isfinite(steps) & (np.abs(steps) < 2.0**63)
        when = np.full(rows, np.nan)
        if _TIME in axes and _is_number(schema.field(_TIME).type):
            when = _numbers(columns[_TIME])
            if np.isfinite(when).any():
                first = float(np.nanmin(when[np.isfinite(when)]))
                self._state["started"] = min(self._state.get("started", first), first)
        at = np.where(is_row, steps, 0).astype(np.int64)
        together = min(_COLUMNS, max(1, _MOST_CELLS // max(rows, 1)))
        for first in range(column, min(len(names), _MOST_COLUMNS), together):
            if self._cells >= _MOST_CELLS:
                done[:] = [group, first]
                return
            some = names[first : first + together]
            read = table.read_row_group(group, some, use_threads=False)
            for name in some:
                for tag, column in _leaves(name, read[name].combine_chunks(), 0):
                    self._write(tag, column, at, when, is_row)
            self._cells += max(rows, _LEAST_CELLS) * len(some)

    def _write(self, tag: str, column: pa.Array, steps: Any, times: Any, is_row: Any) -> None:  # noqa: ANN401
        """Writes the values of a column, where it has some."""
        is_there = is_row & column.is_valid().to_numpy(zero_copy_only=False)
        if not is_there.any():
            return
        self._tags.add(tag)
        if _is_number(column.type):
            chosen = _numbers(column)[is_there]
            self._run.scalars(tag, steps[is_there], times[is_there], chosen)
            self._run.facts.last_step = max(self._run.facts.last_step, int(steps[is_there].max()))
            return
        rows = np.flatnonzero(is_there)
        for row, value in zip(rows.tolist(), column.take(pa.array(rows)).to_pylist(), strict=True):
            step, when = int(steps[row]), float(times[row])
            number = number_of(value)
            if number is not None:
                self._run.scalars(tag, [step], [when], [number])
            elif not self._is_missing(tag, step, value):
                with self._files.shown(lambda flaw: self._made.note(self._run.name, flaw), tag, step):
                    write_value(self._run, self._files, tag, step, when, with_files(tag, step, value))

    def _is_missing(self, tag: str, step: int, value: object) -> bool:
        """Whether a value is in files that were not downloaded; they are counted."""
        if not isinstance(value, dict) or value.get("_type") not in _FILES:
            return False
        paths = value.get("filenames") or [value.get("path")]
        if value["_type"] == "images/separated" and not value.get("filenames"):
            return False
        with contained(lambda _: None):
            if all(os.path.isfile(self._files.path(str(path))) for path in paths):
                return False
        missing = self._state["missing"]
        missing[tag] = missing.get(tag, 0) + 1
        return True


def _leaves(name: str, column: pa.Array, depth: int) -> Iterator[tuple[str, pa.Array]]:
    """Columns of nested values, named as W&B's API names them: ``a.b``. Media stay together."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if not pa.types.is_struct(kind) or depth == _DEEPEST or "_type" in (field.name for field in kind):
        yield name, column
        return
    for field, inner in zip(kind, column.flatten(), strict=True):
        yield from _leaves(f"{name}.{field.name}", inner, depth + 1)


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    )


def _numbers(column: pa.Array | pa.ChunkedArray) -> Any:  # noqa: ANN401
    """A column as float64, NaN where it has no value."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _take_side_files(run: ImportedRun, directory: Path, tags: Sequence[str], flaws: list[Flaw]) -> None:
    """Reads configuration, summary and description of the run, if its user downloaded them too."""
    facts = run.facts
    found: dict[str, Any] = {}
    for name in _SIDE:
        path = directory / name
        if not path.exists():
            continue
        with contained(lambda cause, name=name: flaws.append(Flaw(0, _SIDE_FILE(file=name, cause=cause)))):  # type: ignore[misc]
            data = content_of(path, _LARGEST)
            found[name] = yaml_value(data) if name.endswith("yaml") else loaded(data)
    config, summary, about = (one if isinstance(one := found.get(name), dict) else {} for name in _SIDE)
    values = {
        key: entry["value"]
        for key, entry in config.items()
        if isinstance(entry, dict) and "value" in entry and key not in _NOT_SHOWN
    }
    facts.config, more = config_cells(values)
    flaws += more
    numbers = {
        tag: number
        for tag, value in flat_leaves(summary, ".")
        if (number := number_of(value)) is not None and not isinstance(value, str)
    }
    logged = {*tags, *_NOT_SHOWN}
    facts.results = {
        tag: number
        for tag, number in numbers.items()
        if tag not in logged and tag.split(".")[0] not in _NOT_SHOWN
    }
    git = about.get("git")
    given = {
        "host": about.get("host"),
        "python": about.get("python"),
        "platform": about.get("os"),
        "gpu": about.get("gpu"),
        "git_commit": git.get("commit") if isinstance(git, dict) else None,
    }
    facts.origin |= {
        key: cell for key, value in given.items() if value and (cell := cell_of(value)) is not None
    }
