"""The tensor routes over given payloads."""

from __future__ import annotations

import io
import json
import math
import time
from typing import Any
from unittest.mock import Mock

import insight_tensor
import numpy as np
import pytest
from insight_tensor import routes
from numpy.typing import NDArray
from safetensors.numpy import load
from werkzeug.test import Client, TestResponse

from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.rpc.schema import tensorboard_pb2
from insight_core.web import Host
from insight_record.formats.dtypes import TENSORFLOW_TYPES

BASE = "/data/plugin/tensor"
NAN, INF = math.nan, math.inf
TYPES = {element.name: number for number, element in TENSORFLOW_TYPES.items()}


def _proto(values: NDArray[Any]) -> bytes:
    dims = [tensorboard_pb2.TensorShapeProto.Dim(size=size) for size in values.shape]
    shape = tensorboard_pb2.TensorShapeProto(dim=dims)
    if values.dtype == object:
        strings = tensorboard_pb2.TensorProto(
            dtype="DT_STRING", tensor_shape=shape, string_val=values.ravel().tolist()
        )
        return strings.SerializeToString()
    dtype: Any = TYPES[str(values.dtype)]
    message = tensorboard_pb2.TensorProto(dtype=dtype, tensor_shape=shape, tensor_content=values.tobytes())
    return message.SerializeToString()


TABLE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def provider() -> FakeProvider:
    fake = FakeProvider()
    for tag, values in {
        "table": TABLE,
        "scalar": np.float64(2.5),
        "large": np.arange(400_000, dtype=np.int32).reshape(800, 500),
        "odd": np.array([NAN, INF, -INF, -1.5], np.float32),
        "half": np.array([1.5, -2], np.float16),
        "integers": np.array([2**63 - 1, -5, 7]),
        "unsigned": np.array([2**64 - 1, 3], np.uint64),
        "complex": np.array([1 + 2j, complex(NAN, -1)], np.complex64),
        "flags": np.array([True, False]),
        "strings": np.array([b"caf\xc3\xa9", b"\xff", b"<b>"], object),
        "empty": np.zeros((0, 3), np.float32),
    }.items():
        _add(fake, tag, [_proto(np.asarray(values))] * 2)
    _add(fake, "broken", [_proto(np.ones(2, np.float32)), b"\xff\xff", _proto(np.ones(3, np.float32))])
    fake.add_records(
        "plugin:text", "a", "note", [_proto(np.array([b"hello"], object))], claim=SummaryPlugin("text")
    )
    fake.add_records("plugin:pr_curves", "a", "table", [b""], claim=SummaryPlugin("pr_curves"))
    fake.add_records("tensorboard:audio", "a", "sound", [b""], claim=EventField(Dialect.TENSORBOARD, "audio"))
    return fake


def _add(fake: FakeProvider, tag: str, payloads: list[bytes], run: str = "a") -> None:
    fake.add_records("tensor", run, tag, payloads, claim=EventField(Dialect.TENSORBOARD, "tensor"))


@pytest.fixture
def client(provider: FakeProvider) -> Client:
    registry = Registry.of([("tensor", lambda: insight_tensor)])
    assert not registry.failures
    return Client(Host(registry, provider))


def _ask(client: Client, route: str, tag: str = "table", **query: str | int | float) -> TestResponse:
    given = {
        "run": "a",
        "tag": tag,
        **({} if route in ("records", "headers", "histograms") else {"index": 0}),
    }
    return client.get(f"{BASE}/{route}", query_string={**given, **query})


def _get(client: Client, route: str, tag: str = "table", **query: str | int | float) -> Any:  # noqa: ANN401
    answer = _ask(client, route, tag, **query)
    assert answer.status_code == 200, answer.data
    return json.loads(answer.data)


def test_tags_are_our_own_unless_others_are_asked_for(client: Client) -> None:
    tags = json.loads(client.get(f"{BASE}/tags").data)["a"]
    assert tags["table"]["plugin"] == ""
    assert tags["table"]["points"] == tags["table"]["kept"] == 2
    assert "note" not in tags
    others = json.loads(client.get(f"{BASE}/tags?others=1").data)["a"]
    assert others["note"]["plugin"] == "text"
    assert others["table"] == tags["table"]  # our own is the one that its name leads to
    assert "sound" not in others


def test_values_of_other_plugins_are_readable(client: Client) -> None:
    assert _get(client, "values", "note")["values"] == ["hello"]
    assert _get(client, "records", "note")["steps"] == [0]
    assert _ask(client, "values", "sound").status_code == 404


