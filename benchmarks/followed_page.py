"""A page in Chromium that follows growing runs: when a point was reported, asked for, answered and drawn."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import numpy as np
from attrs import Factory, define, frozen
from playwright.sync_api import Page, Request

_CARDS = "/data/plugin/scalar/cards"
_PATIENCE = 120.0  # seconds
_STAGES = ("flush to event", "event to request", "request to answer", "answer to frame")
_SLACK = 8.0  # ms by which the hook may see the end of an answer later than the page, which draws in a frame
# Notes events, requests for cards, the last step of each series in their answers, and frames with a chart.
_HOOK = """
window.followed = { events: [], asked: [], answers: [], frames: [] };
const now = () => performance.timeOrigin + performance.now();
const { followed } = window;
const send = window.fetch;
const lasts = (bytes) => {
  const view = new DataView(bytes);
  const text = (from, count) => new TextDecoder().decode(new Uint8Array(bytes, from, count));
  const found = [];
  for (let at = 0; at < bytes.byteLength; at += 4 + view.getUint32(at, true)) {
    const header = JSON.parse(text(at + 12, Number(view.getBigUint64(at + 4, true))));
    for (const { run, tag, extent } of JSON.parse(header.__metadata__.series ?? '[]'))
      found.push([run, tag, Number(extent[1])]);
  }
  return found;
};
window.fetch = async (url, request) => {
  const isCards = String(url).includes('/scalar/cards');
  if (isCards) followed.asked.push([now(), String(request?.body ?? new URL(url).search.slice(1))]);
  const answer = await send(url, request);
  if (isCards)
    void answer.clone().arrayBuffer().then((bytes) => followed.answers.push([now(), lasts(bytes)]), () => {});
  return answer;
};
const Source = window.EventSource;
window.EventSource = class extends Source {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', ({ data }) =>
      followed.events.push([now(), Object.keys(JSON.parse(data).series?.scalar ?? {})]));
  }
};
let isDrawn = false;
const begin = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  if (!isDrawn) requestAnimationFrame(() => { isDrawn = false; followed.frames.push(now()); });
  isDrawn = true;
  begin.apply(this, box);
};
"""


@frozen
class Asked:
    """A request of the page for data, as others can repeat it."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


@define(eq=False)
class FollowedPage:
    """A page, the bytes that it has received, and what it asked for since ``requests`` was emptied."""

    page: Page
    received: int = 0
    requests: list[Asked] = Factory(list)
    cards: str = ""  # the path of its last GET for cards
    _streams: set[object] = Factory(set)  # of events: the browser counts other answers when they are whole

    @classmethod
    def opened(cls, page: Page, address: str) -> FollowedPage:
        followed = cls(page)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", lambda event: followed._note_stream(event))
        session.on("Network.dataReceived", lambda event: followed._count_stream(event))
        session.on("Network.loadingFinished", lambda event: followed._count(event))
        page.on("request", lambda request: followed._note(request))
        page.add_init_script(_HOOK)
        page.goto(address)
        page.get_by_test_id("card-status").first.wait_for(timeout=1000 * _PATIENCE)
        return followed

    def forget(self) -> None:
        """Forgets the bytes, requests and frames so far."""
        self.received = 0
        self.page.evaluate("() => { for (const one of Object.values(window.followed)) one.length = 0; }")

    def stages(self, flushed: Mapping[tuple[str, int], float]) -> Mapping[str, Sequence[float]]:
        """Milliseconds of each point of the runs that it draws, between its stages and from first to last.

        ``flushed`` has when (ms since the epoch) a step of a run was written.
        """
        noted: Mapping[str, Any] = self.page.evaluate("() => window.followed")
        return _stages(noted, flushed)

    def _note_stream(self, event: dict[str, Any]) -> None:
        if event.get("type") == "EventSource":
            self._streams.add(event["requestId"])

    def _count_stream(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._streams:
            self.received += event["encodedDataLength"]

    def _count(self, event: dict[str, Any]) -> None:
        self.received += int(event["encodedDataLength"])

    def _note(self, request: Request) -> None:
        if "/data/" not in request.url or "/data/events" in request.url:
            return
        self.requests.append(Asked(request.method, request.url, request.headers, request.post_data_buffer))
        if _CARDS in request.url and request.method == "GET":
            self.cards = _CARDS + request.url.partition(_CARDS)[2]


def _stages(
    noted: Mapping[str, Any], flushed: Mapping[tuple[str, int], float]
) -> Mapping[str, Sequence[float]]:
    steps: defaultdict[str, list[int]] = defaultdict(list)
    for run, step in flushed:
        steps[run].append(step)
    reported, asked = _times_by_run(noted["events"]), _times_by_run(_runs_asked(noted["asked"]))
    shown: dict[tuple[str, str], int] = {}
    found: defaultdict[str, list[float]] = defaultdict(list)
    for answered, lasts in sorted(noted["answers"]):
        place = bisect_left(noted["frames"], answered - _SLACK)
        for run, tag, last in lasts:
            for step in steps[run]:
                if not shown.get((run, tag), -1) < step <= last:
                    continue
                flush = flushed[run, step]
                times = [flush, _first(reported[run], flush)]
                times += [_last(asked[run], answered), answered]
                times.append(noted["frames"][place] if place < len(noted["frames"]) else np.nan)
                for name, one, other in zip(_STAGES, times, times[1:], strict=False):
                    found[name].append(other - one)
                found["flush to frame"].append(times[-1] - flush)
            shown[run, tag] = max(last, shown.get((run, tag), -1))
    return found


def _runs_asked(asked: Sequence[tuple[float, str]]) -> Iterator[tuple[float, Sequence[str]]]:
    for time, query in asked:
        yield time, parse_qs(query).get("run", [])


def _times_by_run(noted: Iterable[tuple[float, Sequence[str]]]) -> defaultdict[str, list[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for time, runs in noted:
        for run in runs:
            found[run].append(time)
    return found


def _first(times: Sequence[float], since: float) -> float:
    place = bisect_left(times, since)
    return times[place] if place < len(times) else np.nan


def _last(times: Sequence[float], until: float) -> float:
    place = bisect_left(times, until)
    return times[place - 1] if place else np.nan
