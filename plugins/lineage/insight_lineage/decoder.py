"""Decodes and checks lineage files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from insight_core.plugin import FileName, Flaw, Reason, ReasonKind
from insight_core.plugin.data import MOST_AT_ONCE, Payload
from insight_lineage.claims import LINEAGE_FILE
from insight_lineage.mindspore import LineageFile, lineage_of

_FILE_TOO_LARGE = ReasonKind(
    "lineage_file_too_large", "the file is not read: it has more than {most:,} bytes"
)


def decoded(payload: Payload) -> LineageFile:
    """Raises ValueError for hparams, which have no values."""
    if payload.claim != LINEAGE_FILE:
        raise ValueError(Reason(f"{payload.claim} has no values", "lineage_no_values"))
    return lineage_of(payload.data)


def flaws(file: BinaryIO, claim: FileName) -> Iterable[Flaw]:
    """The places of a lineage file that cannot be read."""
    data = file.read(MOST_AT_ONCE + 1)
    if len(data) > MOST_AT_ONCE:
        return [Flaw(0, _FILE_TOO_LARGE(most=MOST_AT_ONCE))]
    return lineage_of(data).flaws
