"""The same logs give equal answers from a directory and from remote stores, for every plugin."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from insight_remote.host_client.provider import HttpProvider
from insight_remote.host_client.session import Address
from insight_remote.mirror import mirror
from numpy.typing import NDArray

import insight_host
from insight_core.cli.flags import SERVE_FLAGS, Options
from insight_core.cli.logdirs import open_logdirs
from insight_core.cli.options import read_flags
from insight_core.cli.policies import open_whole_registry
from insight_core.cli.storage import open_local
from insight_core.plugin import InsightError, Unavailable
from insight_core.plugin.data import DataProvider, SeriesInfo, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.providers.merged import MergedProvider
from insight_core.registry import Registry
from insight_core.rpc.serving import serve
from tests.hosts import served
from tests.remote.ssh_servers import ssh_server
from tests.remote.stores import Bucket, S3Server
from tests.support.damaged_logdir import damaged_logdir
from tests.waiting import eventually

Open = Callable[..., LocalProvider]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return open_whole_registry(_options("."))


@pytest.fixture
def bucket(s3: S3Server, request: pytest.FixtureRequest) -> Bucket:
    return Bucket(request.node.name)


@pytest.fixture
def open_(registry: Registry, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_one(location: str, *flags: str, interval: float = 0.0) -> LocalProvider:
            options = _options(location, f"--reload-interval={interval}", f"--cache-dir={tmp_path}", *flags)
            provider = open_local(options, open_logdirs(options), registry, {}, interval)
            opened.callback(provider.close)
            if interval:
                provider.start()
                eventually(lambda: provider.progress().loaded_once)
            else:
                provider.load()
            return provider

        yield open_one


def _options(location: str, *flags: str) -> Options:
    return read_flags("read", "", SERVE_FLAGS, [f"--logdir={location}", *flags], {})


# --- the same answers ---


@pytest.fixture(scope="module")
def logs(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample logs, and damaged ones."""
    directory = tmp_path_factory.mktemp("all")
    damaged_logdir(directory / "damaged")
    for source, name in ((repository / "examples/logs", "sample"), (directory / "damaged", "damaged")):
        for path in source.rglob("*"):
            has_text = os.fsencode(path).decode("utf-8", "ignore") == str(path)
            if path.is_file() and not path.is_symlink() and has_text:  # a bucket has nothing else
                copy = directory / "logs" / name / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
    return directory / "logs"


