"""The text plugin: what TensorBoard's own writer wrote, damaged records, and the search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import insight_text
import numpy as np
import pytest
from insight_text import routes as text_routes
from insight_text.decoder import StringTensor, texts_of
from werkzeug.test import Client

from insight_authoring.testing import wire
from insight_authoring.testing.tensors import tensorflow_tensor
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

TEXT = SummaryPlugin("text")


def _client(provider: Any) -> Client:  # noqa: ANN401
    registry = Registry.of([("text", lambda: insight_text)])
    assert not registry.failures
    return Client(Host(registry, provider))


def _json(client: Client, route: str, status: int = 200, **query: object) -> Any:  # noqa: ANN401
    answer = client.get(f"/data/plugin/text/{route}", query_string=query)
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer.get_json()


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    words = [b"Learning rate 0.1", b"nothing", b"\xff", b"the LEARNING rate falls"]
    payloads = [wire.text_tensor([word], rank=0) for word in words]
    payloads[2] = b"\xff\xff"
    fake.add_records("text", "a", "notes", payloads, claim=TEXT, steps=[0, 5, 6, 9])
    return _client(fake)


@pytest.mark.parametrize(
    "data",
    [
        "one text, 学习率",
        ["a", "b", "c"],
        [["a", "b"], ["c", "**d**"], ["", "f"]],
        [[["a", "b"]], [["c", "d"]]],
    ],
    ids=["scalar", "vector", "table", "rank 3"],
)
def test_reads_what_tensorboard_writes_as_tensorboard_reads_it(data: object) -> None:
    from tensorboard.plugins.text.summary_v2 import text_pb
    from tensorboard.util import tensor_util

    tensor = text_pb("notes", data).value[0].tensor
    theirs = np.asarray(tensor_util.make_ndarray(tensor))
    ours = texts_of(Payload(tensor.SerializeToString(), TEXT))
    assert ours.shape == theirs.shape
    assert list(ours.strings) == [text.decode() for text in theirs.flat]


def test_serves_a_log_that_tensorboard_wrote(tmp_path: Path) -> None:
    from tensorboard.compat.proto import event_pb2
    from tensorboard.plugins.text.summary_v2 import text_pb
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    from insight_core.ingest.logdir import Logdir
    from insight_core.providers.local import LocalProvider

    writer = EventFileWriter(str(tmp_path / "run"))
    for step in range(3):
        summary = text_pb("notes", f"step *{step}*")
        writer.add_event(event_pb2.Event(wall_time=float(step), step=step, summary=summary))
    writer.close()
    plugins = Registry.of([("text", lambda: insight_text)]).plugins.values()
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, reload_interval=0)
    provider.load()
    client = _client(provider)
    assert _json(client, "records", run="run", tag="notes")["steps"] == [0, 1, 2]
    answer = _json(client, "value", run="run", tag="notes", index=2)
    assert answer["value"] == {"shape": [], "strings": ["step *2*"]}
    provider.close()


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert texts_of(Payload(wire.text_tensor([b"a\xff"]), TEXT)) == StringTensor((1,), ("a\ufffd",))


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "empty"),
        (b"\xff\xff", "varint|truncated"),
        (tensorflow_tensor(np.zeros(2, np.float32)), "type float32, not strings"),
        (wire.text_tensor([b"abc"])[:-1], "runs over the end"),
    ],
)
def test_what_is_no_text_is_refused_with_the_reason(payload: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        texts_of(Payload(payload, TEXT))


def test_a_damaged_record_is_an_error_and_others_are_served(client: Client) -> None:
    assert "notes" in _json(client, "value", 422, run="a", tag="notes", index=2)["error"]
    assert _json(client, "value", run="a", tag="notes", index=1)["value"]["strings"] == ["nothing"]


def test_search_finds_all_steps_in_small_and_large_letters(client: Client) -> None:
    found = _json(client, "search", run="a", tag="notes", q="learning RATE")
    assert found == {"matches": [0, 3], "searched": 4, "records": 4}
    assert _json(client, "search", run="a", tag="notes", q="none of them")["matches"] == []


def test_search_says_how_many_records_it_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_routes, "MOST", 2)
    found = _json(client, "search", run="a", tag="notes", q="learning")
    assert found == {"matches": [3], "searched": 2, "records": 4}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"run": "a", "tag": "notes", "q": ""}, 400),
        ({"run": "a", "tag": "notes"}, 400),
        ({"run": "a", "tag": "other", "q": "x"}, 404),
    ],
)
def test_search_refuses_wrong_questions(client: Client, query: dict[str, str], status: int) -> None:
    assert _json(client, "search", status, **query)["error"]


def test_search_counts_the_records_that_the_page_counts(tmp_path: Path) -> None:
    """After a restart, indices are those of the attempts that are shown."""
    from insight_core.ingest.logdir import Logdir
    from insight_core.providers.local import LocalProvider

    with EventWriter(tmp_path / "run") as writer:
        for step, text in [(0, "kept"), (1, "lost"), (1, "found"), (2, "found")]:
            writer.text("notes", step, text)
    plugins = Registry.of([("text", lambda: insight_text)]).plugins.values()
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, reload_interval=0)
    provider.load()
    client = _client(provider)
    every = _json(client, "records", run="run", tag="notes", attempts="all")["steps"]
    found = _json(client, "search", run="run", tag="notes", q="found", attempts="all")
    assert [every[index] for index in found["matches"]] == [1, 2]
    assert found["records"] == len(every)
    provider.close()
