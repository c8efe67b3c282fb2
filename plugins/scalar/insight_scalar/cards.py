"""Answers for drawing: the series of one card, or of many cards as a stream."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from attrs import evolve, frozen
from werkzeug import Request, Response
from werkzeug.datastructures import MultiDict

from insight_core.plugin import InsightError, InvalidArgument, PluginNameEnum, Reason, ReasonKind, encode_json
from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesKey, compute
from insight_core.plugin.http import choice, flag, number, text, texts
from insight_scalar.derived import DerivedData, SmoothedQuery
from insight_scalar.display import columns_frame, display_frame, framed_response
from insight_scalar.parameters import SCALAR_QUERY, points_since, request_of

log = logging.getLogger(__name__)

_SCALAR = PluginNameEnum.SCALAR
# points a column up to which every point, with steps that runs share, is as small as fewer points
_WHOLE = 8
_MOST_CARDS = 1000
_TAG, _SINCE, _TIMES = text("tag", required=True), number("since"), flag("times")
_VALUES, _YSCALE = choice("values", ("codes", "exact")), choice("yscale", ("linear", "log"))
_CARDS, _RUNS = texts("card"), texts("run")
CARDS_READ = (_CARDS, _RUNS)  # What ``/cards`` reads of its query.
_FAILED = ReasonKind("failed", "{who} failed to answer; the log of the host says why")


@frozen
class Displayed:
    """The routes that answer for drawing."""

    provider: DataProvider
    data: DerivedData

    def cards(self, request: Request) -> Response:
        """A frame for each ``card``, in their order; each frame says which card it answers.

        Raises InvalidArgument without a card, and for too many.
        """
        return framed_response(request, compute(self.provider, _SCALAR, "cards", request.query_string, cards))

    def frame(self, request: Request) -> bytes:
        """The series of one tag. Raises InvalidArgument for the first parameter that is wrong."""
        runs = list(dict.fromkeys(_RUNS.read(request))) or [run.name for run in self.provider.runs()]
        return self.frame_of(request, runs, {})

    def frame_of(self, asked: Request, runs: Sequence[str], metadata: Mapping[str, bytes]) -> bytes:
        """The series of the tag that is asked for, in these runs."""
        tag, query, since = _TAG.read(asked), SCALAR_QUERY.read(asked), _SINCE.read(asked)
        exact = _VALUES.read(asked) == "exact"
        log_y = _YSCALE.read(asked) == "log"
        times = _TIMES.read(asked) or query.x != "step"
        keys = [SeriesKey(run, tag) for run in runs]
        more: dict[str, bytes] = {}
        try:
            columns = self.shortest(keys, query)
        except InsightError:
            raise
        except Exception:
            if len(keys) < 2:
                raise
            columns, failed = self._one_by_one(keys, query)
            more["failed"] = encode_json(failed)
        found = [(key, points_since(columns[key], query, since)) for key in keys if key in columns]
        return display_frame(found, exact=exact, log=log_y, times=times, metadata={**metadata, **more})

    def shortest(self, keys: Sequence[SeriesKey], query: SmoothedQuery) -> Mapping[SeriesKey, ScalarColumns]:
        """The columns of the query, or every point where that is as short."""
        plain = query.is_plain_for(keys)
        data, asked = (self.provider, query.plain()) if plain else (self.data, query)
        columns = data.scalars(_SCALAR, keys, asked)
        if query.width is None:
            return columns
        short = [key for key, one in columns.items() if one.decimated and one.points <= _WHOLE * query.width]
        return {**columns, **data.scalars(_SCALAR, short, evolve(asked, width=None))} if short else columns

    def _one_by_one(
        self, keys: Sequence[SeriesKey], query: SmoothedQuery
    ) -> tuple[Mapping[SeriesKey, ScalarColumns], Mapping[str, object]]:
        """The points by series, and why there are none of a run, which does not take the others with it."""
        found: dict[SeriesKey, ScalarColumns] = {}
        failed: dict[str, object] = {}
        for key in keys:
            try:
                found |= self.shortest([key], query)
            except Exception as error:
                failed[key.run] = _told(error)
        return found, failed


def cards(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/cards``, and a frame for each card."""
    request, displayed = request_of(query), Displayed(data, DerivedData(data))
    asked, named = _CARDS.read(request), _RUNS.read(request)
    if not 0 < len(asked) <= _MOST_CARDS:
        raise InvalidArgument(f"card must be given from 1 to {_MOST_CARDS} times, not {len(asked)} times")
    every = named or [run.name for run in data.runs()]
    for place, card in enumerate(asked):
        number_of_card = {"card": b"%d" % place}
        try:
            one = _Card.of(card)
            runs = every if one.runs is None else _chosen(every, one.runs)
            yield displayed.frame_of(cast("Request", one), runs, number_of_card)
        except Exception as error:  # of this card only
            told = {"error": encode_json(_told(error))}
            yield columns_frame({}, number_of_card | told)


@frozen
class _Card:
    """What a card asks for, where readers look for parameters of a request."""

    args: MultiDict[str, str]
    runs: object

    @classmethod
    def of(cls, card: str) -> _Card:
        """Raises InvalidArgument for a text that is not JSON, or not of texts and numbers."""
        try:
            given = json.loads(card)
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"card is not JSON: {error}") from None
        if not isinstance(given, dict):
            raise InvalidArgument("card is not a JSON object")
        runs = given.pop("runs", None)
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, str | int | float | None):
                raise InvalidArgument(f"{name} of a card must be text or a number")
        return cls(MultiDict((name, str(value)) for name, value in given.items() if value is not None), runs)


def _chosen(runs: Sequence[str], places: object) -> Sequence[str]:
    if not isinstance(places, list) or not all(
        type(place) is int and 0 <= place < len(runs) for place in places
    ):
        raise InvalidArgument(
            f"runs of a card must be a list of places in the {len(runs)} runs of the request"
        )
    return [runs[place] for place in places]


def _told(error: Exception) -> dict[str, object]:
    """As other routes answer an error."""
    if isinstance(error, InsightError):
        return {**Reason.of(error).fields(), "status": error.status}
    log.error("the series of a card cannot be answered", exc_info=error)
    who = f"plugin {_SCALAR}"
    reason = _FAILED(who=who)
    return {**reason.fields(), "status": 500}
