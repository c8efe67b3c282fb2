"""Claims of the tensor plugin, and names for tensors that no plugin claims."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.plugin import (
    Claim,
    Dialect,
    EventField,
    NotFound,
    PluginContext,
    PluginNameEnum,
    SummaryPlugin,
)
from insight_core.plugin.data import DataProvider, SeriesKey

_OTHERS = str(SummaryPlugin(""))  # how the name of every summary plugin begins that nobody claims
# hparams: its tensors are empty, the content is in the metadata; custom_scalars: layouts, which the Metrics
# tab shows, but cannot claim: a plugin that reads numbers claims nothing else
_NO_TENSORS = {str(SummaryPlugin(name)) for name in ("hparams", "custom_scalars")}

CLAIMS: set[Claim] = {
    EventField(Dialect.MINDSPORE, "tensor"),
    EventField(Dialect.TENSORBOARD, "tensor"),  # tf.summary.write without metadata
    SummaryPlugin("tensor"),  # as a TensorBoard data server names those of MindSpore
}


def has_tensors(ctx: PluginContext) -> bool:
    """Also if all tensors are unclaimed: no other tab shows these."""
    return ctx.name in ctx.data.plugins() or bool(unclaimed(ctx.data))


def unclaimed(data: DataProvider) -> list[str]:
    """Summary plugins with tensors that nobody claims, under the names that their series have here."""
    return sorted(name for name in data.plugins() if name.startswith(_OTHERS) and name not in _NO_TENSORS)


def summary_plugin(owner: str) -> str:
    """Returns the name that the writer gives the plugin of an unclaimed series; "" for our own."""
    return owner.removeprefix(_OTHERS) if owner.startswith(_OTHERS) else ""


def owner_of(data: DataProvider, runs: Sequence[str], tag: str) -> str:
    """Under which name the data have a tag, in the first of the runs that has it; by default our own.

    The tensors of a run and a tag are of one summary plugin.
    """
    own = str(PluginNameEnum.TENSOR)
    others = unclaimed(data)
    for run in runs if others else ():
        for name in (own, *others):
            try:
                data.records(name, SeriesKey(run, tag))
            except NotFound:
                continue
            return name
    return own
