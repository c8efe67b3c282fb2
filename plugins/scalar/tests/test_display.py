"""Series encoded for drawing."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve
from hypothesis import example, given, settings
from hypothesis import strategies as st
from insight_scalar.display import coded, display_frame
from numpy.typing import NDArray
from safetensors.numpy import load

from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.testing import FakeProvider
from insight_core.store.blocks import NO_BLOCKS
from insight_core.store.reduction import reduction
from tests.display_frames import metadata_of, series_of

SAMPLES = Path(__file__).parents[1] / "frontend/display_samples.json"
PIXELS = 2000  # of a tall chart
ANY = st.floats(width=64) | st.floats(width=32) | st.sampled_from([0.0, -0.0, 5e-324, -1.8e308, 1.7e308])
KEY = SeriesKey("a", "loss")


def columns(values: Any, steps: Any = None) -> ScalarColumns:  # noqa: ANN401
    fake = FakeProvider()
    fake.add_scalars("a", "loss", values, steps=steps)
    return fake.scalars("scalar", [KEY], ScalarQuery())[KEY]


def shown(values: Any, steps: Any = None, **how: bool) -> dict[str, Any]:  # noqa: ANN401
    how = {"exact": False, "log": False, "times": False} | how
    [series] = series_of(display_frame([(KEY, columns(values, steps))], **how))  # type: ignore[arg-type]
    return series


@settings(deadline=None)
@given(st.lists(ANY, min_size=30, max_size=60))
@example([1e308, -1e308] * 15)
@example([5e-324, 0.0] * 15)
@example([3.0] * 30)
@example([math.nan, math.inf, -math.inf] * 10)
def test_values_are_less_than_half_a_pixel_off(values: list[float]) -> None:
    exact, drawn = np.array(values), shown(values)["values"]
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(drawn[~finite], exact[~finite])
    if finite.any():
        low, high = exact[finite].min(), exact[finite].max()
        assert (drawn[finite].min(), drawn[finite].max()) == (low, high)
        pixel = high / PIXELS - low / PIXELS
        assert (abs(drawn[finite] / 2 - exact[finite] / 2) <= pixel / 4 + 5e-324).all()


@settings(deadline=None)
@given(st.lists(ANY, min_size=30, max_size=60))
@example([5e-324, 1.7e308] * 15)
@example([-1.0, 0.0, 1.0] * 10)
def test_values_of_a_logarithmic_axis_are_less_than_half_a_pixel_off(values: list[float]) -> None:
    exact, drawn = np.array(values), shown(values, log=True)["values"]
    positive = np.isfinite(exact) & (exact > 0)
    rest = np.where(np.isfinite(exact), 0.0, exact)  # zero and less have no place
    np.testing.assert_array_equal(drawn[~positive], rest[~positive])
    if positive.any():
        low, high = exact[positive].min(), exact[positive].max()
        assert (drawn[positive].min(), drawn[positive].max()) == (low, high)
        pixel = (math.log(high) - math.log(low)) / PIXELS
        off = abs(np.log(drawn[positive]) - np.log(exact[positive]))
        ulp = 2.0**-52 if low > 1e-300 else 1.0  # denormal numbers lie far apart
        assert (off <= pixel / 2 + ulp).all()


@settings(deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40))
@example(list(range(0, 300, 3)))
@example([0, 1, 2, 1000, 70_000])
@example([-(2**63), 2**63 - 1])
def test_steps_are_exact(steps: list[int]) -> None:
    ordered = sorted(set(steps))
    assert shown(np.zeros(len(ordered)), ordered)["steps"].tolist() == ordered


def test_steps_that_floats_round_are_sent_as_they_are() -> None:
    steps = [2**53 + number for number in range(5)]
    frame = display_frame([(KEY, columns(np.zeros(5), steps))], exact=False, log=False, times=False)
    assert load(frame)["steps"].tolist() == steps


def test_steps_that_runs_share_are_sent_once() -> None:
    irregular = columns(np.zeros(100), np.cumsum(np.arange(100)))
    found = [(SeriesKey(f"run {number}", "loss"), irregular) for number in range(50)]
    frame = display_frame(found, exact=False, log=False, times=False)
    assert len(series_of(frame)) == 50
    assert len(frame) < 50 * (2 * 100 + 150)


def test_exact_values_keep_their_width_and_times_come_when_they_are_asked_for() -> None:
    values = np.linspace(0, 1, 100, dtype=np.float32)
    assert shown(values, exact=True)["values"].dtype == np.float32
    np.testing.assert_array_equal(shown(values, exact=True)["values"], values)
    assert "wall_times" not in shown(values)
    assert len(shown(values, times=True)["wall_times"]) == 100


def test_few_points_are_exact() -> None:
    assert shown([0.1, 0.2, 0.3])["values"].tolist() == [0.1, 0.2, 0.3]


def test_what_follows_from_the_rest_is_left_out() -> None:
    whole = columns(np.arange(100.0))
    described = {"run", "tag", "steps", "range", "origin", "extent", "values"}
    cut = evolve(whole, points=900, total=1000, kept=950, hidden=3, nonfinite=(1, 0, 0))
    for given_columns, more in ((whole, set()), (cut, {"points", "total", "kept", "hidden", "nonfinite"})):
        [series] = series_of(display_frame([(KEY, given_columns)], exact=False, log=False, times=False))
        assert set(series) == described | more


def test_codes_are_ascending_fractions() -> None:
    codes, bounds = coded(np.linspace(-1, 3, 4096), log=False)
    assert codes.tolist() == list(range(4096))
    assert bounds == (-1.0, 3.0)


def _cut(values: NDArray[np.float64], width: int) -> ScalarColumns:
    """What is left of a series for a chart with so many columns."""
    whole, edges = columns(values), np.linspace(0, len(values), width + 1).astype(np.int64)
    kept = reduction.envelope(values, NO_BLOCKS, edges[:-1], edges[1:])
    return evolve(
        whole, steps=whole.steps[kept], wall_times=whole.wall_times[kept], values=whole.values[kept]
    )


def _kinds() -> dict[str, NDArray[np.float64]]:
    chance = np.random.default_rng(7)
    falling = np.exp(-np.arange(400) / 70)
    return {
        "noise": chance.random(400),
        "falling": falling + chance.normal(0, 0.01, 400),
        "spike": np.where(np.arange(400) == 250, 1e9, chance.random(400)),
        "not finite": np.where(
            np.arange(400) % 30 == 7, np.nan, np.where(np.arange(400) % 50 == 1, np.inf, falling)
        ),
        "huge": np.where(np.arange(400) % 2, 1.7e308, -1.7e308),
        "denormal": chance.integers(0, 9, 400) * 5e-324 + np.arange(400) % 3 * 1e-300,
        "constant": np.full(400, 0.1),
        "zero and less": chance.normal(0, 1, 400),
        "infinities": np.select(
            [chance.random(400) < share for share in (0.1, 0.2, 0.3)],
            [np.inf, -np.inf, np.nan],
            chance.normal(0, 1, 400),
        ),
        "decades": 10.0 ** chance.uniform(-300, 300, 400),
    }


def _samples(kinds: dict[str, NDArray[np.float64]]) -> list[dict[str, str]]:
    """Series as they are, and as they come for drawing with every point and with two points a pixel."""
    samples = []
    for name, values in kinds.items():
        frames = {
            f"{part} {scale}": display_frame([(KEY, found)], exact=False, log=scale == "log", times=False)
            for part, found in (("whole", columns(values)), ("cut", _cut(values, 40)))
            for scale in ("linear", "log")
        }
        texts = {part: base64.b64encode(frame).decode() for part, frame in frames.items()}
        samples.append({"name": name, "values": base64.b64encode(values.tobytes()).decode(), **texts})
    return samples


def test_the_samples_of_the_page_are_what_the_host_sends() -> None:
    """``PYTHONPATH=. python plugins/scalar/tests/test_display.py`` writes them again.

    Of the kept values: processors differ in the last bit of an exponential function."""
    kept = json.loads(SAMPLES.read_text())
    values = {sample["name"]: np.frombuffer(base64.b64decode(sample["values"])) for sample in kept}
    assert values.keys() == _kinds().keys()
    assert [_decoded(sample) for sample in kept] == [_decoded(sample) for sample in _samples(values)]


def _decoded(sample: dict[str, str]) -> dict[str, object]:
    """The order of the parts of a frame is not fixed."""
    parts: dict[str, object] = {"name": sample["name"], "values": sample["values"]}
    for part in sample.keys() - parts.keys():
        frame = base64.b64decode(sample[part])
        columns_of_frame = {name: column.tolist() for name, column in load(frame).items()}
        parts[part] = (metadata_of(frame), columns_of_frame)
    return parts


if __name__ == "__main__":
    SAMPLES.write_text(json.dumps(_samples(_kinds()), indent=1) + "\n")


def test_neighbouring_numbers_with_one_logarithm_have_one_code() -> None:
    low, high = 1e10, float(np.nextafter(1e10, np.inf))
    with np.errstate(all="raise"):
        codes, bounds = coded(np.array([low, high]), log=True)
    assert (codes.tolist(), bounds) == ([0, 0], (low, high))
