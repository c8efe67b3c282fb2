"""Trains a small network with JAX, and records it. See README.md."""

from __future__ import annotations

import sys
from typing import Any

import jax  # type: ignore[import-not-found,unused-ignore]
import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

from insight_record import SummaryCollector


def network(random: Any, sizes: tuple[int, ...] = (2, 32, 1)) -> dict[str, Any]:  # noqa: ANN401
    """Parameters of a network, as Flax has them too: mappings in mappings."""
    keys = jax.random.split(random, len(sizes))
    return {
        f"layer{number}": {
            "kernel": jax.random.normal(key, (first, second)) * (2 / first) ** 0.5,
            "bias": jnp.zeros(second),
        }
        for number, (key, first, second) in enumerate(zip(keys, sizes[:-1], sizes[1:], strict=False))
    }


def predicted(parameters: dict[str, Any], points: Any) -> Any:  # noqa: ANN401
    """The logit of each point [n, 2]."""
    *hidden, last = parameters.values()
    for layer in hidden:
        points = jax.nn.relu(points @ layer["kernel"] + layer["bias"])
    return (points @ last["kernel"] + last["bias"])[:, 0]


def loss_of(parameters: dict[str, Any], points: Any, inside: Any) -> Any:  # noqa: ANN401
    logits = predicted(parameters, points)
    return jnp.mean(jnp.logaddexp(0, logits) - inside * logits)


def named(tree: Any) -> dict[str, Any]:  # noqa: ANN401
    """Arrays by path: ``layer0/kernel``."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {"/".join(str(part.key) for part in path): leaf for path, leaf in leaves}


@jax.jit  # type: ignore[untyped-decorator,unused-ignore]
def step(parameters: Any, points: Any, inside: Any, rate: float) -> Any:  # noqa: ANN401
    """Loss, gradients, and the parameters after one step."""
    loss, gradients = jax.value_and_grad(loss_of)(parameters, points, inside)
    return loss, gradients, jax.tree.map(lambda one, change: one - rate * change, parameters, gradients)


def main(log_dir: str, epochs: int = 5, steps: int = 100, rate: float = 0.5) -> None:
    random = jax.random.key(0)
    parameters = network(random)

    with SummaryCollector(
        log_dir,
        hyperparameters={
            "optimizer": {"name": "SGD", "rate": rate},
            "batch_size": 256,
            "jax": jax.__version__,
        },
        parameters="",  # all of them
        gradients="kernel",
        dialect="tensorboard",
    ) as collector:
        for _ in range(epochs):
            for _ in range(steps):
                random, key = jax.random.split(random)
                points = jax.random.uniform(key, (256, 2), minval=-1, maxval=1)
                inside = jnp.sum(points**2, axis=1) < 0.5
                loss, gradients, parameters = step(parameters, points, inside, rate)
                # functions are called, and arrays fetched, only at the steps at which they are recorded
                collector.step(
                    loss,
                    learning_rate=rate,
                    parameters=lambda now=parameters: named(now),
                    gradients=lambda now=gradients: named(now),
                )
            right = (predicted(parameters, points) > 0) == inside
            collector.epoch(accuracy=jnp.mean(right))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/jax")
