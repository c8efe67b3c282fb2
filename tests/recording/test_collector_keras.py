"""KerasCollector, with whichever backend is installed. Needs keras."""

from __future__ import annotations

import contextlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import insight_histogram
import numpy as np
import pytest

from tests.recording.collector_reading import decoded, graphs, lineage, opened, scalars, steps, tags

_BACKENDS = {"tensorflow": "tensorflow", "torch": "torch", "jax": "jax"}
_found = [name for name, module in _BACKENDS.items() if find_spec(module) is not None]
if _found and "KERAS_BACKEND" not in os.environ:
    os.environ["KERAS_BACKEND"] = _found[0]
if not _found:
    pytest.skip("no backend of keras is installed: its collector is not run", allow_module_level=True)
keras: Any = pytest.importorskip("keras", reason="keras is not installed: its collector is not run")

# Keras asks numpy for its own variables in a way that numpy 2 warns of
pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]


def model(*layers: Any) -> Any:  # noqa: ANN401
    keras.utils.set_random_seed(0)
    made = keras.Sequential([keras.Input((9, 9, 1)), keras.layers.Flatten(), *layers, keras.layers.Dense(1)])
    made.compile(keras.optimizers.SGD(0.25, momentum=0.5), "mse", metrics=["mae"])
    return made


def fit(log_dir: Path, network: Any, epochs: int = 2, **collecting: Any) -> Any:  # noqa: ANN401
    from insight_record.keras import KerasCollector

    inputs = np.random.default_rng(0).random((40, 9, 9, 1)).astype(np.float32)
    targets = inputs.mean((1, 2))
    collector = KerasCollector(str(log_dir), inputs=inputs, **collecting)
    history = network.fit(
        inputs, targets, batch_size=4, epochs=epochs, validation_split=0.2, callbacks=[collector], verbose=0
    )
    return history.history


def test_what_fit_does(tmp_path: Path) -> None:
    network = model()
    history = fit(tmp_path / "run", network, scalar_every=4, histogram_every=8)
    with opened(tmp_path) as data:
        assert list(scalars(data, "loss")) == [1, 4, 8, 12, 16]
        assert set(scalars(data, "learning_rate").values()) == {0.25}
        assert list(scalars(data, "mae")) == [1, 4, 8, 12, 16]
        for name in ("loss", "mae", "val_loss", "val_mae"):
            expected = dict(zip((8, 16), history[name], strict=True))
            assert scalars(data, f"epoch/{name}") == pytest.approx(expected)
        kernel = network.trainable_weights[0]
        assert steps(data, "histogram", kernel.path) == [1, 8, 16]
        last = decoded(data, insight_histogram, kernel.path)[-1]
        assert last.max == pytest.approx(float(np.max(keras.ops.convert_to_numpy(kernel))))
        assert tags(data, "image") == ["inputs"]
        assert graphs(data) == 1


def test_lineage(tmp_path: Path) -> None:
    fit(tmp_path / "run", model(), hyperparameters={"batch_size": 4})
    found = lineage(tmp_path / "run")
    assert (found["optimizer"], found["learning_rate"], found["loss_function"]) == ("SGD", 0.25, "mse")
    assert (found["epoch"], found["batch_size"]) == (2, 4)
    assert found["custom/momentum"] == 0.5
    assert found["custom/keras"] == keras.__version__
    assert found["metric/epoch/val_loss"] > 0


def test_a_model_that_is_built_as_it_is_fitted(tmp_path: Path) -> None:
    """TensorFlow's backend tells callbacks of the beginning before it builds a model without an input."""
    from insight_record.keras import KerasCollector

    network = keras.Sequential([keras.layers.Dense(1)])
    network.compile("sgd", "mse")
    collector = KerasCollector(tmp_path / "run")
    collector.set_model(network)
    collector.set_params({})
    collector.on_train_begin()
    network(np.zeros((1, 4), np.float32))
    collector.on_train_batch_end(0, {"loss": 1.0})
    collector.on_train_end()
    assert lineage(tmp_path / "run")["custom/model_parameters"] == 5


@pytest.mark.parametrize("name", ["inputs", "learning_rate", "numbers", "parameters", "self"])
def test_a_metric_of_whatever_name(tmp_path: Path, name: str) -> None:
    network = model()
    network.compile("sgd", "mse", metrics=[keras.metrics.MeanAbsoluteError(name=name)])
    history = fit(tmp_path / "run", network, epochs=1)
    with opened(tmp_path) as data:
        assert scalars(data, f"epoch/{name}") == pytest.approx({8: history[name][0]})
        assert scalars(data, name)[8] == pytest.approx(history[name][0])
        assert scalars(data, "loss")[8] == pytest.approx(history["loss"][0])


