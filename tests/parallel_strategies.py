"""Jobs whose parallel strategy is known: a transformer over pipeline, data and tensor parallelism.

The files have the form of MindSpore's ``parallel_strategy_{rank}.json``. Every number follows from the sizes
by arithmetic, so that tests can compute what must be shown.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attrs import define, field, frozen


@frozen
class Sizes:
    """How large the model is, and over how many devices it is spread."""

    stages: int = 2
    data: int = 2
    model: int = 2
    layers: int = 2  # of a stage
    batch: int = 8
    length: int = 16
    hidden: int = 64

    @property
    def per_stage(self) -> int:
        """Devices of a stage."""
        return self.data * self.model

    @property
    def rows(self) -> int:
        """Tokens on one device."""
        return self.batch * self.length // self.data


def _value(value: object) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"dtype": "DT_BOOL", "boolVal": value}
    if isinstance(value, int):
        return {"dtype": "DT_INT64", "intVal": str(value)}
    if isinstance(value, str):
        return {"dtype": "DT_STRING", "strVal": value}
    assert isinstance(value, (list, tuple))
    return {"dtype": "DT_TUPLE", "values": [_value(each) for each in value]}


def _type(shape: tuple[int, ...], kind: str = "DT_FLOAT16") -> dict[str, Any]:
    dims = {"dim": [{"size": str(size)} for size in shape]}
    return {"dataType": "DT_TENSOR", "tensorType": {"elemType": kind, "shape": dims}}


@define
class _Graph:
    """Collects nodes in the order in which they run."""

    nodes: list[dict[str, Any]] = field(factory=list)
    parameters: list[dict[str, Any]] = field(factory=list)

    def parameter(self, name: str, *shape: int) -> str:
        self.parameters.append({"name": name, "type": _type(shape)})
        return name

    def add(
        self,
        kind: str,
        scope: str,
        inputs: list[str],
        shape: tuple[int, ...],
        instance: str = "",
        **attributes: object,
    ) -> str:
        name = str(len(self.nodes) + 1)
        self.nodes.append(
            {
                "name": name,
                "opType": kind,
                "scope": scope,
                "fullName": f"{scope}/{kind}-op{name}",
                "instanceName": instance,
                "input": [{"name": one, "type": "DATA_EDGE"} for one in inputs],
                "attribute": [{"name": key, "value": _value(value)} for key, value in attributes.items()],
                "outputType": _type(shape),
            }
        )
        return name


def document(sizes: Sizes, rank: int) -> dict[str, Any]:
    """The file of one rank."""
    stage = rank // sizes.per_stage
    first = stage * sizes.per_stage
    ranks = list(range(first, first + sizes.per_stage))
    row = (rank - first) // sizes.model * sizes.model + first
    tensor_group = "-".join(str(row + place) for place in range(sizes.model))
    data_group = "-".join(str(one) for one in ranks if (one - rank) % sizes.model == 0)
    pipeline_group = "-".join(
        str(rank % sizes.per_stage + place * sizes.per_stage) for place in range(sizes.stages)
    )
    graph = _Graph()
    rows, hidden, wide = sizes.rows, sizes.hidden, 4 * sizes.hidden // sizes.model
    dp, mp = sizes.data, sizes.model
    if stage == 0:
        x = graph.add("GetNext", "Default", [], (rows, hidden))
    else:
        x = graph.add(
            "Receive", "Default", [], (rows, hidden), sr_tag=0, src_rank=stage - 1, group_ranks=pipeline_group
        )
    weights = []
    for layer in range(sizes.layers):
        number = stage * sizes.layers + layer
        scope = f"Default/network-Transformer/layers-CellList/{number}-Block"
        mlp = f"{scope}/mlp-FeedForward"
        up = graph.parameter(f"network.layers.{number}.mlp.up.weight", hidden, wide)
        down = graph.parameter(f"network.layers.{number}.mlp.down.weight", wide, hidden)
        weights += [up, down]
        scaled = graph.add(
            "Mul", f"{scope}/norm-Scale", [x, x], (rows, hidden), in_strategy=((dp, 1), (dp, 1))
        )
        product = graph.add("MatMul", mlp, [scaled, up], (rows, wide), in_strategy=((dp, 1), (1, mp)))
        active = graph.add("GeLU", mlp, [product], (rows, wide), in_strategy=((dp, mp),))
        summed = graph.add("MatMul", mlp, [active, down], (rows, hidden), in_strategy=((dp, mp), (mp, 1)))
        whole = graph.add(
            "AllReduce", mlp, [summed], (rows, hidden), "forward_op_11", op="sum", group_ranks=tensor_group
        )
        x = graph.add("Add", scope, [x, whole], (rows, hidden), in_strategy=((dp, 1), (dp, 1)))
    if stage < sizes.stages - 1:
        graph.add("Send", "Default", [x], (1,), sr_tag=0, dest_rank=stage + 1, group_ranks=pipeline_group)
    else:
        # its input is wanted whole: the one edge whose layouts differ without an operator between them
        graph.add("Exp", "Default/loss-Loss", [x], (rows * dp, hidden), in_strategy=((1, 1),))
    for weight in weights:
        shape = next(one for one in graph.parameters if one["name"] == weight)["type"]["tensorType"]["shape"][
            "dim"
        ]
        graph.add(
            "AllReduce",
            "Gradients/Default/network-Transformer",
            [weight],
            tuple(int(size["size"]) for size in shape),
            "grad_mirror_ops",
            group_ranks=data_group,
        )
    groups = [list(range(n * sizes.per_stage, (n + 1) * sizes.per_stage)) for n in range(sizes.stages)]
    return {
        "config": {
            "rankId": rank,
            "stageId": stage,
            "parallelType": "semi_auto_parallel",
            "stageDevices": [{"dim": [{"size": str(one)} for one in group]} for group in groups],
        },
        "graph": {"node": graph.nodes, "parameters": graph.parameters},
    }


def write_job(directory: Path, sizes: Sizes | None = None) -> Sizes:
    """Writes the file of every rank into a directory, and returns the sizes."""
    sizes = sizes or Sizes()
    directory.mkdir(parents=True, exist_ok=True)
    for rank in range(sizes.stages * sizes.per_stage):
        path = directory / f"parallel_strategy_{rank}.json"
        path.write_text(json.dumps(document(sizes, rank)))
    return sizes
