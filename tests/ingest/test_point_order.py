"""The points of a tag are shown in the order of the file, whatever they are written as."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.providers.local import LocalProvider
from tests.oracles.implementations import BOTH, scan_with


@pytest.mark.parametrize("implementation", BOTH)
def test_a_tag_written_by_simple_value_and_as_tensors_is_one_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, implementation: str
) -> None:
    scan_with(implementation, monkeypatch)
    metadata = wire.metadata("scalars", 1)
    with open(tmp_path / "events.out.tfevents.1.test", "wb") as file:
        for step in range(300):
            forms = [
                wire.scalar_value("loss", float(step)),
                wire.tensor_value("loss", wire.number_tensor(float(step)), metadata),
                wire.tensor_value("loss", wire.number_tensor(float(step), double=True), metadata),
            ]
            value = forms[step // 2 % 3]
            file.write(wire.record(wire.event(step, 1.0 + step, wire.summary([value]))))
    with closing(
        LocalProvider([Logdir(str(tmp_path))], [insight_scalar.insight_plugin()], reload_interval=0)
    ) as provider:
        provider.load()
        [info] = provider.series("scalar")
        assert (info.points, info.kept, info.attempts) == (300, 300, 1)
        key = SeriesKey(".", "loss")
        columns = provider.scalars("scalar", [key], ScalarQuery())[key]
        np.testing.assert_array_equal(columns.steps, np.arange(300))
        np.testing.assert_array_equal(columns.values, np.arange(300))
        np.testing.assert_array_equal(columns.wall_times, 1.0 + np.arange(300))


Written = tuple[str, int]  # form and step

FORMS = ["simple", "single", "double"]
METADATA = wire.metadata("scalars", 1)


def value_of(form: str, number: int) -> bytes:
    if form == "simple":
        return wire.scalar_value("loss", float(number))
    return wire.tensor_value("loss", wire.number_tensor(float(number), double=form == "double"), METADATA)


def opened(logs: Path, cache: Path) -> LocalProvider:
    plugins = [insight_scalar.insight_plugin()]
    return LocalProvider([Logdir(str(logs))], plugins, reload_interval=0, cache_directory=cache)


@settings(deadline=None, max_examples=60)
@given(
    implementation=st.sampled_from(BOTH),
    stretches=st.lists(
        st.lists(st.tuples(st.sampled_from(FORMS), st.integers(0, 20)), min_size=1, max_size=12),
        min_size=2,
        max_size=6,
    ),
    files=st.lists(st.integers(0, 1), min_size=6, max_size=6),
    restarts=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_any_mix_of_forms_files_and_restarts_keeps_the_order_of_the_files(
    implementation: str, stretches: list[list[Written]], files: list[int], restarts: list[bool]
) -> None:
    """The host may end and start again between two writes: then it goes on from its index."""
    written: dict[int, list[int]] = {0: [], 1: []}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        scan_with(implementation, patch)
        logs, cache = Path(name, "logs"), Path(name, "cache")
        logs.mkdir()
        provider = opened(logs, cache)
        for stretch, number, restart in zip(stretches, files, restarts, strict=False):
            with open(logs / f"events.out.tfevents.{number + 1}.test", "ab") as file:
                for form, step in stretch:
                    value = value_of(form, step)
                    file.write(wire.record(wire.event(step, 1.0 + step, wire.summary([value]))))
                    written[number].append(step)
            if restart:
                provider.close()
                provider = opened(logs, cache)
            provider.load()
            with closing(opened(logs, cache / "none")) as fresh:
                fresh.load()
                for one in (provider, fresh):
                    check(one, written[0] + written[1])
        provider.close()


def check(provider: LocalProvider, steps: list[int]) -> None:
    key = SeriesKey(".", "loss")
    [info] = provider.series("scalar")
    assert (info.key, info.points, info.kept) == (key, len(steps), len(steps))
    columns = provider.scalars("scalar", [key], ScalarQuery(attempts="all"))[key]
    assert columns.steps.tolist() == columns.values.tolist() == steps
    decreases = [at for at in range(1, len(steps)) if steps[at] < steps[at - 1]]
    assert columns.breaks.tolist() == decreases
    assert info.attempts == len(columns.restarts) + 1 <= len(decreases) + 1
    assert columns.wall_times.tolist() == [1.0 + step for step in steps]
    shown = provider.scalars("scalar", [key])[key].steps.tolist()
    assert shown == sorted(shown)
    assert info.last_step == shown[-1]