def test_the_tab_is_there_for_others_alone() -> None:
    fake = FakeProvider()
    plugin = insight_tensor.insight_plugin()
    is_active, ctx = plugin.is_active, context_of(plugin, fake)
    assert is_active is not None
    assert not is_active(ctx)
    fake.add_records("tensorboard:audio", "a", "s", [b""], claim=EventField(Dialect.TENSORBOARD, "audio"))
    assert not is_active(ctx)
    fake.add_records("plugin:hparams", "a", "h", [b""], claim=SummaryPlugin("hparams"))  # metadata alone
    assert not is_active(ctx)
    layout = SummaryPlugin("custom_scalars")  # the Scalars tab shows it
    fake.add_records(str(layout), "a", "custom_scalars__config__", [b""], claim=layout)
    assert not is_active(ctx)
    fake.add_records("plugin:text", "a", "note", [b""], claim=SummaryPlugin("text"))
    assert is_active(ctx)


def test_headers_say_what_each_step_is(client: Client) -> None:
    found = _get(client, "headers", "broken")
    assert [(row["index"], row.get("dtype"), row.get("shape")) for row in found["headers"]] == [
        (0, "float32", [2]),
        (1, None, None),
        (2, "float32", [3]),
    ]
    assert "step 1 (record 1)" in found["headers"][1]["error"]
    assert found["next"] is None
    part = _get(client, "headers", "broken", **{"from": 1, "count": 1})
    assert [row["index"] for row in part["headers"]] == [1]
    assert part["next"] == 2


def test_values_by_default_are_the_last_two_dimensions(client: Client) -> None:
    found = _get(client, "values")
    assert found["values"] == TABLE[0].tolist()
    assert (found["dtype"], found["kind"], found["shape"]) == ("float32", "float", [2, 3, 4])
    assert found["slice"] == "[0, :, :]"
    whole = [{"dimension": 1, "start": 0, "stop": 3}, {"dimension": 2, "start": 0, "stop": 4}]
    assert found["given"] == found["open"] == whole
    assert (found["selected"], found["bounded"]) == (12, False)
    assert (found["step"], found["wall_time"]) == (0, 1.0e9)


@pytest.mark.parametrize(
    ("text", "values"),
    [("1, 1:, -1", TABLE[1, 1:, -1]), ("0,0,0", TABLE[0, 0, 0]), ("[:, 2, 1:3]", TABLE[:, 2, 1:3])],
)
def test_values_of_a_slice(client: Client, text: str, values: NDArray[np.float32]) -> None:
    assert _get(client, "values", slice=text)["values"] == values.tolist()
    body = _ask(client, "values", slice=text, format="safetensors").data
    assert np.array_equal(load(body)["values"].reshape(values.shape), values)


@pytest.mark.parametrize("text", ["0,0", "9,:,:", ":,:,:", "a,:,:", "0,2:1,:"])
def test_a_wrong_slice_is_refused(client: Client, text: str) -> None:
    for route in ("values", "statistics", "npy"):
        answer = _ask(client, route, slice=text)
        assert answer.status_code == 400
        assert json.loads(answer.data)["error"].startswith("slice: ")


@pytest.mark.parametrize("shape", [(1 << 40, 0), (2, *[8] * 14, 0)])
def test_a_tensor_without_elements_makes_no_endless_list_of_its_rows(
    provider: FakeProvider, client: Client, shape: tuple[int, ...]
) -> None:
    _add(provider, "hollow", [_proto(np.zeros(shape, np.float32))])
    found = _get(client, "values", "hollow")
    assert found["shape"] == list(shape)
    assert len(found["values"]) <= routes.MAX_VALUES
    assert found["bounded"] == (len(shape) == 2)
    whole = _ask(client, "value", "hollow")
    assert (whole.status_code, whole.json["code"]) == (413, "many_elements")  # type: ignore[index]


def test_an_answer_is_bounded_and_says_so(client: Client) -> None:
    found = _get(client, "values", "large")
    assert found["bounded"]
    assert found["selected"] == 400_000
    assert [part["stop"] for part in found["open"]] == [800, 500]
    assert [part["stop"] for part in found["given"]] == [200, 500]
    assert np.array_equal(found["values"], np.arange(100_000).reshape(200, 500))


def test_a_window_of_a_slice(client: Client) -> None:
    found = _get(client, "values", "large", slice="100:,:", rows="600:900", columns="498:500")
    assert found["values"] == [
        [350_498 - 500 + 500 * row, 350_499 - 500 + 500 * row] for row in range(1, 101)
    ]
    assert [(part["start"], part["stop"]) for part in found["open"]] == [(100, 800), (0, 500)]
    assert [(part["start"], part["stop"]) for part in found["given"]] == [(700, 800), (498, 500)]
    assert not found["bounded"]
    assert _ask(client, "values", "large", rows="1").status_code == 400
    assert _get(client, "values", "large", rows="0:300")["bounded"]


