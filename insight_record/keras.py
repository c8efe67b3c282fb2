"""Records Keras trainings with a callback. Importing this module imports keras and its backend."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import keras  # type: ignore[import-not-found,import-untyped,unused-ignore]

from insight_record.collector import SummaryCollector

log = logging.getLogger(__name__)


class KerasCollector(keras.callbacks.Callback):  # type: ignore[misc,unused-ignore]
    """A Keras callback that records ``fit``.

        model.fit(x, y, epochs=5, callbacks=[KerasCollector("runs/first", inputs=x[:16])])

    Numbers are those that Keras passes to callbacks (loss and metrics of a batch are means over the epoch
    so far; those of an epoch are ``epoch/loss``, ``epoch/val_loss``) and the learning rate. Histograms are
    of trainable weights by path. Callbacks get neither gradients nor batches, so images are those of
    ``inputs``. The graph is that of the layers. Model, optimizer, epochs and versions are recorded as
    lineage.

    All other arguments are passed to ``SummaryCollector``. A second ``fit`` writes new files in the same
    directory and continues at the optimizer's step count.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        *,
        inputs: Any = None,  # noqa: ANN401
        graph: bool = True,
        **collecting: Any,  # noqa: ANN401
    ) -> None:
        super().__init__()
        self._log_dir, self._inputs, self._graph_wanted = log_dir, inputs, graph
        self._collecting = dict(collecting)
        self._collector: SummaryCollector | None = None

    @property
    def collector(self) -> SummaryCollector:
        """The collector during ``fit``; RuntimeError at other times."""
        if self._collector is None:
            raise RuntimeError("the collector exists only while fit runs")
        return self._collector

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        """Starts to record, with steps counted from the optimizer's iterations. Raises OSError."""
        if self._collector is not None:  # of an interrupted fit, which Keras does not report
            self._collector.close()
        steps = int(self.model.optimizer.iterations) if self.model.optimizer is not None else 0
        self._collector = _Collector(
            self._log_dir, self.model, self.params, initial_step=steps, **self._collecting
        )

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Records one step: ``logs`` are the loss and metrics so far; after the first also the graph."""
        if not self.collector.records:
            return
        self.collector.step(
            learning_rate=self._learning_rate(), parameters=self._weights, inputs=self._inputs, numbers=logs
        )
        said = self.collector.lineage.hyperparameters
        if "model_parameters" not in said and self.model.built:
            said["model_parameters"] = self.model.count_params()
        if self._graph_wanted:  # shapes are known after the first call of the model
            self._graph_wanted = False
            self._record_graph()

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Records the numbers of an epoch, each with ``epoch/`` before its name."""
        self.collector.epoch({f"epoch/{name}": value for name, value in (logs or {}).items()})

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """Ends the recording. Raises OSError if not all could be written."""
        self.collector.close()
        self._collector = None

    def _record_graph(self) -> None:
        try:
            nodes = layer_nodes(self.model)
        except Exception as error:  # layer configs run user code
            log.warning("no graph of %s: %s", self.model.name, error)
        else:
            self.collector.graph(nodes)

    def _learning_rate(self) -> Any:  # noqa: ANN401
        optimizer = self.model.optimizer
        return None if optimizer is None else keras.ops.copy(optimizer.learning_rate)

    def _weights(self) -> Iterator[tuple[str, Any]]:
        return ((weight.path, weight.value) for weight in self.model.trainable_weights)


class _Collector(SummaryCollector):
    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        model: keras.Model,
        params: Mapping[str, Any],
        **collecting: Any,  # noqa: ANN401
    ) -> None:
        self._model, self._fit = model, params
        super().__init__(log_dir, **collecting)

    def known(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "network": self._model.name,
            "keras": keras.__version__,
            "backend": keras.backend.backend(),
        }
        if self._model.built:  # otherwise not known yet
            said["model_parameters"] = self._model.count_params()
        if self._fit.get("epochs") is not None:
            said["epoch"] = self._fit["epochs"]
        loss = self._model.loss
        if loss is not None:
            said["loss_function"] = (
                loss if isinstance(loss, str) else getattr(loss, "name", type(loss).__name__)
            )
        if self._model.optimizer is not None:
            settings = self._model.optimizer.get_config()
            said["optimizer"] = type(self._model.optimizer).__name__
            said.update((name, value) for name, value in settings.items() if _is_setting(value))
        return said


def layer_nodes(model: keras.Model) -> list[dict[str, Any]]:
    """The layers of a model as graph nodes; layers of a nested model are in its scope.

    Raises ValueError for a subclassed model, for which Keras knows no layer order.
    """
    nodes: list[dict[str, Any]] = []
    outputs = _walk(model, "", None, nodes, {})
    if outputs is None:
        raise ValueError("Keras knows its layers, but not their connections")
    nodes.append({"name": "output", "op": "Output", "inputs": outputs})
    return nodes


def _walk(
    model: keras.Model,
    scope: str,
    sources: list[str] | None,
    nodes: list[dict[str, Any]],
    written: dict[int, str],
) -> list[str] | None:
    """Adds the nodes of a model called with the outputs of ``sources``; returns the names of its outputs.

    ``written`` has the names of weight nodes: a layer that is called twice has its weights once.
    """
    functional = getattr(model, "_functional", None) or model
    if not hasattr(functional, "operations"):
        return None
    given = dict[int, str]()  # by tensor, the name of the node whose output it is
    if sources is not None:
        given.update(zip(map(id, keras.tree.flatten(functional.inputs)), sources, strict=False))
    for operation in functional.operations:
        for number, call in enumerate(operation._inbound_nodes):
            if any(id(tensor) not in given for tensor in call.input_tensors):
                continue  # a call in another model
            if all(id(tensor) in given for tensor in call.output_tensors):
                continue  # an input of this model, which the model around it feeds
            inputs = [given[id(tensor)] for tensor in call.input_tensors]
            name = f"{scope}{operation.name}" + (f"_{number}" if number else "")
            inner = (
                _walk(operation, f"{name}/", inputs, nodes, written)
                if isinstance(operation, keras.Model)
                else None
            )
            outputs = inner or [_add_layer(operation, name, inputs, call.output_tensors, nodes, written)]
            tensors = call.output_tensors
            given.update(zip(map(id, tensors), outputs if inner else outputs * len(tensors), strict=False))
    return [given[id(tensor)] for tensor in keras.tree.flatten(functional.outputs)]


def _add_layer(
    layer: Any,  # noqa: ANN401
    name: str,
    inputs: list[str],
    outputs: Sequence[Any],
    nodes: list[dict[str, Any]],
    written: dict[int, str],
) -> str:
    weights = list(getattr(layer, "weights", ()))
    for weight in weights:
        if id(weight) in written:
            continue
        own = written[id(weight)] = f"{name}/{weight.name}"
        node: dict[str, Any] = {"name": own, "op": "Buffer", "inputs": [], "shape": _sizes(weight.shape)}
        if weight.trainable:
            node |= {"op": "Parameter", "attributes": {"trainable": True}}
        nodes.append(node)
    kind = "Input" if isinstance(layer, keras.layers.InputLayer) else type(layer).__name__
    full = f"{name}/{kind}"
    sources = [*inputs, *dict.fromkeys(written[id(weight)] for weight in weights)]
    nodes.append({"name": full, "op": kind, "inputs": sources, "shape": _sizes(outputs[0].shape)})
    return full


def _sizes(shape: Iterable[int | None]) -> list[int]:
    return [-1 if size is None else int(size) for size in shape]


def _is_setting(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
