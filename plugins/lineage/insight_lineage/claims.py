"""Files and values of events that the lineage plugin claims."""

from __future__ import annotations

from insight_core.plugin import FileName, PluginNameEnum, SummaryPlugin

NAME = str(PluginNameEnum.LINEAGE)
LINEAGE_FILE = FileName("*_lineage")
HPARAMS = SummaryPlugin("hparams")  # all that it says is in the metadata of its series
