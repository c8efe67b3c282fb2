"""Parses Keras models from their configuration: a node per layer, a scope per model.

Source: Keras' ``model.to_json()``, of versions 2 (``inbound_nodes`` are lists) and 3 (``keras_history``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attrs import define, field

from insight_core.plugin import Reason, ReasonKind
from insight_graph.columns import Attribute, Graph, NodeDetails, OutputType, Shape, Weight
from insight_graph.graph_builder import GraphBuilder
from insight_graph.keras_weights import weights_of
from insight_graph.order import topological
from insight_graph.scopes import joined
from insight_graph.stored import values_of
from insight_graph.unreadable import not_json

_DEEPEST = 50  # models in models
_INPUT = "InputLayer"
_Tensor = tuple[str, int]  # the path of a layer or model, and which of its outputs
_TOO_NESTED = ReasonKind("graph_too_nested", "the model has more than {most} models in each other")


def graph_of_model(data: bytes) -> Graph:
    """Raises ValueError for a text that is not a Keras model."""
    try:
        model = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise not_json(error) from None
    if not _is_model(model):
        raise ValueError(Reason("the text describes no Keras model", "graph_not_keras"))
    reader = _Reader(GraphBuilder("keras"))
    reader.model(model, "", [], 0)
    reader.connect()
    return reader.builder.graph(reader.details, topological, len(data))


@define(eq=False)
class _Reader:
    builder: GraphBuilder
    layers: list[dict[str, Any]] = field(factory=list)  # by node
    outputs: dict[str, list[_Tensor]] = field(factory=dict)  # by the path of a model
    numbers: dict[str, int] = field(factory=dict)
    waiting: list[tuple[int, list[_Tensor]]] = field(factory=list)  # by node: what it takes

    def model(
        self,
        model: dict[str, Any],
        scope: str,
        calls: list[list[_Tensor]],
        depth: int,
        trainable: bool = True,
    ) -> None:
        """Adds the layers of a model that takes its inputs from ``calls``: a tensor for each input."""
        if depth > _DEEPEST:
            raise ValueError(_TOO_NESTED(most=_DEEPEST))
        config = _dictionary(model.get("config"))
        path = joined(scope, _name(model))
        trainable = trainable and config.get("trainable") is not False
        layers = [one for one in _list(config.get("layers")) if isinstance(one, dict)]
        inputs = [joined(path, name) for name, _ in _tensors(config.get("input_layers"))]
        fed: dict[str, list[list[_Tensor]]] = {one: [] for one in inputs}
        for call in calls:
            for one, tensor in zip(inputs, call, strict=False):
                fed[one].append([tensor])
        before = [call[:1] for call in calls]  # what the first layer of a sequence takes
        for layer in layers:
            own = joined(path, _name(layer))
            taken = [[(joined(path, name), output) for name, output in call] for call in _calls(layer)]
            if not taken and not inputs:
                taken = before
            taken = fed.get(own, taken)
            if _is_model(layer):
                self.model(layer, path, taken, depth + 1, trainable)
            else:
                self._layer(layer, own, [tensor for call in taken for tensor in call], trainable)
            before = [[(own, 0)]]
        ends = [(joined(path, name), output) for name, output in _tensors(config.get("output_layers"))]
        self.outputs[path] = ends or [tensor for call in before for tensor in call]

    def _layer(self, layer: dict[str, Any], path: str, taken: list[_Tensor], trainable: bool) -> None:
        outputs = self.builder.signature(_output_types(layer))
        number = self.builder.node(path, str(layer.get("class_name", "")), signature=outputs)
        self.layers.append(layer)
        self.numbers.setdefault(path, number)
        self.waiting.append((number, taken))
        weights = list(weights_of(layer))
        self.builder.weights += [
            Weight(
                number, learned and trainable if learned is not None else None, self.builder.signature([one])
            )
            for learned, one in weights
        ]
        if any(values_of(one) is None for _, one in weights):
            self.builder.notice("unsized_layers").add(f"{path} ({layer.get('class_name', '')})")

    def connect(self) -> None:
        for number, taken in self.waiting:
            for slot, tensor in enumerate(taken):
                path, output = self._end(tensor)
                source = self.numbers.get(path)
                if source is None:
                    self.builder.missing_input(number, slot, tensor[0])
                else:
                    self.builder.edge(source, number, slot, output)

    def _end(self, tensor: _Tensor) -> _Tensor:
        """The output of a layer that an output of a model, or of a model in it, is."""
        for _ in range(_DEEPEST):
            ends = self.outputs.get(tensor[0])
            if not ends:
                break
            tensor = ends[min(tensor[1], len(ends) - 1)]
        return tensor

    def details(self, number: int) -> NodeDetails:
        layer = self.layers[number]
        config = _dictionary(layer.get("config"))
        return NodeDetails(full_name=_name(layer), attributes=[_attribute(*item) for item in config.items()])


def _attribute(name: str, value: Any) -> Attribute:  # noqa: ANN401
    if isinstance(value, dict) and "class_name" in value:  # an initializer, a policy
        inner = _dictionary(value.get("config"))
        text = f"{value['class_name']}({', '.join(f'{key}={json.dumps(one)}' for key, one in inner.items())})"
    else:
        text = value if isinstance(value, str) else json.dumps(value)
    return Attribute(str(name), type(value).__name__, text, len(text))


def _output_types(layer: dict[str, Any]) -> list[OutputType]:
    """Only what comes in is configured; other layers give out something that they alone know."""
    config = _dictionary(layer.get("config"))
    dtype = config.get("dtype")
    if isinstance(dtype, dict):
        dtype = _dictionary(dtype.get("config")).get("name")
    shape: Shape = None
    if layer.get("class_name") == _INPUT:
        sizes = config.get("batch_shape", config.get("batch_input_shape"))
        if isinstance(sizes, list):
            shape = tuple(size if isinstance(size, int) else -1 for size in sizes)
    return [OutputType(str(dtype), shape)] if dtype else []


def _calls(layer: dict[str, Any]) -> list[list[_Tensor]]:
    """By call of a layer of a functional model: the layers that it takes, and which of their outputs."""
    calls = []
    for call in _list(layer.get("inbound_nodes")):
        given = (
            [_list(call.get("args")), *_dictionary(call.get("kwargs")).values()]
            if isinstance(call, dict)
            else call
        )
        calls.append(list(_tensors(given)))
    return calls


def _tensors(value: Any) -> Iterator[_Tensor]:  # noqa: ANN401
    """Tensors in the order of Keras, which sorts dictionaries by their keys."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            history = _dictionary(one.get("config")).get("keras_history")
            waiting += [history] if history is not None else [one[key] for key in sorted(one, reverse=True)]
        elif isinstance(one, list):
            if len(one) >= 3 and isinstance(one[0], str) and isinstance(one[2], int):
                yield one[0], max(0, one[2])
                one = one[3:4]  # version 2: what else the call takes
            waiting += [inner for inner in reversed(one) if isinstance(inner, list | dict)]


def _is_model(layer: Any) -> bool:  # noqa: ANN401
    return isinstance(layer, dict) and isinstance(_dictionary(layer.get("config")).get("layers"), list)


def _name(layer: dict[str, Any]) -> str:
    return str(_dictionary(layer.get("config")).get("name") or layer.get("class_name") or "")


def _dictionary(value: Any) -> dict[str, Any]:  # noqa: ANN401
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else []
