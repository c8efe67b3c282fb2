"""Rules about samples: what a model should not say in the end, and rewards that it may have tricked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from attrs import frozen

from insight_core.plugin import ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Needs, NotChecked, Rule
from insight_samples.routes import indexes_of
from insight_samples.selection import summaries
from insight_samples.sources import SampleSource, sources_of
from insight_samples.summaries import SCORE, Summary, rank_of

_WAITS = 3.0  # seconds for an index that is being made
_MOST_SOURCES = 4  # of a run, the largest ones
_SHOWN = 60  # steps that are looked at
_LEAST_STEPS = 5  # for what is said of a course
_LEAST_ROWS = 20  # at the end
_FIFTH = 5

_EMPTY, _REPEATED, _TRUNCATED = 0.1, 0.2, 0.3  # shares of the samples at the end
_ROSE = 0.1  # of the range of a score, from the first fifth of the steps to the last
_EXPLODED = 2.0  # times as long
_FOLLOWS = 0.4  # correlation of score and length within groups
_MORE_REPEATED = 0.15
_MORE_ALIKE = 0.3  # share of the commonest text

_NOT_YET = ReasonKind("samples_indexing", "the samples are being indexed ({share} %)")
_SAW = ReasonKind("samples_saw", "{source}: {share} % of the samples at the steps {first} to {last}")
_HACKED = ReasonKind(
    "samples_hacked",
    "{source}: {score} rose from {before} to {after} at steps {first} to {last}, while {signs}",
)
_LONGER = ReasonKind(
    "samples_longer", "completions became {times} times as long and longer ones score higher"
)
_LOOPS = ReasonKind("samples_loops", "{share} % more of them repeat themselves")
_ALIKE = ReasonKind(
    "samples_alike", "{share} % of them are one text for different prompts, {before} % before"
)


@frozen
class _Course:
    """The summaries of a source, and those of the first and the last fifth of its steps."""

    source: SampleSource
    steps: Sequence[int]
    first: Sequence[Summary]
    last: Sequence[Summary]
    every: Sequence[Summary]

    @property
    def last_steps(self) -> tuple[int, int]:
        return self.steps[-len(self.last)], self.steps[-1]


def _courses(examined: Examined) -> Iterator[_Course]:
    indexes = indexes_of(examined.ctx)
    for source in sources_of(examined.ctx, [examined.run])[:_MOST_SOURCES]:
        index = indexes.of(source, _WAITS)
        if not index.is_whole:
            share = int(100 * index.indexed / max(1, source.nbytes))
            raise NotChecked(_NOT_YET(share=share), may_change=True)
        _, shown = summaries(index, indexes, _SHOWN)
        if shown:
            every = list(shown.values())
            count = max(1, len(every) // _FIFTH)
            yield _Course(source, list(shown), every[:count], every[-count:], every)


def _mean(of: Sequence[Summary], figure: Callable[[Summary], float | None]) -> float | None:
    """The mean over samples; None where it is not known."""
    known = [(one["rows"], value) for one in of if (value := figure(one)) is not None]
    rows = sum(count for count, _ in known)
    return sum(count * value for count, value in known) / rows if rows else None


def _share(sign: str, least: float, change: ReasonKind, examined: Examined) -> Iterator[Finding]:
    for course in _courses(examined):
        share = _mean(course.last, lambda one: one[sign])
        if share is None or share < least or sum(one["rows"] for one in course.last) < _LEAST_ROWS:
            continue
        first, last = course.last_steps
        saw = _SAW(source=course.source.name, share=round(100 * share), first=first, last=last)
        yield Finding(examined.run, "warning", saw, change(), _place(course, examined.run, {"where": sign}))


def _place(course: _Course, run: str, more: dict[str, str]) -> FindingPlace:
    state = {"run": run, "source": course.source.name, "step": str(course.steps[-1]), **more}
    return FindingPlace("samples", state=state)


def reward_hacking(examined: Examined) -> Iterator[Finding]:
    """A score that rises while completions explode in length with it, repeat themselves, or become alike."""
    for course in _courses(examined):
        name = _first_score(course.every)
        if name is None or len(course.steps) < _LEAST_STEPS:
            continue
        before, after = (_mean(part, partial(_figure, name, 1)) for part in (course.first, course.last))
        spreads = [one["columns"][name] for one in course.every if name in one["columns"]]
        width = max(spread[8] for spread in spreads) - min(spread[2] for spread in spreads)
        if before is None or after is None or width <= 0 or after - before < _ROSE * width:
            continue
        signs = list(_signs(course))
        if not signs:
            continue
        first, last = course.steps[0], course.steps[-1]
        figures: dict[str, Any] = {
            "before": round(before, 3),
            "after": round(after, 3),
            "first": first,
            "last": last,
        }
        saw = _HACKED(source=course.source.name, score=name.removeprefix(SCORE), signs=signs[0], **figures)
        place = _place(course, examined.run, {"view": "changes", "from": str(first)})
        yield Finding(examined.run, "warning", saw, _LOOK(), place, confidence="suspected")


def _signs(course: _Course) -> Iterator[Any]:
    loops = [_mean(part, lambda one: one["repeated"]) or 0.0 for part in (course.first, course.last)]
    if loops[1] - loops[0] >= _MORE_REPEATED:
        yield _LOOPS(share=round(100 * (loops[1] - loops[0])))
    column = "length" if any("length" in one["columns"] for one in course.every) else "characters"
    lengths = [_mean(part, partial(_figure, column, 5)) for part in (course.first, course.last)]
    follows = _mean(course.last, lambda one: one["follows_length"])
    if lengths[0] and lengths[1] and lengths[1] / lengths[0] >= _EXPLODED and (follows or 0.0) >= _FOLLOWS:
        yield _LONGER(times=round(lengths[1] / lengths[0], 1))
    common = [_mean(part, lambda one: one["commonest"]) or 0.0 for part in (course.first, course.last)]
    if sum(one["rows"] for one in course.last) >= _LEAST_ROWS and common[1] - common[0] >= _MORE_ALIKE:
        yield _ALIKE(share=round(100 * common[1]), before=round(100 * common[0]))


def _figure(column: str, place: int, of: Summary) -> float | None:
    spread = of["columns"].get(column)
    return None if spread is None else float(spread[place])


def _first_score(of: Sequence[Summary]) -> str | None:
    names = {name for one in of for name in one["columns"] if name.startswith(SCORE)}
    return min(names, key=lambda name: (rank_of(name.removeprefix(SCORE)), name), default=None)


_LOOK = ReasonKind(
    "samples_look",
    "read samples of the same prompts before and after; penalise length or repetition, or check what the "
    "reward sees",
)
_KINDS = (
    (
        "empty",
        _EMPTY,
        ReasonKind("samples_empty_title", "Model says nothing"),
        ReasonKind(
            "samples_empty",
            "look at these samples: the end of the text may be forced, or a reward pays for it",
        ),
    ),
    (
        "repeated",
        _REPEATED,
        ReasonKind("samples_repeated_title", "Model repeats itself"),
        ReasonKind(
            "samples_repeated",
            "use a lower learning rate or a larger KL term, and a penalty for repetition in sampling",
        ),
    ),
    (
        "truncated",
        _TRUNCATED,
        ReasonKind("samples_truncated_title", "Samples end at the limit of length"),
        ReasonKind(
            "samples_truncated",
            "raise the limit (max_completion_length, max_response_length), or leave truncated samples out of "
            "the loss",
        ),
    ),
)
_NEEDS = Needs(plugins=["samples"])
RULES = [
    *(
        Rule(f"samples_{sign}", title, partial(_share, sign, least, change), _NEEDS)
        for sign, least, title, change in _KINDS
    ),
    Rule(
        "samples_reward_hacking",
        ReasonKind("samples_reward_hacking_title", "Reward may be tricked"),
        reward_hacking,
        _NEEDS,
    ),
]
