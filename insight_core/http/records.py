"""What every plugin of payloads answers alike: the records of a series, and which one a request means."""

from __future__ import annotations

from werkzeug import Request, Response

from insight_core.errors import InvalidArgument, NotFound
from insight_core.http.answers import json_response, safetensors_response
from insight_core.http.parameters import (
    Parameter,
    Reader,
    attempts,
    choice,
    number,
    reader,
    series_key,
    whole_number,
)
from insight_core.plugin.data.places import RecordPlace, record_at
from insight_core.plugin.data.provider import DataProvider, ShownAttempts
from insight_record.formats.reason import ReasonKind

_LAST_INDEX = (1 << 53) - 1  # the largest whole number that a page holds exactly
_RECORD_GONE = ReasonKind("record_gone", "record {index} of {tag!r} of run {run!r} has disappeared")
_NOT_A_NUMBER = ReasonKind("not_a_number", "wall_time must be a number, not {value!r}", "name")


_FORM, _SKIP = choice("format", ("json", "safetensors")), whole_number("skip", 0, _LAST_INDEX, 0)
_INDEX, _STEP = whole_number("index", 0, _LAST_INDEX, required=True), number("step")
RECORDS_READ = (_FORM, series_key, attempts, _SKIP)  # What ``records_response`` reads.


def records_response(request: Request, data: DataProvider, plugin: str) -> Response:
    """``/records``: steps, wall times and sizes of every record that a series shows.

    ``skip`` leaves out the given number of first records, for a page that has them.
    """
    form, key, skip = _FORM.read(request), series_key.read(request), _SKIP.read(request)
    table = data.records(plugin, key, attempts.read(request))
    described = {
        "run": key.run,
        "tag": key.tag,
        "points": table.total,
        "kept": table.kept,
        "hidden": table.hidden,
        **({"purged": table.purged} if table.purged else {}),
    }
    rest = slice(skip, None)
    columns = {
        "steps": table.steps[rest],
        "wall_times": table.wall_times[rest],
        "sizes": table.sizes[rest],
    }
    if form == "json":
        return json_response(described | columns)
    return safetensors_response(columns, "records", described)


@reader
def record_of(data: DataProvider, plugin: str, shown: ShownAttempts | None = None) -> Reader[RecordPlace]:
    """Reads the record that ``run``, ``tag``, ``index`` and ``attempts`` name, as ``place``.

    ``shown`` stands for ``attempts``. With ``wall_time`` (seconds since the epoch) and ``step`` these must be
    those of the record: raises NotFound when another one has its index by now. What is said of it can then be
    kept, see ``is_pinned``.
    """

    def read(request: Request) -> RecordPlace:
        key, index = series_key.read(request), _INDEX.read(request)
        place = record_at(data, plugin, key, index, shown or attempts.read(request))
        step = _STEP.read(request)  # of a page, which has float64 alone
        is_other = step is not None and step != float(place.step)
        if is_other or (is_pinned(request) and repr(_wall_time(request)) != repr(place.wall_time)):
            raise NotFound(_RECORD_GONE(run=key.run, tag=key.tag, index=index))
        return place

    return Reader("place", read, RECORD_PARAMETERS, {400: [_NOT_A_NUMBER.code]})


def is_pinned(request: Request) -> bool:
    """Whether the URL names one record for ever, so that an answer about it is immutable."""
    return "wall_time" in request.args


def _wall_time(request: Request) -> float:
    """NaN and infinities too, as JSON answers spell them: clocks of broken writers give these."""
    text = request.args["wall_time"]
    try:
        return float(text) + 0.0
    except ValueError:
        raise InvalidArgument(_NOT_A_NUMBER(name="wall_time", value=text)) from None


RECORD_PARAMETERS = (  # Those that name a record.
    *(each for one in (series_key, _INDEX, attempts, _STEP) for each in one.parameters),
    Parameter("wall_time"),
)
