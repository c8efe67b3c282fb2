"""What a view of the Metrics tab shows, as the keys of its URL say it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote

from attrs import frozen

from insight_core.plugin import InvalidArgument
from insight_core.plugin.http import matcher_of
from insight_scalar.bands import ABOUT_MEAN
from insight_scalar.layouts import LayoutCategory

_PANEL = "\0"  # before the name of a panel where others have tags
_NAME_PART = "name~"  # before an expression over names (feed/query.ts)
_DIRECTORY = "^(?:(.*)/)?[^/]*$"  # what ``path`` is as an expression (feed/query.ts)
_ERRORS = ("_stderr", "_lower", "_upper")  # series of error bars (card/bounds.ts)
_SWAPPED = str.maketrans("\"'{}()", "'\"(){}")  # signs of JSON that a URL would escape (panels.ts)


@frozen
class ViewState:
    """Runs, the keys of the tab (``smooth``, not ``scalar.smooth``), one card or all, and groups of runs.

    ``group`` is the key of this name of the page: columns of the run table, ``path`` or ``name~EXPRESSION``.
    """

    runs: Sequence[str]
    state: Mapping[str, str]
    card: str | None
    group: str = ""

    @classmethod
    def read(cls, text: str) -> ViewState:
        """Raises InvalidArgument for anything but JSON of this form."""
        try:
            given = json.loads(text)
            runs, state, card = given["runs"], given["state"], given.get("card")
            group = given.get("group", "")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InvalidArgument(f"view is not JSON of a view: {error!r}") from None
        if not isinstance(runs, list) or not isinstance(state, dict):
            raise InvalidArgument("runs of a view must be a list, and state an object")
        texts = [*runs, *state, *state.values(), group, *([] if card is None else [card])]
        if not all(isinstance(one, str) for one in texts):
            raise InvalidArgument("runs, state, card and group of a view must be text")
        return cls(runs, state, card, group)

    def tags(self, recorded: Collection[str], layouts: Iterable[LayoutCategory] = ()) -> Sequence[str]:
        """Tags with a card, those in panels, in layouts or on a right axis, and computed series."""
        if self.card is not None:
            key = _decoded(self.card.partition(";")[0])
            shown = [key, *self._in_panels(recorded, key)]
        else:
            shown = [*_matching(self.state.get("tags", ""), recorded), *self._names("pins")]
            shown += ["=" + expression for expression in self._keys("derived")]
            shown += self._in_panels(recorded)
            shown += [tag for category in layouts for tag in _laid_out(category, recorded)]
        pairs = [part.partition("=") for part in self._parts("pairs")]
        shown += [_decoded(second) for tag, _, second in pairs if _decoded(tag) in shown]
        shown += [tag + end for tag in shown for end in _ERRORS]
        return list(dict.fromkeys(tag for tag in shown if tag in recorded or tag.startswith("=")))

    def _in_panels(self, recorded: Collection[str], card: str | None = None) -> Sequence[str]:
        """Tags of the panels of the view (panels.ts), or of the panel that is the card."""
        try:
            panels = json.loads(self.state.get("panels", "").translate(_SWAPPED) or "[]")
        except (ValueError, RecursionError):
            return []
        found: list[str] = []
        for place, panel in enumerate(panels if isinstance(panels, list) else []):
            if not isinstance(panel, dict):
                continue
            if card is None or card == f"{_PANEL}{panel.get('id') or f'p{place}'}":
                found += _tags_of(panel, recorded)
        return found

    @property
    def axis(self) -> str | None:
        """The computed series that is the horizontal axis."""
        x = self.state.get("x", "")
        return x if len(x) > 1 and x.startswith("=") else None

    @property
    def is_grouped(self) -> bool:
        """Whether lines are groups of runs."""
        return bool(self._grouped_by)

    @property
    def _grouped_by(self) -> Sequence[str]:
        """As the page has it now; views of the last release have keys of the tab."""
        before = [
            *_names(self.state.get("by", "")),
            *(_NAME_PART + text for text in [self.state.get("group")] if text),
        ]
        return _names(self.group) or before

    @property
    def group_query(self) -> dict[str, str | list[str]]:
        """The parameters of ``bands`` but for tag, runs, window and width."""
        given = self.state
        centre = given.get("centre", "mean")
        spread = given.get("spread", "minmax")
        if centre == "median" and spread in ABOUT_MEAN:
            spread = "iqr"
        query: dict[str, str | list[str]] = {
            "x": given.get("x", "step"),
            "attempts": given.get("attempts", "last"),
            "centre": centre,
            "spread": spread,
        }
        if given.get("smooth"):
            query |= {"smoothing": given["smooth"], "smoother": given.get("smoother", "ema")}
        keys = self._grouped_by
        expressions = [key.removeprefix(_NAME_PART) for key in keys if key.startswith(_NAME_PART)]
        expressions += [_DIRECTORY] if "path" in keys else []
        if expressions:
            query["group"] = expressions[0]
        if by := [key for key in keys if "/" in key and not key.startswith(_NAME_PART)]:
            query["by"] = by
        return query

    def _parts(self, key: str) -> list[str]:
        return [part for part in self.state.get(key, "").split(";") if part]

    def _names(self, key: str) -> list[str]:
        return list(_names(self.state.get(key, "")))

    def _keys(self, key: str) -> list[str]:
        return [_decoded(part.partition("=")[0]) for part in self._parts(key)]


def _names(text: str) -> list[str]:
    return [_decoded(part) for part in re.split("[;,]", text) if part]


def _decoded(name: str) -> str:
    return "" if name == "~" else unquote(name)


def _tags_of(panel: Mapping[str, object], recorded: Collection[str]) -> Sequence[str]:
    """Tags that a panel names, as its tags, its metrics or the edges of its bands, or matches."""
    named = list(_listed(panel.get("tags")))
    for margin in _listed(panel.get("margins")):
        if isinstance(margin, dict):
            named += margin.values()
    for metric in (panel.get("x"), panel.get("y")):
        if isinstance(metric, str) and metric.partition("/")[0] in ("last", "min", "max"):
            named.append(metric.partition("/")[2])
    regex = panel.get("regex")
    if isinstance(regex, str) and regex:
        named += _matching(regex, recorded)
    return [tag for tag in named if isinstance(tag, str)]


def _matching(pattern: str, recorded: Collection[str]) -> Sequence[str]:
    """Tags that a pattern of the page may match: all, if it is not one of the host or takes too long."""
    tags = list(recorded)
    try:
        return [tags[row] for row in matcher_of(pattern, is_regex=True).rows(tags)]
    except InvalidArgument:
        return tags


def _laid_out(category: LayoutCategory, recorded: Collection[str]) -> Iterator[str]:
    for chart in category.charts:
        for pattern in chart.patterns:
            yield from _matching(f"^(?:{pattern})", recorded)
        for margin in chart.margins:
            yield from (margin.value, margin.lower, margin.upper)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
