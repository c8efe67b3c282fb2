"""Files that plugins take by their names, whichever provider is asked."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import insight_scalar
import pytest
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.client.rust_server import rust_server

from insight_core.ingest import claimed_files as named_files
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import (
    CachePolicy,
    Dialect,
    EventField,
    FileName,
    InsightError,
    InvalidArgument,
    NotFound,
    Plugin,
    RecordDecoder,
)
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers import payload_streams as payload_pieces
from insight_core.providers.child import ChildLink
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.providers.merged import MergedProvider
from insight_core.rpc.serving import serve
from tests.waiting import eventually

TRACE, GRAPH = FileName("**/*.trace.json"), FileName("*.pb")
FIELD = EventField(Dialect.TENSORBOARD, "graph_def")
PLUGINS = [
    insight_scalar.insight_plugin(),
    Plugin("trace", "Traces", decoder=RecordDecoder({TRACE})),
    Plugin("graph", "Graphs", decoder=RecordDecoder({GRAPH, FIELD})),
]
KEY = SeriesKey("run", "deep/a.trace.json")
Open = Callable[..., DataProvider]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def local(directory: Path, opened: ExitStack, **options: object) -> LocalProvider:
    provider = LocalProvider([Logdir(str(directory))], PLUGINS, **options)  # type: ignore[arg-type]
    opened.callback(provider.close)
    return provider


def over_grpc(provider: DataProvider, opened: ExitStack) -> InsightProvider:
    server = serve(provider, "127.0.0.1", 0, version="test")
    opened.callback(server.stop)
    client = InsightProvider(Link(f"127.0.0.1:{server.port}"))
    opened.callback(client.close)
    client.start()
    eventually(client.generation)
    return client


@pytest.fixture(params=["local", "insight", "merged"])
def open_provider(request: pytest.FixtureRequest, tmp_path: Path, opened: ExitStack) -> Open:
    """Opens a provider of what was written, loaded; ``live``: it follows what is appended."""

    def open_(*, live: bool = False) -> DataProvider:
        provider = local(tmp_path, opened, reload_interval=0.05 if live else 0)
        provider.load()
        if request.param == "merged":
            merged = MergedProvider([local(tmp_path / "nothing", opened), provider])
            opened.callback(merged.close)
            merged.start()
            return merged
        if live:
            provider.start()
        return over_grpc(provider, opened) if request.param == "insight" else provider

    return open_


def write(path: Path, data: bytes, seconds: float | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if seconds is not None:
        os.utime(path, ns=(0, int(seconds * 1000) * 1_000_000))
    return path


def tags(provider: DataProvider, plugin: str = "trace") -> set[tuple[str, str]]:
    return {(info.key.run, info.key.tag) for info in provider.series(plugin)}


def test_a_file_is_a_series_of_one_record(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    write(tmp_path / "run/deep/a.trace.json", b"0123456789", 1_600_000_000.25)
    write(tmp_path / "run/g.pb", b"")
    write(tmp_path / "alone/g.pb", b"graph")
    provider = open_provider()
    assert {run.name: (run.dialects, run.start_time is None, run.loading) for run in provider.runs()} == {
        "run": ((Dialect.TENSORBOARD,), False, False),
        "alone": ((), True, False),
    }
    assert provider.plugins() == {"scalar", "trace", "graph"}
    [info] = provider.series("trace")
    assert (info.key, info.points, info.kept, info.first_step, info.last_step) == (KEY, 1, 1, 0, 0)
    assert (info.last_wall_time, info.claims) == (1_600_000_000.25, (TRACE,))
    table = provider.records("trace", KEY)
    assert (table.steps.tolist(), table.sizes.tolist()) == ([0], [10])
    assert table.wall_times.tolist() == [1_600_000_000.25]
    payload = provider.payload("trace", KEY, 0)
    assert (payload.data, payload.claim) == (b"0123456789", TRACE)
    assert provider.payload("trace", KEY, 0, "all", limit=3).data == b"012"
    assert provider.payload("trace", KEY, 0, limit=30).data == b"0123456789"
    assert tags(provider, "graph") == {("run", "g.pb"), ("alone", "g.pb")}
    assert provider.payload("graph", SeriesKey("run", "g.pb"), 0).data == b""
    with pytest.raises(NotFound):
        provider.payload("trace", KEY, 1)
    with pytest.raises(NotFound):
        provider.open_payload("graph", KEY, 0)
    assert provider.damage() == []


def test_a_payload_is_read_in_pieces(open_provider: Open, tmp_path: Path) -> None:
    data = os.urandom(9 << 20)
    write(tmp_path / "run/g.pb", gzip.compress(data, 1))
    write(tmp_path / "run/e.pb", b"")
    with EventWriter(tmp_path / "run") as writer:
        writer.event(b"\x22\x02\x0a\x00")
    provider = open_provider()
    with provider.open_payload("graph", SeriesKey("run", "g.pb"), 0) as stream:
        assert (stream.size, stream.claim) == ((tmp_path / "run/g.pb").stat().st_size, GRAPH)
        assert gzip.GzipFile(fileobj=stream.file).read() == data
        assert stream.file.read() == b""
    assert stream.file.closed
    with provider.open_payload("graph", SeriesKey("run", "g.pb"), 0, "all") as stream:
        assert stream.file.read(2) == b"\x1f\x8b"  # the rest is not wanted
    with provider.open_payload("graph", SeriesKey("run", "e.pb"), 0) as stream:
        assert (stream.size, stream.file.read()) == (0, b"")
    with provider.open_payload("graph", SeriesKey("run", "__run_graph__"), 0) as stream:
        assert (stream.size, stream.file.read(), stream.claim) == (2, b"\x0a\x00", FIELD)


PARTS = [(0, 0), (0, 4), (3, 4), (7, 100), (7, None), (10, None), (99, 1)]


def test_a_part_of_a_file(open_provider: Open, tmp_path: Path) -> None:
    write(tmp_path / "run/g.pb", b"0123456789")
    provider, key = open_provider(), SeriesKey("run", "g.pb")
    for offset, length in PARTS:
        with provider.open_payload("graph", key, 0, offset=offset, length=length) as stream:
            end = None if length is None else offset + length
            assert (stream.size, stream.file.read()) == (10, b"0123456789"[offset:end])


def test_what_is_too_large_comes_in_pieces_only(
    open_provider: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(payload_pieces, "MOST_AT_ONCE", 1000)
    write(tmp_path / "run/g.pb", bytes(1001))
    provider, key = open_provider(), SeriesKey("run", "g.pb")
    with pytest.raises(InvalidArgument, match=r"1,001 bytes.*in pieces"):
        provider.payload("graph", key, 0)
    assert len(provider.payload("graph", key, 0, limit=1001).data) == 1001
    with provider.open_payload("graph", key, 0) as stream:
        assert len(stream.file.read()) == 1001


def test_new_changed_replaced_and_removed_files_are_told(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    provider = open_provider(live=True)
    eventually(lambda: provider.series("scalar"))
    assert tags(provider) == set()

    def told(act: Callable[[], object], holds: Callable[[], object]) -> set[SeriesKey] | None:
        """The traces that changes told of while something was done."""
        since = provider.generation()
        act()
        eventually(holds)
        eventually(lambda: provider.changes(since).series != {})
        series = provider.changes(since).series
        return None if series is None else set(series.get("trace", ()))

    path = tmp_path / "run/deep/a.trace.json"
    assert told(lambda: write(path, b"one"), lambda: tags(provider)) in ({KEY}, None)
    assert provider.payload("trace", KEY, 0).data == b"one"

    grown = told(lambda: write(path, b"one and two"), lambda: _size(provider) == 11)
    assert grown == {KEY}
    other = write(tmp_path / "other", b"another one", 1_600_000_000)
    assert told(lambda: os.replace(other, path), lambda: _time(provider) == 1_600_000_000) in ({KEY}, None)
    assert provider.payload("trace", KEY, 0).data == b"another one"
    assert provider.records("trace", KEY).sizes.tolist() == [11]

    told(path.unlink, lambda: not tags(provider))
    assert tags(provider) == set()
    assert [info.points for info in provider.series("scalar")] == [1]
    with pytest.raises(NotFound):
        provider.payload("trace", KEY, 0)


def _size(provider: DataProvider) -> int:
    return int(provider.records("trace", KEY).sizes[0])


def _time(provider: DataProvider) -> float:
    return float(provider.records("trace", KEY).wall_times[0])


def test_a_run_of_files_alone_comes_and_goes(open_provider: Open, tmp_path: Path) -> None:
    provider = open_provider(live=True)
    path = write(tmp_path / "traces/a.trace.json", b"one")
    eventually(lambda: tags(provider) == {("traces", "a.trace.json")})
    assert [run.name for run in provider.runs()] == ["traces"]
    with EventWriter(tmp_path) as writer:  # now there is a nearer home for it
        writer.scalar("loss", 0, 1.0)
    eventually(lambda: tags(provider) == {(".", "traces/a.trace.json")})
    eventually(lambda: [run.name for run in provider.runs()] == ["."])
    path.unlink()
    eventually(lambda: not tags(provider))


def test_a_file_that_is_gone_is_said_to_be(open_provider: Open, tmp_path: Path) -> None:
    path = write(tmp_path / "run/deep/a.trace.json", b"one")
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    provider = open_provider()
    path.unlink()
    gone = "No such file|has no records under"  # which of them depends on who looks first
    with pytest.raises(InsightError, match=gone):
        provider.payload("trace", KEY, 0)
    with pytest.raises(InsightError, match=gone):
        provider.open_payload("trace", KEY, 0)


def test_a_file_that_is_cut_while_it_is_read_is_no_shorter_one(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "g.pb", bytes(10 << 20))
    provider = local(tmp_path, opened)
    provider.load()
    with provider.open_payload("graph", SeriesKey(".", "g.pb"), 0) as stream:
        assert len(stream.file.read(2 << 20)) == 2 << 20
        os.truncate(path, 3 << 20)
        with pytest.raises(InsightError, match="ended after"):
            stream.file.read()
    write(path, bytes(1 << 20))
    with provider.open_payload("graph", SeriesKey(".", "g.pb"), 0) as stream:
        write(path, bytes(2 << 20))
        assert len(stream.file.read()) == stream.size == 1 << 20


def test_a_stream_over_grpc_that_breaks_is_no_shorter_payload(tmp_path: Path, opened: ExitStack) -> None:
    write(tmp_path / "g.pb", bytes(200 << 20))
    provider = local(tmp_path, opened)
    provider.load()
    server = serve(provider, "127.0.0.1", 0, version="test")
    client = InsightProvider(Link(f"127.0.0.1:{server.port}"))
    opened.callback(client.close)
    client.start()
    eventually(client.generation)
    with client.open_payload("graph", SeriesKey(".", "g.pb"), 0) as stream:
        assert len(stream.file.read(1 << 20)) == 1 << 20
        stopped = threading.Thread(target=server.stop)
        stopped.start()
        with pytest.raises(InsightError):
            stream.file.read()
        stopped.join()


def test_what_may_not_be_read_is_damage_until_it_may(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbidden = {str(write(tmp_path / "run/g.pb", b"graph"))}
    monkeypatch.setattr(named_files, "_is_forbidden", lambda path: path in forbidden)
    provider = local(tmp_path, opened, reload_interval=0)
    provider.load()
    [damage] = provider.damage()
    assert (damage.run, damage.file, damage.reason) == (
        "run",
        "run/g.pb",
        "cannot be read: Permission denied",
    )
    assert [run.damage for run in provider.runs()] == [1]
    assert tags(provider, "graph") == {("run", "g.pb")}
    forbidden.clear()
    provider.load()
    assert provider.damage() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permissions_are_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path / "g.pb", b"graph")
    assert not named_files._is_forbidden(str(path))
    path.chmod(0)
    assert named_files._is_forbidden(str(path))
    assert not named_files._is_forbidden(str(tmp_path / "nothing"))


def test_claimed_files_are_served_with_the_rust_server(tmp_path: Path, opened: ExitStack) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    write(tmp_path / "run/deep/a.trace.json", b"one")
    write(tmp_path / "run/g.pb", b"graph")
    rust = TensorBoardProvider(ChildLink([rust_server(), f"--logdir={tmp_path}"]), PLUGINS, interval=0.1)
    mindspore = Logdir(str(tmp_path), dialects=frozenset({Dialect.MINDSPORE}))
    provider = MergedProvider([rust, LocalProvider([mindspore], PLUGINS, reload_interval=0.05)])
    opened.callback(provider.close)
    provider.start()
    eventually(lambda: _has(provider, "scalar") and tags(provider))
    assert [run.name for run in provider.runs()] == ["run"]
    assert tags(provider) == {("run", "deep/a.trace.json")}
    assert provider.payload("trace", KEY, 0).data == b"one"
    with provider.open_payload("graph", SeriesKey("run", "g.pb"), 0) as stream:
        assert stream.file.read() == b"graph"


def _has(provider: DataProvider, plugin: str) -> bool:
    try:
        return bool(provider.series(plugin))
    except InsightError:  # the server is on its way
        return False


def test_the_fake_has_files_too() -> None:
    fake = FakeProvider()
    fake.add_records("trace", "run", "deep/a.trace.json", [b"one"], claim=TRACE)
    assert fake.payload("trace", KEY, 0).claim == TRACE
    with fake.open_payload("trace", KEY, 0) as stream:
        assert (stream.size, stream.claim, stream.file.read()) == (3, TRACE, b"one")


def test_a_cache_policy_of_tags_holds_for_files(tmp_path: Path, opened: ExitStack) -> None:
    for name in "abc":
        write(tmp_path / f"run/{name}.pb", b"graph")
    provider = local(tmp_path, opened, policies={"graph": CachePolicy(series=2)})
    provider.load()
    assert len(tags(provider, "graph")) == 2
    [damage] = provider.damage()
    assert "2 tags of graph" in damage.reason


def test_tensorboard_is_told_of_no_file(tmp_path: Path, opened: ExitStack) -> None:
    from insight_tensorboard.service import TensorBoardService

    from insight_core.rpc.schema import tensorboard_data_pb2 as pb

    write(tmp_path / "run/g.pb", b"graph")
    provider = local(tmp_path, opened)
    provider.load()
    service = TensorBoardService(provider)
    assert not TensorBoardService.ListPlugins.__wrapped__(service, pb.ListPluginsRequest()).plugins  # type: ignore[attr-defined]
    assert not TensorBoardService.ListRuns.__wrapped__(service, pb.ListRunsRequest()).runs  # type: ignore[attr-defined]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not list open files")
def test_a_stream_that_is_left_leaves_no_file_open(open_provider: Open, tmp_path: Path) -> None:
    path = write(tmp_path / "run/g.pb", bytes(40 << 20))
    provider = open_provider()
    with provider.open_payload("graph", SeriesKey("run", "g.pb"), 0) as stream:
        stream.file.read(10)
    abandoned = provider.open_payload("graph", SeriesKey("run", "g.pb"), 0)
    abandoned.file.read(10)
    del abandoned, stream
    eventually(lambda: str(path) not in _open_files())


def _open_files() -> set[str]:
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # closed meanwhile
            found.add(os.readlink(f"/proc/self/fd/{name}"))
    return found
