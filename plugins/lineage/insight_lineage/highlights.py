"""What matters about runs: the best, how the second differs, and what explains the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Annotations, Reason, ReasonKind
from insight_core.plugin.filters import Column
from insight_core.plugin.findings import Examined, Finding, FindingPlace
from insight_core.plugin.lab import role_of
from insight_lineage.claims import NAME
from insight_lineage.goals import Goal, is_cost
from insight_lineage.importance.ranking import Ranked, Ranking, kept_ranking
from insight_lineage.run_columns import lineage_of
from insight_lineage.table import Table

_PARAMETERS = ("hyperparameter", "dataset", "custom")
_NAMED = 4  # parameters of a sentence
_LEAST_COVER = 0.5  # share of the runs that a target needs
_NEARLY_ALL = 0.9  # of the runs of the target that most have: enough for a result that is not a cost
_RANKED_ROLES = ("val_accuracy", "val_loss", "accuracy", "loss")  # of results that are equally covered
_MOST_RUNS = 2000  # of which it is said what explains the target
_LONGEST = 60  # characters of a value
# What a sentence adds about its runs: each begins as it continues the sentence.
_NO_NOTE = Reason()
_NOTES = ReasonKind("lineage_notes", "{first}{second}")
_LEFT = ReasonKind("lineage_note_left", "; {count} of {runs} runs have no finite {target}")
_CLIPPED = ReasonKind("lineage_note_clipped", "; far outliers that count as the nearest usual value: {count}")
_UNSET = ReasonKind("lineage_note_unset", "; {count} of {runs} runs have no {parameter}")
_FOLLOWED = ReasonKind(
    "lineage_note_followed",
    "; {parameter} always changes together with {others}: these runs do not show which is the cause",
)
_RELATED = ReasonKind(
    "lineage_note_related",
    "; {parameter} is correlated with {others} in these runs, which may be the cause as well",
)
_BEST = ReasonKind("lineage_title_best", "Best {target} {value}")
_EXPLAINS = ReasonKind("lineage_title_explains", "{parameter} explains {share}")
_SAME = ReasonKind(
    "lineage_same", "{run} and {other} have the same parameters: chance, or what is not recorded, differs"
)


def found(examined: Examined) -> Iterable[Finding]:
    """The best of these runs by the result that most of them have, and how the second differs."""
    ctx, runs = examined.ctx, examined.runs
    with lineage_of(ctx).table(Annotations()) as table:
        places = table.rows.place
        rows = np.array([places[run] for run in runs if run in places], np.intp)
        target = _target(table, rows)
        goal = None if target is None else table.goal(target)
        if target is None or goal is None:
            return []
        names = [name for name in table.names(_PARAMETERS) if name != "dataset_mark"]
        parameters = [table.column(name) for name in names]
        steps = [table.column(name) for name in table.names(("pipeline",))]
    return _sentences(table.rows.runs, target, goal, parameters, steps, rows)


def _target(table: Table, rows: NDArray[np.intp]) -> Column | None:
    """The result that most rows have: a metric, else the last value of a scalar of a known role.

    One that differs between the runs comes before one that is equal in all of them.
    """
    if len(rows) < 2:
        return None
    metric = _most_covered(table, table.names(("metric",)), rows)
    if metric is not None and _differs(metric, rows):
        return metric
    scalars = [f"last/{tag}" for tag in table.tags() if role_of(tag) in _RANKED_ROLES]
    scalar = _most_covered(table, scalars, rows)
    return scalar if metric is None or (scalar is not None and _differs(scalar, rows)) else metric


def _most_covered(table: Table, names: Sequence[str], rows: NDArray[np.intp]) -> Column | None:
    """Of those results of which it is known whether small or large values are better, and that differ
    between runs, where any does."""
    known = [column for name in names if table.goal(column := table.column(name)) is not None]
    columns = [one for one in known if _differs(one, rows)] or known
    covered = {one: _covered(one, rows) for one in columns}
    most = max(covered.values(), default=0)
    if most < max(2, _LEAST_COVER * len(rows)):
        return None
    # A run that diverged has a time, but no loss: that makes the time no better a target.
    results = [one for one in columns if not is_cost(one.title) and covered[one] >= _NEARLY_ALL * most]
    return max(results or columns, key=lambda one: (covered[one], _worth(one)))


def _differs(column: Column, rows: NDArray[np.intp]) -> bool:
    values = column.numbers[rows]
    finite = values[np.isfinite(values)]
    return len(finite) > 0 and bool((finite != finite[0]).any())


def _covered(column: Column, rows: NDArray[np.intp]) -> int:
    return int(np.count_nonzero(np.isfinite(column.numbers[rows])))


def _worth(column: Column) -> int:
    """Results on held-out data before those of training, and both before costs and what nobody knows."""
    role = role_of(column.title)
    return len(_RANKED_ROLES) - _RANKED_ROLES.index(role) if role in _RANKED_ROLES else 0


def _sentences(
    names: Sequence[str],
    target: Column,
    goal: Goal,
    parameters: Sequence[Column],
    steps: Sequence[Column],
    rows: NDArray[np.intp],
) -> list[Finding]:
    finite = rows[np.isfinite(target.numbers[rows])]
    sign = 1.0 if goal == "min" else -1.0
    first, second = finite[np.argsort(sign * target.numbers[finite], kind="stable")[:2]].tolist()
    place = FindingPlace(NAME, state={"target": target.name, "analysis": "1"})
    ranked = kept_ranking(target, parameters, np.sort(rows), goal) if len(rows) <= _MOST_RUNS else None
    if ranked is not None and ranked.is_sure:
        parameters = _most_important_first(ranked, parameters)
    pair = (names[first], names[second])
    left = len(rows) - len(finite)
    note = _LEFT(count=left, runs=len(rows), target=target.title) if left else _NO_NOTE
    equal = [names[row] for row in finite if target.numbers[row] == target.numbers[first]]
    if len(equal) > 1:
        best = _tie(equal, target, target.numbers[first], len(finite), goal, note)
    else:
        best = _best(pair, target, target.numbers[[first, second]].tolist(), len(finite), goal, note)
    found = [Finding(pair, "hint", best, place=place)]
    if len(equal) < len(finite):
        title = _BEST(target=target.title.removesuffix(" (last)"), value=best.details["value"])
        found = [Finding(pair, "good", best, place=place, title=title)]
    changed = [one.title for one in steps if _differ(one, first, second)]
    if changed:
        found.append(_pipelines(pair, changed))
    differs = any(_differ(one, first, second) for one in parameters)
    is_recorded = any(one.kinds[[first, second]].any() for one in parameters)
    if differs or (is_recorded and not changed and len(equal) == 1):
        found.append(_difference(pair, parameters, first, second, place))
    reason = None if ranked is None else _explained(ranked, target, note)
    if reason is None:
        return found
    title = _EXPLAINS(parameter=reason.details["parameter"], share=reason.details["share"])
    return [*found, Finding(pair, "good", reason, place=place, title=title)]


def _best(
    pair: tuple[str, str], target: Column, values: Sequence[float], runs: int, goal: Goal, note: Reason
) -> Reason:
    """The best run and the second, whose ``values`` differ, in as many digits as that takes."""
    texts = _different_texts(*values)
    kind, code = ("lowest", "lineage_lowest") if goal == "min" else ("highest", "lineage_highest")
    text = f"{pair[0]} has the {kind} {target.title} of {runs} runs: {texts[0]}"
    text = f"{text}; next is {pair[1]} with {texts[1]}{note}"
    said: dict[str, Any] = {
        "run": pair[0],
        "other": pair[1],
        "value": texts[0],
        "next": texts[1],
        "note": note,
    }
    return Reason(text, code, target=target.title, runs=runs, **said)


def _tie(equal: Sequence[str], target: Column, number: float, runs: int, goal: Goal, note: Reason) -> Reason:
    """Which runs share the best value."""
    said: dict[str, Any] = {"target": target.title, "value": _text(number), "runs": runs, "note": note}
    if len(equal) == runs:
        return Reason(
            f"all {runs} runs have the same {target.title}: {said['value']}{note}",
            "lineage_all_equal",
            **said,
        )
    listed = _listed(equal)
    kind, code = ("lowest", "lineage_lowest_tie") if goal == "min" else ("highest", "lineage_highest_tie")
    text = f"{len(equal)} of {runs} runs have the {kind} {target.title}: {said['value']} ({listed}){note}"
    return Reason(text, code, count=len(equal), equal=listed, **said)


def _most_important_first(ranked: Ranking, parameters: Sequence[Column]) -> list[Column]:
    """Those that surely matter, then the others in their own order; copies of others last."""
    copies = {one.column for one in ranked.parameters if one.follows is not None}
    sure = [one.column for one in ranked.parameters if one.is_sure]
    return [*sure, *sorted((one for one in parameters if one not in sure), key=copies.__contains__)]


def _explained(ranked: Ranking, target: Column, left: Reason) -> Reason | None:
    """The parameter that explains most of the target, of those that surely matter, and its best values."""
    top = next((one for one in ranked.parameters if one.is_sure), None)
    if top is None or top.total is None:
        return None
    # what parameters explain together is found only in part: the share is too small, but not the lower end
    share = (
        f"≥ {100 * top.total.low:.0f} %"
        if top.acts_together
        else f"{min(100.0, 100 * top.total.share):.0f} %"
    )
    note = _noted(_notes(ranked, top, left))
    text = f"{top.column.title} explains {share} of the differences in {target.title}"
    details: dict[str, Any] = {"parameter": top.column.title, "share": share, "target": target.title}
    details["note"] = note
    best = top.best
    if best is None:
        text = f"{text}; its best values depend on other parameters{note}"
        return Reason(text, "lineage_explains_with_others", **details)
    ends = dict.fromkeys([_text(best.start), _text(best.end)])
    values = ", ".join(best.texts[:_NAMED]) if best.texts else " \N{EN DASH} ".join(ends)
    return Reason(f"{text}; best: {values}{note}", "lineage_explains", values=values, **details)


def _notes(ranked: Ranking, top: Ranked, left: Reason) -> Iterator[Reason]:
    """What makes the share less certain: other parameters, and runs that do not count in full."""
    title = top.column.title
    followers = [one.column.title for one in ranked.parameters if one.follows is top.column]
    if followers:
        yield _FOLLOWED(others=_listed(followers), parameter=title)
    if top.related:
        others = _listed([f"{column.title} (r = {r:.2f})" for column, r in top.related])
        yield _RELATED(others=others, parameter=title)
    if top.count < ranked.used:
        yield _UNSET(count=ranked.used - top.count, runs=ranked.used, parameter=title)
    if left:
        yield left
    if ranked.clipped:
        yield _CLIPPED(count=ranked.clipped)


def _noted(notes: Iterable[Reason]) -> Reason:
    """All of them as one, which is empty without any."""
    return reduce(
        lambda first, second: _NOTES(first=first, second=second) if first else second, notes, _NO_NOTE
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join([*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])])


def _pipelines(pair: tuple[str, str], changed: Sequence[str]) -> Finding:
    """Which operators of the data pipelines of the two best runs differ."""
    listed = ", ".join(changed[:_NAMED])
    details: dict[str, Any] = {"run": pair[0], "other": pair[1], "steps": listed}
    text = f"the data of {pair[0]} is prepared in another way than that of {pair[1]}: {listed}"
    more = len(changed) - _NAMED
    if more > 0:
        reason = Reason(f"{text} and {more} more", "lineage_pipelines_more", more=more, **details)
    else:
        reason = Reason(text, "lineage_pipelines", **details)
    return Finding(pair, "hint", reason, place=FindingPlace(NAME, state={"view": "data"}))


def _difference(
    pair: tuple[str, str], parameters: Sequence[Column], first: int, second: int, place: FindingPlace
) -> Finding:
    """How the parameters of the two best runs differ."""
    changes = [
        "{} {} ({})".format(one.title, *_different_texts(one.shown[first], one.shown[second]))
        for one in parameters
        if _differ(one, first, second)
    ]
    if not changes:
        return Finding(pair, "hint", _SAME(run=pair[0], other=pair[1]), place=place)
    more = len(changes) - _NAMED
    listed = ", ".join(changes[:_NAMED])
    details: dict[str, Any] = {"run": pair[0], "other": pair[1], "changes": listed}
    text = f"{pair[0]} differs from {pair[1]} (in brackets) in {listed}"
    if more > 0:
        reason = Reason(f"{text} and {more} more", "lineage_differ_more", more=more, **details)
    else:
        reason = Reason(text, "lineage_differ", **details)
    return Finding(pair, "hint", reason, place=place)


def _differ(column: Column, first: int, second: int) -> bool:
    """NaN is equal to NaN here."""
    return bool(column.shown[first] != column.shown[second])


def _different_texts(one: object, other: object) -> tuple[str, str]:
    """The texts of two values that differ, of numbers in as many digits as that takes."""
    if isinstance(one, float | int) and isinstance(other, float | int) and _text(one) == _text(other):
        for digits in range(5, 18):
            texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
            if texts[0] != texts[1]:
                return texts
    return _text(one), _text(other)


def _text(value: object) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "—" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
