"""Small networks that are really trained, and what they log of their layers.

Forward and backward passes are written out here; nothing is shared with the rules that are judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.random import Generator
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]


@frozen
class Setup:
    """A chain of linear layers, perhaps with biases and normalisation, and how it is trained and logged."""

    depth: int = 4  # linear layers
    width: int = 16
    batch: int = 64
    steps: int = 200
    every: int = 5
    act: Literal["relu", "tanh", "sigmoid"] = "relu"
    bias: bool = True
    norm: bool = False
    residual: bool = False
    scale: float = 1.0  # of the initial weights, of He's
    rate: float = 1e-3
    schedule: Literal["constant", "cosine", "warmup", "cyclic", "step"] = "constant"
    naming: Literal["sequential", "fc", "keras", "deep"] = "sequential"
    tags: Literal["prefix", "suffix", "short"] = "prefix"
    logged: frozenset[str] = frozenset({"weight", "gradient", "bias", "activation"})
    writer: Literal["torch", "tensorflow"] = "torch"


@define(eq=False)
class Network:
    """The parameters of a chain, with the moments of Adam."""

    setup: Setup
    weights: list[Floats] = field(factory=list)
    biases: list[Floats] = field(factory=list)
    gains: list[Floats] = field(factory=list)
    shifts: list[Floats] = field(factory=list)
    moments: dict[tuple[str, int], tuple[Floats, Floats]] = field(factory=dict)

    @classmethod
    def of(cls, rng: Generator, setup: Setup) -> Network:
        sizes = [10, *[setup.width] * (setup.depth - 1), 4]
        made = cls(setup)
        for before, after in pairwise(sizes):
            made.weights.append(rng.normal(0, setup.scale * np.sqrt(2 / before), (before, after)))
            made.biases.append(np.zeros(after))
            made.gains.append(np.ones(after))
            made.shifts.append(np.zeros(after))
        return made

    def names(self) -> tuple[list[str], list[str], list[str]]:
        """Those of the linear layers, of the normalisations, and of what is recorded as activations."""
        count, naming = self.setup.depth, self.setup.naming
        stride = 3 if self.setup.norm else 2
        if naming == "sequential":
            linear = [str(stride * place) for place in range(count)]
            return linear, [str(stride * place + 1) for place in range(count)], linear
        if naming == "fc":
            linear = [f"fc{place + 1}" for place in range(count)]
            return linear, [f"bn{place + 1}" for place in range(count)], linear
        if naming == "keras":
            linear = ["dense" + (f"_{place}" if place else "") for place in range(count)]
            return linear, ["batch_normalization" + (f"_{n}" if n else "") for n in range(count)], linear
        linear = [f"model.layers.{place}.mlp.fc" for place in range(count)]
        return linear, [f"model.layers.{place}.norm" for place in range(count)], linear

    def step(
        self, x: Floats, target: Floats, hooks: Mapping[int, Callable[[Floats], Floats]]
    ) -> tuple[dict[tuple[str, int], Floats], list[Floats]]:
        """Gradients by parameter and place, and outputs of layers. ``hooks`` change the inputs of ReLUs."""
        setup, last = self.setup, self.setup.depth - 1
        values: list[Floats] = [x]
        inner: list[Floats] = []
        normal: list[Floats] = []
        deviations: list[Floats] = []
        outputs: list[Floats] = []
        for place, weight in enumerate(self.weights):
            z: Floats = values[-1] @ weight + (self.biases[place] if setup.bias else 0)
            if setup.norm and place < last:
                deviations.append(np.sqrt(z.var(0) + 1e-5))
                normal.append((z - z.mean(0)) / deviations[-1])
                z = normal[-1] * self.gains[place] + self.shifts[place]
            if place in hooks:
                z = hooks[place](z)
            inner.append(z)
            out = _activated(setup, z) if place < last else z
            outputs.append(out)
            if setup.residual and 0 < place < last:
                out = out + values[-1]
            values.append(out)
        error = values[-1] - target
        delta: Floats = 2 * error / error.size
        found: dict[tuple[str, int], Floats] = {}
        for place in reversed(range(setup.depth)):
            skip = delta if setup.residual and 0 < place < last else 0
            if place < last:
                slope = _slope(setup, inner[place])
                delta = np.where(slope, delta * slope, 0.0)
                if setup.norm:
                    found["gain", place] = (delta * normal[place]).sum(0)
                    found["shift", place] = delta.sum(0)
                    above = delta * self.gains[place]
                    mean = (above * normal[place]).mean(0)
                    delta = (above - above.mean(0) - normal[place] * mean) / deviations[place]
            found["weight", place] = values[place].T @ delta
            if setup.bias:
                found["bias", place] = delta.sum(0)
            delta = delta @ self.weights[place].T + skip
        return found, outputs

    def update(self, gradients: Mapping[tuple[str, int], Floats], rate: float, count: int) -> None:
        """One step of Adam."""
        parameters = {"weight": self.weights, "bias": self.biases, "gain": self.gains, "shift": self.shifts}
        for (kind, place), gradient in gradients.items():
            first, second = self.moments.get((kind, place), (np.zeros_like(gradient),) * 2)
            first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
            self.moments[kind, place] = first, second
            change = first / (1 - 0.9**count) / (np.sqrt(second / (1 - 0.99**count)) + 1e-8)
            parameters[kind][place] = parameters[kind][place] - rate * change


def _activated(setup: Setup, z: Floats) -> Floats:
    if setup.act == "sigmoid":
        return _sigmoid(z)
    return np.asarray(np.tanh(z) if setup.act == "tanh" else np.maximum(z, 0))


def _slope(setup: Setup, z: Floats) -> Floats:
    if setup.act == "relu":
        return np.asarray(z > 0, np.float64)
    value = _activated(setup, z)
    return np.asarray(value * (1 - value) if setup.act == "sigmoid" else 1 - value**2)


def _sigmoid(z: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -60, 60))))


def _rate(setup: Setup, step: int) -> float:
    done = step / setup.steps
    shares = {
        "constant": 1.0,
        "cosine": (1 + np.cos(np.pi * done)) / 2,
        "warmup": min(1.0, 10 * done + 0.01),
        "cyclic": abs((4 * done) % 2 - 1) + 0.01,
        "step": 0.1 ** int(3 * done),
    }
    return setup.rate * float(shares[setup.schedule])


@define(eq=False)
class Log:
    """Arrays by tag, and the steps at which they were logged."""

    setup: Setup
    network: Network
    arrays: dict[str, list[Floats]] = field(factory=dict)
    steps: list[int] = field(factory=list)
    zero: dict[int, int] = field(factory=dict)  # since which step the outputs of layers are all 0, by place

    def tag(self, kind: str, name: str) -> str:
        style = self.setup.tags
        if kind == "gradient":
            return {"prefix": f"gradients/{name}", "suffix": f"{name}.grad", "short": f"grad/{name}"}[style]
        if kind == "activation":
            return {"prefix": f"activations/{name}", "suffix": f"{name}.output", "short": f"act/{name}"}[
                style
            ]
        return {"prefix": f"weights/{name}", "suffix": name, "short": f"param/{name}"}[style]

    def add(self, step: int, gradients: Mapping[tuple[str, int], Floats], outputs: Sequence[Floats]) -> None:
        self.steps.append(step)
        self.zero = {
            place: self.zero.get(place, step) for place, values in enumerate(outputs) if not values.any()
        }
        linear, norms, acts = self.network.names()
        logged = self.setup.logged
        keras = self.setup.naming == "keras"
        suffixes = {
            "weight": "/kernel" if keras else ".weight",
            "bias": "/bias" if keras else ".bias",
            "gain": "/gamma" if keras else ".weight",
            "shift": "/beta" if keras else ".bias",
        }
        net = self.network
        values = {"weight": net.weights, "bias": net.biases, "gain": net.gains, "shift": net.shifts}
        for place in range(self.setup.depth):
            for kind in ("weight", "bias", "gain", "shift"):
                is_bias = kind in ("bias", "shift")
                if is_bias and (("bias" not in logged) or (kind == "bias" and not self.setup.bias)):
                    continue
                if kind in ("gain", "shift") and (not self.setup.norm or place == self.setup.depth - 1):
                    continue
                name = (linear if kind in ("weight", "bias") else norms)[place] + suffixes[kind]
                if "weight" in logged:
                    self._put(self.tag("weight", name), values[kind][place])
                if "gradient" in logged and (kind, place) in gradients:
                    self._put(self.tag("gradient", name), gradients[kind, place])
            if "activation" in logged:
                self._put(self.tag("activation", acts[place]), outputs[place])

    def _put(self, tag: str, values: Floats) -> None:
        self.arrays.setdefault(tag, []).append(np.array(values, np.float32).ravel())


Change: TypeAlias = Callable[[Network, int], None]
Gradients: TypeAlias = Callable[[dict[tuple[str, int], Floats], int], dict[tuple[str, int], Floats]]


def trained(
    rng: Generator,
    setup: Setup,
    *,
    before: Change | None = None,
    gradients: Gradients | None = None,
    hooks: Callable[[int], Mapping[int, Callable[[Floats], Floats]]] | None = None,
    still: Callable[[str, int, int], bool] | None = None,
) -> Log:
    """Trains and logs. ``before`` changes the network, ``gradients`` the gradients, ``still`` freezes."""
    network = Network.of(rng, setup)
    teacher = rng.normal(0, 1, (10, 4))
    log = Log(setup, network)
    with np.errstate(all="ignore"):
        for step in range(setup.steps):
            if before is not None:
                before(network, step)
            x = rng.normal(0, 1, (setup.batch, 10))
            target = np.sin(x @ teacher)
            found, outputs = network.step(x, target, hooks(step) if hooks else {})
            if gradients is not None:
                found = gradients(found, step)
            if step % setup.every == 0:
                log.add(step, found, outputs)
            moved = {
                key: value
                for key, value in found.items()
                if np.isfinite(value).all() and not (still is not None and still(*key, step))
            }
            network.update(moved, _rate(setup, step), step + 1)
    return log


def setup_of(rng: Generator, **given: Any) -> Setup:  # noqa: ANN401
    """A network of a random shape, logged in a random style."""
    logged = {"weight", "gradient", "bias", "activation"}
    kind = rng.integers(4)
    if rng.random() < 0.15:
        logged -= {"bias"}
    if kind == 1:
        logged -= {"activation"}
    elif kind == 2:
        logged -= {"activation", "weight"}
    elif kind == 3:
        logged -= {"weight"}
    drawn = Setup(
        depth=int(rng.integers(4, 8)),
        width=int(rng.integers(8, 32)),
        batch=int(rng.choice([16, 64, 128])),
        steps=int(rng.integers(100, 300)),
        every=int(rng.choice([2, 5, 10])),
        norm=bool(rng.random() < 0.3),
        residual=bool(rng.random() < 0.2),
        bias=bool(rng.random() < 0.85),
        schedule=rng.choice(["constant", "cosine", "warmup", "cyclic", "step"]),
        naming=rng.choice(["sequential", "fc", "keras", "deep"]),
        tags=rng.choice(["prefix", "suffix", "short"]),
        rate=float(10 ** rng.uniform(-3.3, -2.3)),
        logged=frozenset(logged),
        writer="tensorflow" if rng.random() < 0.2 else "torch",
    )
    return evolve(drawn, **given)
