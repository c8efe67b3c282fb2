"""What the tensor plugin claims of an event, and the tensors that no plugin does."""

from __future__ import annotations

from insight_core.api import (
    DataProvider,
    Dialect,
    EventField,
    NotFound,
    PluginNameEnum,
    RecordDecoder,
    SeriesKey,
    SummaryPlugin,
)
from insight_core.values.tensors import tensor_of

_OTHERS = str(SummaryPlugin(""))  # how the name of every summary plugin begins that nobody claims

DECODER = RecordDecoder(
    claims={
        EventField(Dialect.MINDSPORE, "tensor"),
        EventField(Dialect.TENSORBOARD, "tensor"),  # tf.summary.write without metadata
        SummaryPlugin("tensor"),  # as a TensorBoard data server names those of MindSpore
    },
    decode=tensor_of,
)


def unclaimed(data: DataProvider) -> list[str]:
    """Summary plugins that nobody claims, under the names that their series have here."""
    return sorted(name for name in data.plugins() if name.startswith(_OTHERS))


def summary_plugin(owner: str) -> str:
    """What the writer calls the plugin of an unclaimed series; "" of our own."""
    return owner.removeprefix(_OTHERS) if owner.startswith(_OTHERS) else ""


def owner_of(data: DataProvider, key: SeriesKey) -> str:
    """Under which name the data have a series. The tensors of a run and a tag are of one summary plugin."""
    for name in (str(PluginNameEnum.TENSOR), *unclaimed(data)):
        try:
            data.records(name, key)
        except NotFound:
            continue
        return name
    raise NotFound(f"run {key.run!r} has no tensor {key.tag!r}")
