"""What the page's requests cost on many runs with many tags: ``python -m benchmarks.wide_routes``.

For each request: CPU time of the host, and of the data server where the host has its data from one, and bytes
received. Asked are the requests at the start of a page, with nothing new, after one series has grown, for one
card, for a search of tags, and after a run has gone. 1000 runs x 1000 tags unless told, hard-linked.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlencode

import numpy as np
from attrs import frozen

from benchmarks.machine import describe_machine
from benchmarks.processes import Failed, Program, free_port, started
from insight_core.plugin.testing import EventWriter

_REPEATS = 3  # of which the cheapest counts
_STEPS = 10
_PATIENCE = 600.0  # seconds
_GROWING = "growing"

Query: TypeAlias = Sequence[tuple[str, object]]


@frozen(eq=False)
class Served:
    """A host, and the data server that it reads from; None where it reads the files itself."""

    name: str
    port: int
    host: Program
    server: Program | None = None

    def get(self, path: str, query: Query = ()) -> tuple[int, Any]:
        """Bytes received and the answer. Raises Failed."""
        connection = http.client.HTTPConnection("localhost", self.port, timeout=_PATIENCE)
        connection.request(
            "GET", f"{path}?{urlencode(query)}" if query else path, headers={"Accept-Encoding": "gzip"}
        )
        response = connection.getresponse()
        body = response.read()
        connection.close()
        if response.status != 200:
            raise Failed(f"{path}: {response.status} {body[:300]!r}")
        packed = response.headers.get("Content-Encoding") == "gzip"
        return len(body), json.loads(gzip.decompress(body) if packed else body)

    def print_cost(self, what: str, path: str, query: Query = (), repeats: int = _REPEATS) -> Any:  # noqa: ANN401
        """Prints a line for a request, and returns its answer."""
        costs = []
        for _ in range(repeats):
            before = self._cpu()
            received, answer = self.get(path, query)
            host, server = (now - then for now, then in zip(self._cpu(), before, strict=True))
            costs.append((host + server, host, server, received))
        _, host, server, received = min(costs)
        away = f"{server * 1e3:10.1f}" if self.server else f"{'-':>10}"
        print(f"{self.name:7}{what:34}{host * 1e3:10.1f}{away}{received / 1e3:12.1f}", flush=True)
        return answer

    def _cpu(self) -> tuple[float, float]:
        return self.host.processor_time(), self.server.processor_time() if self.server else 0.0

    def await_loaded(self) -> None:
        """Waits until every file was read. Raises Failed."""
        self.host.wait(self._is_loaded, pause=0.2, patience=_PATIENCE)

    def _is_loaded(self) -> bool:
        try:
            _, table = self.get("/data/run_table")
        except (OSError, Failed):
            return False
        return bool(table["progress"]["loaded_once"])

    def settle(self, generation: int) -> None:
        """Waits until there is another generation, and then until it stands still for a second."""
        seen, since = generation, 0.0

        def is_quiet() -> bool:
            nonlocal seen, since
            now = self.generation()
            if now != seen:
                seen, since = now, self.host.elapsed()
            return seen != generation and self.host.elapsed() - since > 1.0

        self.host.wait(is_quiet, pause=0.1, patience=_PATIENCE)

    def generation(self) -> int:
        return int(self.get("/data/changes", [("since", 1 << 40)])[1]["generation"])


def tag_names(count: int) -> list[str]:
    """Names of so many tags, a hundred in a group."""
    return [f"group{number // 100}/metric_{number:04d}" for number in range(count)]


def write_logs(place: Path, runs: int, tags: Sequence[str]) -> EventWriter:
    """Writes the logdir, and returns the writer of the run that grows."""
    values = np.random.default_rng(1).random((_STEPS, len(tags)))
    first = place / "run_0000"
    with EventWriter(first, start_time=1.7e9) as writer:
        writer.scalar_block(tags, range(_STEPS), values)
    (file,) = first.iterdir()
    for number in range(1, runs - 1):
        directory = place / f"run_{number:04d}"
        directory.mkdir()
        os.link(file, directory / file.name)
    growing = EventWriter(place / _GROWING, start_time=1.7e9 + 1)
    growing.scalar_block(tags, range(_STEPS), values)
    growing.flush()
    return growing


@contextmanager
def hosted(source: str, logdir: Path, cache: Path) -> Iterator[Served]:
    port = free_port()
    command = [sys.executable, "-m", "insight_core.cli", "--port", str(port)]
    if source == "local":
        command += ["--logdir", str(logdir), "--cache-dir", str(cache)]
        with started(command, port=port) as host:
            yield Served(source, port, host)
        return
    away = free_port()
    serving = [sys.executable, "-m", "insight_core.cli.data_server", "--logdir", str(logdir)]
    serving += ["--port", str(away), "--reload", "1", "--cache-dir", str(cache)]
    command += ["--data-provider", f"grpc://localhost:{away}"]
    with started(serving, port=away) as server, started(command, port=port) as host:
        yield Served(source, port, host, server)


def _measure(served: Served, logdir: Path, tags: Sequence[str], writer: EventWriter) -> None:
    served.await_loaded()
    middle = tags[len(tags) // 2]
    some = [(("run"), f"run_{number:04d}") for number in range(40)]
    width = [("tag", middle), ("width", 300)]
    served.print_cost("first start of a page", "/data/start", [("tab", "scalar")], 1)
    served.print_cost("start of a page", "/data/start", [("tab", "scalar")])
    for name in ("run_table", "plugins_listing", "environment"):
        served.print_cost(name, f"/data/{name}")
    columns = [("column", "run/status"), ("column", f"lineage/last/{middle}")]
    served.print_cost("list of run columns", "/data/run_columns")
    served.print_cost("two run columns", "/data/run_columns", columns)
    whole = served.print_cost("catalogue", "/data/catalog", [("plugin", "scalar")])
    served.print_cost("one card, 40 runs", "/data/plugin/scalar/series", [*width, *some])
    served.print_cost("one card, all runs", "/data/plugin/scalar/series", width)
    served.print_cost("nearest, 40 runs", "/data/plugin/scalar/nearest", [*width, *some, ("at", 5)])
    served.print_cost("search: text", "/data/catalog", [("plugin", "scalar"), ("q", middle), ("limit", 100)])
    regex = [("plugin", "scalar"), ("q", "_0[12].*7$"), ("regex", 1), ("limit", 100)]
    served.print_cost("search: expression", "/data/catalog", regex)
    cursor = f"{whole['boot']}-{whole['generation']}"
    since = [("plugin", "scalar"), ("since", cursor)]
    served.print_cost("changes, nothing new", "/data/changes", [("since", cursor)])
    served.print_cost("catalogue, nothing new", "/data/catalog", since)

    for change in ("grown", "gone"):
        before = served.generation()
        if change == "grown":
            writer.scalar(middle, _STEPS + before, 1.0)
            writer.flush()
        else:
            shutil.rmtree(logdir / "run_0001")
        served.settle(before)
        served.print_cost(f"{change}: changes", "/data/changes", [("since", cursor)])
        whole = served.print_cost(f"{change}: catalogue", "/data/catalog", since)
        served.print_cost(f"{change}: run table", "/data/run_table")
        served.print_cost(f"{change}: two run columns", "/data/run_columns", columns, 1)
        cursor = f"{whole['boot']}-{whole['generation']}"
        since = [("plugin", "scalar"), ("since", cursor)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--tags", type=int, default=1000)
    parser.add_argument("--only", choices=("local", "grpc"))
    options = parser.parse_args(arguments)
    tags = tag_names(options.tags)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        place = Path(directory)
        print(describe_machine(place))
        print(f"{'':7}{'':34}{'host CPU ms':>10}{'server':>10}{'received kB':>12}")
        for source in ("local", "grpc"):
            if options.only in (None, source):
                logdir = place / source
                with (
                    write_logs(logdir, options.runs, tags) as writer,
                    hosted(source, logdir, place / "cache") as served,
                ):
                    _measure(served, logdir, tags, writer)


if __name__ == "__main__":
    main()
