"""Every fuzz target, by hypothesis: a short round wherever the tests run, without coverage to guide it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.all_targets import TARGETS
from tests.fuzz.mutants import changed


@cache
def _seeds(name: str) -> Sequence[bytes]:
    return list(TARGETS[name].seeds())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read_and_changed_ones_are_read_or_refused(name: str, pytestconfig: pytest.Config) -> None:
    target, seeds = TARGETS[name], _seeds(name)
    for seed in seeds:
        target.run(seed)

    @given(st.sampled_from(seeds), st.integers(0, 1 << 32))
    @settings(
        max_examples=pytestconfig.getoption("--fuzz-examples"),
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def run(seed: bytes, number: int) -> None:
        # the first byte chooses what reads the rest
        target.run((seed[:1] + changed(seed[1:], random.Random(number)))[: target.longest])

    run()
