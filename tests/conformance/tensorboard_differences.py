"""Where /tensorboard/ answers otherwise than TensorBoard does on its own loaders, and why.

Section numbers are those of the measured contract, reference/tensorboard.md.
"""

from __future__ import annotations

import math
import re
import struct
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from tests.conformance.tensorboard_sweep import Exchange

Change: TypeAlias = Callable[[Any], Any]


@frozen(eq=False)
class Difference:
    """``without`` takes it out of an exchange, so that what is left must be equal."""

    reason: str
    requests: str  # regular expression of those that it concerns
    without: Callable[[Exchange], Exchange]


def unexplained(
    ours: Mapping[str, Exchange], theirs: Mapping[str, Exchange], listed: Sequence[Difference]
) -> tuple[list[str], set[Difference]]:
    """The requests whose answers differ beyond what is listed, and of that what was really met."""
    different, met = [], set()
    for request, mine in ours.items():
        pair = [mine, theirs[request]]
        if pair[0] == pair[1]:
            continue
        here = [difference for difference in listed if re.search(difference.requests, request)]
        if not _equal(pair, here):
            different.append(request)
        met |= {one for one in here if not _equal(pair, [other for other in here if other is not one])}
    return different, met


def _equal(pair: Sequence[Exchange], left_out: Sequence[Difference]) -> bool:
    mine, other = pair
    for difference in left_out:
        mine, other = difference.without(mine), difference.without(other)
    return mine == other


def _of_body(change: Change) -> Callable[[Exchange], Exchange]:
    return lambda exchange: {**exchange, "body": change(exchange["body"])}


def _of_field(name: str, change: Change) -> Change:
    """Changes the values of a field wherever it stands in JSON."""

    def changed(value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, dict):
            return {key: change(one) if key == name else changed(one) for key, one in value.items()}
        return [changed(one) for one in value] if isinstance(value, list) else value

    return changed


def _gone(value: object) -> None:
    return None


def _without_key(query: str) -> object:
    return [pair for pair in urllib.parse.parse_qsl(query) if pair[0] != "blob_key"]


def _without_type(query: Any) -> object:  # noqa: ANN401
    pairs = urllib.parse.parse_qsl(query) if isinstance(query, str) else query
    return [pair for pair in pairs if pair[0] != "content_type"]


def _below(path: str) -> str:
    return path.removeprefix("/experiment/one").removeprefix("/tensorboard").removeprefix("/experiment/one")


def _inner_buckets(histogram: Any) -> Any:  # noqa: ANN401
    """Those between the first and the last with a count, from the least to the greatest value, as float32."""
    rows = [list(row.values()) if isinstance(row, dict) else list(row) for row in histogram]
    full = [place for place, row in enumerate(rows) if row[2]]
    kept = rows[full[0] : full[-1] + 1] if full else []
    if kept:
        kept[0][0], kept[-1][1] = rows[0][0], rows[-1][1]
    return [[_float32(low), _float32(high), count] for low, high, count in kept]


def _float32(number: float) -> float:
    [rounded] = struct.unpack("<f", struct.pack("<f", number))
    return float(rounded)


def _by_step(change: Change) -> Change:
    def changed(points: Any) -> Any:  # noqa: ANN401
        if not isinstance(points, list):
            return points
        return [[wall_time, step, change(value)] for wall_time, step, value in points]

    return changed


@frozen(eq=False)
class _Nearly:
    value: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Nearly) and math.isclose(self.value, other.value, rel_tol=1e-5)


def _nearly(levels: Any) -> Any:  # noqa: ANN401
    return [[level, _Nearly(value)] for level, value in levels]


_POLICY = "content-security-policy"


def _framed_by_any(exchange: Exchange) -> Exchange:
    policy = re.sub(r"; *frame-ancestors 'self'$|^frame-ancestors 'self'$", "", exchange.get(_POLICY, ""))
    others = {name: value for name, value in exchange.items() if name != _POLICY}
    return {**others, _POLICY: policy} if policy else others


ALWAYS = (
    Difference(
        "1.2: what a plugin of TensorBoard raises is a page of werkzeug's there, and JSON here",
        "",
        lambda exchange: {"status": 500} if exchange["status"] == 500 else exchange,
    ),
    Difference(
        "6: its redirections and errors of werkzeug's may be sniffed and kept; nothing of this host may",
        "",
        lambda exchange: {
            name: value
            for name, value in exchange.items()
            if (name, value) not in (("x-content-type-options", "nosniff"), ("cache-control", "no-cache"))
        },
    ),
    Difference("6: any page may frame TensorBoard; this host is framed by its own alone", "", _framed_by_any),
    Difference(
        "4: the debug part says which provider it is, and the flags of this process",
        r"/data/environment",
        _of_body(lambda body: {name: value for name, value in body.items() if name != "debug"}),
    ),
    Difference(
        "6: a day from the moment of the answer",
        r"_file_hash=1",
        lambda exchange: {**exchange, "expires": exchange["expires"] != "0"},
    ),
    Difference(
        "6: its page asks for fonts at the root of the server, where they are not below a prefix",
        r"^GET /(index.html|experiment/one/)?$",
        _of_body(lambda page: page.replace(b"url(/font-roboto/", b"url(font-roboto/")),
    ),
    Difference(
        "1.3: paths of modules begin with where the application is mounted",
        r"plugins_listing",
        _of_body(_of_field("module_path", _below)),
    ),
    Difference(
        "2.1: keys of blobs are opaque, and every provider makes its own",
        r"/(images/images|audio/audio)\?",
        _of_body(_of_field("query", _without_key)),
    ),
    Difference(
        "2.1: keys of blobs are opaque, and every provider makes its own",
        r"timeSeries",
        _of_body(_of_field("imageId", _gone)),
    ),
)
RUST = (
    *ALWAYS,
    Difference(
        "2.1: keys of blobs are opaque, and so is why one cannot be read", r"blob_key=!", _of_body(_gone)
    ),
    Difference(
        "3.4: it does not say that legacy audio is WAV; ours and the loader in Python do",
        r"/audio/audio\?",
        _of_body(lambda body: _of_field("contentType", _gone)(_of_field("query", _without_type)(body))),
    ),
)
_EDGES = "3.4: of legacy histograms it drops empty outer buckets and rounds edges to float32"
PYTHON = (
    *ALWAYS,
    Difference(
        "2.1: it fails on a key that is none; ours refuses it as the loader in Rust does",
        r"blob_key=!",
        lambda exchange: {},
    ),
    Difference(
        "3.4: a legacy series is displayed by its tag; nothing said so in the log",
        r"tags",
        _of_body(_of_field("displayName", _gone)),
    ),
    Difference(
        _EDGES, r"histograms (histograms )?|histograms/histograms\?", _of_body(_by_step(_inner_buckets))
    ),
    Difference(_EDGES, r"time_?[sS]eries", _of_body(_of_field("bins", _inner_buckets))),
    Difference(
        "3.4: percentiles are computed from these edges",
        r"distributions (distributions )?|distributions/distributions\?",
        _of_body(_by_step(_nearly)),
    ),
)
