"""Writes logs into a new directory: tables as Parquet, CSV or JSON lines, or scalars as event files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

import numpy as np

from insight_core.cli.storage import where_in_directories
from insight_core.plugin import InvalidArgument, Unavailable
from insight_core.plugin.data import ShownAttempts
from insight_host.choosing import Chosen
from insight_host.logs import Logs
from insight_host.output import csv_lines, object_lines
from insight_host.tables import LogTable

FORMATS = ("parquet", "csv", "jsonl", "tensorboard")


class TableWriter(Protocol):
    """Writes tables of equal columns, one after the other."""

    def write(self, table: LogTable) -> None:
        """Appends the rows."""

    def close(self) -> None:
        """Ends the file."""


def export(
    logs: Logs,
    directory: str | os.PathLike[str],
    form: str,
    *,
    runs: Chosen = None,
    tags: Chosen = None,
    attempts: ShownAttempts = "last",
) -> Iterator[str]:
    """Writes ``runs``, ``series``, ``scalars``, ``hparams`` and ``damage`` in one of FORMATS, and yields a
    line about each file; ``tensorboard`` has an event file of scalars for each run.

    Raises InvalidArgument for a directory that is not empty or lies in a directory of logs, and Unavailable
    if ``pyarrow`` is missing for Parquet.
    """
    place = _new_directory(logs, directory)
    if form == "tensorboard":
        yield from _event_files(logs, place, runs, tags, attempts)
        return
    open_writer = _writers(form)
    place.mkdir(parents=True, exist_ok=True)
    parts = logs.scalar_tables(runs=runs, tags=tags, attempts=attempts)
    tables: dict[str, Callable[[], Iterator[LogTable]]] = {
        "runs": lambda: iter([logs.runs(runs=runs)]),
        "series": lambda: iter([logs.series(runs=runs, tags=tags)]),
        "scalars": lambda: parts,
        "hparams": lambda: iter([logs.hparams(runs=runs)]),
        "damage": lambda: iter([logs.damage(runs=runs)]),
    }
    for name, read in tables.items():
        path, rows = place / f"{name}.{form}", 0
        part = path.with_name(f"{path.name}.part")
        with ExitStack() as opened:
            writer: TableWriter | None = None
            for table in read():
                writer = writer or opened.enter_context(closing(open_writer(part, table)))
                writer.write(table)
                rows += len(table)
        if writer is not None:
            part.rename(path)
            yield f"{path}: {rows:,} rows"


def _new_directory(logs: Logs, directory: str | os.PathLike[str]) -> Path:
    place = Path(directory).absolute()
    where = where_in_directories(place, logs.logdirs)
    if where is not None:
        raise InvalidArgument(f"{where}, and nothing is written there")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InvalidArgument(f"{place} is not an empty directory: choose another")
    return place


def _writers(form: str) -> Callable[[Path, LogTable], TableWriter]:
    if form == "csv":
        return lambda path, table: _Lines(path.open("xb"), csv_lines)
    if form == "jsonl":
        return lambda path, table: _Lines(path.open("xb"), lambda table, *, has_head: object_lines(table))
    try:
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        text = "Parquet files need pyarrow, which is not installed: pip install 'insight-host[parquet]'"
        raise Unavailable(text) from error

    def open_parquet(path: Path, table: LogTable) -> TableWriter:
        return _Parquet(pyarrow.parquet.ParquetWriter(path, table.to_arrow().schema, **_encodings(table)))

    return open_parquet


class _Lines:
    def __init__(self, file: IO[bytes], lines: Callable[..., Iterator[bytes]]) -> None:
        self._file, self._lines, self._has_head = file, lines, True

    def write(self, table: LogTable) -> None:
        self._file.writelines(self._lines(table, has_head=self._has_head))
        self._has_head = False

    def close(self) -> None:
        self._file.close()


class _Parquet:
    def __init__(self, writer: Any) -> None:  # noqa: ANN401
        self._writer = writer

    def write(self, table: LogTable) -> None:
        self._writer.write_table(table.to_arrow())

    def close(self) -> None:
        self._writer.close()


def _encodings(table: LogTable) -> dict[str, Any]:
    """Steps as differences, and the bytes of floats apart, which compress to a third."""
    kinds = {
        name: "text" if column.words is not None else column.values.dtype.kind
        for name, column in table.schema.items()
    }
    encodings = {"i": "DELTA_BINARY_PACKED", "f": "BYTE_STREAM_SPLIT"}
    return {
        "compression": "zstd",
        "use_dictionary": [name for name, kind in kinds.items() if kind == "text"],
        "column_encoding": {name: encodings[kind] for name, kind in kinds.items() if kind in encodings},
    }


def _event_files(
    logs: Logs, place: Path, runs: Chosen, tags: Chosen, attempts: ShownAttempts
) -> Iterator[str]:
    from insight_record.scalar_file import write_scalars

    rounded = 0
    for run in sorted(set(logs.series(logs.plugin_of_scalars, runs=runs, tags=tags)["run"].tolist())):
        directory = place / _below(run)
        directory.mkdir(parents=True, exist_ok=True)
        table = logs.scalars(runs=run, tags=tags, attempts=attempts)
        values = table["value"]
        with np.errstate(over="ignore"):
            singles = values.astype(np.float32)
        rounded += int(((singles != values) & ~np.isnan(values)).sum())
        tag = table.schema["tag"]
        path = write_scalars(
            directory, tag.words or (), tag.values, table["step"], table["wall_time"], values
        )
        yield f"{path}: {len(table):,} points"
    if rounded:
        yield f"{rounded:,} values have more digits than float32, the type of event files, and were rounded"


def _below(run: str) -> PurePosixPath:
    """The path of a run below a directory. Raises InvalidArgument for a name that would lead out of it."""
    path = PurePosixPath(run)
    if path.is_absolute() or ".." in path.parts or "\0" in run:
        raise InvalidArgument(f"the run {run!r} has no name that a directory can have")
    return path
