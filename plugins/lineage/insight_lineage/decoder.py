"""What the lineage plugin claims of the logs."""

from __future__ import annotations

from insight_core.plugin import FileName, Payload, PluginNameEnum, RecordDecoder, SummaryPlugin
from insight_lineage.mindspore import LineageFile, lineage_of

NAME = str(PluginNameEnum.LINEAGE)

LINEAGE_FILE = FileName("*_lineage")
HPARAMS = SummaryPlugin("hparams")  # all that it says is in the metadata of its series


def _decoded(payload: Payload) -> LineageFile:
    if payload.claim != LINEAGE_FILE:
        raise ValueError(f"{payload.claim} has no values")
    return lineage_of(payload.data)


DECODER = RecordDecoder(claims={LINEAGE_FILE, HPARAMS}, decode=_decoded)
