"""Records that turn out to be damaged when they are served: the rest is shown, they are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import insight_audio
import insight_histogram
import insight_image
import insight_landscape
import insight_scalar
import insight_tensor
import insight_text
import numpy as np
import pytest
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.service import services
from werkzeug.test import Client, TestResponse

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, Undecodable
from insight_core.plugin.data import Damage, DataProvider, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.rpc.serving import serve
from insight_core.web import Host
from insight_record.formats.framing import FOOTER_SIZE, HEADER_SIZE, contents
from tests.waiting import eventually

MODULES = {
    "scalar": insight_scalar,
    "image": insight_image,
    "histogram": insight_histogram,
    "tensor": insight_tensor,
    "text": insight_text,
    "audio": insight_audio,
    "landscape": insight_landscape,
}
CHECKSUM = "the checksum of the record's data is wrong"
WEIGHTS = SeriesKey("r", "w")
LARGE = 300_000  # bytes; payloads over 256 KiB are verified when they are served

Open: TypeAlias = Callable[[], DataProvider]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.of([(name, partial(MODULES.__getitem__, name)) for name in MODULES])


@pytest.fixture
def local(registry: Registry, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_() -> LocalProvider:
            provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), reload_interval=0)
            opened.callback(provider.close)
            provider.load()
            return provider

        yield open_


@pytest.fixture(params=["local", "data server", "tensorboard client"])
def open_data(request: pytest.FixtureRequest, local: Open, registry: Registry) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_() -> DataProvider:
            inner = local()
            if request.param == "local":
                return inner
            server = serve(inner, "127.0.0.1", 0, version="test", services=services(inner))
            opened.callback(server.stop)
            link = Link(f"127.0.0.1:{server.port}")
            provider: InsightProvider | TensorBoardProvider = (
                InsightProvider(link)
                if request.param == "data server"
                else TensorBoardProvider(link, registry.plugins.values(), interval=0.1)
            )
            opened.callback(provider.close)
            provider.start()
            eventually(provider.generation)
            return provider

        yield open_


def write_tensors(directory: Path, count: int, dialect: Dialect = Dialect.MINDSPORE) -> Path:
    """Large tensors at steps 0, 10, 20, ..."""
    with EventWriter(directory, dialect) as writer:
        for number in range(count):
            writer.tensor("w", 10 * number, np.full(LARGE // 4, number, np.float32))
    return writer.path


def damage(path: Path, number: int) -> tuple[int, int]:
    """Flips a byte in the middle of a value; the first record is the version. Returns offset and size."""
    data = bytearray(path.read_bytes())
    begin, end = list(contents(bytes(data), []))[1 + number]
    data[(begin + end) // 2] ^= 0xFF
    path.write_bytes(data)
    return begin - HEADER_SIZE, HEADER_SIZE + end - begin + FOOTER_SIZE


def client_of(registry: Registry, data: DataProvider) -> Client:
    return Client(Host(registry, data))


def get(client: Client, path: str, **query: object) -> TestResponse:
    return client.get(f"/data/plugin/{path}", query_string={"run": "r", "tag": "w", **query})


def json_of(answer: TestResponse) -> Any:  # noqa: ANN401
    assert answer.status_code == 200, answer.text
    return answer.json


@pytest.mark.parametrize("route", ["values", "statistics", "npy"])
def test_a_damaged_large_record_is_422_with_run_tag_step_and_cause(
    local: Open, registry: Registry, tmp_path: Path, route: str
) -> None:
    damage(write_tensors(tmp_path / "r", 3), 1)
    client = client_of(registry, local())
    answer = get(client, f"tensor/{route}", index=1)
    assert answer.status_code == 422
    assert (answer.json or {})["error"] == f"'w' of run 'r', step 10 (record 1): {CHECKSUM}"
    assert get(client, f"tensor/{route}", index=2).status_code == 200


def test_a_damaged_picture_is_422_whoever_reads_the_logs(
    open_data: Open, registry: Registry, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in (5, 6):
            writer.image("w", step, b"\x89PNG\r\n\x1a\n" + bytes(LARGE), width=1, height=1)
    damage(writer.path, 1)
    data = open_data()
    with pytest.raises(Undecodable, match=rf"^'w' of run 'r', step 6 \(record 1\): {CHECKSUM}$"):
        data.payload("image", WEIGHTS, 1)
    answer = get(client_of(registry, data), "image/image", index=1, download=1)
    assert answer.status_code == 422
    found = answer.json or {}
    assert found["error"] == f"'w' of run 'r', step 6 (record 1): {CHECKSUM}"
    if not isinstance(data, TensorBoardProvider):
        assert found["code"] == "undecodable_record"
        assert found["details"]["cause"] == {"error": CHECKSUM, "code": "record_checksum"}


@pytest.mark.parametrize("open_data", ["local", "data server"], indirect=True)
def test_one_damaged_record_of_five_leaves_the_others_in_answers_about_all(
    open_data: Open, registry: Registry, tmp_path: Path
) -> None:
    damage(write_tensors(tmp_path / "r", 5), 3)
    client = client_of(registry, open_data())
    error = f"'w' of run 'r', step 30 (record 3): {CHECKSUM}"
    found = json_of(get(client, "tensor/histograms"))
    assert found["steps"] == [0, 10, 20, 40]
    [said] = found["errors"]
    assert (said["run"], said["index"], said["step"], said["error"]) == ("r", 3, 30, error)
    assert said["details"]["cause"]["code"] == "record_checksum"
    compared = json_of(client.get("/data/plugin/tensor/comparison?tag=w&step=30"))
    assert [said["error"] for said in compared["errors"]] == [error]


def test_what_a_client_of_tensorboards_service_can_read_stays(
    local: Open, registry: Registry, tmp_path: Path
) -> None:
    """The service has no word for a value that cannot be read: the server leaves it out."""
    damage(write_tensors(tmp_path / "r", 5), 3)
    with ExitStack() as opened:
        provider = local()
        server = serve(provider, "127.0.0.1", 0, version="test", services=services(provider))
        opened.callback(server.stop)
        link = Link(f"127.0.0.1:{server.port}")
        data = TensorBoardProvider(link, registry.plugins.values(), interval=0.1)
        opened.callback(data.close)
        data.start()
        eventually(data.generation)
        assert json_of(get(client_of(registry, data), "tensor/histograms"))["steps"] == [0, 10, 20, 40]


@pytest.mark.parametrize("open_data", ["local", "data server"], indirect=True)
@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_record_found_damaged_when_it_is_served_is_listed_from_then_on(
    open_data: Open, registry: Registry, tmp_path: Path, dialect: Dialect
) -> None:
    path = write_tensors(tmp_path / "r", 3, dialect)
    offset, size = damage(path, 1)
    data = open_data()
    client = client_of(registry, data)
    assert list(data.damage("r")) == []
    since = data.generation()
    for _ in range(2):  # it is listed once
        assert get(client, "tensor/histograms").status_code == 200
    expected = Damage("r", f"r/{path.name}", offset, CHECKSUM, size)
    assert list(data.damage("r")) == list(data.damage()) == [expected]
    eventually(lambda: data.changes(since).runs)
    [listed] = json_of(client.get("/data/damage?run=r"))["damage"]
    assert (listed["offset"], listed["reason"], listed["skipped"]) == (offset, CHECKSUM, size)
    [run] = json_of(client.get("/data/run_table"))["runs"]
    assert run["damage"] == 1


@pytest.mark.parametrize("plugin", ["text", "audio", "landscape"])
def test_a_damaged_large_record_of_any_plugin_is_named_and_listed(
    local: Open, registry: Registry, tmp_path: Path, plugin: str
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(5):
            tensor = wire.text_tensor([bytes([65 + step]) * LARGE, b"a label"])
            writer.values(step, [wire.tensor_value("w", tensor, wire.metadata(plugin, 2))])
    offset, size = damage(writer.path, 4)
    data = local()
    client = client_of(registry, data)
    error = f"'w' of run 'r', step 4 (record 4): {CHECKSUM}"
    answer = get(client, f"{plugin}/value", index=4)
    assert answer.status_code == 422
    assert (answer.json or {})["error"] == error
    if plugin == "landscape":  # the last record of a tag counts
        found = json_of(client.get("/data/plugin/landscape/intervals?run=r"))
        assert [one["error"] for one in found["runs"][0]["landscapes"]] == [error]
    else:
        assert get(client, f"{plugin}/value", index=3).status_code == 200
    assert list(data.damage("r")) == [Damage("r", f"r/{writer.path.name}", offset, CHECKSUM, size)]


def test_many_records_found_damaged_are_summed_up(local: Open, tmp_path: Path) -> None:
    path = write_tensors(tmp_path / "r", 4)
    places = [damage(path, number) for number in reversed(range(4))][::-1]
    data = local()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("insight_core.store.held_file.MOST_LISTED", 2)
        for index in (3, 1, 0, 2):
            with pytest.raises(Undecodable):
                data.payload("tensor", WEIGHTS, index)
        *named, rest = data.damage("r")
    assert [entry.offset for entry in named] == [offset for offset, _ in places[:2]]
    assert (rest.offset, rest.skipped) == (places[2][0], places[2][1] + places[3][1])
    assert rest.reason.startswith("2 more records")


def test_a_rewritten_file_has_no_damage_of_its_predecessor(local: Open, tmp_path: Path) -> None:
    path = write_tensors(tmp_path / "r", 2)
    damage(path, 1)
    data = local()
    assert isinstance(data, LocalProvider)
    with pytest.raises(Undecodable):
        data.payload("tensor", WEIGHTS, 1)
    assert len(data.damage("r")) == 1
    path.unlink()
    write_tensors(tmp_path / "r", 1)
    data.load()
    assert list(data.damage("r")) == []


def test_a_record_that_was_repaired_in_place_is_not_listed_any_more(local: Open, tmp_path: Path) -> None:
    path = write_tensors(tmp_path / "r", 2)
    sound = path.read_bytes()
    damage(path, 1)
    data = local()
    with pytest.raises(Undecodable):
        data.payload("tensor", WEIGHTS, 1)
    path.write_bytes(sound)
    data.payload("tensor", WEIGHTS, 1, limit=10)  # which verifies nothing
    assert len(data.damage("r")) == 1
    assert len(data.payload("tensor", WEIGHTS, 1).data) > LARGE
    assert list(data.damage("r")) == []


def test_a_file_that_went_since_it_was_listed_fails_its_records_alone(
    local: Open, registry: Registry, tmp_path: Path
) -> None:
    write_tensors(tmp_path / "r", 2)
    first = EventWriter(tmp_path / "r", Dialect.MINDSPORE, start_time=1_700_000_100.0)
    with first as writer:
        writer.tensor("w", 50, np.zeros(4, np.float32))
    client = client_of(registry, local())
    first.path.unlink()
    found = json_of(get(client, "tensor/histograms"))
    assert found["steps"] == [0, 10]
    [error] = found["errors"]
    assert error["error"] == "'w' of run 'r', step 50 (record 2): cannot be read: No such file or directory"
