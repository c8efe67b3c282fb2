"""Sends what is new in the files of a spool, each from where the host has it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from insight_record.locks import is_being_written
from insight_record.sending.destination import Destination
from insight_record.sending.host_connection import Differs, HostConnection, Longer, NotTaken
from insight_record.sending.names import BLOCK, PIECE
from insight_record.sending.spool import Spool

_MOST_TURNS = 5  # corrections of an offset in a row, and other names of a file


@dataclass
class _Sent:
    """What the host has of a file: so many bytes, as its ``number``-th file of this name."""

    offset: int | None = None  # None: to be asked
    is_complete: bool = False
    number: int = 1

    def name(self, relative: str) -> str:
        """The path on the host: another name in front where the first one has other content."""
        place, _, name = relative.rpartition("/")
        name = name if self.number == 1 else f"again{self.number}.{name}"
        return f"{place}/{name}" if place else name


class Sending:
    """What of a spool the host has. Not thread-safe but for ``unsent``."""

    def __init__(self, destination: Destination, spool: Spool) -> None:
        self.spool = spool
        self.connection = HostConnection(destination)
        self.bytes = 0  # that were sent
        self._sent: dict[str, _Sent] = {}

    def send(self, *, is_last: bool = False) -> Exception | None:
        """Sends what the files have now, and returns why some of it could not be sent.

        With ``is_last`` nobody writes any more: files without a lock are complete, too.
        """
        failure: Exception | None = None
        for relative, path in list(self.spool.files()):
            try:
                self._send_file(relative, path, is_last=is_last)
            except FileNotFoundError:  # deleted meanwhile
                continue
            except NotTaken as error:  # others may be taken
                failure = error
                if error.status in (401, 403, 404):
                    return error
            except (OSError, HTTPException, ValueError) as error:
                return error
        return failure

    def unsent(self, run: str = "") -> int:
        """Bytes of all files, or of those of a run, that the host does not have, as far as it is known."""
        total = 0
        for relative, path in self.spool.files():
            if run and relative.rpartition("/")[0] != run:
                continue
            sent = self._sent.get(relative)
            try:
                total += max(0, path.stat().st_size - (0 if sent is None else sent.offset or 0))
            except OSError:
                continue
        return total

    def _send_file(self, relative: str, path: Path, *, is_last: bool) -> None:
        sent = self._sent.setdefault(relative, _Sent())
        if sent.is_complete and sent.offset == path.stat().st_size:
            return
        is_event_file = path.suffix != ".jsonl"  # which has a lock while it is written
        is_over = (is_last or is_event_file) and not is_being_written(path)  # before its size is read
        turns = 0
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            while True:
                if sent.offset is None:
                    sent.offset = self.connection.length(sent.name(relative))
                try:
                    if sent.offset > size:
                        raise Differs(
                            f"the host has more of {relative} than there is", 409, "receive_differs"
                        )
                    if sent.offset == size and (sent.is_complete or not is_over):
                        return
                    self._append(sent, relative, file.fileno(), size, is_over=is_over)
                    turns = 0
                except Longer as error:  # an answer was lost, or the host was restarted from an older disk
                    sent.offset, turns = error.length, turns + 1
                    if turns > _MOST_TURNS:
                        raise
                except Differs:  # never change what is there
                    if sent.number >= _MOST_TURNS:
                        raise
                    sent.number, sent.offset, sent.is_complete = sent.number + 1, None, False
                if sent.is_complete and sent.offset == size:
                    break
        if self.spool.is_ours and is_event_file:
            self.spool.remove(path)
            del self._sent[relative]

    def _append(self, sent: _Sent, relative: str, descriptor: int, size: int, *, is_over: bool) -> None:
        """Sends one piece."""
        assert sent.offset is not None
        begin = max(0, sent.offset - BLOCK)
        both = os.pread(descriptor, sent.offset - begin + min(PIECE, size - sent.offset), begin)
        before, data = both[: sent.offset - begin], both[sent.offset - begin :]
        is_complete = is_over and sent.offset + len(data) == size
        name = sent.name(relative)
        sent.offset = self.connection.append(name, sent.offset, data, before, is_complete=is_complete)
        sent.is_complete = is_complete
        self.bytes += len(data)