def test_a_learning_rate_that_waits_is_that_of_its_step(tmp_path: Path) -> None:
    class Falling(keras.callbacks.Callback):  # type: ignore[misc,unused-ignore,name-defined]
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ANN401
            self.model.optimizer.learning_rate = 0.125

    network, inputs = model(), np.ones((12, 9, 9, 1), np.float32)
    from insight_record.keras import KerasCollector

    callbacks = [KerasCollector(str(tmp_path / "run")), Falling()]
    network.fit(inputs, inputs[:, 0, 0], batch_size=4, callbacks=callbacks, verbose=0)
    with opened(tmp_path) as data:
        assert scalars(data, "learning_rate") == {1: 0.25, 3: 0.25}


def test_a_second_fit_goes_on(tmp_path: Path) -> None:
    network = model()
    for _ in range(2):
        fit(tmp_path / "run", network, epochs=1, scalar_every=4, graph=False)
    with opened(tmp_path) as data:
        assert list(scalars(data, "loss")) == [1, 4, 8, 9, 12, 16]


def test_nodes_of_models_within_models() -> None:
    from insight_record.keras import layer_nodes

    inner = keras.Sequential([keras.layers.Dense(4, name="a"), keras.layers.ReLU(name="b")], name="inner")
    given = keras.Input((3,), name="given")
    shared = inner(given)
    added = keras.layers.Add(name="sum")([shared, keras.layers.Dense(4, name="side")(given)])
    nodes = {node["name"]: node for node in layer_nodes(keras.Model(given, added))}
    assert nodes["inner/a/Dense"] == {
        "name": "inner/a/Dense",
        "op": "Dense",
        "inputs": ["given/Input", "inner/a/kernel", "inner/a/bias"],
        "shape": [-1, 4],
    }
    assert sorted(nodes["sum/Add"]["inputs"]) == ["inner/b/ReLU", "side/Dense"]
    assert nodes["output"]["inputs"] == ["sum/Add"]


def test_a_layer_that_is_called_twice_has_its_weights_once() -> None:
    from insight_record.keras import layer_nodes

    inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), keras.layers.BatchNormalization()])
    first, second = keras.Input((4,)), keras.Input((4,))
    model = keras.Model([first, second], keras.layers.Add()([inner(first), inner(second)]))
    sizes = {"Parameter": 0, "Buffer": 0}
    for node in layer_nodes(model):
        if node["op"] in sizes:
            sizes[node["op"]] += int(np.prod(node["shape"]))
            assert node.get("attributes") == ({"trainable": True} if node["op"] == "Parameter" else None)
    assert sizes["Parameter"] + sizes["Buffer"] == model.count_params()
    assert sizes["Buffer"] == 8


def test_a_model_of_a_class_of_its_own_has_no_graph(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Own(keras.Model):  # type: ignore[misc,unused-ignore,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.flat, self.layer = keras.layers.Flatten(), keras.layers.Dense(1)

        def call(self, x: Any) -> Any:  # noqa: ANN401
            return self.layer(self.flat(x))

    network = Own()
    network.compile("adam", "mse")
    fit(tmp_path / "run", network, epochs=1)
    assert [record.message[:9] for record in caplog.records if "graph" in record.message] == ["no graph "]
    with opened(tmp_path) as data:
        assert list(scalars(data, "loss")) == [1, 8]


def test_a_fit_that_was_interrupted(tmp_path: Path) -> None:
    from insight_record.keras import KerasCollector

    class Interrupted(keras.callbacks.Callback):  # type: ignore[misc,unused-ignore,name-defined]
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ANN401
            if batch == 2:
                raise KeyboardInterrupt

    network, inputs = model(), np.ones((20, 9, 9, 1), np.float32)
    collector = KerasCollector(str(tmp_path / "run"), graph=False, scalar_every=1)
    for others in ([Interrupted()], []):
        with contextlib.suppress(KeyboardInterrupt):
            network.fit(inputs, inputs[:, 0, 0], batch_size=4, callbacks=[collector, *others], verbose=0)
    with opened(tmp_path) as data:
        assert list(scalars(data, "loss")) == [1, 2, 3, 4, 5, 6, 7, 8]
    with pytest.raises(RuntimeError, match="fit"):
        collector.collector.close()
