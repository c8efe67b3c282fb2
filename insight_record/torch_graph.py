"""Traces a PyTorch module into a list of graph nodes, without computing values."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import torch  # type: ignore[import-not-found,unused-ignore]
import torch.fx  # type: ignore[import-not-found,unused-ignore]

from insight_record.torch_twin import nothing_disturbed, twin_of

Shape: TypeAlias = tuple[int, ...]
Node: TypeAlias = dict[str, Any]


def graph_nodes(model: torch.nn.Module, inputs: Any = None) -> list[Node]:  # noqa: ANN401
    """Nodes of the model, in topological order; their scopes are the modules.

    ``inputs`` is the argument of the model: a tensor, a tuple of arguments, or a mapping of arguments by name
    (one argument, if ``forward`` has no such names). It provides the shapes of outputs, and allows
    ``torch.export`` for models that ``torch.fx`` cannot trace. Raises the errors of the tracer.

    Tracing runs the model's own ``forward`` with placeholder values, so it uses a copy of the model.
    """
    arguments, named = _arguments(model, inputs)
    with nothing_disturbed(model, arguments):
        try:
            traced = torch.fx.symbolic_trace(twin_of(model, with_values=False))
        except Exception:  # control flow that depends on data raises different types
            if not arguments and not named:
                raise
            return list(_exported(twin_of(model, with_values=True), arguments, named))
        return list(_symbolic(traced, _shapes(traced, arguments)))


class _Shapes(torch.fx.Interpreter):  # type: ignore[misc,unused-ignore]
    """Runs a traced module node by node and records the output shapes."""

    def __init__(self, traced: torch.fx.GraphModule) -> None:
        super().__init__(traced)
        self.shapes: dict[str, Shape] = {}

    def run_node(self, n: torch.fx.Node) -> Any:  # noqa: ANN401
        result = super().run_node(n)
        if isinstance(result, torch.Tensor):
            self.shapes[n.name] = tuple(result.shape)
        return result


class _Interpreted(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    def __init__(self, traced: torch.fx.GraphModule) -> None:
        super().__init__()
        self.traced = traced
        self.found: dict[str, Shape] = {}

    def forward(self, *arguments: Any) -> None:  # noqa: ANN401
        interpreter = _Shapes(self.traced)
        interpreter.run(*arguments)
        self.found = interpreter.shapes


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def _shapes(traced: torch.fx.GraphModule, arguments: tuple[Any, ...]) -> dict[str, Shape]:
    """Shapes by name of node, from a run on the device "meta", which leaves parameters, running statistics
    and random numbers unchanged. Empty if an operation does not support this device."""
    interpreted = _Interpreted(traced)
    if not arguments:
        return {}
    state = {**dict(interpreted.named_parameters()), **dict(interpreted.named_buffers())}
    without_values = {name: values.to("meta") for name, values in state.items()}
    tensors = tuple(one.to("meta") if isinstance(one, torch.Tensor) else one for one in arguments)
    try:
        torch.func.functional_call(interpreted, without_values, tensors)
    except Exception:  # shapes are an extra: the graph is drawn without them
        return {}
    return interpreted.found


class _Names:
    """Unique names of nodes."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def new(self, name: str) -> str:
        number = self._seen[name] = self._seen.get(name, 0) + 1
        return name if number == 1 else self.new(f"{name}_{number - 1}")


