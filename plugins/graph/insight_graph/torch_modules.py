"""Times of a PyTorch profile for the modules of a traced graph.

A trace names scopes ``Net/Block[0]/Linear[up]``: classes, and the attributes that hold the modules. The
profiler names the same call ``Net_0/Block_0/Linear_0``: classes, numbered in the order of their first calls
(torch/csrc/autograd/profiler_python.cpp). The order in the graph is that of the calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np

from insight_graph.columns import Graph, Kind
from insight_graph.model import Times

_MODULE = re.compile(r"(\w+)\[[^\[\]]*\]")
_CALLED_AS = {  # what a trace has, and the operators that call it
    "aten::_convolution": (
        "aten::conv2d",
        "aten::conv1d",
        "aten::conv3d",
        "aten::conv_transpose2d",
        "aten::_convolution",
    ),
}
_NUMBERED = re.compile(r"(\w+)_[0-9]+")


def modules_of(graph: Graph) -> dict[int, str]:
    """By scope of a graph that PyTorch traced: the module as profiles name it; empty for other graphs."""
    if graph.format != "tensorboard" or not any(name.startswith("aten::") for name in graph.type_names):
        return {}
    firsts = np.full(len(graph.scopes), np.iinfo(np.int64).max)
    operators = np.flatnonzero((graph.kinds == Kind.OPERATOR) & graph.placed)
    np.minimum.at(firsts, graph.scope[operators], graph.order[operators])
    parents = graph.scopes.parents.tolist()
    for scope in range(len(parents) - 1, 0, -1):  # a scope comes after the one around it
        firsts[parents[scope]] = min(firsts[parents[scope]], firsts[scope])
    named = enumerate(zip(graph.scopes.labels, parents, strict=True))
    classes = {scope: name for scope, (label, above) in named if (name := _class_of(label, above == 0))}
    called = [scope for scope in classes if firsts[scope] < np.iinfo(np.int64).max]
    numbers: Counter[str] = Counter()
    found: dict[int, str] = {}
    for scope in sorted(called, key=lambda one: (firsts[one], graph.scopes.path(one).count("/"))):
        name = classes[scope]
        own = f"{name}_{numbers[name]}"
        numbers[name] += 1
        around = parents[scope]
        if around == 0:
            found[scope] = own
        elif around in found:
            found[scope] = f"{found[around]}/{own}"
    return found


def _class_of(label: str, is_outermost: bool) -> str:
    """The class of the module that a scope of that name is; the outermost has no attribute."""
    match = _MODULE.fullmatch(label)
    if match:
        return match[1]
    is_module = is_outermost and label not in ("input", "output")
    return label if is_module and label.isidentifier() else ""


def times_by_module(graph: Graph, modules: Mapping[int, str], nanoseconds: Mapping[str, int]) -> Times | None:
    """Of operators by module and type. Operators of one type in one module share the time of their calls.

    None if the profile is of another model: if one of its modules, or of the graph, is not in the other.
    """
    wanted = set(modules.values())
    profiled = {path for name in nanoseconds if _is_module(path := name.rpartition("/")[0])}
    with_those_around = {
        "/".join(path.split("/")[:size]) for path in profiled for size in range(1, path.count("/") + 2)
    }
    if not wanted or not wanted <= with_those_around or _classes(wanted) != _classes(with_those_around):
        return None
    micros = np.full(len(graph), np.nan)
    alike: dict[str, list[int]] = {}
    for node in np.flatnonzero((graph.kinds == Kind.OPERATOR) & graph.placed).tolist():
        module = modules.get(int(graph.scope[node]))
        if module is not None:
            alike.setdefault(f"{module}/{graph.type_names[graph.types[node]]}", []).append(node)
    for name, nodes in alike.items():
        module, _, operator = name.rpartition("/")
        called = (nanoseconds.get(f"{module}/{one}") for one in _CALLED_AS.get(operator, (operator,)))
        time = next((one for one in called if one is not None), None)
        if time is not None:
            micros[nodes] = time / 1000 / len(nodes)
    return Times(micros, {}) if np.isfinite(micros).any() else None


def _is_module(path: str) -> bool:
    return bool(path) and all(_NUMBERED.fullmatch(part) for part in path.split("/"))


def _classes(paths: set[str]) -> Counter[str]:
    return Counter(path.rpartition("/")[2].rpartition("_")[0] for path in paths)