@pytest.mark.parametrize(
    ("tag", "kind", "values"),
    [
        ("scalar", "float", 2.5),
        ("odd", "float", ["NaN", "Infinity", "-Infinity", -1.5]),
        ("half", "float", [1.5, -2.0]),
        ("integers", "integer", ["9223372036854775807", -5, 7]),
        ("unsigned", "integer", ["18446744073709551615", 3]),
        ("complex", "complex", [[1.0, 2.0], ["NaN", -1.0]]),
        ("flags", "bool", [True, False]),
        ("strings", "string", ["café", "\\xff", "<b>"]),
        ("empty", "float", []),
    ],
)
def test_every_type_as_json(client: Client, tag: str, kind: str, values: object) -> None:
    found = _get(client, "values", tag)
    assert (found["kind"], found["values"]) == (kind, values)


@pytest.mark.parametrize(
    ("tag", "columns"),
    [
        ("scalar", {"values": np.array(2.5)}),
        ("half", {"values": np.array([1.5, -2], np.float32)}),
        ("integers", {"values": np.array([2**63 - 1, -5, 7])}),
        ("unsigned", {"values": np.array([-1, 3])}),
        ("complex", {"real": np.array([1, NAN], "f4"), "imaginary": np.array([2, -1], "f4")}),
        ("flags", {"values": np.array([1, 0], np.uint8)}),
        ("large", {"values": np.arange(5, dtype=np.int32)}),
        ("empty", {"values": np.zeros((0, 3), np.float32)}),
        ("strings", {}),
    ],
)
def test_every_type_as_safetensors(client: Client, tag: str, columns: dict[str, NDArray[Any]]) -> None:
    query = {"slice": "0,:5"} if tag == "large" else {}
    found = load(_ask(client, "values", tag, format="safetensors", **query).data)
    assert found.keys() == columns.keys()
    for name, column in columns.items():
        assert found[name].dtype == column.dtype
        np.testing.assert_array_equal(found[name], column)


def test_long_texts_are_cut_and_counted(client: Client, provider: FakeProvider) -> None:
    _add(provider, "long", [_proto(np.array([b"x" * 100_000, b"short"], object))])
    found = _get(client, "values", "long")
    assert [len(text) for text in found["values"]] == [65_536, 5]
    assert found["cut"] == 1
    assert "texts" not in found, "they are in the values"


def test_texts_that_just_fit_are_not_cut(client: Client, provider: FakeProvider) -> None:
    for letter in ("x", "é", "語", "𝄞"):
        texts = [(letter * count).encode() for count in (65_536, 65_537)]
        _add(provider, letter, [_proto(np.array(texts, object))])
        found = _get(client, "values", letter)
        assert found["values"] == [letter * 65_536] * 2
        assert found["cut"] == 1


