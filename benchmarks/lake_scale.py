"""A lake of 100,000 runs behind a slow store: ``python -m benchmarks.lake_scale [--sweeps N] [--keep DIR]``.

Simulated: 250 runs x 20 tags x 5000 points are made and stored once, 25 million points. Each of the 400
segments has runs and series of its own, and its points are a hard link to that file under a key of its own.
So the lake has 10 billion points by its tables, and the host cannot know that they repeat. The store is a
server of this machine that answers GET of ranges and lists as S3 does, each 20 ms later. It and the host
share the processors.

Measured from outside the host, over HTTP: the run table, series, cards and bands, the processor time of the
host and the requests to the store for each, and the memory of the host.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode
from xml.sax.saxutils import escape

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from attrs import evolve
from insight_lake.delta import LakeCommit, LakeSegment, publish
from insight_lake.sources import FoundRun
from insight_lake.store import LakeStore
from insight_lake.tables import LakeObject, write_table
from insight_lake.writing import SegmentDraft
from werkzeug.serving import WSGIRequestHandler, make_server

from benchmarks.machine import describe_machine
from benchmarks.processes import Failed, free_port, started
from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import Run, ScalarColumns, SeriesInfo, SeriesKey
from insight_core.plugin.testing import FakeProvider

RUNS, TAGS, POINTS = 250, 20, 5000
LATENCY = 0.02  # seconds
_MOST_IN_ADDRESS = 50  # parameters
_PUBLISHED = 10  # segments of a commit
_OF_A_RUN = "where run = '{run}'"
_NONE = np.zeros(0, np.int64)
_CLAIM = EventField(Dialect.TENSORBOARD, "simple_value")
_TAGS = [f"{'train' if number % 2 else 'validation'}/metric_{number:02}" for number in range(TAGS)]


# --- the lake ---------------------------------------------------------------------------------------


def run_name(sweep: int, number: int) -> str:
    return f"sweep{sweep:04}/run{number:03}"


def write_lake(place: Path, sweeps: int) -> int:
    """Writes the lake; returns the bytes of a segment, points included."""
    (place / "draft").mkdir()
    draft, store = SegmentDraft(place / "draft"), LakeStore(str(place))
    names = [run_name(0, number) for number in range(RUNS)]
    data = FakeProvider()
    for number, name in enumerate(names):
        data.add_run(Run(name, (Dialect.TENSORBOARD,), 1.7e9 + number))
    chance = np.random.default_rng(1)
    steps = np.arange(POINTS) * 10
    for tag in sorted(_TAGS):
        for number in range(RUNS):
            values = ((1 + steps) ** -0.3 + chance.normal(0, 0.02, POINTS)).astype(np.float32)
            walls = 1.7e9 + np.cumsum(chance.gamma(4, 0.05, POINTS))  # steps of training last differently
            columns = ScalarColumns(
                steps, walls, values, POINTS, POINTS, 0, POINTS, 0, (0, 0), _NONE, _NONE, (0, 0, 0)
            )
            key = SeriesKey(run_name(0, number), tag)
            info = SeriesInfo(
                key, POINTS, POINTS, 0, int(steps[-1]), float(values[-1]), walls[-1], claims=(_CLAIM,)
            )
            draft.add_series(data, "scalar", info, columns, None)
    found = {run.name: FoundRun("", 0, "/logs") for run in data.runs()}
    first = draft.store(store, draft.runs(data, found, 0.0), draft.series())
    segments = [first, *(_repeated(place, first, sweep) for sweep in range(1, sweeps))]
    for number in range(0, sweeps, _PUBLISHED):
        some = segments[number : number + _PUBLISHED]
        publish(store, lambda version, some=some: LakeCommit((), some))  # type: ignore[misc]
    return first.size


def _repeated(place: Path, first: LakeSegment, sweep: int) -> LakeSegment:
    """A segment of another sweep with the same points."""

    def of_sweep(table: pa.Table) -> pa.Table:
        names = pc.replace_substring(table["run"], "sweep0000", f"sweep{sweep:04}")
        return table.set_column(table.column_names.index("run"), "run", names)

    name = f"{sweep:032}"
    points = evolve(first.tables["scalars"], key=f"scalars/{name}.parquet")
    os.link(place / first.tables["scalars"].key, place / points.key)
    path = place / f"series/{name}.parquet"
    series = of_sweep(pq.read_table(place / first.tables["series"].key))
    write_table(path, "series", series)
    files = [points, LakeObject.of(path, f"series/{name}.parquet", len(series))]
    return LakeSegment.of(name, of_sweep(first.runs), files, first.plugins)


# --- the store --------------------------------------------------------------------------------------


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_: object) -> None:
        """Prints nothing."""


class SlowStore:
    """Answers GET of objects, ranges and lists below ``/bucket``, as S3 does; counts what it sends."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._requests = self._bytes = 0

    def __call__(self, environ: dict[str, str], start: Callable[..., object]) -> list[bytes]:
        path, query = environ["PATH_INFO"], parse_qs(environ["QUERY_STRING"])
        if path == "/-/traffic":
            body = json.dumps([self._requests, self._bytes]).encode()
            start("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        time.sleep(LATENCY)
        self._requests += 1
        if "list-type" in query:
            return self._list(query["prefix"][0].strip("/"), query.get("start-after", [""])[0], start)
        file = self._place / path.removeprefix("/bucket/")
        if not file.is_file():
            start("404 Not Found", [("Content-Length", "0")])
            return [b""]
        size = file.stat().st_size
        first, last, status = 0, size - 1, "200 OK"
        if wanted := environ.get("HTTP_RANGE"):
            low, _, high = wanted.removeprefix("bytes=").partition("-")
            first = int(low) if low else size - int(high)
            last = min(int(high), last) if low and high else last
            status = "206 Partial Content"
        with file.open("rb") as opened:
            is_head = environ["REQUEST_METHOD"] == "HEAD"
            body = b"" if is_head else os.pread(opened.fileno(), last - first + 1, first)
        self._bytes += len(body)
        headers = [
            ("Content-Length", str(last - first + 1)),
            ("Content-Range", f"bytes {first}-{last}/{size}"),
            ("ETag", f'"{size}"'),
            ("Last-Modified", "Fri, 27 Nov 2026 00:00:00 GMT"),
        ]
        start(status, headers)
        return [body]

    def _list(self, prefix: str, after: str, start: Callable[..., object]) -> list[bytes]:
        contents = "".join(
            f"<Contents><Key>{escape(f'{prefix}/{path.name}')}</Key><Size>{path.stat().st_size}</Size>"
            '<LastModified>2026-11-27T00:00:00.000Z</LastModified><ETag>"e"</ETag></Contents>'
            for path in sorted((self._place / prefix).glob("*"))
            if path.is_file() and f"{prefix}/{path.name}" > after
        )
        body = (
            '<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>'
            f"<KeyCount>1</KeyCount>{contents}</ListBucketResult>"
        ).encode()
        start("200 OK", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]


def serve_store(place: Path, port: int) -> None:
    make_server("127.0.0.1", port, SlowStore(place), threaded=True, request_handler=_Handler).serve_forever()


@contextmanager
def slow_store(place: Path) -> Iterator[int]:
    """The port of a store in a process of its own."""
    port = free_port()
    process = multiprocessing.get_context("spawn").Process(
        target=serve_store, args=(place, port), daemon=True
    )
    process.start()
    try:
        while True:
            try:
                traffic(port)
                break
            except ConnectionError:
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.join()


def traffic(port: int) -> tuple[int, int]:
    """Requests and bytes that the store has answered."""
    requests, size = json.loads(_get(port, "/-/traffic"))
    return requests, size


# --- the host ---------------------------------------------------------------------------------------


def _get(port: int, path: str, query: Sequence[tuple[str, object]] = (), body: bytes | None = None) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    address = f"{path}?{urlencode(query)}" if query else path
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    connection.request("POST" if body else "GET", address, body, headers)
    response = connection.getresponse()
    found = response.read()
    connection.close()
    if response.status != 200:
        raise Failed(f"{path}: {response.status} {found[:300]!r}")
    return found


def measure(place: Path, sweeps: int, rounds: int) -> None:
    """Prints a line for each figure."""
    with slow_store(place) as store:
        port = free_port()
        environment = {
            **os.environ,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }
        command = [sys.executable, "-m", "insight_core.cli", "--data-provider", "lake:s3://bucket"]
        chance = random.Random(1)

        def ask(
            what: str, path: str, query: Callable[[], Sequence[tuple[str, object]]], times: int = rounds
        ) -> None:
            seconds, requests, sizes, work = [], [], [], []
            for _ in range(times):
                asked = query()
                before, began, worked = traffic(store), time.monotonic(), program.processor_time()
                if len(asked) > _MOST_IN_ADDRESS:
                    _get(port, path, body=urlencode(asked).encode())
                else:
                    _get(port, path, asked)
                seconds.append(time.monotonic() - began)
                work.append(program.processor_time() - worked)
                after = traffic(store)
                requests.append(after[0] - before[0])
                sizes.append(after[1] - before[1])
            print(
                f"{what:44}{statistics.median(seconds) * 1e3:9.0f} ms (most {max(seconds) * 1e3:6.0f})"
                f"{statistics.median(work) * 1e3:8.0f} ms of CPU"
                f"{statistics.median(requests):6.0f} GETs (most {max(requests)})"
                f"{statistics.median(sizes) / 1e6:8.2f} MB   {program.peak_memory():6.0f} MB",
                flush=True,
            )

        def series_of(count: int, spread: bool) -> Callable[[], list[tuple[str, object]]]:
            def query() -> list[tuple[str, object]]:
                tag = chance.choice(_TAGS)
                sweep = chance.randrange(sweeps)
                numbers = chance.sample(range(RUNS), count)
                if spread:
                    places = chance.sample(range(sweeps), min(count, sweeps))
                    names = [run_name(place, number) for place, number in zip(places, numbers, strict=False)]
                else:
                    names = [run_name(sweep, number) for number in numbers]
                return [("tag", tag), *(("run", name) for name in names)]

            return query

        with started(
            [*command, f"--port={port}", "--no-cache"], port=port, environment=environment
        ) as program:
            program.wait(lambda: _answers(port), pause=0.01, patience=600)
            print(
                f"{'from the start to the first run table':44}{program.elapsed():9.2f} s"
                f"{program.processor_time():17.2f} s of CPU {traffic(store)[0]:5} GETs",
                flush=True,
            )
            ask("run table", "/data/run_table", list, 3)
            wide = ("width", 1000)
            ask("series", "/data/plugin/scalar/series", lambda: [*series_of(1, False)(), wide], 5 * rounds)
            ask("40 series of a sweep", "/data/plugin/scalar/series", lambda: [*series_of(40, False)(), wide])
            ask(
                "40 series of 40 sweeps", "/data/plugin/scalar/series", lambda: [*series_of(40, True)(), wide]
            )
            band = ("group", "(sweep)")
            path = "/data/plugin/scalar/bands"
            ask("band over 200 runs of a sweep", path, lambda: [*series_of(200, False)(), band, wide])
            ask("band over 200 runs of 200 sweeps", path, lambda: [*series_of(200, True)(), band, wide])
            ask("list of all series: tags", "/data/catalog", lambda: [("plugin", "scalar")], 1)

            def sql(text: str) -> Callable[[], list[tuple[str, object]]]:
                return lambda: [("sql", text.format(run=run_name(chance.randrange(sweeps), 7), tag=_TAGS[3]))]

            counts = "select tag, count(*), min(value), max(value), max(step) from scalars {} group by tag"
            path = "/data/plugin/query/sql"
            ask("SQL: counts and extremes of each tag", path, sql(counts.format("")), 3)
            ask("SQL: those of each tag of a run", path, sql(counts.format(_OF_A_RUN)))
            mean = f"select avg(value) from scalars {_OF_A_RUN} and tag = '{{tag}}'"
            ask("SQL: average of a series", path, sql(mean))
            try:
                ask("SQL: average of all", path, sql("select avg(value) from scalars"), 1)
            except Failed as refused:
                print(f"SQL: average of all: {refused}")


def _answers(port: int) -> bool:
    try:
        return len(json.loads(_get(port, "/data/run_table"))["runs"]) > 0
    except (ConnectionError, Failed):
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--sweeps", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="keeps the lake in this directory")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = given.keep or Path(temporary) / "lake"
        if not place.is_dir():
            place.mkdir(parents=True)
            began = time.monotonic()
            size = write_lake(place, given.sweeps)
            a_point = size / (RUNS * TAGS * POINTS)
            print(f"written in {time.monotonic() - began:.1f} s; {a_point:.2f} bytes a point")
        print(describe_machine(place))
        runs = given.sweeps * RUNS
        print(f"{runs:,} runs, {runs * TAGS:,} series, {runs * TAGS * POINTS:,} points (simulated)")
        measure(place, given.sweeps, given.rounds)


if __name__ == "__main__":
    main()
