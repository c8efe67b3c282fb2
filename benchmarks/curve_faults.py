"""How many planted faults of curves are named with run and step, and how many healthy runs raise an alarm."""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests import healthy_curves, planted_curves
from tests.curve_verdicts import tally


def main() -> None:
    """Prints a table by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="of the cases; 1 to 9 were used to tune")
    parser.add_argument("--each", type=int, default=6, help="cases of each kind and seed")
    parser.add_argument("--kind", action="append", help="only these")
    parser.add_argument("--show", action="store_true", help="print each case that is wrong")
    given = parser.parse_args()
    began = time.process_time()
    for title, kinds in (("faulty", planted_curves.KINDS), ("healthy", healthy_curves.KINDS)):
        total: Counter[str] = Counter()
        for kind in kinds:
            if given.kind and kind.__name__ not in given.kind:
                continue
            found = tally([kind], given.seed or [101, 102, 103], given.each)
            print(f"  {kind.__name__:20} {dict(found.verdicts)}  {dict(found.others) or ''}")
            if given.show:
                print("\n".join(found.wrong))
            total += found.verdicts + Counter({"alarms": found.alarms})
        print(title, dict(total))
    print(f"{time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
