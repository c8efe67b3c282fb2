"""The HTTP side: which logs a run has, lines of one, searches, the line of a step, and the file as it is."""

from __future__ import annotations

from collections.abc import Sequence

from werkzeug import Request, Response

from insight_console.claims import is_compressed
from insight_console.line_index import Indexes
from insight_console.lines import line_at, read_lines
from insight_console.searching import search as search_slice
from insight_console.source import OpenLog, log_files
from insight_console.steps import locate
from insight_core.plugin import NotFound, PluginContext, Route
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.http import (
    flag,
    is_gone,
    json_response,
    matcher_of,
    series_key,
    text,
    texts,
    whole_number,
)

_MOST_LINES = 1000  # of one answer
_MOST_FILES = 2000  # of one answer
_INDEXED = 0.3  # seconds that an answer may count lines
_FARTHEST = 1 << 53  # bytes, lines, steps


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Views of ``/data/plugin/console``."""
    indexes = Indexes(ctx)

    def files(request: Request, *, runs: list[str]) -> Response:
        """``files`` of the runs, or of all: run, name, bytes and last change; none of them is read."""
        found = log_files(ctx, runs or None)
        return json_response(
            {
                "files": [[file.run, file.tag, file.size, file.changed] for file in found[:_MOST_FILES]],
                "total": len(found),
            }
        )

    def lines(request: Request, *, key: SeriesKey, first: int | None, at: int | None, count: int) -> Response:
        """``lines``: number, text, overwritten states, bytes if it is cut, and step.

        From ``first`` on, or around the line of the byte ``at``, else the last ones. ``total`` lines are in
        ``indexed`` of ``size`` bytes. ``log`` is another text after the log was truncated or replaced.
        """
        with OpenLog(ctx, key) as log:
            if is_compressed(log.read(0, 2)):
                return json_response({"compressed": True, "size": log.size})
            index = indexes.of(log, key, _INDEXED)
            begin = max(0, index.total - count) if first is None else first
            found = None
            if at is not None and at < index.size:
                found = line_at(log, index, at)
                begin = max(0, found - count // 2)
            shown = read_lines(log, index, begin, count)
            answer = {
                "lines": [
                    [line.number, line.text, line.states, line.size if line.is_cut else 0, line.step]
                    for line in shown
                ],
                "log": index.identity,
                "first": begin,
                "found": found,
                "total": index.total,
                "indexed": index.size,
                "size": log.size,
            }
        response = json_response(answer)
        if index.size < log.size:  # asked again, the answer is another one, though no data came
            response.headers["Cache-Control"] = "no-store"
        return response

    def search(request: Request, *, key: SeriesKey, q: str, regex: bool, offset: int, line: int) -> Response:
        """``hits``: numbers and texts of lines that match in a part of the log; ``next``: where the next part
        begins, byte and line, null at the end."""
        matcher = matcher_of(q, is_regex=regex, is_gone=lambda: is_gone(request))
        needle = q.lower().encode() if not regex and q.isascii() else b""
        with OpenLog(ctx, key) as log:
            if offset == 0 and is_compressed(log.read(0, 2)):
                return json_response({"hits": [], "next": None, "size": log.size})
            found = search_slice(log, offset, line, matcher.rows, needle)
            place = None if found.is_end else [found.offset, found.line]
            return json_response({"hits": found.lines, "next": place, "size": log.size})

    def step(request: Request, *, runs: list[str], tags: list[str], step: int) -> Response:
        """``file`` and ``at``: the log of the run, and the byte at which the line of a step begins.

        ``step`` is its step: the one that is asked for, or the nearest one before. Of the named logs, else of
        all of the run.
        """
        wanted = set(tags)
        for file in log_files(ctx, runs):
            if wanted and file.tag not in wanted:
                continue
            try:
                with OpenLog(ctx, file.key) as log:
                    found = None if is_compressed(log.read(0, 2)) else locate(log, step)
            except NotFound:  # gone meanwhile
                continue
            if found is not None:
                return json_response({"file": file.tag, "at": found[0], "step": found[1]})
        raise NotFound("no line of the console logs names a step", code="console_no_step")

    reads_lines = [
        series_key,
        whole_number("first", 0, _FARTHEST),
        whole_number("at", 0, _FARTHEST),
        whole_number("count", 1, _MOST_LINES, 200),
    ]
    reads_search = [
        series_key,
        text("q", required=True, filled=True),
        flag("regex"),
        whole_number("offset", 0, _FARTHEST, 0),
        whole_number("line", 0, _FARTHEST, 0),
    ]
    reads_step = [
        texts("run", required=True).named("runs"),
        texts("tag").named("tags"),
        whole_number("step", 0, _FARTHEST, 0),
    ]
    answers = ["application/json"]
    return [
        Route("/files", files, reads=[texts("run").named("runs")], answers=answers),
        Route("/lines", lines, reads=reads_lines, answers=answers),
        Route("/search", search, reads=reads_search, answers=answers),
        Route("/step", step, reads=reads_step, answers=answers, codes={404: ["console_no_step"]}),
    ]
