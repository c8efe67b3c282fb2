"""Answers of the timeline routes."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, ReasonKind, TooLarge
from insight_core.plugin.http import (
    flag,
    safetensors_response,
    text,
    whole_number,
)
from insight_profiler.analysis import timeline
from insight_profiler.analysis.chrome import chrome_trace, event_count
from insight_profiler.analysis.memory import reduced
from insight_profiler.analysis.window import slices_between
from insight_profiler.profiles.opened import Asked, Opened, Recent
from insight_profiler.views.tables import TableRows, TableView

_FAR = 1 << 53
_MOST_FOUND = 1000
_MOST_SLICES = 500_000  # rows of an answer, some 20 MB
_MOST_POINTS = 500_000  # the same of counters
_MOST_EVENTS = 2_000_000  # of a trace, some 250 MB
_TIMES = ("start", "duration")  # as numbers of a page: exact for 104 days
_MANY_COUNTERS = ReasonKind(
    "profiler_many_counters", "there are {count} counters: name some of them, counters=0,1,2"
)
_WRONG_ORDER = ReasonKind("wrong_order", "to must be more than from ({low}), not {high}")
_BAD_NUMBERS = ReasonKind("profiler_bad_numbers", "{name} must be numbers such as 0,3,4, not {value!r}")


def timeline_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views of the timeline, by route name."""
    views = _Views(asked)
    names = ("tracks", "slices", "counters", "slice", "search", "trace")
    return {name: getattr(views, name) for name in names}


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._tracks: Recent[dict[str, Any]] = Recent()
        self._found: Recent[NDArray[np.intp]] = Recent()

    def tracks(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        profile = opened.profile
        span = {"duration": profile.duration_ns, "start_ns": str(profile.start_ns)}
        return opened.answer({**self._tracks.get(profile, "", lambda: timeline.tracks(profile)), **span})

    def slices(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("slices")
        start, end = _range(request, opened)
        width = whole_number(request, "width", 1, 10_000, 1500)
        levels = whole_number(request, "levels", 1, 1 << 16)
        shown = slices_between(
            opened.profile, start, end, width, _tracks(request, opened), levels, _MOST_SLICES
        )
        columns: dict[str, NDArray[Any]] = dict(shown.columns)
        for name in _TIMES:
            columns[name] = columns[name].astype(np.float64)
        names = np.unique(shown.columns["name"])
        described = {
            "from": start,
            "to": end,
            "names": {str(place): opened.profile.texts[place] for place in names.tolist() if place >= 0},
            "shown": len(columns["start"]),
            "width": shown.width,
            "of": shown.count,
            "version": opened.version,
            "complete": opened.profile.is_complete,
        }
        return opened.kept(safetensors_response(columns, "slices", described))

    def counters(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        table = opened.table("counters")
        start, end = _range(request, opened)
        width = whole_number(request, "width", 1, 10_000, 1500)
        wanted = _places(request, "counters", len(opened.profile.counters))
        places = range(len(opened.profile.counters)) if wanted is None else np.unique(wanted).tolist()
        if len(places) > _MOST_POINTS:
            raise TooLarge(_MANY_COUNTERS(count=len(places)))
        width = min(width, max(1, _MOST_POINTS // max(1, len(places))))
        parts = []
        for place in places:
            rows = timeline.points_of(opened.profile, place)
            times = table["time"][rows]
            # include the points next to the range: the curve continues to its edges
            low, high = np.searchsorted(times, start, "left") - 1, np.searchsorted(times, end, "right") + 1
            rows = rows[max(0, int(low)) : int(high)]
            parts.append((place, reduced(table["time"][rows], table["value"][rows], width)))
        columns: dict[str, NDArray[Any]] = {
            "counter": np.repeat(
                np.array([place for place, _ in parts], np.int32), [len(curve.times) for _, curve in parts]
            ),
            "time": _joined([curve.times for _, curve in parts], np.int64).astype(np.float64),
            "minimum": _joined([curve.minimum for _, curve in parts], np.float64),
            "maximum": _joined([curve.maximum for _, curve in parts], np.float64),
            "last": _joined([curve.last for _, curve in parts], np.float64),
        }
        described = {"from": start, "to": end, "version": opened.version}
        return opened.kept(safetensors_response(columns, "counters", described))

    def slice(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        opened.table("slices")
        row = whole_number(request, "id", 0, _FAR, required=True)
        said = timeline.slice_of(opened.profile, row)
        arguments = self._asked.profiles.arguments(
            text(request, "run", required=True), text(request, "profile", required=True), opened.profile, row
        )
        return opened.answer({**said, "arguments": arguments})

    def search(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        slices = opened.table("slices")
        wanted = text(request, "q", required=True, filled=True)
        is_regex = flag(request, "regex")
        start = whole_number(request, "from", -_FAR, _FAR, -_FAR)
        end = whole_number(request, "to", -_FAR, _FAR, _FAR)

        def find() -> NDArray[np.intp]:
            return timeline.found(opened.profile, wanted, is_regex=is_regex)

        rows = self._found.get(opened.profile, (wanted, is_regex), find)
        places = timeline.places_of(opened.profile, rows)
        low, high = np.searchsorted(slices["start"][rows], [start, end])
        rows = rows[low:high]
        offset = whole_number(request, "offset", 0, _FAR, 0)
        if (at := whole_number(request, "at", -_FAR, _FAR)) is not None:
            offset = int(np.searchsorted(slices["start"][rows], at))
        limit = whole_number(request, "limit", 0, _MOST_FOUND, 100)
        said = {
            "total": len(rows),
            "offset": offset,
            "rows": timeline.brief(opened.profile, rows[offset : offset + limit]),
            "names": timeline.names_of(opened.profile, rows),
            "places": places,
        }
        return opened.answer(said)

    def trace(self, request: Request) -> Response:
        opened = self._asked.opened(request)
        start, end = _range(request, opened)
        tracks = _tracks(request, opened)
        if (count := event_count(opened.profile, start, end, tracks)) > _MOST_EVENTS:
            raise TooLarge(
                f"{count} events are in this range, more than {_MOST_EVENTS}: "
                "ask for a shorter range with from= and to=, or for some tracks with tracks=",
                code="profiler_many_events",
                count=int(count),
                most=_MOST_EVENTS,
            )
        pieces = chrome_trace(opened.profile, start, end, tracks)
        name = f"{request.args['profile'].rpartition('/')[2] or 'profile'}.{start}-{end}.trace.json"
        if flag(request, "packed"):
            answer = Response(_packed(pieces), mimetype="application/gzip")
            name += ".gz"
        else:
            answer = Response(pieces, mimetype="application/json")
        answer.headers.set("Content-Disposition", "attachment", filename=name)
        return opened.kept(answer)


def _selection(asked: Asked, opened: Opened, request: Request) -> TableRows:
    slices = opened.table("slices")
    start, end = _range(request, opened)
    inside = (slices["start"] < end) & (slices["start"] + slices["duration"] > start)
    if (wanted := _tracks(request, opened)) is not None:
        inside &= np.isin(slices["track"], wanted)
    rows = np.flatnonzero(inside)
    more = {
        "from": start,
        "to": end,
        "slices": len(rows),
        "busy": timeline.busy(opened.profile, rows, start, end),
    }
    return TableRows(timeline.by_name(opened.profile, rows, start, end), more)


SELECTION = TableView(
    "selection",
    "timeline.selection",
    _selection,
    "name category count total self share",
    "-self",
    searched=("name",),
    address="range",
)


def _range(request: Request, opened: Opened) -> tuple[int, int]:
    end = whole_number(request, "to", -_FAR, _FAR, max(1, opened.profile.duration_ns))
    start = whole_number(request, "from", -_FAR, _FAR, 0)
    if end <= start:
        raise InvalidArgument(_WRONG_ORDER(low=start, high=end))
    return start, end


def _tracks(request: Request, opened: Opened) -> NDArray[np.intp] | None:
    return _places(request, "tracks", len(opened.profile.tracks))


def _places(request: Request, name: str, count: int) -> NDArray[np.intp] | None:
    """Places named by ``0,3,4``; None for all."""
    text = request.args.get(name)
    if text is None:
        return None
    parts = [part for part in text.split(",") if part]
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise InvalidArgument(_BAD_NUMBERS(name=name, value=text))
    return np.array([int(part) for part in parts if int(part) < count], np.intp)


def _joined(parts: list[NDArray[np.generic]], kind: type[np.generic]) -> NDArray[np.generic]:
    return np.concatenate([*parts, np.zeros(0, kind)])


def _packed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Members of gzip, one for each piece: nothing is held."""
    for piece in pieces:
        yield gzip.compress(piece, 6, mtime=0)
