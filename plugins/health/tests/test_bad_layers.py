"""Bad layers: planted faults are found in their layer at their step, and healthy trainings have none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from insight_health.routes import LAYER_PLUGINS, map_answer
from numpy.typing import NDArray
from safetensors.numpy import load

from insight_authoring.testing.tensors import tensorflow_tensor
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.data import DataProvider, Run
from insight_core.plugin.payloads import HISTO
from insight_core.plugin.testing import FakeProvider
from insight_layers.digests import so_far
from insight_layers.faults import LayerFault, layer_faults
from insight_layers.reader import LayerReader
from tests.fault_layers import as_torch


def _planted(arrays: Mapping[str, Sequence[NDArray[Any]]]) -> FakeProvider:
    """A run of histograms of these arrays by tag, one a step, written in this order."""
    data = FakeProvider()
    data.add_run(Run("a"))
    for place, (tag, values) in enumerate(arrays.items()):
        payloads = [as_torch(array) for array in values]
        times = 1e9 + np.arange(len(values)) + place / 1000
        data.add_records("histogram", "a", tag, payloads, claim=HISTO, wall_times=times)
    return data


def _faults(data: DataProvider) -> list[LayerFault]:
    health = LayerReader.of(data, LAYER_PLUGINS)
    tracks = health.open([run.name for run in data.runs()])
    assert health.read(tracks, seconds=60).read == sum(len(one.steps) for one in tracks.digests.values())
    return layer_faults(tracks, tracks.table.runs)


def _network(steps: int = 30, layers: int = 5, seed: int = 0) -> dict[str, list[NDArray[np.float64]]]:
    """A healthy training: gradients that shrink with the loss and with the depth, outputs of ReLUs."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[NDArray[np.float64]]] = {}
    for layer in range(layers):
        size = 0.01 * 0.6**layer
        decays = [np.exp(-step / steps) for step in range(steps)]
        found[f"fc{layer}.weight"] = [rng.normal(0, 0.1, 50) for _ in range(steps)]
        found[f"grads/fc{layer}.weight"] = [rng.normal(0, size * decay, 50) for decay in decays]
        found[f"fc{layer}.bias"] = [rng.normal(0, 1e-3 * step, 9) for step in range(steps)]
        found[f"grads/fc{layer}.bias"] = [rng.normal(0, size * decay, 9) for decay in decays]
        found[f"activations/fc{layer}"] = [
            np.maximum(rng.normal(-0.3 * (layer % 3), 1, 64), 0) for _ in range(steps)
        ]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_healthy_training_has_no_bad_layer(seed: int) -> None:
    assert _faults(_planted(_network(seed=seed))) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_nan_is_found_where_it_was_planted_first(seed: int) -> None:
    """The layer and step are drawn; all other layers follow at the same step, and stay NaN."""
    rng = np.random.default_rng(seed)
    arrays = _network(seed=seed)
    layer, step = int(rng.integers(0, 5)), int(rng.integers(0, 30))
    for number in range(5):
        for tag, since in (
            (f"activations/fc{number}", step + (number < layer)),
            (f"grads/fc{number}.weight", step),
        ):
            for place in range(since, 30):
                arrays[tag][place][: 1 + number] = np.nan
    first = _faults(_planted(arrays))[0]
    assert (first.layer.name, first.layer.kind) == (f"fc{layer}", "activation")
    assert (first.step, first.word, first.value) == (step, "NaN", 1 + layer)


def test_of_gradients_alone_the_last_layer_is_the_first_bad_one() -> None:
    """Gradients come from the loss: the layer nearest to it has them first."""
    arrays = {tag: values for tag, values in _network().items() if tag.startswith("grads/")}
    for number in (1, 2, 3):
        for place in range(7, 30):
            arrays[f"grads/fc{number}.weight"][place][0] = np.inf
    first = _faults(_planted(arrays))[0]
    assert (first.layer.name, first.step, first.word) == ("fc3.weight", 7, "+Inf")


def test_weights_of_one_module_come_before_the_gradients_of_all() -> None:
    """A gradient is NaN because of the weight: in the first record other weights are still finite."""
    arrays = {tag: values for tag, values in _network().items() if not tag.startswith("activations/")}
    for place in range(7, 30):
        for layer in range(5):
            arrays[f"grads/fc{layer}.weight"][place][0] = np.nan
            if layer == 2 or place > 7:
                arrays[f"fc{layer}.weight"][place][0] = np.nan
    first = _faults(_planted(arrays))[0]
    assert (first.layer.name, first.layer.kind, first.step) == ("fc2.weight", "weight", 7)


