"""Encoder of TensorBoard's event files.

Field numbers: tensorboard/compat/proto/{summary,tensor}.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from insight_record.argument_checks import INT32, known, text_of, whole_number_of
from insight_record.arrays import snapshot
from insight_record.configurations import Cell, flat_cells
from insight_record.encoders.common_kinds import graph, histogram, image, lineage
from insight_record.encoders.encoder import EncodedValue, EventEncoder
from insight_record.formats.protobuf import (
    fields,
    float32,
    int_field,
    message_field,
    pieces_field,
    text_field,
)
from insight_record.formats.tensor_messages import string_tensor, tensorflow_tensor
from insight_record.graphs import graph_def
from insight_record.histograms import histogram_proto
from insight_record.landscapes import landscape_file, landscape_of
from insight_record.lineage import (
    DATASET_GRAPH,
    dataset_graph,
    hparam_entries,
    metric_numbers,
    tested_cells,
    trained_cells,
)
from insight_record.tensors import tensorflow_checked
from insight_record.values.sounds import sound

_HISTO, _TENSOR, _METADATA = 5, 8, 9  # of a value
_PLUGIN_DATA, _DISPLAY_NAME, _DESCRIPTION, _DATA_CLASS = 1, 2, 3, 4  # of metadata
_PLUGIN_NAME, _CONTENT = 1, 2  # of the plugin data in metadata
_START_INFO = 3  # of the content for hparams
_SESSION_START = "_hparams_/session_start_info"
TENSORS = 2  # a data class
_SAMPLE_RATE = 44_100  # Hz
_NUMBER_KEY = b"\x15"  # of simple_value


def _file_name(
    prefix: str, suffix: str, seconds: int, rank: int, host: str, process: int, number: int
) -> str:
    return f"{prefix}.out.tfevents.{seconds}.{host}.{process}.{number:05}{suffix}"


def _joined(values: list[EncodedValue], before: dict[bytes, bytes]) -> list[EncodedValue]:
    """Joins hyperparameters with those of earlier records, since one of these values counts in a run: the
    first one for TensorBoard, the last one for insight-host.
    """
    parts = [value for value in values if value.tag == _SESSION_START and not value.metadata]
    if not parts:
        return values
    for part in parts:
        before |= _by_name(bytes(part.encode()[0]))
    said = metadata("hparams", content=message_field(_START_INFO, b"".join(before.values())))
    others = [value for value in values if value not in parts]
    return [EncodedValue(_SESSION_START, "summary", len(said), lambda: [said]), *others]


def _by_name(entries: bytes) -> dict[bytes, bytes]:
    """The entries of a map by their keys, which are first in them."""
    found, begin = {}, 0
    for _, _, start, stop, _ in fields(entries, 0, len(entries)):
        key = next(iter(fields(entries, start, stop)))
        found[entries[key[2] : key[3]]] = entries[begin:stop]
        begin = stop
    return found


def metadata(
    plugin: str, data_class: int = 0, display_name: str = "", description: str = "", *, content: bytes = b""
) -> bytes:
    """The ``metadata`` field of a value, which only the first value of a tag has.

    ``content`` is the plugin data for all values. Without a plugin, readers go by the type of the value.
    """
    own = text_field(_PLUGIN_NAME, plugin) + (message_field(_CONTENT, content) if content else b"")
    said = message_field(_PLUGIN_DATA, own) if plugin else b""
    if display_name:
        said += text_field(_DISPLAY_NAME, display_name)
    if description:
        said += text_field(_DESCRIPTION, description)
    return message_field(_METADATA, said + (int_field(_DATA_CLASS, data_class) if data_class else b""))


def described_scalar(tag: str, number: float, display_name: str, description: str) -> EncodedValue:
    """A scalar with a title and a description of its tag."""
    said = metadata("", display_name=display_name, description=description)
    return EncodedValue(tag, "summary", 4, partial(list, [_NUMBER_KEY + float32(number)]), said)


def _tensor(name: str, value: object) -> list[EncodedValue]:
    array = snapshot(tensorflow_checked(value))
    return [
        EncodedValue(
            name,
            "summary",
            array.nbytes,
            lambda: pieces_field(_TENSOR, tensorflow_tensor(array)),
            metadata("tensor", TENSORS),
        )
    ]


def _text(name: str, value: object) -> list[EncodedValue]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, (list, tuple)):
        raise TypeError(f"it is text, or a list of texts, not {type(value).__name__}")
    encoded = [text_of("each of the texts", text).encode() for text in texts]
    return [_strings(name, "text", encoded)]


def _audio(name: str, value: object) -> list[EncodedValue]:
    """Samples, or a mapping of ``samples`` and ``sample_rate`` in Hz (44,100)."""
    given = value if isinstance(value, Mapping) else {"samples": value}
    known("an audio", given, "samples", "sample_rate")
    rate = whole_number_of("sample_rate", given.get("sample_rate", _SAMPLE_RATE), INT32)
    return [sound(name, given.get("samples"), rate)]


def _landscape(name: str, value: object) -> list[EncodedValue]:
    return [_strings(name, "landscape", [landscape_file(landscape_of(value))])]


def _strings(name: str, plugin: str, strings: list[bytes]) -> EncodedValue:
    size = sum(map(len, strings))
    tensor = message_field(_TENSOR, string_tensor(strings))
    return EncodedValue(name, "summary", size, lambda: [tensor], metadata(plugin, TENSORS))


def _hparams(kind: str, name: str, value: object) -> list[EncodedValue]:
    return _session(flat_cells(kind, value).items())


def _trained(name: str, value: object) -> list[EncodedValue]:
    return _session(trained_cells(value))


def _tested(name: str, value: object) -> list[EncodedValue]:
    metrics = [
        EncodedValue(f"eval/{metric}", "summary", 4, partial(list, [_NUMBER_KEY + float32(number)]))
        for metric, number in metric_numbers(value)
    ]
    return metrics + _session(tested_cells(value))


def _session(cells: Iterable[tuple[str, Cell]]) -> list[EncodedValue]:
    """Entries that ``joined`` merges into one value."""
    entries = hparam_entries(cells)
    return [EncodedValue(_SESSION_START, "summary", len(entries), lambda: [entries])] if entries else []


TENSORBOARD = EventEncoder(
    name="tensorboard",
    version=b"brain.Event:2",
    suffix="",
    number_key=_NUMBER_KEY,
    file_name=_file_name,
    kinds={
        "image": image,
        "histogram": partial(histogram, _HISTO, histogram_proto),
        "tensor": _tensor,
        "text": _text,
        "audio": _audio,
        "graph": partial(graph, graph_def),
        "train_lineage": _trained,
        "eval_lineage": _tested,
        "dataset_graph": partial(lineage, DATASET_GRAPH, dataset_graph),
        "custom_lineage_data": partial(_hparams, "custom_lineage_data"),
        "hparams": partial(_hparams, "hparams"),
        "loss_landscape": _landscape,
    },
    joined=_joined,
)
