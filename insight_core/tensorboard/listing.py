"""Rows of ``/data/plugins_listing`` for plugins made for TensorBoard."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from attrs import frozen

from insight_core.tensorboard.discovery import TensorBoardModule


@frozen
class Absence:
    """Why an entry point has no plugin, in one line; ``state`` is failed, disabled or absent."""

    reason: str
    state: str = "failed"


def listing_row(
    title: str,
    mechanism: Mapping[str, object],
    *,
    enabled: bool = True,
    error: str | None = None,
    warnings: Sequence[str] = (),
    sampled: Mapping[str, Mapping[str, int]] | None = None,
) -> dict[str, object]:
    """One row; with ``error`` the tab shows an error card."""
    row: dict[str, object] = {
        "disable_reload": False,
        "enabled": enabled and error is None,
        "remove_dom": False,
        "tab_name": title,
        "loading_mechanism": mechanism,
        "titles": {},
    }
    if error is not None:
        row["error"] = error
    if warnings:
        row["warnings"] = list(warnings)
    if sampled:
        row["sampled"] = sampled
    return row


def error_card(
    candidate: TensorBoardModule, reason: str, taken: Container[str]
) -> tuple[str, Mapping[str, object]]:
    """A name that is not ``taken`` and the row of an entry point that failed."""
    name = candidate.name
    while name in taken:
        name += f" ({candidate.distribution or 'entry point'})"
    is_named = not candidate.distribution or candidate.distribution in reason
    error = reason if is_named else f"{reason} (from {candidate.distribution})"
    return name, listing_row(candidate.name, {"type": "NONE"}, error=error)
