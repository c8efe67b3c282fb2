"""What to do instead of names of another tracker that are not here."""

from __future__ import annotations

from collections.abc import Mapping


def absent(owner: str, name: str, instead: Mapping[str, str]) -> AttributeError:
    """The error for a name that ``owner`` lacks, with what to do instead if it is one of the tracker's."""
    hint = f": {instead[name]}" if name in instead else ""
    return AttributeError(f"{owner} has no {name!r}{hint}", name=name)
