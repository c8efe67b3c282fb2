"""Sends recorded files to a host that receives them, from machines that share no disk with it."""

from __future__ import annotations

import os
from pathlib import Path

from insight_record.sending.destination import Destination, destination_of


def place_of(directory: str | os.PathLike[str], to: str | Destination | None) -> Path:
    """Where a recorder writes: the directory of a run, or that in which its files wait to be sent.

    Raises ValueError for what ``to`` cannot be, and for a directory that the host does not take.
    """
    destination = destination_of(to)
    if destination is None:
        return Path(directory)
    from insight_record.sending.sender import sender_for  # few recordings need it

    sender = sender_for(destination)
    sender.start()
    return sender.directory(Path(directory))
