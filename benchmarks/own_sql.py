"""Run as a process of its own: opens a logdir and asks it in SQL.

    python -m benchmarks.own_sql LOGDIR TAG

Prints JSON: ``open`` and for each query its ``wall`` and ``cpu`` seconds, and of queries the ``rows`` and
``bytes`` that were read for them; ``memory`` (VmHWM) in MB. An earlier start left no index.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from insight_query.engine import run
from insight_query.limits import QueryLimits

from benchmarks.processes import peak_memory
from insight_core.cli.serve import open_host
from insight_host.sources import open_named, wait_until_read

QUERIES = {
    "ten steps of one tag": "select run, step, value from scalars"
    " where tag = '{tag}' and step between 1000 and 1009",
    "smallest value of one tag by run": "select run, min(value) from scalars"
    " where tag = '{tag}' group by run",
    "mean of each tag": "select tag, avg(value) from scalars group by tag",
}


def main() -> None:
    logdir, tag = sys.argv[1:]
    found: dict[str, Any] = {}
    cpu, wall = time.process_time(), time.perf_counter()
    source = open_named([(None, logdir)], flags=["--no-cache"])
    wait_until_read(source.provider, None)
    found["open"] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    host = open_host(source.options, source.registry, source.provider, source.logdirs)
    tables = host.context_of("query").query_tables()
    limits = QueryLimits(rows=None, seconds=600.0, memory=2 << 30)
    for name, sql in QUERIES.items():
        cpu, wall = time.process_time(), time.perf_counter()
        answer = run(sql.format(tag=tag), tables, limits)
        found[name] = {
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "rows": answer.rows_read,
            "bytes": answer.bytes_read,
        }
    found["memory"] = peak_memory()
    host.close()
    source.provider.close()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
