"""The HTTP side: sources of a run, steps with distributions, lists of samples, one sample, searches."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginContext, Route
from insight_core.plugin.http import (
    bytes_response,
    flag,
    is_gone,
    json_response,
    matcher_of,
    text,
    texts,
    whole_number,
)
from insight_samples.answers import image_at, listed, number, sample_at, whole
from insight_samples.comparing import compared, over_steps
from insight_samples.indexes import SampleIndexes, SourceIndex
from insight_samples.searching import search
from insight_samples.selection import chosen, page_of, summaries, with_columns
from insight_samples.sources import source_of, sources_of
from insight_samples.summaries import rank_of

_WAITS = 0.4  # seconds that an answer waits for the index
_MOST = 500  # samples of one answer
_LONGEST = 10_000  # characters of the texts of each
_FAR = 1 << 53
_EACH = 60  # samples of one prompt over all steps


@functools.cache
def indexes_of(ctx: PluginContext) -> SampleIndexes:
    """The indexes of a host, which routes and rules share."""
    return SampleIndexes(ctx)


def state_of(index: SourceIndex) -> dict[str, Any]:
    """How far a source is indexed, and what of it could not be read."""
    bad = [one for one in index.parts if one.part.bad]
    return {
        "source": index.source.name,
        "files": len(index.source.files),
        "bytes": index.source.nbytes,
        "indexed": index.indexed,
        "rows": index.rows,
        "bad": [[one.file.path, one.part.first_bad, one.part.bad] for one in bad[:20]],
        "bad_rows": sum(one.part.bad for one in bad),
        "errors": [{"file": file.path, **reason.fields("error")} for file, reason in index.errors[:20]],
    }


def routes(ctx: PluginContext) -> Sequence[Route]:
    """Views of ``/data/plugin/samples``."""
    indexes = indexes_of(ctx)

    def index_of(run: str, source: str) -> SourceIndex:
        return indexes.of(source_of(ctx, run, source), _WAITS)

    def answer(value: dict[str, Any], index: SourceIndex) -> Response:
        response = json_response({**state_of(index), **value})
        if not index.is_whole:  # asked again, the answer is another one, though no data came
            response.headers["Cache-Control"] = "no-store"
        return response

    def sources(request: Request, *, runs: list[str]) -> Response:
        """``sources`` of the runs, or of all: run, name, files, bytes, last change; none of them is read."""
        found = sources_of(ctx, runs or None)
        return json_response(
            {
                "sources": [
                    [one.run, one.name, len(one.files), one.nbytes, max(file.changed for file in one.files)]
                    for one in found
                ]
            }
        )

    def overview(request: Request, *, run: str, source: str) -> Response:
        """``steps``, and in ``shown`` how scores and lengths of each are distributed, as far as is known."""
        index = index_of(run, source)
        steps, shown = summaries(index, indexes)
        names = {name for one in shown.values() for name in one["columns"] if name.startswith("score/")}
        scores = sorted(
            (name.removeprefix("score/") for name in names), key=lambda name: (rank_of(name), name)
        )
        return answer(
            {"steps": steps, "scores": scores, "shown": [[step, one] for step, one in shown.items()]}, index
        )

    def rows(
        request: Request,
        *,
        run: str,
        source: str,
        step: int | None,
        sort: str,
        desc: bool,
        where: list[str],
        offset: int,
        limit: int,
        characters: int,
    ) -> Response:
        """``samples`` of a step, or of all steps, that meet the conditions, sorted; ``total`` of them.

        With ``characters`` each has so many of its prompt and completion as ``texts``.
        """
        index = index_of(run, source)
        total, page = page_of(index, indexes, step, where, (sort, desc), slice(offset, offset + limit))
        return answer({"total": total, "samples": listed(ctx, page, characters=characters)}, index)

    def sample(request: Request, *, run: str, source: str, id: str, size: int) -> Response:
        """One sample: messages of prompt and completion, scores, lengths, and ``rest`` of its row."""
        return json_response(whole(*sample_at(ctx, source_of(ctx, run, source), id, size)))

    def image(request: Request, *, run: str, source: str, id: str, size: int, image: str) -> Response:
        """An image of a sample, by the name that ``/sample`` has for it: PNG, JPEG, GIF or WebP."""
        found, *_ = sample_at(ctx, source_of(ctx, run, source), id, size)
        response = bytes_response(*image_at(found, image), immutable=True)
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    def prompt(request: Request, *, run: str, source: str, prompt: str, step: int | None) -> Response:
        """``samples`` of one prompt: of a step, or over all with ``by_step``: mean score and count."""
        index = index_of(run, source)
        try:
            hashed = np.uint64(int(prompt, 16))
        except (ValueError, OverflowError):
            raise InvalidArgument("prompt is the hexadecimal number that a list of samples has") from None
        every = chosen(index, indexes, step, (), ["prompt"])
        same = every.taken(np.flatnonzero(every.columns["prompt"] == hashed)) if len(every) else every
        same = with_columns(same, indexes)
        few, by_step = over_steps(same, _EACH)
        return answer(
            {"total": len(same), "samples": listed(ctx, few), "by_step": list(by_step.items())}, index
        )

    def compare(
        request: Request,
        *,
        run: str,
        source: str,
        first: int,
        second: int,
        score: str,
        other: str,
        other_source: str,
    ) -> Response:
        """``pairs`` of samples of the prompts that two steps share, or a step of this run and one of another,
        with the mean ``score`` of each prompt before and after: those first that changed most."""
        index = index_of(run, source)
        theirs = index_of(other, other_source) if other else index
        found = compared(chosen(index, indexes, first), chosen(theirs, indexes, second), score)
        befores, afters = listed(ctx, found.first), listed(ctx, found.second)
        pairs = [
            {
                "before": before,
                "after": after,
                "means": [number(mean) for mean in means],
                "counts": counts.tolist(),
            }
            for before, after, means, counts in zip(befores, afters, found.means, found.counts, strict=True)
        ]
        counted = {"shared": found.shared, "rose": found.rose, "fell": found.fell, "flips": found.flips}
        return answer({"pairs": pairs, **counted, "only": found.only}, index)

    def search_slice(
        request: Request,
        *,
        run: str,
        source: str,
        q: str,
        regex: bool,
        step: int | None,
        where: list[str],
        start: int,
    ) -> Response:
        """``samples`` whose text matches in a part of the source; ``next`` is where the next part begins."""
        matcher = matcher_of(q, is_regex=regex, is_gone=lambda: is_gone(request))
        index = index_of(run, source)
        needle = "" if regex else q.lower()
        hits = search(
            ctx, indexes, index, matcher.rows, needle=needle, step=step, conditions=where, start=start
        )
        response = answer({"samples": listed(ctx, hits.found), "next": hits.next, "of": hits.rows}, index)
        response.headers["Cache-Control"] = "no-store"
        return response

    of_source = [text("run", required=True), text("source", "")]
    of_sample = [*of_source, text("id", required=True), whole_number("size", 1, _FAR, required=True)]
    at_step = whole_number("step", -_FAR, _FAR)
    json = ["application/json"]
    codes = {404: ["samples_no_source", "samples_gone"]}
    return [
        Route("/sources", sources, reads=[texts("run").named("runs")], answers=json),
        Route("/overview", overview, reads=of_source, answers=json, codes=codes),
        Route(
            "/rows",
            rows,
            reads=[
                *(*of_source, at_step, text("sort", ""), flag("desc"), texts("where")),
                *(whole_number("offset", 0, _FAR, 0), whole_number("limit", 1, _MOST, 100)),
                whole_number("characters", 0, _LONGEST, 0),
            ],
            answers=json,
            codes={**codes, 400: ["samples_condition", "samples_no_column"]},
        ),
        Route("/sample", sample, reads=of_sample, answers=json, codes=codes),
        Route(
            "/image",
            image,
            reads=[*of_sample, text("image", required=True)],
            answers=["image/png", "image/jpeg", "image/gif", "image/webp"],
            codes={**codes, 422: ["samples_no_image", "samples_large_image"]},
        ),
        Route(
            "/prompt",
            prompt,
            reads=[*of_source, text("prompt", required=True), at_step],
            answers=json,
            codes=codes,
        ),
        Route(
            "/compare",
            compare,
            reads=[
                *(*of_source, whole_number("first", -_FAR, _FAR, required=True)),
                *(whole_number("second", -_FAR, _FAR, required=True), text("score", "")),
                *(text("other", ""), text("other_source", "")),
            ],
            answers=json,
            codes=codes,
        ),
        Route(
            "/search",
            search_slice,
            reads=[
                *(*of_source, text("q", required=True, filled=True), flag("regex"), at_step, texts("where")),
                whole_number("start", 0, _FAR, 0),
            ],
            answers=json,
            codes={**codes, 400: ["samples_condition"]},
        ),
    ]
