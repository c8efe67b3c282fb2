"""Writes the runs of an Aim repository as files that insight-host reads: ``<run>.aim.jsonl``.

Aim keeps its values in RocksDB, which only its own package opens. So this runs where Aim is installed, and
needs nothing else: ``python aim_export.py REPOSITORY --to DIRECTORY``.

The repository is only read. Aim's package writes into what it opens (it renews logs, replays write-ahead logs
and migrates its database), and the SDK of 3.29 reads parameters and sequences from the repository's index
alone, which ``aim up`` or ``aim storage reindex`` fills, and no training. So each run is copied to a
temporary directory without an index: there the SDK reads the run itself.

A file has one JSON object a line, as Python's ``json`` writes it (``NaN``, ``Infinity``): first the run, then
parts of its sequences with columns of equal length. Layout: docs/reference/formats.md.
"""

from __future__ import annotations

import argparse
import base64
import filecmp
import importlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, TextIO  # noqa: UP035 - Aim runs on Pythons older than the host's

VERSION = 1
SUFFIX = ".aim.jsonl"
_POINTS = 10_000  # numbers of a line
_KINDS = {  # of sequences: Aim's types of values, the method that gives a sequence
    "number": (("float", "int", "float64"), "get_metric"),
    "text": (("aim.text", "list(aim.text)"), "get_text_sequence"),
    "image": (("aim.image", "list(aim.image)"), "get_image_sequence"),
    "histogram": (("aim.distribution",), "get_distribution_sequence"),
}
_ENVIRONMENT = "__system_params"  # has packages and variables of the environment, which may be secret


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns 1 if a run could not be exported, and 2 if none can be."""
    parser = argparse.ArgumentParser(prog="aim_export", description="Writes runs of Aim for insight-host.")
    parser.add_argument("repository", help="the directory .aim, or the one that has it")
    parser.add_argument("--to", required=True, metavar="DIRECTORY", help="where the files are written")
    given = parser.parse_args(arguments)
    try:
        aim = importlib.import_module("aim")
    except ImportError as error:
        print(f"Aim cannot be imported ({error}): pip install aim", file=sys.stderr)
        return 2
    repository = Path(given.repository)
    if (repository / ".aim").is_dir():
        repository /= ".aim"
    if not (repository / "meta" / "chunks").is_dir():
        print(f"{given.repository} is not an Aim repository: it has no meta/chunks", file=sys.stderr)
        return 2
    target = Path(given.to)
    if repository.resolve() in (target.resolve(), *target.resolve().parents):
        print(f"{given.to} is in the repository, into which nothing is written", file=sys.stderr)
        return 2
    target.mkdir(parents=True, exist_ok=True)
    hashes = sorted(entry.name for entry in (repository / "meta" / "chunks").iterdir() if entry.is_dir())
    failed = 0
    for run_hash in hashes:
        try:
            is_new = export_run(aim, repository, run_hash, target)
            print(f"{run_hash}: {'written' if is_new else 'as before'}")
        except Exception as error:  # of RocksDB, SQLite, Aim
            failed += 1
            print(f"{run_hash}: not exported: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{len(hashes) - failed} of {len(hashes)} runs are in {target}")
    return 1 if failed else 0


def export_run(aim: Any, repository: Path, run_hash: str, target: Path) -> bool:  # noqa: ANN401 - a module
    """Writes the file of a run; returns whether it is another than before. Raises whatever Aim raises."""
    path = target / f"{run_hash}{SUFFIX}"
    written = target / f"{run_hash}.new"
    with tempfile.TemporaryDirectory(prefix="aim_export_") as place:
        _copy_run(repository, run_hash, Path(place) / ".aim")
        run = aim.Run(run_hash, repo=aim.Repo(place), read_only=True)
        try:
            with open(written, "w", encoding="utf-8") as file:
                _write(file, _about(run))
                for kind, (types, method) in _KINDS.items():
                    for name, context, _ in sorted(run.iter_sequence_info_by_type(types), key=_order):
                        sequence = getattr(run, method)(name, context)
                        if sequence is not None:
                            _write_sequence(file, kind, name, context.to_dict(), sequence)
            if path.exists() and filecmp.cmp(written, path, shallow=False):
                return False
            os.replace(written, path)
        finally:
            if written.exists():
                written.unlink()
    return True


def _copy_run(repository: Path, run_hash: str, copy: Path) -> None:
    """Copies one run with what Aim needs to open it, and no index."""
    for name in ("meta", "seqs"):
        if (repository / name / "chunks" / run_hash).is_dir():
            shutil.copytree(repository / name / "chunks" / run_hash, copy / name / "chunks" / run_hash)
    for path in (repository / "VERSION", *repository.glob("run_metadata.sqlite*")):
        if path.exists():
            shutil.copy(path, copy)


def _about(run: Any) -> dict[str, Any]:  # noqa: ANN401
    parameters = run[...]
    environment = parameters.pop(_ENVIRONMENT, None) or {}
    git = environment.get("git_info") or {}
    about = {
        "aim_export": VERSION,
        "id": run.hash,
        "name": run.name,
        "experiment": run.experiment,
        "description": run.description,
        "tags": list(run.tags),
        "is_archived": bool(run.archived),
        "is_active": bool(run.active),
        "created": run.creation_time,
        "ended": run.end_time,
        "parameters": parameters,
        "command": " ".join(map(str, environment.get("arguments") or ())),
        "git_commit": (git.get("commit") or {}).get("hash", ""),
    }
    return {name: value for name, value in about.items() if value not in (None, "", [])}


def _order(info: tuple[str, Any, Any]) -> tuple[str, str]:
    return info[0], str(info[1].to_dict())


def _write_sequence(
    file: TextIO,
    kind: str,
    name: str,
    context: dict[str, Any],
    sequence: Any,  # noqa: ANN401
) -> None:
    steps, (values, _, times) = sequence.data.items_list()
    length = _POINTS if kind == "number" else 1
    for first in range(0, len(steps), length):
        part = slice(first, first + length)
        of_part = values[part] if kind == "number" else [list(_plain(kind, one)) for one in values[part]]
        columns = {"steps": steps[part], "times": times[part], "values": of_part}
        _write(file, {"sequence": name, "context": context, "kind": kind, **columns})


def _plain(kind: str, value: Any) -> Iterator[Any]:  # noqa: ANN401
    """The objects of one step, one or several, as JSON."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if kind == "text":
            yield one.data
        elif kind == "image":
            yield base64.b64encode(bytes(one.storage["data"])).decode("ascii")
        else:
            counts, edges = one.to_np_histogram()
            yield {"counts": counts.tolist(), "edges": edges.tolist()}


def _write(file: TextIO, line: dict[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")


if __name__ == "__main__":
    sys.exit(main())
