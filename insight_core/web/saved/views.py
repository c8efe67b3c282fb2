"""Views of the page that users save: reads them, and finds the one that a page without a hash opens."""

from __future__ import annotations

import json
from collections.abc import Mapping

from insight_core.web.saved.store import Entries

OWNER = "page"
PREFIX = "view/"  # of the names of entries that are views
DEFAULT = "default view"  # the entry with the name of the view to open


def view_state(entries: Entries, name: str) -> dict[str, str] | None:
    """The keys of the URL that the view ``name`` sets; None without such a view, or if it is malformed."""
    value = _value(entries, f"{PREFIX}{name}")
    state = value.get("state") if isinstance(value, dict) else None
    if not isinstance(state, dict) or not all(isinstance(text, str) for text in state.values()):
        return None
    return state


def view_names(entries: Entries) -> list[str]:
    """The names of all views, sorted."""
    return sorted(
        name.removeprefix(PREFIX) for name in entries.by_owner.get(OWNER, {}) if name.startswith(PREFIX)
    )


def start_of_page(entries: Entries, logs: str | None) -> Mapping[str, object]:
    """What index.html says about views: the key of these logs, and the view to open without a hash."""
    told: dict[str, object] = {"logs": logs or ""}
    name = _value(entries, DEFAULT)
    state = view_state(entries, name) if isinstance(name, str) else None
    return told if state is None else told | {"view": {"name": name, "state": state}}


def _value(entries: Entries, name: str) -> object:
    text = entries.by_owner.get(OWNER, {}).get(name)
    return None if text is None else json.loads(text)
