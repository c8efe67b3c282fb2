"""How many planted faults the rules find, and how often they warn of healthy runs (docs/how-to)."""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict

import insight_diagnose

from insight_core.registry import Registry
from insight_core.web import Host
from tests.fault_cases import cases, provider_of
from tests.fault_curves import Case


def _found(registry: Registry, case: Case) -> set[str]:
    host = Host(registry, provider_of(case))
    rules = host.check_rules(["run"]).rules
    assert not [one for one in rules if one.failed], case.name
    return {one.rule.id for one in rules if one.findings}


def main() -> None:
    """Prints a table by kind of case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="of the cases; 1 to 9 were used to tune")
    parser.add_argument("--cases", type=int, default=240, help="of each seed, faulty and healthy")
    given = parser.parse_args()
    registry = Registry.of([("diagnose", lambda: insight_diagnose)])
    began = time.process_time()
    for faulty in (True, False):
        total: Counter[str] = Counter()
        right: Counter[str] = Counter()
        others: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for seed in given.seed or [101, 102]:
            for case in cases(seed, given.cases, faulty=faulty):
                found = _found(registry, case)
                total[case.name] += 1
                right[case.name] += case.fault in found if faulty else not found
                others[case.name].update(found - {case.fault} - case.also)
        print("faulty: found" if faulty else "healthy: silent")
        for name, count in total.items():
            wrong = ", ".join(f"{rule} {times}" for rule, times in others[name].items())
            print(f"  {name:22} {right[name]:4} of {count:4}  {wrong and 'wrong: ' + wrong}")
        share = right.total() / total.total()
        wrong_count = sum(each.total() for each in others.values())
        print(f"  all {right.total()} of {total.total()} ({share:.1%}), {wrong_count} wrong findings")
    print(f"{time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
