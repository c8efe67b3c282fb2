"""Cases of faulty and healthy runs by seed, and a provider that has one as a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_authoring.testing.histograms import histogram_tensor
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.testing import FakeProvider
from tests.fault_curves import FAULTY, HEALTHY, Case
from tests.fault_models import FAULTY_MODELS, HEALTHY_MODELS


def cases(seed: int, count: int, *, faulty: bool) -> Iterator[Case]:
    """So many cases, of all kinds in turn; the same for the same seed."""
    kinds = (*FAULTY, *FAULTY_MODELS) if faulty else (*HEALTHY, *HEALTHY_MODELS)
    for number in range(count):
        yield kinds[number % len(kinds)](np.random.default_rng([seed, number, int(faulty)]))


def provider_of(case: Case, run: str = "run") -> FakeProvider:
    """The case as the only run."""
    data = FakeProvider()
    add_case(data, case, run)
    return data


def add_case(data: FakeProvider, case: Case, run: str) -> None:
    """Adds the case as a run."""
    for tag, (steps, values) in case.scalars.items():
        data.add_scalars(run, tag, values, steps=steps)
    for tag, logged in case.histograms.items():
        payloads = [histogram_tensor(values) for _, values in logged]
        steps = np.array([step for step, _ in logged])
        data.add_records("histogram", run, tag, payloads, claim=SummaryPlugin("histograms"), steps=steps)
