"""Directories of runs, by the names and ids that scripts give to a tracker."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

_RESUMES = ("allow", "auto", "must", "never")
_BAD = re.compile(r'[/\\\0:*?"<>|]')  # in a name of a directory, on any system
_STEP, _ID = ".wandb_step", ".run_id"  # hidden: no logs
_LONGEST = 200  # letters of a name


class RunPlace(NamedTuple):
    """Where a run is recorded; ``directory`` is None where nothing is. ``step`` is its first."""

    directory: Path | None
    project: str
    name: str
    id: str
    step: int
    resumed: bool

    @classmethod
    def of(
        cls,
        *,
        project: str | None,
        name: str | None,
        id: str | None,
        dir: str | os.PathLike[str] | None,
        resume: bool | str | None,
        disabled: bool = False,
    ) -> RunPlace:
        """Makes the directory, below ``runs`` by default. Raises ValueError where ``resume`` is refused."""
        how = _resume_of(resume)
        known, id, project = id, id or secrets.token_hex(4), project or ""
        name = name or (known or f"{datetime.now():%Y-%m-%d_%H-%M-%S}_{id}")
        if disabled:
            return cls(None, project, name, id, 0, False)
        above = Path(dir or "runs")
        if project:
            above /= _as_directory(project)
        earlier = _of_id(above, known) if known else None
        if earlier is None and how == "must":
            raise ValueError(f"resume='must': no run {known or ''} in {above}")
        if earlier is not None and how == "never":
            raise ValueError(f"resume='never': {earlier} exists")
        directory = earlier or _made(above, _as_directory(name), id, named=known is not None)
        resumed = earlier is not None and how in ("allow", "must")
        return cls(directory, project, name, id, _step_of(directory) if resumed else 0, resumed)


class StepFile:
    """Keeps the next step of a run beside its logs, for a process that resumes it."""

    def __init__(self, directory: Path) -> None:
        self._file = open(directory / _STEP, "wb", buffering=0)  # noqa: SIM115 - open as long as the run

    def write(self, step: int) -> None:
        """The step with which a resumed run begins."""
        with suppress(OSError):  # the logs tell of a full disk
            os.pwrite(self._file.fileno(), b"%020d" % step, 0)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _resume_of(resume: bool | str | None) -> str | None:
    if resume is None or resume is False or resume == "":
        return None
    if resume is True or resume == "auto":
        return "allow"
    if resume not in _RESUMES:
        raise ValueError(f"resume is one of {', '.join(_RESUMES)}, not {resume!r}")
    return resume


def _as_directory(name: str) -> str:
    """The name without what a directory cannot be called."""
    return _BAD.sub("_", name)[:_LONGEST].strip().lstrip(".") or "run"


def _of_id(above: Path, id: str) -> Path | None:
    """The directory of an earlier run of this id; names do not tell: ``seed-1`` is no run of the id 1."""
    with suppress(FileNotFoundError):
        return next((one for one in sorted(above.iterdir()) if _id_of(one) == id), None)
    return None


def _id_of(directory: Path) -> str | None:
    with suppress(FileNotFoundError, NotADirectoryError):
        return (directory / _ID).read_text(encoding="utf-8")
    return None


def _made(above: Path, name: str, id: str, *, named: bool) -> Path:
    """A new directory: ``name``, or ``name-id`` where that is taken or a later process goes on by the id.

    Processes may ask at once for one name: the one that makes the directory has it.
    """
    own = _as_directory(id)
    above.mkdir(parents=True, exist_ok=True)
    for wanted in ([own] if name == own else [f"{name}-{own}"]) if named else (name, f"{name}-{own}"):
        with suppress(FileExistsError):
            (above / wanted).mkdir()
            (above / wanted / _ID).write_text(id, encoding="utf-8")
            return above / wanted
    return above / wanted


def _step_of(directory: Path) -> int:
    try:
        return int((directory / _STEP).read_bytes() or b"0")
    except (FileNotFoundError, ValueError):
        return 0
