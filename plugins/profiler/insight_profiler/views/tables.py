"""Declares each table of a profile once: its rows, what a request may choose, and how the page draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin.http import choice, csv_response, flag, text, texts, whole_number
from insight_profiler.analysis import communication, kernels, operators, steps
from insight_profiler.analysis.listing import SortedTable, Wanted
from insight_profiler.analysis.operators import Grouped
from insight_profiler.analysis.usual_times import warm_up_rows
from insight_profiler.model import Profile, Side
from insight_profiler.profiles.opened import (
    Asked,
    Opened,
    Recent,
    check_size,
    side_of_request,
    steps_of_runs,
)

_MOST_ROWS = 100_000
_MOST_STEPS = 100_000
_SORT, _TEXT, _REGEX = text("sort"), text("q", ""), flag("regex")
_OFFSET, _LIMIT = whole_number("offset", 0, 1 << 31, 0), whole_number("limit", 0, _MOST_ROWS, _MOST_ROWS)
_COLUMNS, _FORMAT = texts("columns"), choice("format", ("json", "csv"))
# What every table reads; which words ``field`` and ``order`` take depends on its columns.
TABLE_READS = (_SORT, _TEXT, _REGEX, text("order"), _OFFSET, _LIMIT, _COLUMNS, _FORMAT)
_MOST_WARM_UP = 100  # steps that are named
_recent: Recent[Grouped] = Recent()

MatchingRows: TypeAlias = NDArray[np.intp]


@frozen
class TableFilter:
    """A query parameter with a few values, which the page draws as a choice.

    Without the parameter the first of ``values`` counts. ``shown`` are the values in the order of the page,
    where that differs. ``words`` is the message of its label; those of its values are ``<words>.<value>``.
    """

    name: str
    words: str
    values: tuple[str, ...]
    shown: tuple[str, ...] = ()


@frozen(eq=False)
class TableRows:
    """All rows of a table for one request.

    ``more`` are further fields of the answer, ``of_matching`` those that depend on which rows match.
    ``sort``, ``searched`` and ``file`` replace what the table says for all requests, ``opened`` the profile
    that the answer is about.
    """

    listing: SortedTable
    more: Mapping[str, object] = field(factory=dict)
    of_matching: Callable[[MatchingRows, Wanted], Mapping[str, object]] | None = None
    sort: str = ""
    searched: tuple[str, ...] | None = None
    file: str = ""  # of CSV, without its ending
    opened: Opened | None = None


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@frozen(eq=False)
class TableView:
    """A table of a profile.

    ``columns`` are in the order of the page; those that are not named follow, and the column by which rows
    are grouped comes first. ``sort`` is the page's, with a minus for the largest first, and the server's
    unless ``TableRows`` has another. ``label`` is a message; ``asks`` are settings of the page that are part
    of the question besides ``filters``; ``address`` begins the keys of the table in the page's address.
    """

    name: str
    label: str
    rows: Callable[[Asked, Opened, Request], TableRows]
    columns: tuple[str, ...] = field(converter=_names)
    sort: str
    of: str = ""  # a table of the profile that has to have rows
    filters: tuple[TableFilter, ...] = ()
    searched: tuple[str, ...] = ()
    has_fields: bool = False  # the page offers to search one of these alone
    hidden: tuple[str, ...] = ()  # until they are chosen
    widths: Mapping[str, int] = field(factory=dict)  # px, of columns that are not as wide as usual
    asks: tuple[str, ...] = ()
    address: str = ""

    def answer(self, asked: Asked, request: Request) -> Response:
        """The page of rows that a request wants, or all rows that match as CSV.

        ``q, regex, field, sort, order, offset, limit, columns``; columns of texts are sorted from A, and a
        table that begins with its smallest row is sorted from there.
        """
        opened = asked.opened(request)
        if self.of:
            opened.table(self.of)
        found = self.rows(asked, opened, request)
        opened, listing = found.opened or opened, found.listing
        searched = self.searched if found.searched is None else found.searched
        within = choice(request, "field", ("all", *searched))
        by = _SORT.read(request)
        by = (found.sort or self.sort.removeprefix("-")) if by is None else by
        orders = ("asc", "desc") if by == self.sort or listing.is_text(by) else ("desc", "asc")
        wanted = Wanted(
            text=_TEXT.read(request),
            is_regex=_REGEX.read(request),
            searched=searched if within == "all" else (within,),
            sort=by,
            is_descending=choice(request, "order", orders) == "desc",
            offset=_OFFSET.read(request),
            limit=_LIMIT.read(request),
            columns=[name for names in _COLUMNS.read(request) for name in names.split(",")],
        )
        form = _FORMAT.read(request)
        rows = listing.matching(wanted)
        if form == "csv":
            answer = csv_response(listing.csv_lines(rows, wanted))
            answer.headers.set("Content-Disposition", "attachment", filename=f"{found.file or self.name}.csv")
            return opened.kept(answer)
        check_size(listing.text_size(rows, wanted))
        more = {} if found.of_matching is None else found.of_matching(rows, wanted)
        return opened.answer({**listing.page(rows, wanted), **found.more, **more})

    def declared(self) -> dict[str, Any]:
        """What the page needs to draw it."""
        return {
            "label": self.label,
            "columns": self.columns,
            "hidden": self.hidden,
            "widths": self.widths,
            "sort": self.sort,
            "fields": ["all", *(self.searched if self.has_fields else ())] if self.searched else [],
            "filters": [
                {"name": one.name, "words": one.words, "values": one.shown or one.values}
                for one in self.filters
            ],
            "asks": self.asks,
            "address": self.address,
        }


GROUPED = TableFilter("by", "operators.by", operators.GROUPINGS)
_KERNELS_BY = TableFilter("group", "kernels.group", kernels.GROUPINGS, shown=("name", "operator", "none"))
_LISTED = TableFilter("table", "communication.table", ("operators", "links"))


def grouped(request: Request, profile: Profile, by: str, side: Side) -> Grouped:
    """The operators of one side by group, in the steps of a request."""
    chosen = steps_of_runs(request, profile)
    key = (by, side, None if chosen is None else chosen.tobytes())
    return _recent.get(profile, key, lambda: operators.grouped(profile, by, side, chosen))


def _operators(asked: Asked, opened: Opened, request: Request) -> TableRows:
    by = choice(request, GROUPED.name, GROUPED.values)
    side = side_of_request(request, opened.profile)
    listing = grouped(request, opened.profile, by, side).listing
    if (kind := request.args.get("type")) is not None and "type" in listing.columns:
        listing = listing.having("type", kind)
    # own times count nothing twice, so these rank where they are known
    ranking = "self" if listing.columns["self"].known.any() else "total"

    def sums(rows: MatchingRows, wanted: Wanted) -> Mapping[str, object]:
        """Of all that match, and of those beyond the page."""
        beyond = rows[wanted.offset + (wanted.limit or 0) :]
        return {"sum": _sums(listing, rows), "other": _sums(listing, beyond)}

    more = {
        "by": by,
        "side": side.name.lower(),
        "sides": [one.name.lower() for one in operators.sides_of(opened.profile)],
        "warm_up": _warm_up(request, opened.profile),
    }
    return TableRows(listing, more, sums, sort=ranking, file=f"operators_by_{by}")


def _sums(listing: SortedTable, rows: MatchingRows) -> dict[str, Any]:
    found: dict[str, Any] = {"rows": len(rows)}
    for name in ("calls", "total", "self", "share"):
        column = listing.columns[name].take(rows)
        known = column.values[column.known]
        found[name] = known.sum().item() if len(known) else None
    return found


def _warm_up(request: Request, profile: Profile) -> list[int]:
    """Numbers of the steps that medians and averages leave out, at most 100."""
    table = profile.tables.get("steps")
    if request.args.get("steps") or table is None or "slices" not in profile.tables:
        return []
    numbers: list[int] = table["number"][warm_up_rows(profile)][:_MOST_WARM_UP].tolist()
    return numbers


def _kernels(asked: Asked, opened: Opened, request: Request) -> TableRows:
    by = choice(request, _KERNELS_BY.name, _KERNELS_BY.values)
    listing = kernels.kernel_listing(opened.profile, by, steps_of_runs(request, opened.profile))
    return TableRows(listing, {"group": by, "warm_up": _warm_up(request, opened.profile)})


def _steps(asked: Asked, opened: Opened, request: Request) -> TableRows:
    table = opened.table("steps")
    more = {
        "origin": opened.profile.step_origin,
        "average": steps.average(steps.of_rows(table, steps.usual_rows(table))),
        "summary": steps.summary(table),
        "divisions": steps.division_of(table),
    }
    return TableRows(steps.step_listing(opened.profile), more)


def _communication(asked: Asked, opened: Opened, request: Request) -> TableRows:
    chosen = request.args.get("steps")
    which = choice(request, _LISTED.name, _LISTED.values)
    table = opened.table("collectives" if which == "operators" else "links")
    numbers = np.unique(table["step"])
    more = {"table": which, "steps": numbers[numbers >= 0][:_MOST_STEPS]}
    if which == "operators":
        return TableRows(communication.collective_listing(opened.profile, chosen), more, file=which)
    listing = communication.link_listing(opened.profile, chosen)
    return TableRows(listing, more, searched=("kind",), file=which)


def _shapes(asked: Asked, opened: Opened, request: Request) -> TableRows:
    return TableRows(operators.shape_listing(opened.profile, opened.table("shape_runs")))


TABLES = (
    TableView(
        "operators",
        "view.operators",
        _operators,
        "name type share self total calls members median average minimum maximum p95 per_step device_total "
        "device_self flops bytes core scope shapes information",
        "-share",
        of="operators",
        filters=(GROUPED,),
        searched=("name", "type", "scope"),
        has_fields=True,
        widths={"name": 420},
        asks=("side", "type", "steps"),
    ),
    TableView(
        "kernels",
        "view.kernels",
        _kernels,
        "name operator share total calls members median average minimum maximum stream grid block core "
        "registers shared_memory occupancy",
        "-total",
        of="kernels",
        filters=(_KERNELS_BY,),
        searched=("name", "operator"),
        widths={"name": 380, "operator": 240},
        asks=("steps",),
        address="kernels",
    ),
    TableView(
        "steps",
        "steps.table",
        _steps,
        "number duration",
        "number",
        of="steps",
        hidden=("start",),
        widths={"number": 90},
        address="step-table",
    ),
    TableView(
        "communication",
        "view.communication",
        _communication,
        "source target name kind calls total share wait transit bytes bandwidth",
        "-total",
        filters=(_LISTED,),
        searched=("name", "kind"),
        widths={"source": 110, "target": 110, "kind": 120},
        asks=("steps",),
        address="communication",
    ),
    TableView(
        "shapes",
        "view.shapes",
        _shapes,
        "step name type kind duration shapes",
        "step",
        of="shape_runs",
        searched=("name", "type", "shapes"),
        widths={"step": 90, "shapes": 420},
        address="shapes",
    ),
)
