"""What one walk over the logdirs found."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from attrs import Factory, define

from insight_core.formats.batch import Flaw
from insight_core.ingest.scan_ahead import FileVersion
from insight_core.plugin import Dialect, LogFormat, Reason, ReasonKind, StoreFormat
from insight_core.store.held_file import NamedFile
from insight_core.store.segment import FileOrder

_LOGS = "console logs"
_UNREAD = {  # what files hold that nothing here reads, by the end of their names
    **dict.fromkeys(
        (".pt", ".pth", ".ckpt", ".safetensors", ".h5", ".keras", ".gguf", ".mindir"), "checkpoints"
    ),
    **dict.fromkeys((".pickle", ".pkl", ".joblib"), "Python pickles"),
    **dict.fromkeys((".npz", ".npy"), "numpy arrays"),
    **dict.fromkeys((".log", ".out", ".err"), _LOGS),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), "SQLite databases"),
    **dict.fromkeys((".pftrace", ".perfetto-trace"), "Perfetto traces"),
    **dict.fromkeys((".nsys-rep", ".qdrep", ".ncu-rep"), "profiles of Nsight"),
    ".bin": "binary files",
    ".ir": "graphs of MindSpore as text",
    ".parquet": "Parquet tables",
}
_TEXTS = {  # of files that are there and are not read, by what they hold
    "checkpoints": ReasonKind("unread_checkpoints", "Checkpoints of models: {files:,}"),
    "Python pickles": ReasonKind(
        "unread_pickles", "Python pickles, which could run code when they are read: {files:,}"
    ),
    "numpy arrays": ReasonKind("unread_arrays", "Numpy arrays: {files:,}"),
    _LOGS: ReasonKind("unread_logs", "Console logs: {files:,}"),
    "SQLite databases": ReasonKind("unread_databases", "SQLite databases of unknown programs: {files:,}"),
    "Perfetto traces": ReasonKind("unread_perfetto", "Perfetto traces: {files:,}"),
    "profiles of Nsight": ReasonKind(
        "unread_nsight", "Profiles of Nsight (nsys export --type sqlite makes files that are read): {files:,}"
    ),
    "binary files": ReasonKind("unread_binary", "Binary files (.bin): {files:,}"),
    "graphs of MindSpore as text": ReasonKind("unread_graphs", "Graphs of MindSpore as text: {files:,}"),
    "Parquet tables": ReasonKind(
        "unread_parquet",
        "Parquet tables (lakes and W&B's history: pip install 'insight-host[lake,parquet]'): {files:,}",
    ),
}


def unread_kind(name: str) -> str:
    """What a file holds that no plugin claims and no format reads, by its name; empty for others."""
    return _UNREAD.get(name[name.rfind(".") :].lower(), "")


def unread_reason(kind: str, files: int) -> Reason:
    """Returns a text with the number of files of a kind that nothing reads, and what would read them."""
    return _TEXTS[kind](files=files)


class FoundFile(NamedTuple):
    """An event file or one of a log format: where it is, the run it belongs to, and its stat."""

    run: str
    path: str
    name: str  # relative to the logdir, printable
    order: FileOrder
    dialect: Dialect  # as its name suggests, of an event file
    version: FileVersion
    format: LogFormat | None = None  # that reads it; None: an event file
    part: str = ""  # the run of its directory, if that is folded into ``run``
    is_translated: bool = False  # an event file that the host made of another tracker's store

    @property
    def size(self) -> int:
        """Bytes."""
        return self.version[2]

    @property
    def mtime_ns(self) -> int:
        """Last modification, in ns since the epoch."""
        return self.version[3]


class FoundStore(NamedTuple):
    """A store of runs that a plugin translates."""

    path: str
    name: str  # relative to the logdir, printable
    prefix: str  # of the runs of its logdir
    directory: str  # from which its runs are named, relative to the logdir
    format: StoreFormat


class StoreFiles(NamedTuple):
    """Which files the formats of stores read: the files themselves, and directories of a store (with ``/`` at
    the end). In ``empty`` files they found nothing."""

    files: frozenset[str] = frozenset()
    directories: tuple[str, ...] = ()
    empty: frozenset[str] = frozenset()


@define
class Found:
    """The result of one walk over all logdirs."""

    files: dict[tuple[str, str], FoundFile] = Factory(dict)  # by run and path: logdirs may overlap
    named: dict[tuple[str, str], NamedFile] = Factory(dict)  # by run and path
    stores: list[FoundStore] = Factory(list)
    runs: dict[str, float] = Factory(dict)  # newest mtime of its files
    damage: dict[tuple[str, str], Flaw] = Factory(dict)  # by run and file
    missing: list[str] = Factory(list)
    not_followed: list[str] = Factory(list)  # links to directories and to event files
    unread: dict[str, str] = Factory(dict)  # what files hold that nothing reads, by path: logdirs may overlap

    def leave_out(self, path: str) -> None:
        """Notes that nothing reads a file, if its name says what it holds."""
        if kind := unread_kind(os.path.basename(path)):
            self.unread[path] = kind

    def counts_of_unread(self, stores: StoreFiles) -> Mapping[str, int]:
        """How many files nothing reads, by what they hold, the largest number first.

        A file counts once, also if logdirs overlap or links lead to it.
        """
        for store in self.stores:
            if store.path in stores.empty:
                self.leave_out(store.path)
        directory_of = cache(os.path.realpath)

        def real(path: str) -> str:
            if os.path.islink(path):
                return os.path.realpath(path)
            return os.path.join(directory_of(os.path.dirname(path)), os.path.basename(path))

        read = {real(path) for path in {*(path for _, path in (*self.files, *self.named)), *stores.files}}
        # the console of a run of W&B, for instance, which its importer has as a text
        of_stores = tuple(
            os.path.join(os.path.dirname(store.path), "")
            for store in self.stores
            if store.path not in stores.empty and os.path.dirname(store.name) != store.directory
        )
        left = {
            real(path): kind
            for path, kind in self.unread.items()
            if not path.startswith(stores.directories) and not (kind == _LOGS and path.startswith(of_stores))
        }
        return dict(Counter(kind for path, kind in left.items() if path not in read).most_common())

    def of_runs(self, accepts: Callable[[str], bool]) -> Found:
        """The part with the runs whose names are accepted."""
        runs = {run: newest for run, newest in self.runs.items() if accepts(run)}
        return Found(
            {key: file for key, file in self.files.items() if key[0] in runs},
            {key: file for key, file in self.named.items() if key[0] in runs},
            self.stores,
            runs,
            {key: flaw for key, flaw in self.damage.items() if key[0] in runs},
            self.missing,
            self.not_followed,
            self.unread,
        )
