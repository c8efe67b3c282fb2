"""Sends recorded files to a host that receives them, from machines that share no disk with it."""

from __future__ import annotations

import os
from pathlib import Path

from insight_record.ranks import rank_of_process
from insight_record.sending.destination import Destination, destination_of


def place_of_rank(
    directory: str | os.PathLike[str], rank: int | None, to: str | Destination | None, below: str = ""
) -> tuple[Path, int]:
    """Makes the directory of a recorder that has a file for each rank; returns it and the rank.

    It is ``below`` the directory of the run, or below that in which the run's files wait to be sent.
    ``rank`` is that of the process by default, 0 without a launcher. Raises ValueError for what ``to``
    cannot be, and for a directory that the host does not take; OSError.
    """
    place = _place_of(directory, to) / below
    place.mkdir(parents=True, exist_ok=True)
    return place, rank_of_process() or 0 if rank is None else rank


def _place_of(directory: str | os.PathLike[str], to: str | Destination | None) -> Path:
    destination = destination_of(to)
    if destination is None:
        return Path(directory)
    from insight_record.sending.sender import sender_for  # few recordings need it

    sender = sender_for(destination)
    sender.start()
    return sender.directory(Path(directory))
