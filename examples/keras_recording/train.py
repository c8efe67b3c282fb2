"""Trains a small network with Keras, and records it. See README.md."""

from __future__ import annotations

import sys
from typing import Any

import keras  # type: ignore[import-not-found,unused-ignore]
import numpy as np

from insight_record.keras import KerasCollector


def network() -> Any:  # noqa: ANN401
    return keras.Sequential(
        [
            keras.Input((12, 12, 1)),
            keras.layers.Conv2D(8, 5, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(4, activation="softmax"),
        ]
    )


def stripes(count: int) -> tuple[Any, Any]:
    """Pictures [count, 12, 12, 1], and which of four ways the stripes of each run."""
    random = np.random.default_rng(0)
    label = random.integers(4, size=count)
    angle = (label * np.pi / 4)[:, None, None]
    down, across = np.indices((12, 12))
    waves = np.sin(across * np.cos(angle) + down * np.sin(angle) + 6 * random.random((count, 1, 1)))
    return (waves + random.normal(0, 0.5, waves.shape)).astype(np.float32)[..., None], label


def main(log_dir: str, epochs: int = 5, count: int = 2048) -> None:
    keras.utils.set_random_seed(0)
    inputs, label = stripes(count)
    model = network()
    model.compile(keras.optimizers.Adam(0.003), "sparse_categorical_crossentropy", metrics=["accuracy"])
    collector = KerasCollector(
        log_dir, inputs=inputs, hyperparameters={"batch_size": 64}, histogram_every=20, parameters="kernel"
    )
    model.fit(
        inputs, label, batch_size=64, epochs=epochs, validation_split=0.2, callbacks=[collector], verbose=0
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/keras")
