"""Rules about layers find faults planted in a network with normalisation, and none without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import insight_diagnose
import numpy as np
import pytest
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding
from insight_core.plugin.payloads import HISTO
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.fault_layers import as_torch

_LAYERS = 5

Floats = NDArray[np.floating[Any]]
Arrays = dict[str, list[Floats]]


def _network(kind: type[np.floating[Any]], steps: int = 40) -> Arrays:
    """A network of linear layers, each with a bias, normalised over the batch, with ReLU; trained by Adam.

    The gradients of biases are sums over the batch of what comes out of a normalisation: 0 but for rounding.
    """
    rng = np.random.default_rng(0)
    weights = [rng.normal(0, 0.3, (16, 16)).astype(kind) for _ in range(_LAYERS)]
    x = rng.normal(0, 1, (64, 16)).astype(kind)
    y = np.sin(x @ rng.normal(0, 0.5, (16, 16)).astype(kind))
    moments = [np.zeros_like(weight) for weight in weights], [np.zeros_like(weight) for weight in weights]
    found: Arrays = {}
    for step in range(steps):
        values, normal, deviations = [x], [], []
        for weight in weights:
            z = values[-1] @ weight
            deviations.append(z.std(0))
            normal.append((z - z.mean(0)) / deviations[-1])
            values.append(np.maximum(normal[-1], 0))
        delta = 2 * (values[-1] - y) / len(x)
        for place in reversed(range(_LAYERS)):
            above = delta * (normal[place] > 0)
            inner = above - above.mean(0) - normal[place] * (above * normal[place]).mean(0)
            inner = inner / deviations[place]
            gradient = values[place].T @ inner
            delta = inner @ weights[place].T
            found.setdefault(f"gradients/layer{place}.weight", []).append(gradient)
            found.setdefault(f"gradients/layer{place}.bias", []).append(inner.sum(0))
            found.setdefault(f"weights/layer{place}.weight", []).append(weights[place].copy())
            found.setdefault(f"weights/layer{place}.bias", []).append(np.full(16, 0.1, kind))
            for moment, new, rate in zip(moments, (gradient, gradient**2), (0.1, 0.001), strict=True):
                moment[place] += rate * (new - moment[place])
            first, second = (
                moment[place] / (1 - keep ** (step + 1))
                for moment, keep in zip(moments, (0.9, 0.999), strict=True)
            )
            weights[place] -= (1e-3 * first / (np.sqrt(second) + 1e-8)).astype(kind)
    return found


def _logged(arrays: Mapping[str, Sequence[Floats]], every: int = 1) -> FakeProvider:
    data = FakeProvider()
    for tag, values in arrays.items():
        payloads = [as_torch(array) for array in values]
        data.add_records("histogram", "run", tag, payloads, claim=HISTO, steps=np.arange(len(values)) * every)
    return data


def _findings(data: FakeProvider) -> dict[str, Finding]:
    host = Host(Registry.of([("diagnose", lambda: insight_diagnose)]), data)
    rules = host.check_rules(["run"]).rules
    assert not [one for one in rules if one.failed]
    return {one.rule.id: one.findings[0] for one in rules if one.findings}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_biases_before_a_normalisation_are_no_fault(kind: type[np.floating[Any]]) -> None:
    arrays = _network(kind)
    biases = np.array(arrays["gradients/layer2.bias"])
    assert 0 < np.abs(biases).max() < 1e-4 * np.abs(arrays["gradients/layer2.weight"]).max()
    assert _findings(_logged(arrays)) == {}


def test_gradients_that_are_smaller_than_the_innermost_bucket_are_not_dead() -> None:
    arrays = {tag: [values * 1e-14 for values in of_tag] for tag, of_tag in _network(np.float64).items()}
    assert "dead_layer" not in _findings(_logged(arrays))


def test_a_layer_that_gets_no_gradient_is_found_next_to_such_biases() -> None:
    arrays = _network(np.float32)
    arrays["gradients/layer1.weight"] = [values * 1e-7 for values in arrays["gradients/layer1.weight"]]
    findings = _findings(_logged(arrays))
    assert set(findings) == {"vanishing_gradients"}
    details = findings["vanishing_gradients"].saw.details
    assert (details["tag"], details["count"], details["layers"]) == ("gradients/layer1.weight", 1, _LAYERS)


@pytest.mark.parametrize("since", [0, 20])
def test_of_a_layer_that_explodes_others_do_not_vanish(since: int) -> None:
    """Where it is large from the beginning nothing has grown, and nothing is said."""
    arrays = _network(np.float32)
    for place in range(since, 40):
        arrays["gradients/layer3.weight"][place] = arrays["gradients/layer3.weight"][place] * 1e6
    findings = _findings(_logged(arrays))
    assert set(findings) == ({"exploding_gradients"} if since else set())
    if since:
        assert findings["exploding_gradients"].saw.details["tags"] == ["gradients/layer3.weight"]


@pytest.mark.parametrize("died", [1, 17, 90, 141])
def test_the_step_of_a_death_is_the_first_record_of_zeros(died: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 records of a series a few more than 32 are read, once for all rules, if a run is large."""
    monkeypatch.setattr("insight_layers.reader._SMALL", 0)
    rng = np.random.default_rng(died)
    arrays = {
        f"activations/fc{layer}": [np.maximum(rng.normal(0, 1, 32), 0) for _ in range(200)]
        for layer in range(3)
    }
    arrays["activations/fc1"][died:] = [np.zeros(32)] * (200 - died)
    data = _logged(arrays, every=2)
    with patch.object(data, "payload", wraps=data.payload) as payload:
        found = _findings(data)["dead_layer"]
    assert (found.saw.details["tag"], found.saw.details["step"]) == ("activations/fc1", 2 * died)
    assert found.place.steps == (2 * died, 398)
    assert 0 < payload.call_count <= 3 * 64
