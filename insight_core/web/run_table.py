"""``/data/run_table``: the runs with loading progress, or those that changed since an earlier answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import field, frozen
from werkzeug import Request, Response

from insight_core.plugin import Reason
from insight_core.plugin.data import DataProvider, Run
from insight_core.web.answers import tag_by_content
from insight_core.web.live_events import generation_of
from insight_core.web.run_columns import RunColumnTable
from insight_core.web.settings import HostSettings
from insight_record.formats.json_text import encode_json

_MOST_GONE = 10_000  # names; a client that is farther behind gets all runs


class RunLog:
    """Numbers the lists of runs that requests saw, and knows in which of them each run last changed."""

    def __init__(self, provider: DataProvider) -> None:
        self._provider = provider
        self._lock = threading.Lock()
        self._number = 0
        self._runs: dict[str, Run] = {}
        self._changed: dict[str, int] = {}  # numbers, by run
        self._gone: dict[str, int] = {}  # the same of runs that disappeared
        self._first = 0  # the number from which on all of these are known
        self._rows = 0, b"[]"  # of all runs, as JSON, and the number of their list

    def read(self) -> tuple[int, Sequence[Run]]:
        """The runs now, and the number of this list."""
        with self._lock:  # around the provider too: an older list must not come after a newer one
            runs = self._provider.runs()
            known = self._runs
            changed = [run for run in runs if (before := known.get(run.name)) is not run and before != run]
            gone = self._runs.keys() - {run.name for run in runs}
            if changed or gone:
                self._number += 1
                self._runs = {run.name: run for run in runs}
                for run in changed:
                    self._changed[run.name] = self._number
                    self._gone.pop(run.name, None)
                for name in gone:
                    del self._changed[name]
                    self._gone[name] = self._number
                if len(self._gone) > _MOST_GONE:
                    self._gone.clear()
                    self._first = self._number
            return self._number, runs

    def changes(self, runs: Sequence[Run], since: int) -> tuple[Sequence[int], Sequence[str]] | None:
        """Indices of the runs that came or changed after the list of this number, and names that are gone.

        None if that is not known.
        """
        with self._lock:
            if not self._first <= since <= self._number:
                return None
            changed = self._changed
            places = [place for place, run in enumerate(runs) if changed.get(run.name, since + 1) > since]
            return places, sorted(name for name, number in self._gone.items() if number > since)

    def rows(self, runs: Sequence[Run], number: int) -> bytes:
        """All runs of the list of this number as JSON, which is made once for each list."""
        made, rows = self._rows
        if made != number:
            rows = _rows(runs)
            self._rows = number, rows
        return rows


@frozen(eq=False)
class RunTableView:
    """The view. ``columns`` are those that clients may ask for by name."""

    provider: DataProvider
    settings: HostSettings
    boot: str
    columns: Callable[[], RunColumnTable]
    messages: Callable[[Sequence[Mapping[str, object]]], Mapping[str, Mapping[str, str]]]
    _log: RunLog = field(init=False)

    @_log.default
    def _empty_log(self) -> RunLog:
        return RunLog(self.provider)

    def view(self, request: Request, *, since: str | None, columns: Sequence[str]) -> Response:
        """Runs with dialects, start time and damage. Raises InvalidArgument for a malformed ``since``."""
        generation = self.provider.generation()
        progress = self.provider.progress()
        number, runs = self._log.read()
        known = None if since is None else generation_of(since, self.boot)
        changes = None if known is None else self._log.changes(runs, known)
        answer: dict[str, object] = {
            "generation": generation,
            "boot": self.boot,
            "cursor": f"{self.boot}-{number}",
            "progress": {
                "bytes_read": progress.bytes_read,
                "bytes_total": progress.bytes_total,
                "loaded_once": progress.loaded_once,
            },
            "follows": self.settings.follows,
            "notices": (notices := [notice.fields() for notice in self._notices()]),
        }
        if notices:
            answer["messages"] = self.messages(notices)
        if changes is None:
            rows = self._log.rows(runs, number)
        else:
            places, gone = changes
            answer |= {"since": since, "places": places, "gone": gone}
            runs = [runs[place] for place in places]
            rows = _rows(runs)
        if columns:
            answer |= self.columns().with_names(columns, [run.name for run in runs])
        body = b'%s,"runs":%s}' % (encode_json(answer).removesuffix(b"}"), rows)
        return tag_by_content(request, Response(body, mimetype="application/json"))

    def _notices(self) -> Iterator[Reason]:
        yield from self.settings.notices()
        yield from self.provider.notices()


def _rows(runs: Sequence[Run]) -> bytes:
    return encode_json(
        [
            {
                "name": run.name,
                "dialects": run.dialects,
                "start_time": run.start_time,
                "loading": run.loading,
                "damage": run.damage,
            }
            for run in runs
        ]
    )
