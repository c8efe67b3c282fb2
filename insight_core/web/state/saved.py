"""Entries that tabs and the page save under a name, views too, in a file for each set of logdirs."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from insight_core.plugin import InsightError, InvalidArgument, NotFound, TooLarge
from insight_core.web.content_tags import content_tag
from insight_core.web.state.shared_state import SharedState, checked_text
from insight_core.web.state.state_file import StateFile, Value
from insight_record.formats.reason import ReasonKind

log = logging.getLogger(__name__)

DIRECTORY = "saved"
PAGE = "page"  # the owner of what the page saves
VIEW = "view/"  # begins the names of entries that are views
DEFAULT = "default view"  # the entry with the name of the view to open
LARGEST = 1 << 18  # bytes of one entry
LARGEST_SUM = 1 << 22  # bytes of all entries of one plugin, or of the page
_LONGEST_NAME = 200  # characters
_EMPTY_PARAMETER = ReasonKind("empty_parameter", "name must not be empty", "name")
_LARGE_SAVED = ReasonKind("large_saved", "{name} has {size} bytes; at most {most} can be saved under a name")
UNKNOWN_SAVED = ReasonKind("unknown_saved", "nothing is saved as {name}")
_SAVED_FULL = ReasonKind(
    "saved_full", "{owner} can save at most {most} bytes for these logs: remove entries first", "name"
)


class Changed(InsightError):
    """Somebody else wrote or removed the entry after the client read it."""

    status = 409
    code = "saved_changed"


@frozen(eq=False)
class Entries:
    """What is saved at one moment: JSON texts by owner and name.

    ``unreadable`` is how many lines of ``file`` cannot be read.
    """

    generation: int = 0
    by_owner: Mapping[str, Mapping[str, str]] = {}
    file: Path | None = None
    unreadable: int = 0


def version_of(text: str | None) -> str | None:
    """Identifies the content of an entry; None without an entry."""
    return None if text is None else content_tag(text.encode("ascii"))


def checked_name(name: object) -> str:
    """A name as it is kept: one line of at most 200 characters. Raises InvalidArgument."""
    text = checked_text("name", name, _LONGEST_NAME)
    if not text:
        raise InvalidArgument(_EMPTY_PARAMETER(name="name"))
    return text


class SavedStore(SharedState[Entries]):
    """Entries in a file of the state directory, one for each set of logdirs.

    ``locations`` returns where the data lie: absolute paths of logdirs, or the address of a data server.
    While it raises InsightError, the store has no entries. ``refusal`` is the reason if writing is disabled.
    """

    what = "saved entries"
    keys = "owner", "name", "value"

    def __init__(
        self,
        directory: Path | None = None,
        locations: Callable[[], Sequence[str]] = list,
        refusal: str | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__(Entries(), directory, refusal, read_only=read_only)
        self._locations = locations

    def logs(self) -> str | None:
        """Identifies the logs to which the entries belong; None while they are not known."""
        try:
            return self._key()
        except InsightError:
            return None

    def write(self, owner: str, name: str, value: object, version: str | None) -> str:
        """Sets an entry, and returns its version. On disk when this returns.

        ``name`` is as ``checked_name`` returned it. ``version`` is that of the entry to replace, None for a
        new one. Raises Changed if the entry has another version, TooLarge beyond a limit, and Unavailable
        if the file cannot be written.
        """
        try:
            text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"the value cannot be saved: {error}") from error
        if len(text) > LARGEST:
            raise TooLarge(_LARGE_SAVED(name=name, size=len(text), most=LARGEST))
        self._set(owner, name, text, version)
        return content_tag(text.encode("ascii"))

    def remove(self, owner: str, name: str, version: str) -> None:
        """Removes an entry of this version. Raises NotFound, Changed, and Unavailable as ``write`` does."""
        self._set(owner, name, None, version)

    def _set(self, owner: str, name: str, text: str | None, version: str | None) -> None:
        with self._writing() as file:

            def allow() -> None:
                before = file.values.get(owner, {}).get(name)
                found = version_of(before if isinstance(before, str) else None)
                if found is None and text is None:
                    raise NotFound(UNKNOWN_SAVED(name=name))
                if found != version:
                    raise Changed(f"{name} was changed since it was read", name=name, version=found)
                if text is not None:
                    _require_room(file, owner, name, text)

            file.append(owner, {name: text}, allow)

    def _path(self, directory: Path) -> Path:
        return directory / DIRECTORY / f"{self._key()}.jsonl"

    def _key(self) -> str:
        place = "\n".join(sorted(set(self._locations())))
        return hashlib.blake2b(place.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()

    def _checked(self, name: str, value: Value) -> Value:
        if checked_name(name) != name or isinstance(value, int):
            raise InvalidArgument("not written by insight-host")
        if value is not None:
            try:
                json.loads(value.encode("ascii"))
            except (ValueError, RecursionError) as error:
                raise InvalidArgument("not written by insight-host") from error
        return value

    def _fields(self, file: StateFile) -> Mapping[str, object]:
        if file.unreadable and file.unreadable != self._now.unreadable:
            log.warning("%s: %d lines cannot be read; they are kept", file.path, file.unreadable)
        found = {
            owner: {name: text for name, text in values.items() if isinstance(text, str)}
            for owner, values in file.values.items()
        }
        return {"by_owner": found, "file": file.path, "unreadable": file.unreadable}


def view_state(entries: Entries, name: str) -> dict[str, str] | None:
    """The keys of the URL that the view ``name`` sets; None without such a view, or if it is malformed."""
    value = _value(entries, f"{VIEW}{name}")
    state = value.get("state") if isinstance(value, dict) else None
    if not isinstance(state, dict) or not all(isinstance(text, str) for text in state.values()):
        return None
    return state


def start_of_page(entries: Entries, logs: str | None) -> Mapping[str, object]:
    """What index.html says about views: the key of these logs, and the view to open without a hash."""
    told: dict[str, object] = {"logs": logs or ""}
    name = _value(entries, DEFAULT)
    state = view_state(entries, name) if isinstance(name, str) else None
    return told if state is None else told | {"view": {"name": name, "state": state}}


def _value(entries: Entries, name: str) -> object:
    text = entries.by_owner.get(PAGE, {}).get(name)
    return None if text is None else json.loads(text)


def _require_room(file: StateFile, owner: str, name: str, text: str) -> None:
    others = sum(
        len(known.encode()) + len(str(value))
        for known, value in file.values.get(owner, {}).items()
        if value is not None and known != name
    )
    if others + len(name.encode()) + len(text) > LARGEST_SUM:
        whose = owner.removeprefix("plugin/")
        raise TooLarge(_SAVED_FULL(owner=whose, name=name, most=LARGEST_SUM))