def test_values_of_unclaimed_plugins_share_one_bounded_cache(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index in range(6):
        name = f"p{index}"
        payloads = [_proto(np.ones(2, np.float32))]
        provider.add_records(f"plugin:{name}", "a", name, payloads, claim=SummaryPlugin(name))
    payload = Mock(wraps=provider.payload)
    monkeypatch.setattr(provider, "payload", payload)
    for index in (0, 1, 2, 3, 0, 4, 0, 5, 1):
        _get(client, "values", f"p{index}")
    assert [asked.args[0] for asked in payload.call_args_list] == [f"plugin:p{index}" for index in range(6)]


def test_statistics(client: Client) -> None:
    found = _get(client, "statistics", "odd")
    assert [found[name] for name in ("count", "nan", "pos_inf", "neg_inf", "negatives")] == [4, 1, 1, 1, 1]
    assert (found["min"], found["max"]) == (-1.5, -1.5)
    assert _get(client, "statistics", "integers")["max"] == str(2**63 - 1)
    assert _get(client, "statistics", slice="0,0,:")["mean"] == 1.5
    assert _get(client, "statistics", "strings")["min"] is None


@pytest.mark.parametrize("tag", ["table", "scalar", "integers", "complex", "empty", "half"])
def test_npy_is_the_tensor(client: Client, tag: str) -> None:
    answer = _ask(client, "npy", tag)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="a_{tag}_0.npy"'
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    found = np.load(io.BytesIO(answer.data))
    assert str(found.dtype) == _get(client, "values", tag)["dtype"]
    assert list(found.shape) == _get(client, "values", tag)["shape"]


def test_npy_of_a_slice(client: Client) -> None:
    found = np.load(io.BytesIO(_ask(client, "npy", slice=":,1,::"[:-1]).data))
    assert np.array_equal(found, TABLE[:, 1, :])
    large = np.load(io.BytesIO(_ask(client, "npy", "large", slice="1:,:").data))
    assert np.array_equal(large, np.arange(500, 400_000).reshape(799, 500))


def test_strings_are_no_npy(client: Client) -> None:
    answer = _ask(client, "npy", "strings")
    assert answer.status_code == 400
    assert "/values" in json.loads(answer.data)["error"]


@pytest.mark.parametrize("route", ["values", "statistics", "npy"])
def test_a_record_that_is_no_tensor_is_named(client: Client, route: str) -> None:
    answer = _ask(client, route, "broken", index=1)
    assert answer.status_code == 422
    error = json.loads(answer.data)["error"]
    assert "'broken' of run 'a', step 1 (record 1)" in error


@pytest.mark.parametrize("route", ["values", "statistics", "npy"])
def test_what_names_one_record_is_kept_by_browsers(client: Client, route: str) -> None:
    assert "immutable" not in _ask(client, route).headers["Cache-Control"]
    assert "immutable" in _ask(client, route, wall_time=1.0e9).headers["Cache-Control"]
    assert _ask(client, route, wall_time=7).status_code == 404


def test_histograms_over_steps(client: Client) -> None:
    found = _get(client, "histograms", bins=4)
    assert found["steps"] == [0, 1]
    assert found["counts"] == [[6, 6, 6, 6]] * 2
    assert (found["edges"][0], found["edges"][-1]) == (0, 23)
    assert found["means"] == [11.5, 11.5]
    broken = _get(client, "histograms", "broken")
    assert broken["steps"] == [0, 2]
    assert [error["step"] for error in broken["errors"]] == [1]
    assert _get(client, "histograms", "odd")["nans"] == [1, 1]
    assert len(_get(client, "histograms", "strings")["errors"]) == 2


def test_runs_are_compared_at_a_step(client: Client, provider: FakeProvider) -> None:
    for run in ("b", "c"):
        _add(provider, "table", [_proto(TABLE), _proto(TABLE + 1)], run)
    query = {"tag": "table", "step": 1, "run": ["c", "a"]}
    found = json.loads(client.get(f"{BASE}/comparison", query_string=query).data)
    assert (found["runs"], found["steps"], found["maxs"]) == (["c", "a"], [1, 1], [24, 23])
    query["run"] = []
    assert json.loads(client.get(f"{BASE}/comparison", query_string=query).data)["runs"] == ["a", "b", "c"]


def test_a_hundred_million_values_of_one_written_cost_nothing(client: Client, provider: FakeProvider) -> None:
    dims = [tensorboard_pb2.TensorShapeProto.Dim(size=10_000)] * 2
    shape = tensorboard_pb2.TensorShapeProto(dim=dims)
    payload = tensorboard_pb2.TensorProto(dtype="DT_FLOAT", tensor_shape=shape, float_val=[2.5])
    _add(provider, "repeated", [payload.SerializeToString()])
    begin = time.perf_counter()
    assert _get(client, "statistics", "repeated")["positives"] == 100_000_000
    found = _get(client, "histograms", "repeated")
    assert (found["totals"], sum(found["counts"][0])) == ([100_000_000], 100_000_000)
    assert _get(client, "values", "repeated", slice="9999, 9998:")["values"] == [2.5, 2.5]
    assert time.perf_counter() - begin < 1


def test_histograms_of_large_tensors_are_of_fewer_steps(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    _add(provider, "many", [_proto(np.ones(1000, np.float32))] * 30)
    assert _get(client, "histograms", "many")["shown"] == 30
    monkeypatch.setattr(routes, "MAX_READ", 40_000)
    found = _get(client, "histograms", "many")
    assert (found["available"], found["shown"], found["chosen"]) == (30, 9, "evenly")
    assert (found["steps"][0], found["steps"][-1]) == (0, 29)


def test_unknown_names(client: Client) -> None:
    for route in ("records", "headers", "values", "histograms"):
        answer = _ask(client, route, "nothing")
        assert answer.status_code == 404
        assert "nothing" in json.loads(answer.data)["error"]
    assert _ask(client, "values", index=2).status_code == 404
    assert client.get(f"{BASE}/values?run=a&tag=table").status_code == 400
    assert client.get(f"{BASE}/values?run=a&index=0").status_code == 400


def test_safetensors_say_what_they_hold(client: Client) -> None:
    body = _ask(client, "values", "strings", format="safetensors").data
    assert load(body) == {}
    head = json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")])
    said = json.loads(head["__metadata__"]["tensor"])
    assert said["texts"] == ["café", "\\xff", "<b>"]
    assert said["kind"] == "string"
