"""A plugin that loads after the start has the values that nobody claimed until then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.service import services

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import (
    CachePolicy,
    Claim,
    DataKind,
    Dialect,
    EventField,
    FileName,
    Keep,
    Plugin,
    RecordDecoder,
    SummaryPlugin,
)
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.providers.opened_later import OpenedProvider
from insight_core.rpc.serving import serve
from tests.waiting import eventually

NOTES = Plugin("notes", "Notes", decoder=RecordDecoder({SummaryPlugin("text"), FileName("*.note")}))
KEY = SeriesKey("run", "hello")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "run") as writer:
        writer.text("hello", 1, "one")
        writer.text("hello", 2, "two")
    (tmp_path / "run" / "a.note").write_text("a file")
    return tmp_path


@pytest.fixture
def late(logs: Path) -> Iterator[LocalProvider]:
    """Everything was read before the plugin came."""
    provider = LocalProvider([Logdir(str(logs))], [], reload_interval=0)
    provider.load()
    yield provider
    provider.close()


def test_it_has_the_values_that_were_read_before(late: LocalProvider) -> None:
    assert not late.series("notes")
    before = late.generation()
    late.admit(NOTES)
    assert [info.key for info in late.series("notes")] == [KEY]
    assert late.records("notes", KEY).steps.tolist() == [1, 2]
    assert b"two" in late.payload("notes", KEY, 1).data
    assert "notes" in late.plugins()
    assert "plugin:text" not in late.plugins()
    assert late.unclaimed() == {}
    assert late.changes(before).series is None  # anything may have changed


def test_one_of_numbers_has_those_that_were_read_before_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Its claims are two, and one of its tags has a value without a number now and then: that is damage."""
    vector = b"\x08\x01\x12\x04\x12\x02\x08\x02" + b"\x2a\x08" + bytes(8)
    forms = [
        wire.scalar_value("loss", 0.0),
        wire.tensor_value("loss", wire.number_tensor(1.0), wire.metadata("rate", 1)),
        wire.tensor_value("loss", vector, wire.metadata("rate", 1)),
        wire.scalar_value("loss", 3.0),
        wire.tensor_value("loss", wire.number_tensor(4.0, double=True), wire.metadata("rate", 1)),
    ]
    records = [wire.record(wire.event(step, 1.0, wire.summary([form]))) for step, form in enumerate(forms)]
    (tmp_path / "events.out.tfevents.1.test").write_bytes(b"".join(records))
    key = SeriesKey(".", "loss")
    claims: set[Claim] = {SummaryPlugin("rate"), EventField(Dialect.TENSORBOARD, "simple_value")}
    rates = Plugin("rates", "Rates", decoder=RecordDecoder(claims, kind=DataKind.SCALAR))
    answers = []
    for is_late in (False, True):
        plugins = [] if is_late else [rates]
        with closing(LocalProvider([Logdir(str(tmp_path))], plugins, reload_interval=0)) as provider:
            provider.load()
            if is_late:
                assert provider.plugins() == {"plugin:rate", "tensorboard:simple_value"}
                assert provider.records("plugin:rate", key).steps.tolist() == [1, 2, 4]
                provider.admit(rates)
            assert provider.plugins() == {"rates"}
            columns = provider.scalars("rates", [key])[key]
            assert columns.steps.tolist() == columns.values.tolist() == [0, 1, 3, 4]
            answers.append((provider.series("rates"), provider.damage(), provider.runs()))
    assert answers[0] == answers[1]
    assert [entry.offset for entry in answers[0][1]] == [len(records[0]) + len(records[1])]


@pytest.mark.parametrize("keep", [Keep.LATEST, Keep.UNIFORM])
def test_its_policy_holds_for_what_was_read_before(tmp_path: Path, keep: Keep) -> None:
    with EventWriter(tmp_path / "run") as writer:
        for step in range(50):
            writer.text("hello", step, str(step))
    notes = evolve(NOTES, cache=CachePolicy(keep, points=5))
    kept = []
    for plugins in ([notes], []):
        with closing(LocalProvider([Logdir(str(tmp_path))], plugins, reload_interval=0)) as provider:
            provider.load()
            provider.admit(notes)
            kept.append(provider.records("notes", KEY).steps.tolist())
            assert [(info.points, info.kept) for info in provider.series("notes")] == [(50, 5)]
    assert kept[0] == kept[1]


def test_what_is_written_later_is_told_under_its_name(late: LocalProvider, logs: Path) -> None:
    late.admit(NOTES)
    since = late.generation()
    with EventWriter(logs / "later") as writer:
        writer.text("hello", 1, "three")
    late.load()
    changes = late.changes(since)
    assert changes.series is not None
    assert SeriesKey("later", "hello") in changes.series["notes"]
    assert {info.key.run for info in late.series("notes", runs=["later"])} == {"later"}


def test_it_has_the_files_that_it_claims_by_name(late: LocalProvider) -> None:
    late.admit(NOTES)
    late.load()
    assert {info.key for info in late.series("notes")} == {KEY, SeriesKey("run", "a.note")}
    assert late.payload("notes", SeriesKey("run", "a.note"), 0).data == b"a file"


def test_one_that_was_there_from_the_start_is_not_admitted_again(logs: Path) -> None:
    provider = LocalProvider([Logdir(str(logs))], [NOTES], reload_interval=0)
    provider.load()
    before, series = provider.generation(), provider.series("notes")
    provider.admit(NOTES)
    assert (provider.generation(), provider.series("notes")) == (before, series)
    provider.close()


def test_a_client_of_tensorboards_service_finds_its_values_under_its_name(late: LocalProvider) -> None:
    server = serve(late, "127.0.0.1", 0, version="", services=services(late))
    client = TensorBoardProvider(Link(f"127.0.0.1:{server.port}"), [], interval=0.1)
    try:
        client.start()
        eventually(lambda: "plugin:text" in client.plugins())
        client.admit(NOTES)
        eventually(lambda: [info.key for info in client.series("notes")] == [KEY])
        assert "plugin:text" not in client.plugins()
    finally:
        client.close()
        server.stop()


def test_a_plugin_that_loads_while_the_server_is_being_opened_is_not_lost(late: LocalProvider) -> None:
    class Opened(OpenedProvider):
        def _provider_of(self, link: Link) -> TensorBoardProvider:
            opened = TensorBoardProvider(link, (), interval=0.1)
            self.admit(NOTES)
            return opened

    server = serve(late, "127.0.0.1", 0, version="", services=services(late))
    client = Opened(f"127.0.0.1:{server.port}", [])
    try:
        client.start()
        eventually(client.generation)
        eventually(lambda: [info.key for info in client.series("notes")] == [KEY])
    finally:
        client.close()
        server.stop()


def test_a_client_of_our_service_gets_what_the_server_calls_so(late: LocalProvider) -> None:
    server = serve(late, "127.0.0.1", 0, version="")
    client = OpenedProvider(f"127.0.0.1:{server.port}", [])
    try:
        client.start()
        client.admit(NOTES)
        late.admit(NOTES)
        eventually(lambda: client.generation() and [info.key for info in client.series("notes")] == [KEY])
    finally:
        client.close()
        server.stop()
