"""Run as a process of its own: opens a logdir and hands every point to pandas, polars and DuckDB.

    python -m benchmarks.own_export LOGDIR

Prints JSON: for each step its ``wall`` and ``cpu`` seconds, ``memory`` (VmHWM) in MB, and ``points``. Imports
are done before; an earlier start left no index.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import duckdb
import insight_scalar.routes  # noqa: F401
import pandas  # noqa: F401
import polars  # noqa: F401

from benchmarks.processes import peak_memory
from insight_host.logs import Logs
from insight_host.sources import open_named, wait_until_read

T = TypeVar("T")

_SQL = "select tag, count(*), avg(value) from logged group by tag"


def main() -> None:
    costs: dict[str, dict[str, float]] = {}

    def timed(name: str, step: Callable[[], T]) -> T:
        cpu, wall = time.process_time(), time.perf_counter()
        answer = step()
        costs[name] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        return answer

    def opened() -> Logs:
        source = open_named([(None, sys.argv[1])], flags=["--no-cache"])
        wait_until_read(source.provider, None)
        return Logs(source)

    with timed("open", opened) as logs:
        table = timed("table", logs.scalars)
    timed("pandas", table.to_pandas)
    timed("polars", table.to_polars)
    with duckdb.connect() as connection:
        connection.register("logged", table)

        def queried() -> list[Any]:
            return connection.execute(_SQL).fetchall()

        timed("duckdb", queried)
        connection.unregister("logged")
    json.dump({"costs": costs, "memory": peak_memory(), "points": len(table)}, sys.stdout)


if __name__ == "__main__":
    main()
