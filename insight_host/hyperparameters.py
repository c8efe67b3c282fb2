"""The hyperparameters of runs, as the Lineage tab has them, from a host of the logs in this process."""

from __future__ import annotations

import json
from typing import Any

from insight_host.choosing import Chosen, chosen_of
from insight_host.sources import OpenedSource
from insight_host.tables import LogTable, of_any

_GROUPS = ("hyperparameter", "dataset", "model", "metric", "custom")  # of the columns of lineage


def hyperparameters(source: OpenedSource, runs: Chosen) -> LogTable:
    """See ``Logs.hparams``. The plugin reads the same payloads from every kind of source."""
    from insight_core.cli.serve import open_host  # the web half is loaded where it is needed

    host = open_host(source.options, source.registry, source.provider, source.logdirs)
    ask = host.context_of("lineage").ask
    listed: Any = ask("lineage", "/columns")
    names = [column["name"] for column in listed["columns"] if column["group"] in _GROUPS]
    answer: Any = ask("lineage", "/runs", sort="run", columns=["run", *names])
    wanted = set(chosen_of(answer["runs"], runs))
    kept = [place for place, run in enumerate(answer["runs"]) if run in wanted]
    columns = zip(answer["columns"], answer["values"], strict=True)
    return LogTable(
        {column["name"]: of_any([_cell(values[place]) for place in kept]) for column, values in columns}
    )


def _cell(value: object) -> object:
    """A value of JSON: a number that is not finite is a text there, and a list is shown as JSON."""
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    return json.dumps(value) if isinstance(value, list) else value
