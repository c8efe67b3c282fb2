"""The hyperparameters of runs, from the plugin that reads them."""

from __future__ import annotations

from insight_host.choosing import Chosen, chosen_of
from insight_host.sources import OpenedSource, service_of
from insight_host.tables import LogTable, of_any


def hyperparameters(source: OpenedSource, runs: Chosen) -> LogTable:
    """See ``Logs.hparams``."""
    with service_of(source, "hyperparameters") as ask:
        columns = ask()
    wanted = set(chosen_of(columns["run"], runs))
    kept = [place for place, run in enumerate(columns["run"]) if run in wanted]
    return LogTable({name: of_any([cells[place] for place in kept]) for name, cells in columns.items()})