def test_gradients_tell_of_what_a_dead_activation_of_another_name_is() -> None:
    arrays = _network()
    for layer in range(5):
        arrays[f"activations/relu{layer}"] = arrays.pop(f"activations/fc{layer}")
    for place in range(11, 30):
        arrays["activations/relu2"][place][:] = 0
        for layer in range(4):
            arrays[f"grads/fc{layer}.weight"][place][:] = 0
        for layer in range(3):
            arrays[f"grads/fc{layer}.bias"][place][:] = 0
    first = _faults(_planted(arrays))[0]
    assert (first.layer.name, first.module, first.step) == ("relu2", "fc2", 11)


def test_a_nan_of_a_single_step_is_found() -> None:
    arrays = _network()
    arrays["grads/fc2.bias"][23][4] = np.nan
    [first] = _faults(_planted(arrays))
    assert (first.layer.name, first.step, first.value) == ("fc2.bias", 23, 1)


def test_a_dead_layer_is_found_with_the_step_of_its_death() -> None:
    arrays = _network()
    for place in range(11, 30):
        arrays["activations/fc3"][place][:] = 0
        arrays["grads/fc3.weight"][place][:] = 0
    faults = _faults(_planted(arrays))
    assert {(one.layer.name, one.layer.kind, one.fault, one.step) for one in faults} == {
        ("fc3", "activation", "dead", 11),
        ("fc3.weight", "gradient", "dead", 11),
    }
    assert faults[0].layer.kind == "activation"


def test_the_dead_layer_is_the_one_before_that_whose_bias_has_a_gradient() -> None:
    """Without activations: the input of fc3 is 0, so its weights get no gradient, but its bias does."""
    arrays = {tag: values for tag, values in _network().items() if not tag.startswith("activations/")}
    for place in range(11, 30):
        for layer in range(4):
            arrays[f"grads/fc{layer}.weight"][place][:] = 0
        for layer in range(3):
            arrays[f"grads/fc{layer}.bias"][place][:] = 0
    first, *others = _faults(_planted(arrays))
    assert (first.layer.name, first.word, first.step, first.severity) == ("fc2.weight", "output", 11, "error")
    assert {(one.layer.name, one.follows) for one in others} == {
        (f"fc{layer}.weight", True) for layer in (0, 1, 3)
    }


def test_weights_of_a_state_that_is_always_0_are_by_design() -> None:
    """Sequences of one step: the first state of a recurrent layer is 0."""
    arrays = _network()
    arrays["grads/rnn.weight_hh_l0"] = [np.zeros(9)] * 30
    arrays["grads/rnn.bias_hh_l0"] = arrays["grads/fc1.bias"]
    assert _faults(_planted(arrays)) == []


def test_frozen_weights_are_a_hint_where_biases_are_trained() -> None:
    arrays = _network()
    for layer in range(5):
        arrays[f"fc{layer}.weight"] = [arrays[f"fc{layer}.weight"][0]] * 30
    faults = _faults(_planted(arrays))
    assert {(one.fault, one.severity, one.word) for one in faults} == {("unchanged", "hint", "")}
    for layer in range(5):
        arrays[f"fc{layer}.bias"] = [arrays[f"fc{layer}.bias"][1]] * 30
    faults = _faults(_planted(arrays))
    assert {(one.fault, one.severity, one.word) for one in faults} == {("unchanged", "error", "all")}


def test_units_that_are_seldom_active_are_not_dead_in_a_small_batch() -> None:
    """Tensors of 16 units for 8 samples: a third of the units is 0 for all of them by chance."""
    data, rng = FakeProvider(), np.random.default_rng(3)
    data.add_run(Run("a"))
    for tag, batch in (("activations/few", 8), ("activations/many", 512)):
        outputs = [np.maximum(rng.normal(-1.2, 1, (batch, 16)), 0) for _ in range(12)]
        if batch > 8:
            for values in outputs[5:]:
                values[:, :9] = 0
        payloads = [tensorflow_tensor(values) for values in outputs]
        data.add_records("tensor", "a", tag, payloads, claim=SummaryPlugin("tensor"))
    [fault] = _faults(data)
    assert (fault.layer.name, fault.word, fault.step) == ("many", "units", 5)
    assert fault.value == pytest.approx(9 / 16)


def test_gradients_that_are_only_rounding_are_not_dead() -> None:
    """The bias before a normalisation, and a whole layer in float64: all lie in the innermost buckets."""
    arrays, rng = _network(), np.random.default_rng(1)
    arrays["grads/fc1.bias"] = [rng.normal(0, 1e-17, 9) for _ in range(30)]
    arrays["grads/fc2.bias"] = [np.zeros(9)] * 30
    arrays["grads/fc2.weight"] = [array * 1e-14 for array in arrays["grads/fc2.weight"]]
    assert {(one.layer.name, one.fault) for one in _faults(_planted(arrays))} == {("fc2.weight", "vanishing")}


