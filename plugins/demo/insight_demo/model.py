"""The network of the demo: small, tells drawn shapes apart, in numpy alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Parameters: TypeAlias = dict[str, Floats]

SHAPES = ("disc", "ring", "square", "cross", "triangle", "stripes")
SIDE = 16  # pixels of a picture
_KERNEL, _STRIDE, _FILTERS = 5, 2, 8
_PLACES = (SIDE - _KERNEL) // _STRIDE + 1  # of a kernel, each way


@frozen(eq=False)
class PictureBatch:
    """Pictures with the number of the shape in each."""

    pictures: Floats  # [n, SIDE, SIDE], 0 to 1
    labels: NDArray[np.intp]  # [n], places in SHAPES


def draw(random: np.random.Generator, count: int, noise: float) -> PictureBatch:
    """Shapes of any place, size and brightness, in noise of this standard deviation."""
    labels = random.integers(len(SHAPES), size=count)
    center = random.uniform(5.5, SIDE - 6.5, (2, count, 1, 1))
    size = random.uniform(3.0, 5.0, (count, 1, 1))
    down, across = np.indices((SIDE, SIDE))
    y, x = down - center[0], across - center[1]
    distance = np.hypot(x, y)
    inside = np.maximum(abs(x), abs(y)) < size
    drawn = np.stack(
        (
            distance < size,
            abs(distance - size) < 1.2,
            abs(np.maximum(abs(x), abs(y)) - size) < 1.0,
            ((abs(x) < 1.0) | (abs(y) < 1.0)) & inside,
            (abs(x) < (y + size) / 2) & (y < size),
            (np.floor(x + y) % 4 < 2) & inside,
        )
    )
    pictures = drawn[labels, np.arange(count)] * random.uniform(0.6, 1.0, (count, 1, 1))
    noisy = np.clip(pictures + random.normal(0, noise, pictures.shape), 0, 1)
    return PictureBatch(noisy.astype(np.float32), labels)


def initial(random: np.random.Generator, hidden: int) -> Parameters:
    """Parameters by name; filters lie along the first axis."""

    def weights(*shape: int) -> Floats:
        scale = np.sqrt(2 / np.prod(shape[1:]))
        return (random.normal(0, scale, shape)).astype(np.float32)

    def zeros(count: int) -> Floats:
        return np.zeros(count, np.float32)

    return {
        "convolution/weight": weights(_FILTERS, _KERNEL, _KERNEL),
        "convolution/bias": zeros(_FILTERS),
        "hidden/weight": weights(hidden, _PLACES * _PLACES * _FILTERS),
        "hidden/bias": zeros(hidden),
        "output/weight": weights(len(SHAPES), hidden),
        "output/bias": zeros(len(SHAPES)),
    }


@frozen(eq=False)
class Forward:
    """What the layers give for ``n`` pictures."""

    windows: Floats  # [n, places, kernel]
    convolved: Floats  # [n, places * filters]
    hidden: Floats
    probabilities: Floats  # [n, shapes]


def forward(parameters: Mapping[str, Any], pictures: Floats, leak: float = 0) -> Forward:
    """Passes pictures, [n, SIDE, SIDE], through the network; ``leak``: slope of rectifiers below zero."""
    windows = np.lib.stride_tricks.sliding_window_view(pictures, (_KERNEL, _KERNEL), (1, 2))
    windows = windows[:, ::_STRIDE, ::_STRIDE].reshape(len(pictures), _PLACES**2, _KERNEL**2)
    kernels = parameters["convolution/weight"].reshape(_FILTERS, -1)
    convolved = _relu(windows @ kernels.T + parameters["convolution/bias"], leak).reshape(len(pictures), -1)
    hidden = _relu(convolved @ parameters["hidden/weight"].T + parameters["hidden/bias"], leak)
    logits = hidden @ parameters["output/weight"].T + parameters["output/bias"]
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return Forward(windows, convolved, hidden, powers / powers.sum(1, keepdims=True))


def _relu(values: Floats, leak: float) -> Floats:
    rectified: Floats = np.maximum(values, np.float32(leak) * values)
    return rectified


def _slope(rectified: Floats, leak: float) -> Floats:
    return np.where(rectified > 0, np.float32(1), np.float32(leak))


def loss_of(parameters: Mapping[str, Any], batch: PictureBatch) -> float:
    """The cross entropy of a batch, in nats, without a leak."""
    return cross_entropy(forward(parameters, batch.pictures).probabilities, batch)


def cross_entropy(probabilities: Floats, batch: PictureBatch) -> float:
    """The mean cross entropy in nats of probabilities, [n, shapes]."""
    of_label = probabilities[np.arange(len(batch.labels)), batch.labels]
    return float(-np.log(np.maximum(of_label, 1e-12)).mean())


@frozen(eq=False)
class Result:
    """``gradients`` by the name of the parameter."""

    loss: float
    accuracy: float
    gradients: Parameters


def result_of(parameters: Parameters, batch: PictureBatch, leak: float = 0) -> Result:
    """Loss, accuracy and gradients of a batch."""
    passed = forward(parameters, batch.pictures, leak)
    count = len(batch.labels)
    error = passed.probabilities.copy()
    error[np.arange(count), batch.labels] -= 1
    error /= count
    to_hidden = (error @ parameters["output/weight"]) * _slope(passed.hidden, leak)
    to_convolved = (to_hidden @ parameters["hidden/weight"]) * _slope(passed.convolved, leak)
    by_place = to_convolved.reshape(-1, _FILTERS)
    kernels = by_place.T @ passed.windows.reshape(-1, _KERNEL**2)
    gradients = {
        "convolution/weight": kernels.reshape(_FILTERS, _KERNEL, _KERNEL),
        "convolution/bias": by_place.sum(0),
        "hidden/weight": to_hidden.T @ passed.convolved,
        "hidden/bias": to_hidden.sum(0),
        "output/weight": error.T @ passed.hidden,
        "output/bias": error.sum(0),
    }
    right = float((passed.probabilities.argmax(1) == batch.labels).mean())
    return Result(cross_entropy(passed.probabilities, batch), right, gradients)


@define(eq=False)
class Optimizer:
    """``kind`` is sgd, momentum or adam; changes parameters in place."""

    kind: str
    learning_rate: float
    _steps: int = 0
    _mean: Parameters = field(factory=dict)
    _square: Parameters = field(factory=dict)

    def update(self, parameters: Parameters, gradients: Parameters) -> None:
        """Applies one step to the parameters, in place."""
        self._steps += 1
        for name, gradient in gradients.items():
            parameters[name] -= self.learning_rate * self._direction(name, gradient)

    def _direction(self, name: str, gradient: Floats) -> Floats:
        if self.kind == "sgd":
            return gradient
        mean = self._mean.setdefault(name, np.zeros_like(gradient))
        mean *= 0.9
        if self.kind == "momentum":
            mean += gradient
            return mean
        mean += 0.1 * gradient
        square = self._square.setdefault(name, np.zeros_like(gradient))
        square *= 0.999
        square += 0.001 * gradient**2
        unbiased = mean / (1 - 0.9**self._steps)
        scale: Floats = np.sqrt(square / (1 - 0.999**self._steps)) + np.float32(1e-8)
        return unbiased / scale


def graph(hidden: int) -> Iterator[dict[str, Any]]:
    """The network as nodes: names with their scopes, operations, inputs, shapes of outputs."""
    places = _PLACES * _PLACES

    def node(name: str, operation: str, inputs: list[str], shape: list[int]) -> dict[str, Any]:
        return {"name": name, "op": operation, "inputs": inputs, "shape": shape}

    flow, size = "pictures", [-1, SIDE, SIDE]
    yield node(flow, "Input", [], size)
    for layer, operation, shape, weight in (
        ("convolution", "Conv2D", [-1, places, _FILTERS], [_FILTERS, _KERNEL, _KERNEL]),
        ("hidden", "MatMul", [-1, hidden], [hidden, places * _FILTERS]),
        ("output", "MatMul", [-1, len(SHAPES)], [len(SHAPES), hidden]),
    ):
        for part, sizes in (("weight", weight), ("bias", weight[:1])):
            parameter = node(f"network/{layer}/{part}", "Parameter", [], sizes)
            yield {**parameter, "attributes": {"trainable": True}}
        yield node(f"network/{layer}/{operation}", operation, [flow, f"network/{layer}/weight"], shape)
        flow = f"network/{layer}/BiasAdd"
        yield node(flow, "BiasAdd", [f"network/{layer}/{operation}", f"network/{layer}/bias"], shape)
        if layer != "output":
            yield node(f"network/{layer}/ReLU", "ReLU", [flow], shape)
            flow = f"network/{layer}/ReLU"
        if layer == "convolution":
            yield node("network/flatten/Reshape", "Reshape", [flow], [-1, places * _FILTERS])
            flow = "network/flatten/Reshape"
    yield node("labels", "Input", [], [-1])
    yield node("loss/Softmax", "Softmax", [flow], [-1, len(SHAPES)])
    yield node("loss/CrossEntropy", "CrossEntropy", ["loss/Softmax", "labels"], [-1])
    yield node("loss/Mean", "ReduceMean", ["loss/CrossEntropy"], [])
