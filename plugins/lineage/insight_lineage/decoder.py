"""What the lineage plugin claims of the logs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from insight_core.plugin import (
    MOST_AT_ONCE,
    FileName,
    Flaw,
    Payload,
    PluginNameEnum,
    RecordDecoder,
    SummaryPlugin,
)
from insight_lineage.mindspore import LineageFile, lineage_of

NAME = str(PluginNameEnum.LINEAGE)

LINEAGE_FILE = FileName("*_lineage")
HPARAMS = SummaryPlugin("hparams")  # all that it says is in the metadata of its series


def _decoded(payload: Payload) -> LineageFile:
    if payload.claim != LINEAGE_FILE:
        raise ValueError(f"{payload.claim} has no values")
    return lineage_of(payload.data)


def _flaws(file: BinaryIO, claim: FileName) -> Iterable[Flaw]:
    data = file.read(MOST_AT_ONCE + 1)
    if len(data) > MOST_AT_ONCE:
        return [Flaw(0, f"the file is not read: it has more than {MOST_AT_ONCE:,} bytes")]
    return lineage_of(data).flaws


DECODER = RecordDecoder(claims={LINEAGE_FILE, HPARAMS}, decode=_decoded, check=_flaws)
