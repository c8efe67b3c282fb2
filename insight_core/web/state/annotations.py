"""Annotations of the runs of this host: names, notes and marks, in one file for all logdirs."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from attrs import frozen

from insight_core.plugin import Annotations, InvalidArgument, NotFound, ReasonKind
from insight_core.plugin.annotations import FIELDS, Annotation, Authorship
from insight_core.web.state.shared_state import SharedState, checked_text
from insight_core.web.state.state_file import StateFile

FILE_NAME = "annotations.jsonl"
ROOT = "."  # the run at the top of a logdir
HIGHEST_MARK = 10
UNKNOWN_RUN = ReasonKind("unknown_run", "unknown run {run!r}")
_LINE = 200  # characters of a display name or remark
_NOTE = 20_000  # characters of a note

FieldValue: TypeAlias = str | int | None  # None: nothing is said


@frozen
class Place:
    """Runs whose names start with ``prefix`` (all, if it is empty) are below ``location``.

    A location is the absolute path of a logdir, or the address of a data server.
    """

    prefix: str
    location: str


class AnnotationStore(SharedState[Annotations]):
    """Annotations in the file of a state directory, by keys of runs that do not depend on how a host starts.

    ``places`` returns the locations of the runs; while it raises InsightError, annotations are empty.
    Without a directory they are empty too. ``refusal`` is the reason if writing is disabled.
    """

    what = "annotations"
    keys = "run", "field", "value"

    def __init__(
        self,
        directory: Path | None = None,
        places: Callable[[], Sequence[Place]] = lambda: (),
        refusal: str | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__(Annotations(), directory, refusal, read_only=read_only)
        self._places = places
        self._known: Sequence[Place] | None = None

    def annotate(self, run: str, values: Mapping[str, FieldValue], by: str | None = None) -> Annotation:
        """Sets fields of a run, as returned by ``checked``, and returns all fields of the run.

        ``by`` is the user, if known.

        Raises Unavailable if they cannot be written, NotFound for an unknown run.
        """
        with self._writing() as file:
            self._known = self._places()
            key = key_of(self._known, run)
            if key is None:
                raise NotFound(UNKNOWN_RUN(run=run))
            if not values:
                raise InvalidArgument("no field is named")
            file.append(key, values, by=by)
        return self._now.runs.get(run, Annotation())

    def _path(self, directory: Path) -> Path:
        return directory / FILE_NAME

    def _checked(self, name: str, value: FieldValue) -> FieldValue:
        return checked(name, value)

    def _fields(self, file: StateFile) -> Mapping[str, object]:
        if self._known is None:
            self._known = self._places()
        runs: dict[str, Annotation] = {}
        written: dict[str, Mapping[str, Authorship]] = {}
        for key, values in file.values.items():
            if any(value is not None for value in values.values()):
                said = Annotation(**values)  # type: ignore[arg-type]  # the file holds checked values
                signed = {
                    name: each
                    for name, each in file.written.get(key, {}).items()
                    if values.get(name) is not None
                }
                for run in runs_of(self._known, key):
                    runs[run] = said
                    if signed:
                        written[run] = signed
        return {"runs": runs, "written": written}


def checked(name: str, value: object) -> FieldValue:
    """The value as a field keeps it. Raises InvalidArgument with the name of the field."""
    if name not in FIELDS:
        raise InvalidArgument(f"unknown field {name!r} of an annotation; the fields are {', '.join(FIELDS)}")
    if value is None:
        return None
    if name == "mark":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= HIGHEST_MARK:
            raise InvalidArgument(f"mark must be a whole number from 0 to {HIGHEST_MARK}, not {value!r:.100}")
        return value or None
    if name == "archived":
        if not isinstance(value, bool):
            raise InvalidArgument(f"archived must be true or false, not {value!r:.100}")
        return value or None
    note = name == "note"
    return checked_text(name, value, _NOTE if note else _LINE, "\n\t" if note else "") or None


def key_of(places: Sequence[Place], run: str) -> str | None:
    """The annotation key of a run; None for a run outside all places."""
    for place in places:
        if not place.prefix:
            return place.location if run == ROOT else posixpath.join(place.location, run)
        if run == place.prefix:
            return place.location
        if run.startswith(f"{place.prefix}/"):
            return posixpath.join(place.location, run[len(place.prefix) + 1 :])
    return None


def runs_of(places: Sequence[Place], key: str) -> Iterator[str]:
    """The runs with this annotation key: several if logdirs overlap."""
    for place in places:
        base = place.location.rstrip("/") + "/"
        if key == place.location:
            yield place.prefix or ROOT
        elif key.startswith(base):
            yield posixpath.join(place.prefix, key[len(base) :])
