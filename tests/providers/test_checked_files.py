"""Files that plugins claim by their names and check: what is damaged of them is listed like any damage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO, TypeAlias

import insight_lineage
import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.ingest import claimed_files as named_files
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import FileName, Flaw, Plugin, Reason, RecordDecoder
from insight_core.plugin.data import Damage, DataProvider
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.rpc.serving import serve
from insight_core.web import Host
from tests.lineage_samples import LineageLogs
from tests.waiting import eventually

NOTES = FileName("*.note")
Open: TypeAlias = Callable[..., DataProvider]


def check_note(file: BinaryIO, claim: FileName) -> Iterator[Flaw]:
    """Every "?" of a note is a damaged place; one with "!" is too much for the plugin."""
    assert claim == NOTES
    data = file.read()
    if b"!" in data:
        raise RuntimeError("a fault of the plugin")
    for offset, mark in enumerate(data):
        if mark == ord("?"):
            yield Flaw(offset, Reason("a question", "note_question", at=offset), 1)


PLUGINS = [
    Plugin("note", "Notes", decoder=RecordDecoder({NOTES}, check=check_note)),
    Plugin("other", "Others", decoder=RecordDecoder({NOTES, FileName("*.other")})),
    insight_scalar.insight_plugin(),
    insight_lineage.insight_plugin(),
]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def local(tmp_path: Path, opened: ExitStack) -> Callable[..., LocalProvider]:
    def open_(*, reload_interval: float = 0) -> LocalProvider:
        provider = LocalProvider([Logdir(str(tmp_path))], PLUGINS, reload_interval=reload_interval)
        opened.callback(provider.close)
        provider.load()
        return provider

    return open_


@pytest.fixture(params=["local", "data server"])
def open_provider(
    request: pytest.FixtureRequest, local: Callable[..., LocalProvider], opened: ExitStack
) -> Open:
    def open_() -> DataProvider:
        inner = local()
        if request.param == "local":
            return inner
        server = serve(inner, "127.0.0.1", 0, version="test")
        opened.callback(server.stop)
        client = InsightProvider(Link(f"127.0.0.1:{server.port}"))
        opened.callback(client.close)
        client.start()
        eventually(client.generation)
        return client

    return open_


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_flaws_of_a_file_are_damage_of_its_run(open_provider: Open, tmp_path: Path) -> None:
    write(tmp_path / "a/x.note", b"well? and?")
    write(tmp_path / "a/y.other", b"????")
    write(tmp_path / "b/x.note", b"well")
    provider = open_provider()
    assert list(provider.damage()) == [
        Damage("a", "a/x.note", 4, "a question", 1),
        Damage("a", "a/x.note", 9, "a question", 1),
    ]
    assert [Reason.of(entry.reason).fields() for entry in provider.damage()] == [
        {"error": "a question", "code": "note_question", "details": {"at": at}} for at in (4, 9)
    ]
    assert {run.name: run.damage for run in provider.runs()} == {"a": 2, "b": 0}


def test_of_one_file_the_first_200_flaws_are_listed(
    local: Callable[..., LocalProvider], tmp_path: Path
) -> None:
    write(tmp_path / "a/x.note", b"?" * 250)
    *named, rest = local().damage("a")
    assert [entry.offset for entry in named] == list(range(200))
    assert (rest.offset, rest.skipped) == (200, 50)


def test_a_check_that_fails_is_told_and_stops_no_other(
    local: Callable[..., LocalProvider], tmp_path: Path
) -> None:
    write(tmp_path / "a/x.note", b"!")
    write(tmp_path / "b/x.note", b"?")
    assert [(entry.run, entry.reason) for entry in local().damage()] == [
        ("a", "checking failed: a fault of the plugin"),
        ("b", "a question"),
    ]


def test_a_file_that_changes_is_checked_when_it_has_not_changed_for_a_while(
    local: Callable[..., LocalProvider], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a/x.note", b"well")
    provider = local()
    path.write_bytes(b"half written?")
    provider.load()
    assert list(provider.damage()) == []
    later = time.monotonic() + 11
    monkeypatch.setattr("insight_core.ingest.claimed_files.time", SimpleNamespace(monotonic=lambda: later))
    provider.load()
    assert [entry.offset for entry in provider.damage()] == [12]
    monkeypatch.undo()
    path.unlink()
    provider.load()
    assert list(provider.damage()) == []


def test_a_host_that_follows_checks_without_being_told_again(
    local: Callable[..., LocalProvider], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_core.ingest.loader._SETTLING", 0.2)
    path = write(tmp_path / "a/x.note", b"well?")
    provider = local(reload_interval=0.05)
    assert len(provider.damage("a")) == 1
    provider.start()
    path.write_bytes(b"repaired")
    eventually(lambda: not provider.damage("a"))
    path.write_bytes(b"damaged again??")
    eventually(lambda: len(provider.damage("a")) == 2)


def test_what_may_be_read_again_is_checked(
    local: Callable[..., LocalProvider], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a/x.note", b"well?")
    monkeypatch.setattr(named_files, "_is_forbidden", lambda _: True)
    provider = local()
    assert [entry.reason for entry in provider.damage()] == ["cannot be read: Permission denied"]
    monkeypatch.setattr(named_files, "_is_forbidden", lambda _: False)
    path.write_bytes(b"well")
    later = time.monotonic() + 11
    provider.load()
    monkeypatch.setattr("insight_core.ingest.claimed_files.time", SimpleNamespace(monotonic=lambda: later))
    provider.load()
    assert list(provider.damage()) == []


def test_damaged_lineage_files_are_listed_before_anybody_opens_the_tab(
    open_provider: Open, tmp_path: Path
) -> None:
    logs = LineageLogs(tmp_path)
    sound = logs.trained()
    flipped = bytearray(sound)
    flipped[len(sound) // 2] ^= 1
    paths = {
        "changed": logs.file("changed", bytes(flipped) + sound),
        "cut": logs.file("cut", sound + sound[:-9]),
        "length": logs.file("length", b"\x01" + sound[1:]),
        "undecodable": logs.file("undecodable", sound + logs.evaluated("no JSON")),
    }
    logs.file("sound", sound)
    provider = open_provider()
    lineage = [entry for entry in provider.damage() if entry.file.endswith("_lineage")]
    size = len(sound)
    assert [(entry.run, entry.offset, entry.skipped) for entry in lineage] == [
        ("changed", 0, size),
        ("cut", size, size - 9),
        ("length", 0, size),
        ("undecodable", size, paths["undecodable"].stat().st_size - size),
    ]
    assert "does not have its checksum" in lineage[0].reason
    assert "the file ends within the record" in lineage[1].reason
    assert "not valid JSON" in lineage[3].reason
    client = Client(Host(Registry.of([("lineage", lambda: insight_lineage)]), provider))
    answer = client.get("/data/damage?run=cut").json
    assert answer is not None
    assert paths["cut"].name in [Path(entry["file"]).name for entry in answer["damage"]]
    answer = client.get("/data/damage?run=undecodable").json or {}
    [metrics] = [entry for entry in answer["damage"] if entry["file"].endswith("_lineage")]
    assert metrics["code"] == "record_content"
    assert metrics["details"]["cause"]["code"] == "lineage_metrics_json"
    assert "评估指标" in answer["messages"]["zh-CN"]["reason.lineage_metrics_json"]
