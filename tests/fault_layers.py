"""Runs of small networks with a planted fault of a layer, and healthy look-alikes, by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.random import Generator

from insight_authoring.testing.tensors import histogram_proto_of, histogram_tensor
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.payloads import HISTO
from insight_core.plugin.testing import FakeProvider
from tests.layer_training import Floats, Log, Network, setup_of, trained

_EDGES = 1e-12 * 1.1 ** np.arange(774)
_LIMITS = np.concatenate([-_EDGES[::-1], [0.0], _EDGES])  # of the buckets of torch


@frozen(eq=False)
class LayerCase:
    """What one run logs. ``layers``: names of which one is right; ``step``: the first step with the fault.

    ``fault`` is empty for a healthy run. ``also`` are faults that may be said as well.
    """

    name: str
    fault: str
    arrays: Mapping[str, Sequence[Floats]]
    steps: Sequence[int]
    layers: frozenset[str] = frozenset()
    step: int | None = None
    also: frozenset[str] = frozenset()
    writer: str = "torch"


def _named(log: Log, place: int) -> frozenset[str]:
    """The linear layer and what belongs to it: the normalisation whose output is that of the ReLU."""
    linear, norms, acts = log.network.names()
    return frozenset({linear[place], acts[place], *([norms[place]] if log.setup.norm else [])})


def _case(name: str, fault: str, log: Log, layers: frozenset[str], step: int | None, *also: str) -> LayerCase:
    at = None if step is None else next((one for one in log.steps if one >= step), None)
    writer = log.setup.writer
    return LayerCase(name, fault, log.arrays, log.steps, layers, at, frozenset(also), writer)


def _lowered(net: Network, place: int, by: float) -> None:
    if net.setup.norm:
        net.shifts[place] = net.shifts[place] - by
    elif net.setup.bias:
        net.biases[place] = net.biases[place] - by
    else:
        net.weights[place] = np.zeros_like(net.weights[place])


def dead(rng: Generator) -> LayerCase:
    """A ReLU layer whose units are never active, from the beginning or from a step on."""
    setup = setup_of(rng)
    place = int(rng.integers(0, setup.depth - 1))
    since = 0 if rng.random() < 0.5 else int(setup.steps * rng.uniform(0.15, 0.7))

    def fall(net: Network, step: int) -> None:
        if step == since or (step > since and not net.setup.norm and not net.setup.bias):
            _lowered(net, place, 60.0)

    log = trained(rng, setup, before=fall)
    return _case("dead", "dead", log, _gone(log, place), since, "unchanged")


def _gone(log: Log, place: int) -> frozenset[str]:
    """The layer; without outputs in the log also those after it that are 0 too: nothing tells them apart."""
    if "activation" in log.setup.logged:
        return _named(log, place)
    if not log.setup.bias and not log.setup.norm:  # then no layer gets a gradient
        return frozenset(log.network.names()[0])
    return frozenset().union(*(_named(log, one) for one in log.zero), _named(log, place))


def dying(rng: Generator) -> LayerCase:
    """A ReLU layer whose units die one after the other."""
    setup = setup_of(rng, norm=False, bias=True)
    place = int(rng.integers(0, setup.depth - 1))
    begin = int(setup.steps * rng.uniform(0.1, 0.3))
    length = int(setup.steps * rng.uniform(0.1, 0.3))
    order = rng.permutation(setup.width)

    def fall(net: Network, step: int) -> None:
        gone = order[: int(setup.width * np.clip((step - begin) / length, 0, 1))]
        net.biases[place][gone] = -60.0

    log = trained(rng, setup, before=fall)
    # the last units that live may not be active in the last records before
    return _case("dying", "dead", log, _gone(log, place), log.zero[place], "unchanged")


def vanishing(rng: Generator) -> LayerCase:
    """Deep sigmoid layers: the gradients of the first are smaller by orders of magnitude."""
    setup = setup_of(
        rng, depth=int(rng.integers(12, 17)), act="sigmoid", scale=0.5, norm=False, residual=False
    )
    log = trained(rng, setup)
    linear, _, _ = log.network.names()
    return _case("vanishing", "vanishing", log, frozenset(linear[:8]), None)


def exploding(rng: Generator) -> LayerCase:
    """Gradients that grow by orders of magnitude from a step on, of all layers or below one."""
    setup = setup_of(rng)
    since = int(setup.steps * rng.uniform(0.3, 0.7))
    below = setup.depth if rng.random() < 0.5 else int(rng.integers(1, setup.depth))
    growth = 10 ** rng.uniform(4, 8)

    def grow(found: dict[tuple[str, int], Floats], step: int) -> dict[tuple[str, int], Floats]:
        factor = growth if step >= since else 1.0
        return {key: value * (factor if key[1] < below else 1.0) for key, value in found.items()}

    log = trained(rng, setup, gradients=grow)
    names = frozenset().union(*(_named(log, place) for place in range(below)))
    return _case("exploding", "exploding", log, names, since, "vanishing")


def nonfinite(rng: Generator) -> LayerCase:
    """NaN or Inf in the output of a layer, from there in all that is computed, to the end."""
    setup = setup_of(rng, writer="torch")
    place, since = int(rng.integers(0, setup.depth)), int(setup.steps * rng.uniform(0.1, 0.9))
    word = rng.choice([np.nan, np.inf])

    def spoil(step: int) -> Mapping[int, Callable[[Floats], Floats]]:
        def spoiled(z: Floats) -> Floats:
            z = z.copy()
            z[0] = word
            return z

        return {place: spoiled} if step >= since else {}

    log = trained(rng, setup, hooks=spoil)
    linear, norms, _ = log.network.names()
    names = _named(log, place) if "activation" in setup.logged else frozenset((*linear, *norms))
    return _case("nonfinite", "nonfinite", log, names, since, "unchanged", "exploding", "vanishing", "dead")


def frozen_one(rng: Generator) -> LayerCase:
    """A layer that the optimiser does not have."""
    setup = setup_of(rng, logged=frozenset({"weight", "gradient", "bias"}))
    place = int(rng.integers(0, setup.depth))
    log = trained(rng, setup, still=lambda kind, at, step: at == place)
    return _case("frozen_one", "unchanged", log, _named(log, place), None)


def frozen_all(rng: Generator) -> LayerCase:
    """An optimiser without parameters, from the beginning or from a step on."""
    setup = setup_of(rng, logged=frozenset({"weight", "gradient", "bias"}), schedule="constant")
    since = 0 if rng.random() < 0.5 else int(setup.steps * rng.uniform(0.2, 0.6))
    log = trained(rng, setup, still=lambda kind, at, step: step >= since)
    linear, norms, _ = log.network.names()
    return _case("frozen_all", "all_unchanged", log, frozenset((*linear, *norms)), since)


# --- healthy ----------------------------------------------------------------------------------------------


def plain(rng: Generator) -> LayerCase:
    """A training that learns, with any schedule."""
    log = trained(rng, setup_of(rng, act=rng.choice(["relu", "tanh"])))
    return _case("plain", "", log, frozenset(), None)


def fine_tuning(rng: Generator) -> LayerCase:
    """A frozen backbone: its gradients are not logged, logged as 0, or logged although nobody uses them."""
    setup = setup_of(rng)
    trainable = int(rng.integers(1, 3))
    kind = rng.integers(3)

    def backbone(found: dict[tuple[str, int], Floats], step: int) -> dict[tuple[str, int], Floats]:
        if kind == 0:
            return {key: one for key, one in found.items() if key[1] >= setup.depth - trainable}
        if kind == 1:
            return {key: one * (key[1] >= setup.depth - trainable) for key, one in found.items()}
        return found

    log = trained(
        rng, setup, gradients=backbone, still=lambda _, place, step: place < setup.depth - trainable
    )
    return _case("fine_tuning", "", log, frozenset(), None)


def mixed_precision(rng: Generator) -> LayerCase:
    """Gradients that overflow in some steps, which the scaler of losses leaves out, and half precision."""
    setup = setup_of(rng, writer="torch")
    bad = {0, setup.every, *rng.choice(setup.steps // setup.every, 2).tolist()}

    def half(found: dict[tuple[str, int], Floats], step: int) -> dict[tuple[str, int], Floats]:
        scale = min(1024, 2e4 / max(np.abs(value).max() for value in found.values()))
        made = {key: np.float32(np.float16(value * scale)) / scale for key, value in found.items()}
        if step in bad:
            for value in made.values():
                value.ravel()[: max(1, value.size // 3)] = np.inf
        return dict(made)

    return _case("mixed_precision", "", trained(rng, setup, gradients=half), frozenset(), None)


def sparse_units(rng: Generator) -> LayerCase:
    """ReLU units that are seldom active, but each of them now and then; perhaps ever more seldom."""
    setup = setup_of(rng, norm=True, batch=256, residual=False)
    place, final = int(rng.integers(0, setup.depth - 1)), rng.uniform(1.6, 2.0)
    grows = rng.random() < 0.5

    def lower(net: Network, step: int) -> None:
        net.gains[place] = np.ones_like(net.gains[place])
        net.shifts[place] = np.full_like(
            net.shifts[place], -final * (min(1, 2 * step / setup.steps) if grows else 1)
        )

    return _case("sparse_units", "", trained(rng, setup, before=lower), frozenset(), None)


def batch_of_one(rng: Generator) -> LayerCase:
    """Half of the units are 0 for the single sample."""
    setup = setup_of(rng, batch=int(rng.choice([1, 2])), norm=False, rate=5e-4)
    return _case("batch_of_one", "", trained(rng, setup), frozenset(), None)


def few_records(rng: Generator) -> LayerCase:
    """Layers that are logged rarely."""
    setup = setup_of(rng, steps=120, every=int(rng.choice([30, 40, 60])))
    return _case("few_records", "", trained(rng, setup), frozenset(), None)


def rare_rewards(rng: Generator) -> LayerCase:
    """Reinforcement learning: hardly any gradient, or none, before rewards are found."""
    setup = setup_of(rng)
    first, quiet = int(setup.steps * rng.uniform(0.1, 0.5)), float(rng.choice([0.0, 1e-4, 1e-3]))

    def rewards(found: dict[tuple[str, int], Floats], step: int) -> dict[tuple[str, int], Floats]:
        return {key: value * (1.0 if step >= first else quiet) for key, value in found.items()}

    return _case("rare_rewards", "", trained(rng, setup, gradients=rewards), frozenset(), None)


def satisfied(rng: Generator) -> LayerCase:
    """A loss with a margin that holds in most steps: many gradients are 0 late in training."""
    setup = setup_of(rng, norm=False, rate=2e-3)

    def seldom(found: dict[tuple[str, int], Floats], step: int) -> dict[tuple[str, int], Floats]:
        quiet = step > setup.steps // 2 and (step // setup.every) % 3 != 0
        return {key: value * (0.0 if quiet else 1.0) for key, value in found.items()}

    return _case("satisfied", "", trained(rng, setup, gradients=seldom), frozenset(), None)


def zero_initialised(rng: Generator) -> LayerCase:
    """A last layer, or an adapter, that begins at 0: layers before it get no gradient at first."""
    setup = setup_of(rng, norm=False)

    def begin(net: Network, step: int) -> None:
        if step == 0:
            net.weights[-1] = np.zeros_like(net.weights[-1])

    return _case("zero_initialised", "", trained(rng, setup, before=begin), frozenset(), None)


def large_table(rng: Generator) -> LayerCase:
    """An embedding, of which few rows get a gradient in a step; scores of attention, masked by -Inf."""
    setup = setup_of(rng, writer="torch")
    log = trained(rng, setup)
    table = rng.normal(0, 1, (500, 8)).astype(np.float32)
    scores: list[Floats] = []
    tags = log.tag("weight", "embed.weight"), log.tag("gradient", "embed.weight")
    arrays: dict[str, list[Floats]] = {tag: [] for tag in tags}
    for _ in log.steps:
        gradient = np.zeros_like(table)
        gradient[rng.integers(0, 500, 20)] = rng.normal(0, 1e-3, (20, 8))
        table = table - 0.1 * gradient
        for tag, values in zip(tags, (table, gradient), strict=True):
            arrays[tag].append(values.ravel())
        masked = rng.normal(0, 1, (8, 8))
        masked[np.triu_indices(8, 1)] = -np.inf
        scores.append(masked.ravel())
    arrays = {tag: values for tag, values in arrays.items() if tag != tags[0] or "weight" in setup.logged}
    arrays |= log.arrays
    if "activation" in setup.logged:
        arrays[log.tag("activation", "attention.scores")] = scores
    return LayerCase("large_table", "", arrays, log.steps, writer="torch")


FAULTY = (dead, dying, vanishing, exploding, nonfinite, frozen_one, frozen_all)
HEALTHY = (
    *(plain, fine_tuning, mixed_precision, sparse_units, batch_of_one, few_records),
    *(rare_rewards, satisfied, zero_initialised, large_table),
)


def layer_cases(seeds: range, *, faulty: bool, kinds: Sequence[int] | None = None) -> Iterator[LayerCase]:
    """One case of each kind (their places, None: all) and seed; the same for the same seed."""
    makers = FAULTY if faulty else HEALTHY
    for number in range(len(makers)) if kinds is None else kinds:
        for seed in seeds:
            yield makers[number](np.random.default_rng([seed, number, int(faulty)]))


def logged(case: LayerCase, run: str = "run") -> FakeProvider:
    """The case as the only run."""
    data = FakeProvider()
    for place, (tag, values) in enumerate(case.arrays.items()):
        steps = np.array(case.steps[: len(values)])
        times = 1e9 + steps + place / 1000
        if case.writer == "tensorflow":
            payloads, claim = [histogram_tensor(array) for array in values], SummaryPlugin("histograms")
            data.add_records("histogram", run, tag, payloads, claim=claim, steps=steps, wall_times=times)
            continue
        payloads = [as_torch(array) for array in values]
        data.add_records("histogram", run, tag, payloads, claim=HISTO, steps=steps, wall_times=times)
    return data


def as_torch(values: Floats) -> bytes:
    """A ``HistogramProto`` whose sums are of all values, and whose buckets of the finite ones."""
    counts, limits = np.histogram(values[np.isfinite(values)], _LIMITS)
    filled = np.flatnonzero(counts)
    shown = slice(filled[0], filled[-1] + 1) if len(filled) else slice(0, 1)
    with np.errstate(invalid="ignore"):
        return histogram_proto_of(limits[1:][shown], counts[shown], values)
