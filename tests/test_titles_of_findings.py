"""Titles of findings: one line for every rule of this repository, with the numbers that real sweeps have."""

from __future__ import annotations

import pytest

from insight_core.plugin import Reason
from insight_core.plugin.findings import Finding, FindingPlace, Findings, Rule
from insight_core.registry import Registry
from insight_core.web.findings.calls import Told
from insight_core.web.findings.merging import Answered, merged
from insight_core.web.findings.rounds import AskedRule

_LONGEST = 60  # characters
_RUNS = [f"run{number}" for number in range(1000)]


@pytest.fixture(scope="module")
def rules() -> list[AskedRule]:
    registry = Registry.discover()
    found = registry.collected("insight_rules", Rule)
    assert len(found) > 50
    return [AskedRule(one.module, one.value) for one in found]


def _title(asked: AskedRule, runs: int) -> str:
    """As the host makes it of findings in so many of 1,000 runs, or of profiles, from step 1,234,567 on."""
    place = FindingPlace("scalar", "train/loss", (1_234_567, 2_000_000))
    told = [Told((Finding(run, "warning", Reason("it is so"), place=place),)) for run in _RUNS[:runs]]
    told += [Told()] * (len(_RUNS) - runs)
    profiles = ["before.pt.trace.json.gz"] * len(_RUNS) if asked.rule.scope == "profile" else None
    answered = Answered(asked, [(run,) for run in _RUNS], told, profiles)
    found: Findings = merged([answered], (), _RUNS, 0, lambda runs: (), ())
    return str(found.findings[0].title)


@pytest.mark.parametrize("runs", [1, 12, 1000])
def test_every_title_is_a_line_that_begins_with_a_capital_letter_and_fits(
    rules: list[AskedRule], runs: int
) -> None:
    titles = {one.rule.id: _title(one, runs) for one in rules}
    assert {id: title for id, title in titles.items() if len(title) > _LONGEST or not title} == {}
    assert {id: title for id, title in titles.items() if not title[0].isupper() or title.endswith(".")} == {}
    if runs == 12:
        assert titles["no_improvement"] == "Loss does not improve in 12 of 1,000 runs"
    if runs == 1:
        assert titles["divergence"] == "Loss diverged from step 1,234,567"
