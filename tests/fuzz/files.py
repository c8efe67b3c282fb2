"""Fuzz targets: event files, metric logs and profiles, as the loader reads them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from io import BytesIO

from insight_authoring.testing import wire
from insight_core.ingest.log_file import blocks_of
from insight_core.ingest.scanner.scanner import CHUNK
from insight_core.plugin import Dialect, Flaw, Points
from tests.fuzz.decoders import LOGS
from tests.fuzz.target import Target, documented
from tests.scanner.both_scanners import check
from tests.support.damaged_logdir import scalar_record, version_record

_RAW, _MINDSPORE, _IN_PIECES, _TWICE = 1, 2, 4, 8  # bits of the first byte


def scan(data: bytes) -> None:
    """Both scanners give the same; the first byte chooses framing, dialect and the size of a read."""
    if not data:
        return
    mode, rest = data[0], data[1:]
    file = rest if mode & _RAW else version_record() + wire.record(rest) * (2 if mode & _TWICE else 1)
    check(
        file,
        [len(file)],
        Dialect.MINDSPORE if mode & _MINDSPORE else Dialect.TENSORBOARD,
        64 if mode & _IN_PIECES else CHUNK,
    )


def _events() -> Iterator[bytes]:
    event = wire.event(3, 1.5, wire.summary([wire.scalar_value("loss", 2.0)]))
    tensor = wire.event(4, 2.5, wire.summary([wire.tensor_value("loss", wire.number_tensor(2.0))]))
    for mode in range(16):
        yield bytes([mode & ~_RAW]) + event
        yield bytes([mode & ~_RAW]) + tensor
    yield bytes([_RAW]) + version_record() + scalar_record(1) + scalar_record(2)
    for path in sorted(LOGS.rglob("events.out.*")):
        yield bytes([_RAW | _MINDSPORE * ("mindspore" in str(path))]) + path.read_bytes()[:2000]


def read_metrics(data: bytes) -> None:
    """A reader of a log format, called until it stays where it is; the first byte chooses it."""
    from insight_metric_logs import FORMATS

    if not data:
        return
    log_format, stream, state = FORMATS[data[0] % len(FORMATS)], _Named(data[1:]), None
    for _ in range(len(data) + 2):
        began = stream.tell()
        with documented(ValueError):
            items, state = log_format.read(stream, state)
            blocks_of([each for each in items if isinstance(each, Points)])
            assert all(0 <= each.offset <= len(data) for each in items if isinstance(each, Flaw))
        state = json.loads(json.dumps(state, allow_nan=False))
        assert stream.tell() >= began
        if stream.tell() == began:
            return
    raise AssertionError("reading does not end")


class _Named(BytesIO):
    name = "plots/metrics/train/loss.tsv"


def _metrics() -> Iterator[bytes]:
    yield b"\0epoch,step,train_loss,val\n0,1,0.5,\n0,2,nan,7\n"
    yield b"\1step\tloss\ttimestamp\n0\t0.5\t1700000000\n1\t0.25\t1700000001\n"
    history = [{"epoch": 0.5, "step": 1, "loss": 2.0}, {"step": 2, "eval_loss": 1e-3}]
    yield b"\2" + json.dumps({"log_history": history, "global_step": 2}).encode()
    yield b'\3{"step": 1, "loss": 0.5, "timestamp": 1.5}\n{"step": 2, "train": {"loss": NaN}}\n'


def _profile(source: str, files: Mapping[str, bytes]) -> None:
    from insight_profiler.building import Building, Unreadable
    from insight_profiler.files import Files
    from insight_profiler.model import Source
    from insight_profiler.reading import READERS

    opened = Files({name: len(data) for name, data in files.items()}, lambda name: BytesIO(files[name]))
    building = Building(Source(source))
    with documented(Unreadable, OSError):
        READERS[building.source](opened, building)
        profile = building.finish()
        for name, table in profile.tables.items():
            assert len(set(map(len, table.values()))) <= 1, name


def read_xplane(data: bytes) -> None:
    """An XPlane file of TensorFlow and JAX."""
    _profile("xplane", {"host.xplane.pb": data})


def read_trace(data: bytes) -> None:
    """A trace of PyTorch or of any other program, as JSON or packed; the first byte chooses."""
    if data:
        name = "t.pt.trace.json.gz" if data[0] & 2 else "t.pt.trace.json"
        _profile("torch" if data[0] & 1 else "chrome", {name: data[1:]})


def _xplane() -> Iterator[bytes]:
    from insight_profiler.reading.xplane import MESSAGES

    space = MESSAGES.new("Space")
    plane = space.planes.add(name=b"/device:GPU:0")
    plane.event_metadata.add(key=1).value.name = b"fusion"
    line = plane.lines.add(name=b"Steps", timestamp_ns=5)
    for place in range(3):
        line.events.add(metadata_id=1, offset_ps=1000 * place, duration_ps=500)
    yield space.SerializeToString()
    (real,) = LOGS.rglob("*.xplane.pb")
    yield real.read_bytes()[:4000]


def _traces() -> Iterator[bytes]:
    events = [
        {"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1.5, "dur": 4, "args": {"x": 1}},
        {"ph": "X", "name": "k", "cat": "kernel", "pid": 0, "tid": 7, "ts": 2, "dur": 1},
        {"ph": "B", "name": "b", "pid": 1, "tid": 2, "ts": 2},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 3},
        {"ph": "s", "id": 1, "name": "f", "cat": "ac2g", "pid": 1, "tid": 1, "ts": 2},
        {"ph": "f", "id": 1, "name": "f", "cat": "ac2g", "pid": 0, "tid": 7, "ts": 2, "bp": "e"},
        {"ph": "C", "name": "mem", "pid": 1, "ts": 2, "args": {"bytes": 5}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
        {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2, "args": {"Addr": 1, "Bytes": 2}},
    ]
    whole = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    for mode in (0, 1):
        yield bytes([mode]) + whole
        yield bytes([mode]) + json.dumps(events).encode()
    yield b"\2" + gzip.compress(whole, mtime=0)


TARGETS = [
    Target("events", scan, _events),
    Target("metric_logs", read_metrics, _metrics),
    Target("xplane", read_xplane, _xplane),
    Target("traces", read_trace, _traces),
]
