"""Values that users write: in memory, and in a file of the state directory that hosts share."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from attrs import evolve

from insight_core.plugin import InsightError, InvalidArgument, ReasonKind, Unavailable
from insight_core.web.state.state_file import StateFile, Value

_STATE_REFUSED = ReasonKind("state_refused", "{what} cannot be written: {cause}")
_LONG_TEXT = ReasonKind("long_text", "{name} must have at most {most} characters, not {length}")
_CONTROL_CHARACTERS = ReasonKind("control_characters", "{name} must not have control characters")
_HALF_A_PAIR = ReasonKind("half_a_pair", "{name} must be Unicode text: it has half of a surrogate pair")


class Moment(Protocol):
    """The values at one moment: an attrs class."""

    @property
    def generation(self) -> int:
        """A number that changes whenever the values do."""


M = TypeVar("M", bound=Moment)


class SharedState(ABC, Generic[M]):
    """Values in a file of a state directory, written by this host and others.

    Without a ``directory`` the values stay those of ``empty``. ``refusal`` is the reason if writing is
    disabled. A kind of values says which file they are in, how a line is checked, and what a file means.
    """

    what = "state"  # for messages: what is in the file
    keys = "key", "name", "value"  # what a line calls its two names and the value

    def __init__(self, empty: M, directory: Path | None, refusal: str | None, *, read_only: bool) -> None:
        if directory is None and refusal is None:
            refusal = "this host has no state directory"
        self.read_only = read_only
        self.may_change = directory is not None  # by any host
        self._directory = directory
        self._refusal = "this host was started with --read-only" if read_only else refusal
        self._failure: str | None = None  # of the last look
        self._lock = threading.Lock()
        self._now = empty
        self._file: StateFile | None = None
        self._taken: StateFile | None = None  # whose values are those of now

    @abstractmethod
    def _path(self, directory: Path) -> Path:
        """The file of the values. Raises InsightError while it is not known."""

    @abstractmethod
    def _checked(self, name: str, value: Value) -> Value:
        """The value that a line has under this name. Raises InsightError if no host writes it."""

    @abstractmethod
    def _fields(self, file: StateFile) -> Mapping[str, object]:
        """Fields of a moment, of what the file has. Raises InsightError while they are not known."""

    def generation(self) -> int:
        """A number that changes whenever the values do. Checks the file for changes of other hosts."""
        return self.now().generation

    def now(self) -> M:
        """The current values, including those of other hosts. Checks the file for changes.

        During a write it returns the previous values: every request may call this, and a disk may be slow.
        """
        if self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._now

    def write_refusal(self) -> str | None:
        """Why values cannot be written now; None if they can. Tests it on disk."""
        if self._refusal or self._failure:
            return self._refusal or self._failure
        try:
            self._writable_file().check_writable()
        except InsightError as error:
            return str(error)
        return None

    @contextmanager
    def _writing(self) -> Iterator[StateFile]:
        """The file to write to, with the lock; then its values are those of now.

        Raises Unavailable if writing is disabled.
        """
        with self._lock:
            file = self._writable_file()
            try:
                yield file
            finally:
                self._take(file)

    def _writable_file(self) -> StateFile:
        file = self._open_file() if self._refusal is None else None
        if file is None:
            raise Unavailable(_STATE_REFUSED(what=self.what, cause=self._refusal))
        return file

    def _open_file(self) -> StateFile | None:
        """The file with the values; None without a directory."""
        if self._directory is None:
            return None
        path = self._path(self._directory)
        if self._file is None or self._file.path != path:
            self._file = StateFile(path, self.what, self.keys, self._checked)
        return self._file

    def _look(self) -> None:
        """Takes what was written since the last look. Called with the lock."""
        failure = None
        try:
            file = self._open_file()
            if file is not None and (file.refresh() or file is not self._taken):
                self._take(file)
        except InsightError as error:  # what was known stays
            failure = str(error)
        if failure != self._failure:
            self._failure = failure
            self._change({})

    def _take(self, file: StateFile) -> None:
        """Updates the values from a file that was read."""
        found = self._fields(file)
        self._taken = file
        if any(getattr(self._now, name) != value for name, value in found.items()):
            self._change(found)

    def _change(self, fields: Mapping[str, object]) -> None:
        self._now = evolve(self._now, generation=self._now.generation + 1, **fields)  # type: ignore[misc]


def checked_text(name: str, value: object, longest: int, allowed: str = "") -> str:
    """The text without space around it. Raises InvalidArgument if it is too long or not plain Unicode text.

    ``longest`` is in characters; ``allowed`` are the control characters that it may have.
    """
    if not isinstance(value, str):
        raise InvalidArgument(f"{name} must be a text or null, not {value!r:.100}")
    text = value.replace("\r\n", "\n").strip()
    if len(text) > longest:
        raise InvalidArgument(_LONG_TEXT(name=name, most=longest, length=len(text)))
    if any((mark < " " or mark == "\x7f") and mark not in allowed for mark in text):
        raise InvalidArgument(_CONTROL_CHARACTERS(name=name))
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        raise InvalidArgument(_HALF_A_PAIR(name=name))
    return text
