"""Annotations of the runs of this host, in memory and in the shared file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from insight_core.plugin import InsightError, InvalidArgument, NotFound
from insight_core.plugin.annotations import Annotation, Annotations, Authorship
from insight_core.web.annotations.checked import FieldValue, checked
from insight_core.web.annotations.run_keys import Place, key_of, runs_of
from insight_core.web.state.shared_state import SharedState
from insight_core.web.state.state_file import StateFile
from insight_record.formats.reason import ReasonKind

FILE_NAME = "annotations.jsonl"
_UNKNOWN_RUN = ReasonKind("unknown_run", "unknown run {run!r}")


class AnnotationStore(SharedState[Annotations]):
    """Annotations in the file of a state directory, written by this host and others.

    ``places`` returns the locations of the runs; while it raises InsightError, annotations are empty.
    Without a directory they are empty too. ``refusal`` is the reason if writing is disabled.
    """

    what = "annotations"

    def __init__(
        self,
        directory: Path | None = None,
        places: Callable[[], Sequence[Place]] = lambda: (),
        refusal: str | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__(Annotations(), directory, refusal, read_only=read_only)
        keys = "run", "field", "value"
        path = None if directory is None else directory / FILE_NAME
        self._file = None if path is None else StateFile(path, self.what, keys, checked)
        self._places = places
        self._known: Sequence[Place] | None = None

    def _open_file(self) -> StateFile | None:
        return self._file

    def annotate(self, run: str, values: Mapping[str, FieldValue], by: str | None = None) -> Annotation:
        """Sets fields of a run, as returned by ``checked``, and returns all fields of the run.

        ``by`` is the user, if known.

        Raises Unavailable if they cannot be written, NotFound for an unknown run.
        """
        file = self._writable_file()
        with self._lock:
            places = self._known = self._places()
            key = key_of(places, run)
            if key is None:
                raise NotFound(_UNKNOWN_RUN(run=run))
            if not values:
                raise InvalidArgument("no field is named")
            file.append(key, values, by=by)
            self._take()
            return self._now.runs.get(run, Annotation())

    def _look(self) -> None:
        if self._file is None:
            return
        failure = None
        try:
            fresh = self._file.refresh()
            if self._known is None:
                self._known, fresh = self._places(), True
        except InsightError as error:  # what was known stays
            failure, fresh = str(error), False
        if fresh:
            self._take()
        if failure != self._failure:
            self._failure = failure
            self._now = Annotations(self._now.generation + 1, self._now.runs, self._now.written)

    def _take(self) -> None:
        """Updates the annotations of this host's runs from the file."""
        if self._file is None or self._known is None:
            return
        runs: dict[str, Annotation] = {}
        written: dict[str, Mapping[str, Authorship]] = {}
        for key, values in self._file.values.items():
            if any(value is not None for value in values.values()):
                said = Annotation(**values)  # type: ignore[arg-type]  # the file holds checked values
                signed = {
                    name: each
                    for name, each in self._file.written.get(key, {}).items()
                    if values.get(name) is not None
                }
                for run in runs_of(self._known, key):
                    runs[run] = said
                    if signed:
                        written[run] = signed
        if (runs, written) != (self._now.runs, self._now.written):
            self._now = Annotations(self._now.generation + 1, runs, written)
