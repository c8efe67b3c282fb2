"""Writes logdirs of a known size: ``python -m benchmarks.corpus wide DIR``.

deep       1 run x 5 tags x 400,000 steps: one long training, as torch writes it
wide       100 runs x 20 tags x 1000 steps, as TensorFlow 2 writes them (metadata with every value)
many       1000 runs x 10 tags x 50 steps: a search over hyper-parameters
blobs      4 runs x 5 tags x 100 images of 1 MB that do not compress, as torch's add_image writes them: 2 GB
mindspore  wide in MindSpore's dialect
mindspore_tenth  the first 10 runs of it
million    1,000,000 points in one series
very_deep  10,000,000 points in one series
pictures   20,000 images of 64 x 64 pixels in one series
histograms 5 series x 2,000 histograms, as torch writes them
tensors    2,000 tensors of 1 MB in one series, as MindSpore writes them: 2 GB
large_tensor  4 tensors of 10,000,000 values
graph_100k    a graph of 100,000 nodes, as TensorFlow writes it
graph_million a graph of 1,000,000 nodes
graph_mindspore  one of 1,000,000 nodes, 1,750,000 edges, as MindSpore writes it
trace_111     a trace of torch.profiler of 111 MB
trace_gigabyte  one of 1 GB
trace_5_gigabytes  a recorded trace of a GPU, its events again and again: 5 GB
snapshot_172  a memory snapshot of PyTorch of 172 MB
snapshot_gigabyte  one of 1 GB
snapshot_5_gigabytes  one of 5 GB
ranks_64   64 ranks of a job, a trace of torch.profiler of 100 MB each: 6.4 GB
ranks_1024 1,024 ranks of a job, small traces of 20 steps
search     10,000 short MindSpore runs, each with 30 columns of lineage
hundred_million  50 runs x 5 tags x 400,000 steps; this and the next three: hard links to the file of one run
grid       1000 runs x 1000 tags x 20 steps
many_runs  20,000 runs x 10 tags x 50 steps
short_runs 100,000 runs x 2 tags x 2 steps
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import shutil
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from benchmarks.cluster_traces import write_slow_job
from benchmarks.repeated_trace import repeat
from benchmarks.snapshots import write_snapshot
from benchmarks.traces import write_trace
from insight_authoring.testing.scalar_block import Form
from insight_authoring.testing.wire import encoded_varint, event, message_field, record
from insight_core.plugin import Dialect
from insight_core.plugin.testing import EventWriter
from tests.support.graphs import large_mindspore_graph, large_tensorflow_graph
from tests.support.pictures import png

_BLOCK = 50_000  # steps written at a time
_MOST_LINKS = 50_000  # to one file: ext4 has no more than 65,000
_START = 1_700_000_000.0
_GRAPHS = {Dialect.TENSORBOARD: large_tensorflow_graph, Dialect.MINDSPORE: large_mindspore_graph}
_REVISION = 1  # of what is written for the same Corpus


Kind: TypeAlias = Literal[
    "scalar",
    "blob",
    "image",
    "histogram",
    "tensor",
    "graph",
    "lineage",
    "trace",
    "repeated_trace",
    "ranks",
    "snapshot",
]
PLUGINS: dict[Kind, str] = {
    "blob": "image",
    "lineage": "scalar",
    "trace": "profiler",
    "repeated_trace": "profiler",
    "ranks": "profiler",
    "snapshot": "profiler",
}  # that show it, where they are named otherwise

_RECORDED = Path(__file__).parents[1] / "plugins/demo/insight_demo/logs/resnet18/before.pt.trace.json.gz"


@frozen
class Corpus:
    """``runs`` of ``tags`` series of ``steps`` points each.

    ``size`` is the bytes of a blob (an image that is none), the pixels of an image each way, the values of
    a tensor, those that a histogram counts, the nodes of a graph, the columns of the lineage that a run has
    in addition to its scalars, or the megabytes of a trace or memory snapshot; the ranks of a job are its
    ``tags``. With ``linked`` the files of all runs are hard links to that of the first.
    """

    runs: int
    tags: int
    steps: int
    dialect: Dialect = Dialect.TENSORBOARD
    form: Form = "simple"
    kind: Kind = "scalar"
    size: int = 0
    linked: bool = False

    @property
    def points(self) -> int:
        return self.runs * self.tags * self.steps

    @property
    def plugin(self) -> str:
        return PLUGINS.get(self.kind, self.kind)


CORPORA = {
    "deep": Corpus(runs=1, tags=5, steps=400_000),
    "wide": Corpus(runs=100, tags=20, steps=1000, form="tf2"),
    "many": Corpus(runs=1000, tags=10, steps=50),
    "blobs": Corpus(runs=4, tags=5, steps=100, kind="blob", size=1 << 20),
    "mindspore": Corpus(runs=100, tags=20, steps=1000, dialect=Dialect.MINDSPORE),
    "mindspore_tenth": Corpus(runs=10, tags=20, steps=1000, dialect=Dialect.MINDSPORE),
    "million": Corpus(runs=1, tags=1, steps=1_000_000),
    "very_deep": Corpus(runs=1, tags=1, steps=10_000_000),
    "pictures": Corpus(runs=1, tags=1, steps=20_000, kind="image", size=64),
    "histograms": Corpus(runs=1, tags=5, steps=2000, kind="histogram", size=10_000),
    "tensors": Corpus(1, 1, 2000, Dialect.MINDSPORE, kind="tensor", size=250_000),
    "graph_100k": Corpus(1, 1, 1, kind="graph", size=100_000),
    "graph_million": Corpus(1, 1, 1, kind="graph", size=1_000_000),
    "graph_mindspore": Corpus(1, 1, 1, Dialect.MINDSPORE, kind="graph", size=777_000),
    "large_tensor": Corpus(1, 1, 4, Dialect.MINDSPORE, kind="tensor", size=10_000_000),
    "trace_111": Corpus(1, 1, 1, kind="trace", size=111),
    "trace_gigabyte": Corpus(1, 1, 1, kind="trace", size=1000),
    "trace_5_gigabytes": Corpus(1, 1, 1, kind="repeated_trace", size=5000),
    "snapshot_172": Corpus(1, 1, 1, kind="snapshot", size=172),
    "snapshot_gigabyte": Corpus(1, 1, 1, kind="snapshot", size=1000),
    "snapshot_5_gigabytes": Corpus(1, 1, 1, kind="snapshot", size=5000),
    "ranks_64": Corpus(1, 64, 1, kind="ranks", size=100),
    "ranks_1024": Corpus(1, 1024, 1, kind="ranks"),
    "search": Corpus(10_000, 3, 5, Dialect.MINDSPORE, kind="lineage", size=30),
    "hundred_million": Corpus(runs=50, tags=5, steps=400_000, linked=True),
    "grid": Corpus(runs=1000, tags=1000, steps=20, linked=True),
    "many_runs": Corpus(runs=20_000, tags=10, steps=50, linked=True),
    "short_runs": Corpus(runs=100_000, tags=2, steps=2, linked=True),
}


@frozen
class WrittenCorpus:
    """A corpus on disk."""

    name: str
    content: Corpus
    logdir: Path
    size: int  # bytes


def kept_corpus(name: str, directory: Path) -> WrittenCorpus:
    """The corpus below ``directory``, written now unless it is there from before."""
    corpus = CORPORA[name]
    digest = hashlib.sha256(f"{_REVISION} {corpus}".encode()).hexdigest()[:8]
    logdir = directory / f"{name}-{digest}"
    if not logdir.is_dir():
        unfinished = directory / f"{logdir.name}.unfinished-{os.getpid()}"
        try:
            write_corpus(corpus, unfinished)
            unfinished.rename(logdir)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return WrittenCorpus(name, corpus, logdir, sum(file.stat().st_size for file in event_files(logdir)))


def event_files(logdir: Path) -> list[Path]:
    return sorted(path for path in logdir.rglob("*") if path.is_file())


def write_corpus(corpus: Corpus, logdir: Path, *, seed: int = 0) -> None:
    """Writes the corpus below ``logdir``, which is made if missing."""
    random = np.random.default_rng(seed)
    if corpus.kind == "trace":
        (logdir / run_name(0)).mkdir(parents=True)
        write_trace(logdir / run_name(0) / "worker.pt.trace.json", corpus.size)
        return
    if corpus.kind == "repeated_trace":
        (logdir / run_name(0)).mkdir(parents=True)
        repeat(_RECORDED, corpus.size, logdir / run_name(0) / "worker.pt.trace.json")
        return
    if corpus.kind == "snapshot":
        (logdir / run_name(0)).mkdir(parents=True)
        write_snapshot(logdir / run_name(0) / "memory.pickle", corpus.size)
        return
    if corpus.kind == "ranks":
        write_slow_job(logdir / run_name(0), corpus.tags, corpus.size)
        return
    for number in range(1 if corpus.linked else corpus.runs):
        start_time = _START + 100 * number
        with EventWriter(logdir / run_name(number), corpus.dialect, start_time=start_time) as writer:
            if corpus.kind in ("scalar", "lineage"):
                _write_scalars(writer, corpus, random)
            elif corpus.kind == "graph":
                writer.event(event(0, start_time, message_field(4, _GRAPHS[corpus.dialect](corpus.size))))
            else:
                _write_payloads(writer, corpus, random)
        if corpus.kind == "lineage":
            name = f"events.out.events.summary.{int(start_time)}.0.host_lineage"
            (logdir / run_name(number) / name).write_bytes(_lineage(corpus.size, random))
    if corpus.linked:
        _link_runs(corpus, logdir)


def _link_runs(corpus: Corpus, logdir: Path) -> None:
    [file] = event_files(logdir)
    for number in range(1, corpus.runs):
        directory = logdir / run_name(number)
        directory.mkdir()
        link = directory / file.name
        if number % _MOST_LINKS:
            link.hardlink_to(file)
        else:
            file = Path(shutil.copy2(file, link))


def run_name(number: int) -> str:
    return f"run_{number:04d}"


def tag_names(count: int) -> list[str]:
    """``train/metric_00``, ``validation/metric_01`` and so on: two groups."""
    return [f"{'train' if number % 2 == 0 else 'validation'}/metric_{number:02d}" for number in range(count)]


def _write_scalars(writer: EventWriter, corpus: Corpus, random: np.random.Generator) -> None:
    tags = tag_names(corpus.tags)
    for first in range(0, corpus.steps, _BLOCK):
        steps = np.arange(first, min(first + _BLOCK, corpus.steps))
        wall_times = writer.start_time + steps * 0.25
        writer.scalar_block(tags, steps, _curves(steps, corpus, random), wall_times, form=corpus.form)


def _curves(steps: NDArray[np.int64], corpus: Corpus, random: np.random.Generator) -> NDArray[np.float64]:
    """Falling, noisy curves, a little different for every tag."""
    rates = np.linspace(0.2, 0.6, corpus.tags)
    noise = random.normal(0.0, 0.02, (len(steps), corpus.tags))
    curves: NDArray[np.float64] = (1.0 + steps[:, None]) ** -rates + noise
    return curves


def _write_payloads(writer: EventWriter, corpus: Corpus, random: np.random.Generator) -> None:
    values = _values(corpus, random)
    for step in range(corpus.steps):
        for tag in tag_names(corpus.tags):
            if corpus.kind == "blob":
                writer.image(tag, step, random.bytes(corpus.size), 1024, 1024)
            elif corpus.kind == "image":
                writer.image(tag, step, next(values), corpus.size, corpus.size)
            elif corpus.kind == "histogram":
                writer.histogram(tag, step, next(values))
            else:
                writer.tensor(tag, step, next(values))


def _lineage(columns: int, random: np.random.Generator) -> bytes:
    """A lineage file: eight columns of training; metrics and what the user added, half and half."""

    def double(number: int, value: float) -> bytes:
        return encoded_varint(number << 3 | 1) + struct.pack("<d", value)

    def whole(number: int, value: int) -> bytes:
        return encoded_varint(number << 3) + encoded_varint(value)

    part = message_field
    hyper = part(1, (b"Adam", b"SGD", b"Momentum")[random.integers(3)]) + part(3, b"CrossEntropy")
    hyper += double(2, 10.0 ** random.uniform(-4, -1)) + whole(4, int(random.integers(1, 90)))
    hyper += whole(8, 2 ** int(random.integers(3, 9)))
    trained = part(1, hyper) + part(2, whole(2, 50_000)) + part(3, part(1, b"ResNet")) + part(4, whole(4, 9))
    metrics = {f"metric_{number:02d}": float(random.random()) for number in range((columns - 8) // 2)}
    custom = b""
    for number in range(columns - 8 - len(metrics)):
        custom += part(1, part(5, part(1, b"custom_%02d" % number) + double(2, float(random.normal()))))
    events = part(6, trained), part(7, part(2, json.dumps(metrics).encode())), part(10, custom)
    return b"".join(map(record, events))


def _values(corpus: Corpus, random: np.random.Generator) -> Iterator[Any]:
    """Pictures of a slope with noise, or normal distributions that move and widen."""
    noise = random.standard_normal(max(corpus.size, 1 << 16), np.float32)
    slope = np.linspace(0, 200, corpus.size)
    for number in itertools.count():
        if corpus.kind == "image":
            pixels = slope[:, None, None] + slope[None, :, None] / 2 + number % 50
            pixels = pixels + np.roll(noise, number)[: corpus.size**2].reshape(corpus.size, -1, 1) * 9
            yield png(np.broadcast_to(pixels, (corpus.size, corpus.size, 3)).clip(0, 255).astype(np.uint8))
        else:
            share = number / corpus.points
            values = np.roll(noise, number)[: corpus.size] * np.float32(1 + share) + np.float32(share)
            yield values.reshape(-1, 1000) if corpus.size % 1000 == 0 else values


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", choices=CORPORA)
    parser.add_argument("logdir", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.logdir.exists() and any(options.logdir.iterdir()):
        parser.error(f"{options.logdir} is not empty")
    corpus, began = CORPORA[options.corpus], time.perf_counter()
    write_corpus(corpus, options.logdir, seed=options.seed)
    size = sum(file.stat().st_size for file in event_files(options.logdir))
    print(
        f"{corpus.points:,} points in {corpus.runs} runs, {size / 1e6:.1f} MB, "
        f"{time.perf_counter() - began:.1f} s: {options.logdir}"
    )


if __name__ == "__main__":
    main()
