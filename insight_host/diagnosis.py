"""What rules find in runs, as tables and as a report, from a host of the logs in this process."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from insight_core.cli.text_table import printable
from insight_core.plugin.findings import SEVERITIES, CheckedRule, Finding
from insight_host.choosing import Chosen, chosen_of
from insight_host.sources import OpenedSource
from insight_host.tables import LogTable, numbers, texts

_PAUSE = 0.2  # seconds between two questions, while a profile is being read
_PATIENCE = 600.0  # seconds for all profiles


def diagnosed(source: OpenedSource, runs: Chosen, roles: Mapping[str, str]) -> Sequence[CheckedRule]:
    """What all rules say of the chosen runs. Waits for profiles that are being read."""
    from insight_core.cli.serve import open_host  # the web half is loaded where it is needed

    host = open_host(source.options, source.registry, source.provider, source.logdirs)
    try:
        wanted = chosen_of([run.name for run in source.provider.runs()], runs)
        until = time.monotonic() + _PATIENCE
        while True:
            found = host.check_rules(wanted, roles).rules
            if not any(one.pending for one in found) or time.monotonic() > until:
                return found
            time.sleep(_PAUSE)
    finally:
        host.close()


def findings_table(checked: Sequence[CheckedRule]) -> LogTable:
    """See ``Logs.diagnose``."""
    found = _worst_first(checked)
    findings = [finding for _, finding in found]
    return LogTable(
        {
            "run": texts([finding.run for finding in findings]),
            "severity": texts([finding.severity for finding in findings]),
            "plugin": texts([one.plugin for one, _ in found]),
            "rule": texts([one.rule.id for one, _ in found]),
            "tag": texts([finding.place.tag or None for finding in findings]),
            "first_step": numbers([_step(finding, 0) for finding in findings], np.int64),
            "last_step": numbers([_step(finding, 1) for finding in findings], np.int64),
            "saw": texts([str(finding.saw) for finding in findings]),
            "why": texts([str(finding.why) for finding in findings]),
            "change": texts([str(finding.change) for finding in findings]),
            "saves": numbers([finding.saves for finding in findings], np.float64),
        }
    )


def rules_table(checked: Sequence[CheckedRule]) -> LogTable:
    """See ``Logs.checked_rules``."""
    rows = [one for one in checked if one.run]
    return LogTable(
        {
            "run": texts([one.run for one in rows]),
            "plugin": texts([one.plugin for one in rows]),
            "rule": texts([one.rule.id for one in rows]),
            "state": texts([_state(one) for one in rows]),
            "findings": numbers([len(one.findings) for one in rows], np.int64),
            "reason": texts([None if one.unchecked is None else str(one.unchecked) for one in rows]),
        }
    )


def report_lines(checked: Sequence[CheckedRule]) -> Iterator[bytes]:
    """Findings as paragraphs for a terminal, how many rules were checked, and why others were not."""
    found = _worst_first(checked)
    for _, finding in found:
        saves = "" if finding.saves is None else f" (saves about {finding.saves:.0%} of the run)"
        yield _line(f"{finding.severity}: {finding.run}: {finding.saw}")
        yield _line(f"    why: {finding.why}")
        yield _line(f"    change: {finding.change}{saves}")
    rules = {(one.plugin, one.rule.id) for one in checked if one.unchecked is None}
    runs = {one.run for one in checked if one.run}
    result = _count(len(found), "finding") if found else "nothing found"
    yield _line(f"Checked {_count(len(rules), 'rule')} in {_count(len(runs), 'run')}: {result}.")
    for one in checked:
        if one.failed or one.more:
            text = f"failed: {one.unchecked}" if one.failed else f"{_count(one.more, 'finding')} left out"
            yield _line(f"{one.rule.id} ({one.run or one.plugin}): {text}")
    left = {
        f"{one.rule.id} ({one.unchecked})"
        for one in checked
        if not one.failed and one.unchecked is not None and (one.plugin, one.rule.id) not in rules
    }
    if left:
        yield _line(f"Not checked: {'; '.join(sorted(left))}.")


def _worst_first(checked: Sequence[CheckedRule]) -> list[tuple[CheckedRule, Finding]]:
    found = [(one, finding) for one in checked for finding in one.findings]
    return sorted(found, key=lambda pair: SEVERITIES.index(pair[1].severity))  # stable


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _state(one: CheckedRule) -> str:
    return "checked" if one.unchecked is None else "failed" if one.failed else "unchecked"


def _step(finding: Finding, which: int) -> int | None:
    return None if finding.place.steps is None else finding.place.steps[which]


def _line(text: str) -> bytes:
    return (printable(text) + "\n").encode("utf-8", "backslashreplace")
