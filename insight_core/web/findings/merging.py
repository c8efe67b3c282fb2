"""Merges what rules say of single runs to one answer: an entry for each rule, the worst first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from attrs import evolve, frozen

from insight_core.contrast import CHANCE, contrast
from insight_core.plugin import Messages, Reason, ReasonKind
from insight_core.plugin.findings import SEVERITIES, Finding, Findings, Rule, Saving, SharedCondition
from insight_core.plugin.findings.answer import RuleState, Unchecked
from insight_core.web.findings.calls import Told
from insight_core.web.findings.rounds import AskedRule

_SEVERAL = ReasonKind("findings_of_runs", "{count} of {of} runs: {title}; {run}: {saw}")
_PROFILES = ReasonKind("findings_of_profiles", "{count} of {of} profiles: {title}; {run}, {profile}: {saw}")
_IN_RUNS = ReasonKind("finding_in_runs", "{title} in {count:,} of {of:,} runs")
_IN_PROFILES = ReasonKind("finding_in_profiles", "{title} in {count:,} of {of:,} profiles")
_AT_STEP = ReasonKind("finding_at_step", "{title} at step {step:,}")
_FROM_STEP = ReasonKind("finding_from_step", "{title} from step {step:,}")
_WORD = re.compile(r"[a-z'-]+[ ,:;]")  # of a sentence: names such as train/loss, val_acc, curve are none
_LONGEST = 60  # characters of a title in English
_FEWEST = 2  # runs without a finding that it takes to ask what the others share
HYPERPARAMETERS = ("hyperparameter", "dataset", "custom")  # groups of columns of the run table; no results


@frozen(eq=False, slots=False)
class Answered:
    """What a rule said in each call, and the runs that it was asked about; of equal length."""

    asked: AskedRule
    runs: Sequence[tuple[str, ...]]
    told: Sequence[Told]
    profiles: Sequence[str] | None = None  # names of the profiles that it was asked about

    @cached_property
    def calls(self) -> Sequence[tuple[Told, tuple[str, ...]]]:
        """What it said, each object once with all its runs: of thousands of runs most have one in common."""
        if len(set(map(id, self.told))) == 1:
            return [(self.told[0], tuple(chain.from_iterable(self.runs)))]
        found: dict[int, tuple[Told, list[str]]] = {}
        for told, runs in zip(self.told, self.runs, strict=True):
            found.setdefault(id(told), (told, []))[1].extend(runs)
        return [(told, tuple(runs)) for told, runs in found.values()]


def merged(
    answers: Sequence[Answered],
    broken: Sequence[tuple[str, Rule, Reason]],
    runs: Sequence[str],
    left: int,
    columns_of: Callable[[Sequence[str]], Sequence[NamedColumn]],
    messages: Sequence[Messages],
    most: int | None = None,
) -> Findings:
    """The answer: findings merged and sorted, the rules, and why some could not tell.

    Of the findings of a rule about one run, or about several together, the first ``most`` count.
    """
    answers = [_first_of(one, most) for one in answers]
    states = [_state(one) for one in answers]
    findings = [
        found
        for one, state in zip(answers, states, strict=True)
        for found in _merged(one, len(state.checked))
    ]
    findings.sort(key=_order)
    of_some = [place for place, one in enumerate(findings) if not left and _is_of_some(one, runs)]
    if of_some:
        columns = columns_of(runs)
        checked = {state.id: state.checked for state in states}
        for place in of_some:
            one = findings[place]
            findings[place] = _with_shared(one, checked[one.rule], columns, len(of_some))
    rules = [*(RuleState(name, rule.id, rule.title, rule.scope) for name, rule, _ in broken), *states]
    unchecked = [Unchecked(rule.id, (), reason, failed=True) for _, rule, reason in broken]
    for answer in answers:
        unchecked += _unchecked(answer)
    return Findings(findings, rules, unchecked, runs, left, messages)


def _first_of(answer: Answered, most: int | None) -> Answered:
    if most is None or all(len(told.findings) <= most for told, _ in answer.calls):
        return answer
    told = [
        evolve(one, findings=one.findings[:most], more=one.more + len(one.findings[most:]))
        for one in answer.told
    ]
    return evolve(answer, told=told)


def _state(answer: Answered) -> RuleState:
    checked: tuple[str, ...] = tuple(
        chain.from_iterable(runs for told, runs in answer.calls if told.unchecked is None)
    )
    if answer.profiles is not None:
        checked = tuple(dict.fromkeys(checked))
    more = sum(told.more for told, _ in answer.calls)
    rule = answer.asked.rule
    return RuleState(answer.asked.module.name, rule.id, rule.title, rule.scope, checked, more)


def _unchecked(answer: Answered) -> Iterator[Unchecked]:
    """Each reason once, with its runs."""
    found: dict[Told, list[str]] = {}
    for told, runs in answer.calls:
        if told.unchecked is not None:
            found.setdefault(told, []).extend(runs)
    for told, names in found.items():
        assert told.unchecked is not None
        runs = tuple(dict.fromkeys(names))
        yield Unchecked(answer.asked.rule.id, runs, told.unchecked, told.failed, told.pending, told.missing)


def _merged(answer: Answered, of: int) -> Iterator[Finding]:
    """Findings of one run, or of several together, as they are; faults of several runs as one, and hints."""
    rule = answer.asked.rule
    if answer.profiles is not None:
        yield from _of_profiles(answer, answer.profiles, of)
        return
    found = [_named(rule, one, of) for told, _ in answer.calls for one in told.findings]
    faults = [one for one in found if one.severity in ("error", "warning")]
    for part in (faults, [one for one in found if one.severity not in ("error", "warning")]):
        runs = tuple(dict.fromkeys(run for one in part for run in one.runs))
        if rule.scope == "run" and len(runs) > 1:
            yield _one_of(rule, sorted(part, key=_order), runs, of)
        else:
            yield from part


def _of_profiles(answer: Answered, names: Sequence[str], of: int) -> Iterator[Finding]:
    """Findings of one profile as they are; faults of several profiles as one, and hints."""
    rule = answer.asked.rule
    found = [
        (name, _named(rule, one, of))
        for name, told in zip(names, answer.told, strict=True)
        for one in told.findings
    ]
    for are_faults in (True, False):
        part = [pair for pair in found if (pair[1].severity in ("error", "warning")) == are_faults]
        runs = tuple(dict.fromkeys(one.run for _, one in part))
        count = len({(name, one.run) for name, one in part})
        if count < 2:
            yield from (one for _, one in part)
            continue
        part.sort(key=lambda pair: _order(pair[1]))
        merged = _one_of(rule, [one for _, one in part], runs, of)
        if count > len(runs):
            whole = sum(told.unchecked is None for told in answer.told)
            name, worst = part[0]
            words = {"title": rule.title(), "run": worst.run, "profile": name, "saw": worst.saw}
            title = _short(_IN_PROFILES(title=rule.title(), count=count, of=whole), rule)
            merged = evolve(merged, saw=_PROFILES(count=count, of=whole, **words), title=title)
        yield merged


def _one_of(rule: Rule, parts: Sequence[Finding], runs: tuple[str, ...], of: int) -> Finding:
    """One finding for those of several runs, the worst of which comes first."""
    first = parts[0]
    runs = tuple(dict.fromkeys(run for one in parts for run in one.runs))
    saw = _SEVERAL(count=len(runs), of=of, title=rule.title(), run=first.run, saw=first.saw)
    title = _short(_IN_RUNS(title=rule.title(), count=len(runs), of=of), rule)
    saves = _range([one.saves for one in parts])
    return evolve(first, runs=runs, saw=saw, title=title, saves=saves, each=tuple(parts))


def _named(rule: Rule, one: Finding, of: int) -> Finding:
    """A finding of a rule with a title, and with texts that begin with a capital letter."""
    title, steps = _short(one.title or rule.title(), rule), one.place.steps
    if rule.scope == "runs" and one.runs and one.severity in ("error", "warning"):
        title = _short(_IN_RUNS(title=title, count=len(one.runs), of=of), rule)
    if rule.scope == "run" and steps is not None:
        kind = _AT_STEP if steps[0] == steps[1] else _FROM_STEP
        title = _short(kind(title=title, step=steps[0]), rule)
    names = (one.place.tag, *one.runs)
    change = None if one.change is None else _sentence(one.change, names)
    return evolve(one, rule=rule.id, title=title, saw=_sentence(one.saw, names), change=change)


def _short(title: Reason, rule: Rule) -> Reason:
    return title if len(title) <= _LONGEST else rule.title()


def _sentence(text: Reason, names: Sequence[str]) -> Reason:
    """The text with a capital letter, unless it begins with a name of the user: tags stay as they are."""
    if not (text[:1].islower() and _WORD.match(text)):
        return text
    given = [*names, *(value for value in text.details.values() if isinstance(value, str))]
    if any(name and text.startswith(name) for name in given):
        return text
    return Reason(text[0].upper() + text[1:], text.code, **text.details)


def _range(savings: Sequence[Saving | None]) -> Saving | None:
    """From the least to the most that the change saves in one of the runs."""
    known = [one for one in savings if one is not None]
    if not known:
        return None
    return evolve(known[0], low=min(one.low for one in known), high=max(one.high for one in known))


def _order(one: Finding) -> tuple[int, float, int]:
    saved = sum(part.saves.high for part in one.each or (one,) if part.saves is not None)
    return SEVERITIES.index(one.severity), -saved, -len(one.runs)


def _is_of_some(one: Finding, runs: Sequence[str]) -> bool:
    """Whether it is about several runs, and not about several others."""
    return bool(one.each) and len(one.runs) > 1 and len(runs) - len(one.runs) >= _FEWEST


def _with_shared(
    one: Finding, checked: Sequence[str], columns: Sequence[NamedColumn], findings: int
) -> Finding:
    having = set(one.runs)
    others = [run for run in checked if run not in having]
    return evolve(one, shared=shared_conditions(one.runs, others, columns, findings))


@frozen(eq=False)
class NamedColumn:
    """A hyperparameter: its title, and the value of each run that has one."""

    title: str
    values: Mapping[str, str | int | float | bool]


def shared_conditions(
    having: Sequence[str], others: Sequence[str], columns: Sequence[NamedColumn], findings: int
) -> tuple[SharedCondition, ...]:
    """What distinguishes the runs ``having`` a finding from ``others``, one of so many ``findings``."""
    runs = [*having, *others]
    cells = {column.title: [column.values.get(run) for run in runs] for column in columns}
    faulty = [True] * len(having) + [False] * len(others)
    return tuple(
        SharedCondition(one.text, one.columns, one.hits, one.faulty, one.other_hits, one.others)
        for one in contrast(cells, faulty, chance=CHANCE / max(1, findings))
    )