@pytest.fixture(scope="module")
def places(
    server: S3Server, logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Where the logs are, by scheme."""
    bucket = Bucket("samples/of all plugins")
    bucket.put_tree(logs)
    home = tmp_path_factory.mktemp("home")
    with ssh_server(home) as machine, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        yield {
            "s3": bucket.location,
            "gs": bucket.location.replace("s3:", "gs:"),
            "ssh": f"ssh://{machine}{logs}",
        }


@pytest.mark.parametrize("scheme", ["s3", "gs", "ssh"])
def test_answers_are_those_of_the_directory(
    s3: S3Server, places: dict[str, str], scheme: str, logs: Path, open_: Open, registry: Registry
) -> None:
    local, remote = open_(f"all:{logs}"), open_(f"all:{places[scheme]}")
    assert remote.runs() == local.runs()
    assert remote.damage() == local.damage()
    assert remote.notices() == []
    assert remote.location() == f"all:{places[scheme]}"
    payloads = 0
    for plugin in {*local.plugins(), *remote.plugins()}:
        series = local.series(plugin)
        assert _known(remote.series(plugin)) == _known(series)
        if plugin == "scalar":
            keys = [info.key for info in series]
            wanted, found = local.scalars(plugin, keys), remote.scalars(plugin, keys)
            assert wanted.keys() == found.keys()
            for key, columns in wanted.items():
                np.testing.assert_array_equal(found[key].values, columns.values)
                np.testing.assert_array_equal(found[key].wall_times, columns.wall_times)
            continue
        for info in series:
            for index in range(len(local.records(plugin, info.key).steps)):
                payloads += 1
                assert _payload(remote, plugin, info, index) == _payload(local, plugin, info, index)
    assert payloads > 300
    counts = remote.requests()[places[scheme]]
    reads, lists, sent = s3.reads, s3.lists, s3.sent
    remote.close()
    again = open_(f"all:{places[scheme]}")
    assert again.runs() == local.runs()
    assert s3.lists == 2 * lists
    assert (s3.reads, s3.sent) == (reads, sent)
    if scheme != "ssh":
        assert (counts.lists, counts.reads, counts.bytes) == (lists, reads, sent)
        assert sent < 1.05 * sum(path.stat().st_size for path in logs.rglob("*") if path.is_file())


def _known(infos: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """Without the times of whole files, which are those of their upload."""
    infos = [evolve(info, last_wall_time=0.0) for info in infos]
    return sorted(infos, key=lambda info: info.key)


def _payload(provider: DataProvider, plugin: str, info: SeriesInfo, index: int) -> object:
    try:
        with provider.open_payload(plugin, info.key, index) as stream:
            parts = stream.file.read()
        assert parts == provider.payload(plugin, info.key, index).data
        return parts
    except InsightError as error:
        return str(error)


# --- growing logs ---


def _write(writer: EventWriter, first_step: int, values: NDArray[np.float64]) -> None:
    steps = np.arange(first_step, first_step + len(values))
    writer.scalar_block(["loss"], steps, values[:, None])
    writer.flush()


def test_growing_runs_appear_and_only_what_grew_is_read(
    s3: S3Server, bucket: Bucket, tmp_path: Path, open_: Open
) -> None:
    written = EventWriter(tmp_path / "run")
    _write(written, 0, np.linspace(1, 0, 2000))
    bucket.put("run/events.out.tfevents.1.a", written.path.read_bytes())
    provider = open_(bucket.location, interval=0.1)
    key = SeriesKey("run", "loss")

    def has_steps(count: int) -> bool:
        return len(provider.scalars("scalar", [key])[key].steps) == count

    assert has_steps(2000)
    for part in range(1, 4):
        size = written.path.stat().st_size
        _write(written, 2000 * part, np.zeros(2000))
        s3.reset_counts()
        bucket.put("run/events.out.tfevents.1.a", written.path.read_bytes())
        eventually(partial(has_steps, 2000 * (part + 1)))
        appended = written.path.stat().st_size - size
        assert s3.reads == 1
        assert s3.sent == pytest.approx(appended, rel=0.05)
    written.close()
    with EventWriter(tmp_path / "other") as other:
        other.scalar("loss", 1, 0.5)
    bucket.put("other/events.out.tfevents.1.a", other.path.read_bytes())
    eventually(lambda: {run.name for run in provider.runs()} == {"run", "other"})
    bucket.delete("other/events.out.tfevents.1.a")
    eventually(lambda: [run.name for run in provider.runs()] == ["run"])
    assert provider.damage() == []


def test_a_replaced_log_is_read_anew(s3: S3Server, bucket: Bucket, tmp_path: Path, open_: Open) -> None:
    provider = None
    for value, points in ((1.0, 500), (2.0, 900), (3.0, 300)):
        with EventWriter(tmp_path / f"run{points}") as written:
            _write(written, 0, np.full(points, value))
        bucket.put("events.out.tfevents.1.a", written.path.read_bytes())
        provider = provider or open_(bucket.location, interval=0.1)
        eventually(partial(_has_values, provider, [value] * points))
    assert provider is not None
    assert provider.damage() == []


def _has_values(provider: LocalProvider, wanted: list[float]) -> bool:
    key = SeriesKey(".", "loss")
    found = provider.scalars("scalar", [key])
    return key in found and found[key].values.tolist() == wanted


def test_a_metric_log_grows(s3: S3Server, bucket: Bucket, open_: Open) -> None:
    text = "step,loss\n" + "".join(f"{step},{step / 2}\n" for step in range(200))
    bucket.put("run/metrics.csv", text[:1000].encode())
    provider = open_(bucket.location, interval=0.1)
    bucket.put("run/metrics.csv", text.encode())
    key = SeriesKey("run", "loss")
    eventually(lambda: len(provider.scalars("scalar", [key])[key].steps) == 200)
    assert provider.damage() == []


# --- stores that fail ---


@pytest.fixture
def written(bucket: Bucket, tmp_path: Path) -> int:
    """The number of runs in the bucket, with 100 points each."""
    for run in range(20):
        with EventWriter(tmp_path / "logs" / f"run{run:02}") as writer:
            _write(writer, 0, np.arange(100.0))
    bucket.put_tree(tmp_path / "logs")
    return 20


def test_slow_unavailable_and_cut_answers_lose_nothing(
    s3: S3Server, bucket: Bucket, written: int, open_: Open
) -> None:
    s3.latency = 0.02
    s3.faults = ["503", "cut", "", "cut", "503", "cut", "", "503", "", "503", "cut", "", "503", "cut", ""]
    provider = open_(bucket.location)
    assert len(provider.runs()) == written
    assert {info.points for info in provider.series("scalar")} == {100}
    assert len(provider.series("scalar")) == written
    assert (provider.damage(), provider.notices()) == ([], [])
    counts = provider.requests()[bucket.location]
    assert (counts.lists, counts.reads) == (s3.lists, s3.reads)
    assert counts.retries == 10


def test_expired_credentials_are_a_notice_and_what_was_read_stays(
    s3: S3Server, bucket: Bucket, written: int, open_: Open
) -> None:
    open_(bucket.location).close()
    s3.always = "expired"
    s3.reset_counts()
    provider = open_(bucket.location)
    assert (s3.lists, s3.reads) == (1, 0)
    [notice] = provider.notices()
    assert (notice.code, notice.details["location"]) == ("remote_refused", bucket.location)
    assert "ExpiredToken" in notice
    assert len(provider.series("scalar")) == written


def test_a_store_that_goes_away_and_comes_back(
    s3: S3Server, bucket: Bucket, written: int, open_: Open
) -> None:
    s3.always = "503"
    provider = open_(bucket.location, interval=0.1)
    assert provider.runs() == []
    assert [notice.code for notice in provider.notices()] == ["remote_away"]
    s3.always = ""
    eventually(lambda: len(provider.series("scalar")) == written)
    assert (provider.damage(), provider.notices()) == ([], [])


def test_an_open_page_and_clients_of_a_server_get_the_notice(
    s3: S3Server, bucket: Bucket, written: int, open_: Open
) -> None:
    provider = open_(bucket.location, interval=0.1)
    with ExitStack() as opened:
        server = serve(provider, "127.0.0.1", 0, version="test")
        opened.callback(server.stop)
        data_server = InsightProvider(Link(f"127.0.0.1:{server.port}"))
        host = HttpProvider(Address.of(opened.enter_context(served(provider, []))))
        merged = MergedProvider([host, data_server])
        opened.callback(merged.close)
        assert (len(merged.runs()), merged.notices()) == (written, [])
        generation = provider.generation()
        s3.always = "503"
        eventually(provider.notices)
        assert provider.changes(generation, timeout=30).runs
        assert len(merged.runs()) == written
        [notice] = merged.notices()
        assert (notice, notice.fields()) == (provider.notices()[0], provider.notices()[0].fields())
        for client in (data_server, host):
            assert client.notices() == [notice]
        generation = provider.generation()
        s3.always = ""
        eventually(lambda: not provider.notices())
        assert provider.changes(generation, timeout=30).runs
        assert (len(merged.runs()), merged.notices()) == (written, [])


def test_unread_logs_of_a_store_that_is_away_are_damage_until_it_is_back(
    s3: S3Server, bucket: Bucket, written: int, open_: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "_AFTER_FAILURE", 0.0)
    s3.faults = ["", *["503"] * 100_000]
    provider = open_(bucket.location, interval=0.1)
    assert len(provider.runs()) == written
    assert len(provider.damage()) == written
    assert all("503" in damage.reason for damage in provider.damage())
    s3.faults = []
    eventually(lambda: len(provider.series("scalar")) == written and not provider.damage())
    assert provider.notices() == []


# --- locations ---


@pytest.mark.parametrize(
    ("location", "why"),
    [("bogus://x", "unknown protocol"), ("hf://datasets/a/b", "pip install"), ("s3://", "s3://")],
)
def test_a_location_that_nothing_opens(
    location: str, why: str, open_: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # as if it were not installed
    with pytest.raises(InsightError, match=why):
        open_(location)


def test_a_missing_extra_says_what_to_install(open_: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_remote.find_spec", lambda name: None)
    for location in ("s3://bucket/logs", "ssh://machine/logs"):
        with pytest.raises(InsightError, match=r"pip install 'insight-host\[remote\]'"):
            open_(location)


def test_python_reads_a_bucket(s3: S3Server, bucket: Bucket, written: int) -> None:
    with insight_host.open(bucket.location) as logs:
        assert len(logs.runs()) == written
    s3.always = "expired"
    with pytest.raises(Unavailable, match="ExpiredToken"):
        insight_host.open(f"{bucket.location}/none")
