"""Encoder of MindSpore's summary files.

Field numbers: mindinsight_summary.proto, mindinsight_anf_ir.proto.
"""

from __future__ import annotations

from functools import partial

from insight_record.argument_checks import INT32, whole_number_of
from insight_record.arrays import array_of, is_small_float, snapshot
from insight_record.encoders.common_kinds import graph, histogram, image, lineage
from insight_record.encoders.encoder import EncodedValue, EventEncoder
from insight_record.formats.dtypes import MINDSPORE_NUMBERS
from insight_record.formats.protobuf import pieces_field
from insight_record.graphs import graph_proto
from insight_record.histograms import mindspore_histogram
from insight_record.landscapes import landscape_of, mindspore_landscape
from insight_record.lineage import (
    DATASET_GRAPH,
    EVALUATION_LINEAGE,
    TRAIN_LINEAGE,
    USER_DEFINED_INFO,
    dataset_graph,
    evaluation_lineage,
    train_lineage,
    user_defined_info,
)
from insight_record.tensors import mindspore_checked, mindspore_tensor

_TENSOR, _HISTOGRAM, _LANDSCAPE = 8, 9, 10  # of a value


def _file_name(
    prefix: str, suffix: str, seconds: int, rank: int, host: str, process: int, number: int
) -> str:
    return f"{prefix}.out.events.summary.{seconds}.{rank}.{host}{suffix}"


def _tensor(name: str, value: object) -> list[EncodedValue]:
    if (array := array_of(value)).dtype.name not in MINDSPORE_NUMBERS and not is_small_float(array.dtype):
        return _for_tensorboard("tensor", name, value)
    array = snapshot(mindspore_checked(array))
    size = max(array.nbytes, 4 * array.size)
    return [EncodedValue(name, "summary", size, lambda: pieces_field(_TENSOR, mindspore_tensor(array)))]


def _landscape(name: str, value: object) -> list[EncodedValue]:
    landscape = landscape_of(value)
    for number in landscape.intervals:
        whole_number_of("a number of the intervals", number, INT32)
    return [
        EncodedValue(
            name, "summary", landscape.size, lambda: pieces_field(_LANDSCAPE, mindspore_landscape(landscape))
        )
    ]


def _for_tensorboard(kind: str, name: str, value: object) -> list[EncodedValue]:
    """A value that MindSpore's files cannot hold, for a file of TensorBoard's."""
    from insight_record.encoders.tensorboard import TENSORBOARD  # late: few records have such values

    return [one._replace(place="other dialect") for one in TENSORBOARD.values(kind, name, value)]


MINDSPORE = EventEncoder(
    name="mindspore",
    version=b"MindSpore.Event:1",
    suffix="_MS",
    number_key=b"\x1d",
    file_name=_file_name,
    kinds={
        "image": image,
        "histogram": partial(histogram, _HISTOGRAM, mindspore_histogram),
        "tensor": _tensor,
        "text": partial(_for_tensorboard, "text"),
        "audio": partial(_for_tensorboard, "audio"),
        "graph": partial(graph, graph_proto),
        "train_lineage": partial(lineage, TRAIN_LINEAGE, train_lineage),
        "eval_lineage": partial(lineage, EVALUATION_LINEAGE, evaluation_lineage),
        "dataset_graph": partial(lineage, DATASET_GRAPH, dataset_graph),
        "custom_lineage_data": partial(
            lineage, USER_DEFINED_INFO, partial(user_defined_info, "custom_lineage_data")
        ),
        "hparams": partial(lineage, USER_DEFINED_INFO, partial(user_defined_info, "hparams")),
        "loss_landscape": _landscape,
    },
)
