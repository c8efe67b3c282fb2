"""How many planted faults the rules about profiles find, how often they warn of healthy training, and how far
their estimates are from what the repair saves (docs/how-to/profile_advice.md)."""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict

from attrs import evolve

from tests.profile_faults import ALSO, REPAIRS, Training, faulty, healthy, profile_of, simulate, step_time
from tests.profile_rules import check


def _found(training: Training) -> dict[str, float | None]:
    checked = check(profile_of(simulate(training)))
    return {
        one.rule.id: None if (saves := one.found[0].saves) is None else saves.low
        for one in checked
        if one.found
    }


def main() -> None:
    """Prints a table by rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seed", type=int, action="append", help="of the training; 1 to 11 were used to tune"
    )
    seeds = parser.parse_args().seed or [101, 102, 103, 104]
    began = time.process_time()
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    errors: defaultdict[str, list[float]] = defaultdict(list)
    for seed in seeds:
        for rule, training in faulty(seed):
            found = _found(training)
            right[rule] += rule in found
            wrong.update(found.keys() - {rule} - ALSO.get(rule, set()))
            saves = found.get(rule)
            if rule in REPAIRS and saves is not None:
                repaired = simulate(evolve(training, **REPAIRS[rule]))
                true = 1 - step_time(repaired) / step_time(simulate(training))
                errors[rule].append(abs(saves - true))
    for rule in right:
        error = f"estimate within {100 * max(errors[rule]):.1f} points" if errors[rule] else ""
        print(f"  {rule:24} {right[rule]:3} of {len(seeds):3}  {error}")
    total = len(seeds) * len(right)
    print(f"faults found: {right.total()} of {total} ({right.total() / total:.1%}), wrong: {dict(wrong)}")
    trainings = [training for seed in seeds for training in healthy(seed)]
    alarms = Counter(rule for training in trainings for rule in _found(training))
    print(f"healthy: {len(trainings)}, false alarms: {dict(alarms)}")
    print(f"{time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
