"""``/data/catalog``: the series of plugins by column; a name is sent once, not once for each run."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import cast, get_args

from attrs import evolve, field, frozen
from werkzeug import Request, Response

from insight_core.matching import Matcher, matcher_of
from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider, SeriesField, SeriesTable, united_tables
from insight_core.plugin.data.tables import chosen_tables, missing_tags, tags_by_run
from insight_core.plugin.http import flag, is_gone, text, texts, whole_number
from insight_core.web.answers import json_answer
from insight_core.web.live_events import SINCE, changes_since, generation_of

_FIELDS: tuple[SeriesField, ...] = get_args(SeriesField)
_OWNER = "plugin"  # the column that says to which of several plugins a series belongs
_DEFAULT = ("attempts", "claims")  # columns that a page needs to begin
_TEXTS = {"claims", "content", "display_name", "description", _OWNER}  # columns of a few values
_LAST = 1 << 53

CATALOG_READS = (
    texts("plugin", required=True).named("plugins"),
    flag("unclaimed"),
    SINCE,
    text("q"),
    flag("regex"),
    texts("columns"),
    texts("run").named("runs"),
    whole_number("offset", 0, _LAST, 0),
    whole_number("limit", 0, _LAST),
)

_Tags = Mapping[str, Collection[str]]  # by run


@frozen(eq=False)
class _Question:
    """What a request asks for. ``runs`` None: all runs; ``matcher`` None: all tags."""

    plugins: Sequence[str]
    columns: Sequence[str]
    runs: Collection[str] | None = None
    matcher: Matcher | None = None
    offset: int = 0
    limit: int | None = None
    since: int | None = None

    @property
    def fields(self) -> list[SeriesField]:
        """The columns that are fields of a series."""
        return [name for name in _FIELDS if name in self.columns]


@frozen(eq=False)
class SeriesCatalog:
    """Series of plugins, all or those that changed (docs/http_api.md). ``names`` are the mounted plugins."""

    provider: DataProvider
    boot: str
    names: Callable[[], Collection[str]]

    def view(
        self,
        request: Request,
        *,
        plugins: list[str],
        unclaimed: bool,
        since: str | None,
        q: str | None,
        regex: bool,
        columns: Sequence[str],
        runs: Sequence[str],
        offset: int,
        limit: int | None,
    ) -> Response:
        """Raises InvalidArgument for unknown columns, an invalid pattern, page or cursor."""
        if unclaimed:
            plugins += sorted(set(self.provider.plugins()).difference(self.names(), plugins))
        question = _Question(
            plugins,
            _columns(columns),
            runs or None,
            matcher_of(q, is_regex=regex, is_gone=partial(is_gone, request)) if q else None,
            offset,
            limit,
            None if since is None else generation_of(since, self.boot),
        )
        return json_answer(self._answer(question))

    def first(self, plugin: str) -> Response:
        """What a page that begins asks for: all series of one plugin."""
        return json_answer(self._answer(_Question([plugin], _DEFAULT)))

    def _answer(self, question: _Question) -> dict[str, object]:
        # a number from before the tables are read: what changes meanwhile is in the next delta
        changes = None if question.since is None else changes_since(self.provider, question.since)
        generation = self.provider.generation() if changes is None else changes.generation
        changed: dict[str, set[str]] | None = None
        if changes is not None and changes.series is not None:
            changed = tags_by_run(
                key
                for name in question.plugins
                for key in changes.series.get(name, ())
                if question.runs is None or key.run in question.runs
            )
        is_page = question.limit is not None or question.offset > 0
        # a page is found by the names, and only its runs are read
        fields = [] if is_page else question.fields
        found = self._tables(question, changed, fields)
        gone = {} if changed is None else missing_tags(found, changed)
        if question.matcher is not None:
            found = _matching(found, question.matcher)
            gone = _matching_names(gone, question.matcher)
        total = sum(len(table.tags) for table in found)
        if is_page:
            page = {table.run: set(table.tags) for table in _page(found, question.offset, question.limit)}
            found = self._tables(question, page, question.fields)
        return {
            "generation": generation,
            "boot": self.boot,
            "since": None if changed is None else question.since,
            "total": total,
            "gone": gone,
            **_encoded(found, question.columns),
        }

    def _tables(
        self, question: _Question, wanted: _Tags | None, fields: Sequence[SeriesField]
    ) -> list[SeriesTable]:
        """One table for each run, by name, of the series asked for, or of the ``wanted`` ones alone."""
        if wanted is None:
            return self._united(question, question.runs, None, fields)
        return chosen_tables(lambda runs, tags: self._united(question, runs, tags, fields), wanted)

    def _united(
        self,
        question: _Question,
        runs: Collection[str] | None,
        tags: Collection[str] | None,
        fields: Sequence[SeriesField],
    ) -> list[SeriesTable]:
        def tables() -> Iterator[SeriesTable]:
            for plugin in question.plugins:
                for table in self.provider.series_tables(plugin, fields, runs=runs, tags=tags):
                    is_owned = _OWNER in question.columns
                    yield evolve(table, common={**table.common, _OWNER: plugin}) if is_owned else table

        return sorted(united_tables(tables()), key=attrgetter("run"))


def _columns(asked: Iterable[str]) -> Sequence[str]:
    names = list(dict.fromkeys(name for text in asked for name in text.split(",") if name))
    for name in names:
        if name not in (*_FIELDS, _OWNER):
            allowed = ", ".join((*_FIELDS, _OWNER))
            raise InvalidArgument(f"columns must be some of {allowed}, not {name!r}")
    return names or _DEFAULT


def _matching(tables: Sequence[SeriesTable], matcher: Matcher) -> list[SeriesTable]:
    """Each name is tried once, however many runs have it."""
    lists = _Numbering()
    list_of = [lists.of(table.tags) for table in tables]
    distinct = cast(list[tuple[str, ...]], list(lists.numbers))
    names = list({tag for tags in distinct for tag in tags})
    matches = {names[row] for row in matcher.rows(names)}
    places = [[at for at, tag in enumerate(tags) if tag in matches] for tags in distinct]
    pairs = zip(tables, list_of, strict=True)
    return [table.at(places[number]) for table, number in pairs if places[number]]


def _matching_names(gone: Mapping[str, Sequence[str]], matcher: Matcher) -> dict[str, list[str]]:
    parts = {run: [tags[row] for row in matcher.rows(tags)] for run, tags in gone.items()}
    return {run: tags for run, tags in parts.items() if tags}


def _page(tables: Iterable[SeriesTable], offset: int, limit: int | None) -> Iterator[SeriesTable]:
    """The series from ``offset`` on, at most ``limit`` of them."""
    left = math.inf if limit is None else limit
    for table in tables:
        count = len(table.tags)
        if left <= 0:
            return
        if offset < count:
            end = int(min(count, offset + left))
            left -= end - offset
            yield table.of_tags(set(table.tags[offset:end]))
        offset = max(0, offset - count)


@frozen(eq=False)
class _Numbering:
    """Numbers values in the order in which they come."""

    numbers: dict[Hashable, int] = field(factory=dict)

    def of(self, value: Hashable) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


def _encoded(tables: Sequence[SeriesTable], columns: Iterable[str]) -> dict[str, object]:
    names, sets = _Numbering(), _Numbering()
    set_of = [sets.of(table.tags) for table in tables]
    tags = [[names.of(tag) for tag in cast(tuple[str, ...], each)] for each in sets.numbers]
    return {
        "tags": list(names.numbers),
        "sets": tags,
        "runs": [table.run for table in tables],
        "set_of": set_of,
        "columns": {name: _column(tables, name) for name in columns},
    }


def _column(tables: Sequence[SeriesTable], name: str) -> object:
    if name not in _TEXTS:
        return _compact(tables, name, lambda value: value)
    known = _Numbering()
    places = _compact(tables, name, known.of)
    return {"values": [_text(value) for value in known.numbers], "of": places}


def _text(value: object) -> object:
    """Claims as a list of their names, bytes in base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return list(map(str, value)) if isinstance(value, tuple) else value


def _compact(tables: Sequence[SeriesTable], name: str, coded: Callable[..., object]) -> object:
    """A value for each series in the order of runs and tags, or the one value that all have."""
    if tables and all(name in table.common for table in tables):
        shared = {coded(table.common[name]) for table in tables}
        if len(shared) == 1:
            return shared.pop()
    values: list[object] = []
    for table in tables:
        values += map(coded, table.column(name))
    return values[0] if values and values.count(values[0]) == len(values) else values
