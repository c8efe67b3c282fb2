"""The profile cache on disk: one directory per profile.

``profile.json`` holds what is small; ``tables.safetensors``
(https://github.com/huggingface/safetensors#format) all columns, each as ``table.column``, mapped when they
are looked at: one file, so that a profile that is held has one descriptor open. ``rank.json`` and
``rank.safetensors`` hold in the same form what the ranks of a job are compared by (``rank_summary.py``);
they stay when the columns have to make room. A directory comes into being whole: it is written under a
temporary name and then renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, evolve, fields, frozen

from insight_core.plugin import encode_json
from insight_profiler.model import (
    TABLES,
    Column,
    Counter,
    Device,
    Note,
    Profile,
    Source,
    StepOrigin,
    Table,
    Track,
)

VERSION = 20  # of what readers make of the same files
MAX_BYTES = 4 << 30  # that all profiles kept may take

_FACTS = "profile.json"
_TABLES = "tables.safetensors"
_RANK_FACTS = "rank.json"
_RANK_TABLES = "rank.safetensors"
_TYPES = {"i4": "I32", "i8": "I64", "u1": "U8", "u2": "U16", "f4": "F32", "f8": "F64"}
_DTYPES = {name: np.dtype(f"<{kind}") for kind, name in _TYPES.items()}
_PARTS = {"tracks": Track, "counters": Counter, "devices": Device, "notes": Note}
_LONGEST_HEADER = 1 << 20
_TRIES = 5  # to put a profile in its place, where other hosts put the same


class UnusableProfile(Exception):
    """What is kept of a profile is damaged, or of another version."""


@frozen
class Kept:
    """What a directory of profiles holds."""

    entries: int
    bytes: int


def key_of(*parts: object) -> str:
    """The name of the directory of a profile: by where it is, and of which files it was read."""
    described = json.dumps([VERSION, *parts], sort_keys=True, default=str)
    return hashlib.sha256(described.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def save(profile: Profile, directory: Path, summary: Profile | None = None) -> None:
    """Writes a profile, and its summary as a rank; what was there before is replaced. Raises OSError."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=directory.parent))
    try:
        _write(profile, fresh / _FACTS, fresh / _TABLES)
        if summary is not None:
            _write(summary, fresh / _RANK_FACTS, fresh / _RANK_TABLES)
        for _ in range(_TRIES - 1):
            shutil.rmtree(directory, ignore_errors=True)
            with suppress(OSError):  # another host was there first
                fresh.rename(directory)
                return
        fresh.rename(directory)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _write(profile: Profile, facts_path: Path, tables_path: Path) -> None:
    _write_tables(tables_path, profile.tables)
    facts = {
        name: getattr(profile, name) for name in (field.name for field in fields(Profile)) if name != "tables"
    }
    for name in _PARTS:
        facts[name] = [asdict(part) for part in facts[name]]
    facts_path.write_bytes(encode_json({"version": VERSION, **facts}))


def load_summary(directory: Path) -> Profile:
    """The summary of a profile as a rank, its columns in memory. Raises UnusableProfile, and OSError if there
    is none."""
    found = _load(directory / _RANK_FACTS, directory / _RANK_TABLES, is_new=False)
    copied = {
        table: {name: np.array(column) for name, column in held.items()}
        for table, held in found.tables.items()
    }
    return evolve(found, tables=copied)


def load(directory: Path, *, is_new: bool = False) -> Profile:
    """A profile as it was saved, its columns mapped. Raises UnusableProfile, and FileNotFoundError when there
    is none.

    What was read just now may be of another version (the host was updated while it ran, and its readers begin
    later), as long as it has all columns that this one knows.
    """
    return _load(directory / _FACTS, directory / _TABLES, is_new=is_new)


def _load(facts_path: Path, tables_path: Path, *, is_new: bool) -> Profile:
    directory = facts_path.parent
    text = facts_path.read_bytes()
    with suppress(OSError):  # when it was last of use
        os.utime(facts_path)
    try:
        facts = json.loads(text)
        is_other = facts.pop("version") != VERSION
        if is_other and not is_new:
            raise UnusableProfile(f"{directory} is of another version")
        for name, part in _PARTS.items():
            facts[name] = tuple(part(**values) for values in facts[name])
        facts["source"] = Source(facts["source"])
        facts["step_origin"] = StepOrigin(facts["step_origin"])
        facts["texts"] = tuple(facts["texts"])
        tables = _read_tables(tables_path)
        if is_other and any(
            not TABLES[name].keys() <= table.keys() for name, table in tables.items() if name in TABLES
        ):
            raise UnusableProfile(
                f"{directory} is of another version: insight-host has changed, start it again"
            )
        return Profile(**facts, tables=tables)
    except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
        raise UnusableProfile(f"{directory} is damaged: {error}") from error


