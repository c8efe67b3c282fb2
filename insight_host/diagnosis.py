"""What rules find in runs, as tables and as a report, from a host of the logs in this process."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np

from insight_core.cli.text_table import printable
from insight_core.plugin.findings import Finding, Findings, Saving, SharedCondition
from insight_host.choosing import Chosen, chosen_of
from insight_host.sources import OpenedSource, host_of
from insight_host.tables import LogTable, numbers, texts

_PAUSE = 0.2  # seconds between two questions, while a profile is being read
_PATIENCE = 600.0  # seconds for all profiles
_NAMED = 8  # runs of a block


def diagnosed(source: OpenedSource, runs: Chosen, roles: Mapping[str, str]) -> Findings:
    """What all rules say of the chosen runs. Waits for profiles that are being read."""
    with host_of(source) as host:
        wanted = chosen_of([run.name for run in source.provider.runs()], runs)
        until = time.monotonic() + _PATIENCE
        while True:
            found = host.findings(wanted, roles)
            if not any(one.pending for one in found.unchecked) or time.monotonic() > until:
                return found
            time.sleep(_PAUSE)


def findings_table(found: Findings) -> LogTable:
    """See ``Logs.diagnose``."""
    rows = [(place, one, part) for place, one in enumerate(found.findings) for part in one.each or (one,)]
    plugins = {state.id: state.plugin for state in found.rules}
    parts = [part for _, _, part in rows]
    savings = [part.saves for part in parts]
    return LogTable(
        {
            "finding": numbers([place for place, _, _ in rows], np.int64),
            "run": texts([part.run for part in parts]),
            "severity": texts([part.severity for part in parts]),
            "plugin": texts([plugins.get(part.rule, "") for part in parts]),
            "rule": texts([part.rule for part in parts]),
            "tag": texts([_tag(part) for part in parts]),
            "first_step": numbers([_step(part, 0) for part in parts], np.int64),
            "last_step": numbers([_step(part, 1) for part in parts], np.int64),
            "saw": texts([str(part.saw) for part in parts]),
            "change": texts([None if part.change is None else str(part.change) for part in parts]),
            "shared": texts([_shared(one) or None for _, one, _ in rows]),
            "saves_low": numbers(
                [None if part.saves is None else part.saves.low for part in parts], np.float64
            ),
            "saves_high": numbers(
                [None if part.saves is None else part.saves.high for part in parts], np.float64
            ),
            "saves_of": texts([None if one is None else one.of for one in savings]),
            "confidence": texts([part.confidence for part in parts]),
        }
    )


def rules_table(found: Findings) -> LogTable:
    """See ``Logs.checked_rules``."""
    rows = list(_states(found))
    return LogTable(
        {
            "run": texts([run for run, *_ in rows]),
            "plugin": texts([plugin for _, plugin, *_ in rows]),
            "rule": texts([rule for _, _, rule, *_ in rows]),
            "state": texts([state for *_, state, _, _ in rows]),
            "findings": numbers([count for *_, count, _ in rows], np.int64),
            "reason": texts([reason for *_, reason in rows]),
        }
    )


def _states(found: Findings) -> Iterator[tuple[str, str, str, str, int, str | None]]:
    """Run, plugin, rule, state, number of findings and reason, by run and in the order of rules."""
    counts: dict[tuple[str, str], int] = {}
    for part in found.each:
        for run in part.runs:
            counts[run, part.rule] = counts.get((run, part.rule), 0) + 1
    left = {(run, one.rule): one for one in found.unchecked for run in one.runs}
    for run in found.runs:
        for state in found.rules:
            why = left.get((run, state.id))
            if why is not None:
                word = "failed" if why.failed else "unchecked"
                yield run, state.plugin, state.id, word, 0, str(why.reason)
            else:
                number = counts.get((run, state.id), 0)
                yield run, state.plugin, state.id, "checked", number, None


def report_lines(found: Findings) -> Iterator[bytes]:
    """A block for each finding, what was checked, and one line on what was not."""
    for one in found.findings:
        yield from map(_line, _block(one))
    rules = [state for state in found.rules if state.checked]
    count = len({one.rule for one in found.findings if one.severity in ("error", "warning")})
    runs, checked = _count(len(found.runs), "run"), _count(len(rules), "rule")
    result = _count(count, "problem") if count else "Nothing wrong"
    yield _line(f"{result} found in {runs}: {checked} checked.")
    for why in found.unchecked:
        if why.failed:
            where = why.runs[0] if len(why.runs) == 1 else _count(len(why.runs), "run")
            yield _line(f"{why.rule} ({where if why.runs else 'its module'}): failed: {why.reason}")
    for state in found.rules:
        if state.more:
            yield _line(f"{state.id}: {_count(state.more, 'finding')} left out")
    known = {state.id for state in rules}
    failed = {one.rule for one in found.unchecked if one.failed}
    left = len({one.rule for one in found.unchecked} - known - failed)
    if left:
        yield _line(f"Not checked: {_count(left, 'rule')} for lack of data (--rules lists them).")


def rules_lines(found: Findings) -> Iterator[bytes]:
    """A line for each rule: of how many runs it was checked, and why not of others."""
    for state in found.rules:
        yield _line(f"{state.id}: {state.title()}: checked in {_count(len(state.checked), 'run')}")
        for one in found.unchecked:
            if one.rule == state.id:
                word = "failed" if one.failed else "not checked"
                yield _line(f"    {word} in {_count(len(one.runs), 'run')}: {one.reason}")


def _block(one: Finding) -> Iterator[str]:
    """A title, what was seen in the worst run, what the runs have in common, and what to change."""
    first = one.each[0] if one.each else one
    is_named = len(first.runs) > 1  # several runs together: the sentence names them
    yield f"{one.severity}: {one.title}"
    yield f"    {first.saw}" if is_named or not first.runs else f"    {first.run}: {first.saw}"
    for shared in one.shared:
        yield f"    {_common(shared)}"
    if one.each:
        names = ", ".join(one.runs[:_NAMED])
        yield f"    runs: {names}{f' and {len(one.runs) - _NAMED} more' if len(one.runs) > _NAMED else ''}"
    if one.change is not None:
        word = "change (suspected)" if one.confidence == "suspected" else "change"
        yield f"    {word}: {one.change}{_saves(one.saves)}"


def _common(one: SharedCondition) -> str:
    """As the page says it."""
    if one.having == one.of and not one.others_having:
        return f"All have {one.text}; none of the others"
    return f"{one.having} of {one.of} have {one.text}; {one.others_having} of {one.others} others"


def _saves(saves: Saving | None) -> str:
    if saves is None:
        return ""
    ends = [f"{100 * saves.low:.0f}", f"{100 * saves.high:.0f}"]
    share = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    what = "a step" if saves.of == "step" else "the run"
    assumes = f"; {saves.assumes}" if saves.assumes else ""
    return f" (saves about {share} % of {what}{assumes})"


def _shared(one: Finding) -> str:
    return " or ".join(map(str, one.shared))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _tag(one: Finding) -> str | None:
    return one.place.tag or None


def _step(one: Finding, which: int) -> int | None:
    return None if one.place.steps is None else one.place.steps[which]


def _line(text: str) -> bytes:
    return (printable(text) + "\n").encode("utf-8", "backslashreplace")