def test_gradients_that_explode_or_vanish_for_their_weights_are_found() -> None:
    arrays = _network()
    for place in range(22, 30):
        arrays["grads/fc1.weight"][place] *= 10_000
    arrays["grads/fc4.weight"] = [array * 1e-7 for array in arrays["grads/fc4.weight"]]
    faults = {one.fault: one for one in _faults(_planted(arrays))}
    assert set(faults) == {"exploding", "vanishing"}
    exploding = faults["exploding"]
    assert (exploding.layer.name, exploding.step) == ("fc1.weight", 22)
    size = np.sqrt((arrays["grads/fc1.weight"][22] ** 2).mean())
    assert exploding.value == pytest.approx(size, rel=1e-4)
    assert faults["vanishing"].layer.name == "fc4.weight"


def test_the_rank_that_was_first_is_named() -> None:
    data = FakeProvider()
    for rank, bad in enumerate((None, 30, 12)):
        data.add_run(Run(f"rank_{rank}"))
        norms = np.linspace(1, 2, 50)
        if bad is not None:
            norms[bad:] = np.nan
        data.add_scalars(f"rank_{rank}", "grad_norm/layers.3.wq", norms)
        data.add_scalars(f"rank_{rank}", "grad_norm/layers.4.wq", np.linspace(1, 2, 50))
    [first, second] = _faults(data)
    assert (first.run, first.step) == ("rank_2", 12)
    assert (second.run, second.step) == ("rank_1", 30)


def test_a_series_is_read_coarsely_first_and_a_nan_is_then_found_by_halving() -> None:
    """Of 2,048 records a hundred are enough to name the step."""
    values = [np.array([1.0, 2.0])] * 1501 + [np.array([np.nan, 2.0])] * 547
    data = _planted({"grads/fc": values})
    health = LayerReader.of(data, LAYER_PLUGINS)
    tracks = health.open(["a"])
    found = health.read(tracks, seconds=60, most=64)
    assert found.read < 100
    [first] = layer_faults(tracks, ["a"])
    assert first.step == 1501


def test_faults_of_a_run_are_known_when_their_first_records_are() -> None:
    """Reading goes on where it stopped when the time was over."""
    arrays = {f"grads/fc{layer}": [np.array([1.0])] * 40 for layer in range(3)}
    arrays["grads/fc1"] = [np.array([1.0])] * 17 + [np.array([np.nan, 1.0])] * 23
    reader = LayerReader.of(_planted(arrays), LAYER_PLUGINS)
    asked = 0
    while (settled := reader.settled("a", seconds=0.0, most=64)) is None:
        asked += 1
        assert asked < 100
    assert asked > 1
    assert settled[1][0].step == 17


def test_columns_hold_the_extreme_of_their_steps() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(3, 1000)).astype(np.float32)
    values[1, 500:700] = np.nan
    data = FakeProvider()
    data.add_run(Run("a"))
    for layer in range(3):
        data.add_scalars("a", f"weights/layer.{layer}/mean", values[layer])
    parts = b"".join(map_answer(data, b"run=a&measure=mean&columns=10&begin=100&end=900"))
    columns = load(parts)
    grid, flags = columns["numbers"].reshape(3, 10), columns["flags"].reshape(3, 10)
    of_columns = values[:, 100:900].reshape(3, 10, 80)
    expected = np.take_along_axis(
        of_columns, np.nanargmax(np.nan_to_num(np.abs(of_columns), nan=-1), axis=2)[..., None], axis=2
    )[..., 0]
    np.testing.assert_array_equal(grid, expected)
    np.testing.assert_array_equal(flags > 0, np.isnan(of_columns).any(axis=2))
    np.testing.assert_array_equal(columns["firsts"], np.arange(100, 900, 80))
    np.testing.assert_array_equal(columns["lasts"], np.arange(179, 900, 80))


def test_runs_that_grow_keep_what_was_read() -> None:
    data = _planted({"grads/fc": [np.array([1.0])] * 20})
    health = LayerReader.of(data, LAYER_PLUGINS)
    tracks = health.open(["a"])
    health.read(tracks, seconds=60)
    longer = [as_torch(np.array([1.0]))] * 20 + [as_torch(np.array([np.nan, 5.0]))]
    data.add_records("histogram", "a", "grads/fc", longer, claim=HISTO, wall_times=1e9 + np.arange(21))
    again = health.open(["a"])
    assert so_far(again.digests.values()).read == 20
    assert [one.step for one in _faults(data)] == [20]


def test_a_record_that_cannot_be_read_is_counted_and_others_are_shown() -> None:
    data = FakeProvider()
    data.add_run(Run("a"))
    payloads = [as_torch(np.array([1.0])), b"\xff\xff", as_torch(np.array([3.0]))]
    data.add_records("histogram", "a", "weights/fc", payloads, claim=HISTO)
    parts = b"".join(map_answer(data, b"run=a&measure=mean"))
    assert load(parts)["numbers"].tolist() == pytest.approx([1, np.nan, 3], nan_ok=True)
    length = int.from_bytes(parts[:8], "little")
    assert json.loads(json.loads(parts[8 : 8 + length])["__metadata__"]["map"])["unreadable"] == 1