def _symbolic(traced: torch.fx.GraphModule, shapes: dict[str, Shape]) -> Iterator[Node]:
    names, name_of = _Names(), dict[torch.fx.Node, str]()
    states: dict[str, torch.Tensor] = dict(traced.named_parameters(remove_duplicate=False))
    states.update(traced.named_buffers(remove_duplicate=False))
    modules = dict(traced.named_modules(remove_duplicate=False))
    written: dict[int, str] = {}  # names of the nodes of tensors: one that is shared has one node

    def state(path: str) -> Iterator[Node]:
        tensor = states[path]
        if id(tensor) not in written:
            written[id(tensor)] = names.new(path.replace(".", "/"))
            yield _state(written[id(tensor)], tensor, tuple(tensor.shape))

    for node in traced.graph.nodes:
        sources = [name_of[one] for one in node.all_input_nodes]
        if node.op == "output":
            yield _node(names.new("output"), "Output", sources, None)
            continue
        if node.op == "get_attr" and node.target in states:
            yield from state(node.target)
            name_of[node] = written[id(states[node.target])]
            continue
        if node.op == "call_module":
            module = modules[node.target]
            for inner in (*module._parameters, *module._buffers):
                if f"{node.target}.{inner}" in states:
                    yield from state(f"{node.target}.{inner}")
                    sources.append(written[id(states[f"{node.target}.{inner}"])])
            kind, name = type(module).__name__, f"{node.target.replace('.', '/')}/{type(module).__name__}"
        else:
            kind = {"placeholder": "Input", "get_attr": "Constant"}.get(node.op, _called(node.target))
            name = "/".join((*_scope(node), node.name))
        name_of[node] = names.new(name)
        yield _node(name_of[node], kind, sources, shapes.get(node.name))


def _arguments(model: torch.nn.Module, inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:  # noqa: ANN401
    """The arguments of the model by position, and those that follow a gap by name."""
    if isinstance(inputs, Mapping):
        with contextlib.suppress(TypeError, ValueError):  # forward has other names, or no signature
            bound = inspect.signature(model.forward).bind(**inputs)
            return bound.args, bound.kwargs
        return (inputs,), {}
    return (inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)), {}


def _exported(model: torch.nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> Iterator[Node]:
    program = torch.export.export(model, arguments, named, strict=False)
    signature = program.graph_signature
    paths = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    states: dict[str, torch.Tensor] = dict(model.named_parameters(remove_duplicate=False))
    states.update(model.named_buffers(remove_duplicate=False))
    written: dict[int, str] = {}  # names of the nodes of tensors: one that is shared has one node
    names, name_of = _Names(), dict[torch.fx.Node, str]()
    for node in program.graph.nodes:
        sources = [name_of[one] for one in node.all_input_nodes]
        value = node.meta.get("val")
        shape = tuple(map(int, value.shape)) if isinstance(value, torch.Tensor) else None
        if node.name in paths:
            tensor = states[paths[node.name]]
            if id(tensor) not in written:
                written[id(tensor)] = names.new(paths[node.name].replace(".", "/"))
                yield _state(written[id(tensor)], tensor, shape)
            name_of[node] = written[id(tensor)]
            continue
        if node.op == "output":
            name, kind = "output", "Output"
        else:
            name = "/".join((*_scope(node), node.name))
            kind = "Input" if node.op == "placeholder" else _called(node.target)
        name_of[node] = names.new(name)
        yield _node(name_of[node], kind, sources, shape)


def _scope(node: torch.fx.Node) -> tuple[str, ...]:
    """The modules that contain the node, from the outside in."""
    path = next(reversed(node.meta.get("nn_module_stack", {"": ("", None)}).values()))[0]
    return tuple(part for part in path.split(".") if part)


def _called(target: Any) -> str:  # noqa: ANN401
    """``add`` of a function, a method or an operation ``aten.add.Tensor``."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target.overloadpacket.__name__)
    return target if isinstance(target, str) else str(getattr(target, "__name__", target))


def _state(name: str, tensor: torch.Tensor, shape: Shape | None) -> Node:
    if not isinstance(tensor, torch.nn.Parameter):
        return _node(name, "Buffer", (), shape)
    return {**_node(name, "Parameter", (), shape), "attributes": {"trainable": tensor.requires_grad}}


def _node(name: str, kind: str, inputs: Sequence[str], shape: Shape | None) -> Node:
    return {
        "name": name,
        "op": kind,
        "inputs": list(inputs),
        **({} if shape is None else {"shape": list(shape)}),
    }