def _write_tables(path: Path, tables: Mapping[str, Table]) -> None:
    kinds = {
        (table, name): (column.dtype, len(column))
        for table, held in tables.items()
        for name, column in held.items()
    }
    described, offset = {}, 0
    in_order = sorted(kinds, key=lambda place: -kinds[place][0].itemsize)  # so that each is aligned
    for table, name in in_order:
        kind, rows = kinds[table, name]
        size = rows * kind.itemsize
        described[f"{table}.{name}"] = {
            "dtype": _TYPES[kind.str[1:]],
            "shape": [rows],
            "data_offsets": [offset, offset + size],
        }
        offset += size
    header = encode_json(described)
    header += b" " * (-len(header) % 8)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        for table, name in in_order:  # one at a time: columns of long tables are read for it
            np.ascontiguousarray(tables[table][name], kinds[table, name][0].newbyteorder("<")).tofile(file)


def _read_tables(path: Path) -> dict[str, Table]:
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > _LONGEST_HEADER:
            raise ValueError(f"{path.name} has a header of {size} bytes")
        described: dict[str, Any] = json.loads(file.read(size))
        held = os.fstat(file.fileno()).st_size - 8 - size
        data = np.memmap(file, np.uint8, "r", 8 + size, (held,)) if held else np.empty(0, np.uint8)
    found: dict[str, dict[str, Column]] = {}
    for label, entry in described.items():
        start, end = entry["data_offsets"]
        if not 0 <= start <= end <= held:
            raise ValueError(f"{path.name} is cut")
        table, _, name = label.partition(".")
        found.setdefault(table, {})[name] = np.asarray(data[start:end]).view(_DTYPES[entry["dtype"]])
    return dict(found)


def entries(root: Path) -> Iterator[tuple[Path, int, float]]:
    """Each profile below a directory: where it is, its bytes, when it was last of use."""
    with suppress(FileNotFoundError, NotADirectoryError):
        for directory in root.iterdir():
            with suppress(OSError):
                files = {path.name: path.stat() for path in directory.iterdir()}
                used = max(
                    (files[name].st_mtime for name in (_FACTS, _RANK_FACTS) if name in files), default=0.0
                )
                yield directory, sum(file.st_size for file in files.values()), used


def contents(root: Path) -> Kept:
    """Number of cached profiles below ``root``, and their size in bytes."""
    sizes = [size for _, size, _ in entries(root)]
    return Kept(len(sizes), sum(sizes))


def clear(root: Path) -> Kept:
    """Removes all profiles below a directory. Raises OSError."""
    removed = 0
    size = 0
    for directory, held, _ in list(entries(root)):
        shutil.rmtree(directory)
        removed, size = removed + 1, size + held
    return Kept(removed, size)


def shrink(root: Path, max_bytes: int = MAX_BYTES, spared: Sequence[Path] = ()) -> None:
    """Removes what was not of use the longest until the rest takes no more than ``max_bytes``: first the
    columns of profiles whose summaries can stay, then whole directories."""
    held = sorted(entries(root), key=lambda entry: entry[2])
    total = sum(size for _, size, _ in held)
    for is_whole in (False, True):
        for directory, _, _ in held:
            if total <= max_bytes:
                return
            if directory in spared or directory.name.startswith(".new-"):
                continue
            before = _size_of(directory)
            if is_whole or not (directory / _RANK_FACTS).exists():
                shutil.rmtree(directory, ignore_errors=True)
            else:
                for name in (_FACTS, _TABLES):
                    (directory / name).unlink(missing_ok=True)
            total += _size_of(directory) - before


def _size_of(directory: Path) -> int:
    try:
        return sum(path.stat().st_size for path in directory.iterdir())
    except OSError:  # gone, or another host takes it away just now
        return 0


def described(files: Mapping[str, tuple[str, int, float]]) -> list[list[object]]:
    """Files of a profile as they go into its key."""
    return [[name, size, wall_time] for name, (_, size, wall_time) in sorted(files.items())]
