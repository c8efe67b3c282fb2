"""Annotations of the runs of this host, in memory and in the shared file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from insight_core.plugin import InsightError, InvalidArgument, NotFound, Unavailable
from insight_core.plugin.annotations import Annotation, Annotations, FieldValue
from insight_core.web.annotations.annotation_file import AnnotationFile
from insight_core.web.annotations.run_keys import Place, key_of, runs_of


class AnnotationStore:
    """Annotations in the file of a state directory, written by this host and others.

    ``places`` returns the locations of the runs; while it raises InsightError, annotations are empty.
    Without a directory they are empty too. ``refusal`` is the reason if writing is disabled.
    """

    def __init__(
        self,
        directory: Path | None = None,
        places: Callable[[], Sequence[Place]] = lambda: (),
        refusal: str | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        if directory is None and refusal is None:
            refusal = "this host has no state directory"
        self.read_only = read_only
        self._refusal = "this host was started with --read-only" if read_only else refusal
        self._failure: str | None = None  # of the last refresh
        self._file = None if directory is None else AnnotationFile(directory)
        self._places = places
        self._known: Sequence[Place] | None = None
        self._lock = threading.Lock()
        self._now = Annotations()

    @property
    def may_change(self) -> bool:
        """Whether annotations can change at all, by any host."""
        return self._file is not None

    def write_refusal(self) -> str | None:
        """Why annotations cannot be written now; None if they can. Tests it on disk."""
        refusal = self._refusal or self._failure
        if refusal is None and self._file is not None:
            try:
                self._file.check_writable()
            except Unavailable as error:
                refusal = str(error)
        return refusal

    def now(self) -> Annotations:
        """The current annotations, including those of other hosts. Checks the file for changes.

        During a write it returns the previous annotations: every request calls this, and a disk may be
        slow.
        """
        if self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._now

    def annotate(self, run: str, values: Mapping[str, FieldValue]) -> Annotation:
        """Sets fields of a run, as returned by ``checked``, and returns all fields of the run.

        Raises Unavailable if they cannot be written, NotFound for an unknown run.
        """
        if self._file is None or self._refusal is not None:
            raise Unavailable(f"annotations cannot be written: {self._refusal}")
        with self._lock:
            places = self._known = self._places()
            key = key_of(places, run)
            if key is None:
                raise NotFound(f"unknown run {run!r}", code="unknown_run", run=run)
            if not values:
                raise InvalidArgument("no field is named")
            self._file.append(key, values)
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
            self._now = Annotations(self._now.generation + 1, self._now.runs)

    def _take(self) -> None:
        """Updates the annotations of this host's runs from the file."""
        if self._file is None or self._known is None:
            return
        runs: dict[str, Annotation] = {}
        for key, values in self._file.fields.items():
            if any(value is not None for value in values.values()):
                said = Annotation(**values)  # type: ignore[arg-type]  # the file holds checked values
                runs.update(dict.fromkeys(runs_of(self._known, key), said))
        if runs != self._now.runs:
            self._now = Annotations(self._now.generation + 1, runs)
