"""Rows of ``/data/plugins_listing`` and ``insight-host plugins`` for plugins made for TensorBoard."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from insight_tensorboard.hosted.discovery import TensorBoardModule

if TYPE_CHECKING:
    from insight_tensorboard.hosted.adapter import TensorBoardPlugin


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


def plugin_row(
    candidate: TensorBoardModule, found: TensorBoardPlugin | Absence | None = None
) -> dict[str, Any]:
    """The row of ``insight-host plugins`` for an entry point, with what it gave."""
    row = {
        "name": candidate.name,
        "made_for": "TensorBoard",
        "version": candidate.version,
        "distribution": candidate.distribution,
    }
    if found is None:
        return row
    if isinstance(found, Absence):
        return {**row, "state": found.state, "reason": found.reason}
    return {
        **row,
        "name": found.plugin_name,
        "title": found.frontend_metadata().tab_name,
        "claims": [f"plugin:{name}" for name in sorted(found.data_plugin_names())],
        "routes": found.routes(),
    }


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
