"""Answers for drawing: the series of one card, or of many cards as a stream."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import InsightError, InvalidArgument, PluginNameEnum, Reason, ReasonKind, encode_json
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesKey, compute
from insight_core.plugin.http import choice, flag, number, text, texts
from insight_scalar.derived import DerivedData
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

    def frame(self, request: Request) -> bytes:
        """The series of one tag. Raises InvalidArgument for the first parameter that is wrong."""
        runs = list(dict.fromkeys(_RUNS.read(request))) or [run.name for run in self.provider.runs()]
        return self._frame(request, runs, {})

    def cards(self, request: Request) -> Response:
        """A frame for each ``card``, in their order; each frame says which card it answers.

        Raises InvalidArgument without a card, and for too many.
        """
        return framed_response(request, compute(self.provider, _SCALAR, "cards", request.query_string, cards))

    def frames(self, request: Request) -> Iterator[bytes]:
        """The frames of the answer of ``cards``, one for each card."""
        cards, named = _CARDS.read(request), _RUNS.read(request)
        if not 0 < len(cards) <= _MOST_CARDS:
            raise InvalidArgument(f"card must be given from 1 to {_MOST_CARDS} times, not {len(cards)} times")
        every = named or [run.name for run in self.provider.runs()]
        for place, card in enumerate(cards):
            number_of_card = {"card": b"%d" % place}
            try:
                request, chosen = _card_request(card)
                runs = every if chosen is None else _chosen(every, chosen)
                yield self._frame(request, runs, number_of_card)
            except Exception as error:  # of this card only
                told = {"error": encode_json(_told(error))}
                yield columns_frame({}, number_of_card | told)

    def _frame(self, request: Request, runs: Sequence[str], metadata: Mapping[str, bytes]) -> bytes:
        tag, query, since = _TAG.read(request), SCALAR_QUERY.read(request), _SINCE.read(request)
        exact = _VALUES.read(request) == "exact"
        log_y = _YSCALE.read(request) == "log"
        times = _TIMES.read(request) or query.x != "step"
        keys = [SeriesKey(run, tag) for run in runs]
        columns, failed = self._columns(keys, query)
        found = [(key, points_since(columns[key], query, since)) for key in keys if key in columns]
        more = {"failed": encode_json(failed)} if failed else {}
        return display_frame(found, exact=exact, log=log_y, times=times, metadata={**metadata, **more})

    def _columns(
        self, keys: Sequence[SeriesKey], query: ScalarQuery
    ) -> tuple[Mapping[SeriesKey, ScalarColumns], Mapping[str, object]]:
        """The points by series, and why there are none of a run."""
        try:
            return self.shortest(keys, query), {}
        except InsightError:
            raise
        except Exception:
            if len(keys) < 2:
                raise
        found: dict[SeriesKey, ScalarColumns] = {}
        failed: dict[str, object] = {}
        for key in keys:  # so that one run does not take the others with it
            try:
                found |= self.shortest([key], query)
            except Exception as error:
                failed[key.run] = _told(error)
        return found, failed

    def shortest(self, keys: Sequence[SeriesKey], query: ScalarQuery) -> Mapping[SeriesKey, ScalarColumns]:
        """The columns of the query, or every point where that is as short."""
        columns = self.data.scalars(_SCALAR, keys, query)
        if query.width is None:
            return columns
        short = [key for key, one in columns.items() if one.decimated and one.points <= _WHOLE * query.width]
        return (
            {**columns, **self.data.scalars(_SCALAR, short, evolve(query, width=None))} if short else columns
        )


def cards(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The computation: the query of ``/cards``, and its frames."""
    yield from Displayed(data, DerivedData(data)).frames(request_of(query))


def _card_request(card: str) -> tuple[Request, object]:
    """The parameters of a card as those of a request, and its ``runs``."""
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
    pairs = [(name, value) for name, value in given.items() if value is not None]
    return request_of(urlencode(pairs, errors="surrogatepass").encode()), runs


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
