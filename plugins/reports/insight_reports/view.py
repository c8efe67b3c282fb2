"""The content of a snapshot: the keys of a view's URL, the runs that it selects, cards of a report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from attrs import frozen

from insight_core.plugin import Get, InvalidArgument, NotFound

REPORTS = "reports"  # name of the plugin
_COLUMNS = f"{REPORTS}.columns"  # the key under which a table of runs names its columns
_CARD = re.compile(r"^```card[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@frozen
class SharedView:
    """``state`` are keys of the URL and their texts; ``cards`` are those of the report that it opens."""

    name: str
    state: Mapping[str, str]
    cards: Sequence[Mapping[str, Any]] = ()

    @property
    def report(self) -> str | None:
        """Name of the report that is open."""
        return self.state.get("reports.open") if self.state.get("tab") == REPORTS else None

    @property
    def file_name(self) -> str:
        """The name without what file systems forbid."""
        return re.sub(r'[\x00-\x1f<>:"/\\|?*]+', "_", self.name).strip(". ")[:100] or "snapshot"

    def parts(self, plugin: str, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
        """Returns what the plugin shows of these rows of the run table: ``runs``, ``state`` and ``card``."""
        prefix = f"{plugin}."
        wanted: list[tuple[Mapping[str, str], object]] = (
            [(card["state"], card["card"]) for card in self.cards if card["plugin"] == plugin]
            if self.report is not None
            else [(self.state, None)]
        )
        return [
            {
                "runs": selected(state, rows),
                "state": {
                    key.removeprefix(prefix): text for key, text in state.items() if key.startswith(prefix)
                },
                "card": card,
                **({"group": state["group"]} if state.get("group") else {}),
            }
            for state, card in wanted
        ]

    @property
    def table_columns(self) -> list[str] | None:
        """Columns that tables of runs in the report name, besides the usual ones; None without a table."""
        tables = [card["state"] for card in self.cards if _kind(card) == "runs"]
        named = {unquote(key) for state in tables for key in state.get(_COLUMNS, "").split(";") if key}
        return sorted(named) if tables else None

    def runs(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """All runs that it shows, in the order of the run table."""
        states = [self.state]
        if self.report is not None:
            # what is quoted, and a link, show no runs
            states = [card["state"] for card in self.cards if _kind(card) not in ("finding", "view")]
        shown = {run for state in states for run in selected(state, rows)}
        return [row["name"] for row in rows if row["name"] in shown]


def _kind(card: Mapping[str, Any]) -> str:
    """The name of a card of the plugin itself; "" for those of others."""
    return str(card["card"]) if card["plugin"] == REPORTS else ""


def view_of(
    get: Get, *, view: str | None = None, report: str | None = None, state: str | None = None
) -> SharedView:
    """The view that one of these names: a saved view, a saved report, or keys of the URL as JSON.

    Raises NotFound without such a view or report, InvalidArgument for a state that is not JSON of texts.
    """
    if view is not None:
        value = json.loads(get("/data/saved/page", name=f"view/{view}").data)["value"]
        found = SharedView(view, _texts(value.get("state")))
    elif report is not None:
        found = SharedView(report, {"tab": REPORTS, "reports.open": report})
    else:
        try:
            found = SharedView("snapshot", _texts(json.loads(state or "{}")))
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"state is not JSON: {error}") from None
    return _with_cards(get, found)


def _texts(state: object) -> Mapping[str, str]:
    if not isinstance(state, dict) or not all(isinstance(text, str) for text in state.values()):
        raise InvalidArgument("the state of a view must be an object of texts")
    return state


def _with_cards(get: Get, view: SharedView) -> SharedView:
    if view.report is None:
        return view
    value = json.loads(get(f"/data/saved/plugin/{REPORTS}", name=view.report).data)["value"]
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise NotFound(f"{view.report} is not a report")
    return SharedView(view.name, view.state, cards_in(text))


def cards_in(markdown: str) -> list[Mapping[str, Any]]:
    """The cards of a report: JSON in fenced blocks of the language ``card``; others are left out."""
    found: list[Mapping[str, Any]] = []
    for text in _CARD.findall(markdown.replace("\r\n", "\n")):
        try:
            card = json.loads(text)
            if all(isinstance(card[key], str) for key in ("plugin", "card")):
                found.append({**card, "state": _texts(card["state"])})
        except (ValueError, TypeError, KeyError, RecursionError, InvalidArgument):
            continue
    return found


def selected(state: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the runs that the keys of a URL select, as selection.ts and runs.ts of the page read them.

    ``rows`` are those of the run table; one of an archived run has ``archived``.
    """
    text = state.get("runs")
    if state.get("archived") != "1":
        rows = [row for row in rows if not row.get("archived")]
    names = [str(row["name"]) for row in rows]
    if text is None or text == "all":
        return names
    excepted = re.match(r"~[^;]", text) is not None
    parts = re.split("[;,]", text.removeprefix("~") if excepted else text)
    named = {"" if part == "~" else unquote(part) for part in parts if part}
    return [name for name in names if (name in named) is not excepted]
