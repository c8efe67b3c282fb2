"""Media: logs of torch and tensorboardX, measures against scikit-learn, and hostile content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_media
import numpy as np
import pytest
from insight_media import recording
from insight_media.confusion import MOST_CLASSES, confusion_matrix_of
from insight_media.item import (
    ARROW_FILE,
    ARROW_STREAM,
    CONFUSION_MATRIX,
    CSV,
    HTML,
    PLOTLY,
    VEGA_LITE,
    Item,
    item_of,
)
from insight_media.tables import MOST_ROWS, table_of
from werkzeug.test import Client, TestResponse

from benchmarks.processes import peak_memory
from insight_authoring.testing import wire
from insight_authoring.testing.tensors import tensorflow_tensor
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import client_of

FIXTURES = Path(__file__).parent / "fixtures"
CLAIM = SummaryPlugin("media")


def _registry() -> Registry:
    registry = Registry.of([("media", lambda: insight_media)])
    assert not registry.failures
    return registry


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A host of the committed logs."""
    with client_of(FIXTURES, media=insight_media) as made:
        yield made


def _host_of(item: Item) -> Client:
    fake = FakeProvider()
    payload = wire.text_tensor([item.media_type.encode(), item.content])
    fake.add_records("media", "a", "tag", [payload], claim=CLAIM)
    return Client(Host(_registry(), fake))


def _get(client: Client, route: str, run: str = "a", tag: str = "tag", **query: object) -> TestResponse:
    return client.get(
        f"/data/plugin/media/{route}", query_string={"run": run, "tag": tag, "index": 0, **query}
    )


def _item(client: Client, run: str = "a", tag: str = "tag", **query: object) -> Any:  # noqa: ANN401
    answer = _get(client, "item", run, tag, **query)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_json()


@pytest.mark.parametrize("run", ["torch", "tensorboardx"])
def test_measures_of_recorded_matrices_are_those_of_scikit_learn(client: Client, run: str) -> None:
    expected = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))
    for index, report in enumerate(expected.values()):
        matrix = _item(client, run, "val/confusion", index=index)["matrix"]
        assert matrix["labels"] == [f"digit {name}" for name in range(10)]
        assert matrix["accuracy"] == pytest.approx(report["accuracy"])
        for name, ours in (
            ("precision", "precision"),
            ("recall", "recall"),
            ("f1-score", "f1"),
            ("support", "support"),
        ):
            theirs = [report[str(digit)][name] for digit in range(10)]
            assert matrix[ours] == pytest.approx(theirs), name


def test_tables_are_the_same_as_text_and_as_arrow(client: Client) -> None:
    text = _item(client, "torch", "val/mistakes", index=2)["table"]
    arrow = _item(client, "torch", "val/mistakes_arrow", index=2)["table"]
    assert text["names"] == arrow["names"] == ["example", "class", "predicted", "certainty"]
    assert text == arrow
    assert text["rows"] == len(text["columns"][0]) == 40


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("clips/digits", "video"),
        ("report", "html"),
        ("val/summary", "text"),
        ("figures/certainty", "plotly"),
        ("figures/mistakes", "vega"),
    ],
)
def test_recorded_items_say_what_they_are(client: Client, tag: str, kind: str) -> None:
    assert _item(client, "torch", tag)["kind"] == kind


def test_a_figure_is_handed_over_as_it_was_recorded(client: Client) -> None:
    item = _item(client, "torch", "figures/certainty", index=2)
    assert item["media_type"] == PLOTLY
    assert item["figure"]["data"][0]["type"] == "histogram"
    saved = _get(client, "content", "torch", "figures/certainty", index=2, download=1)
    assert saved.get_json(force=True) == item["figure"]
    assert saved.headers["Content-Disposition"].startswith("attachment")


def test_videos_are_played_by_ranges(client: Client) -> None:
    whole = _get(client, "content", "torch", "clips/digits")
    assert (whole.mimetype, whole.get_data()[4:8]) == ("video/mp4", b"ftyp")
    query = {"run": "torch", "tag": "clips/digits", "index": 0}
    part = client.get("/data/plugin/media/content", query_string=query, headers={"Range": "bytes=4-7"})
    assert (part.status_code, part.get_data()) == (206, b"ftyp")


def test_html_has_no_origin_and_no_network_and_runs_no_scripts_unasked() -> None:
    client = _host_of(recording.html("<script>1</script>"))
    policy = _get(client, "content").headers["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    policy = _get(client, "content", scripts=1, framed=1).headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'")
    for unwanted in ("allow-same-origin", "connect-src", "'self';", "http"):
        assert unwanted not in policy.partition("frame-ancestors")[0]


@pytest.mark.parametrize(
    ("destination", "framed", "is_wrapped"),
    [("iframe", 0, False), ("document", 0, True), ("document", 1, True), (None, 0, True), (None, 1, False)],
)
def test_html_with_scripts_is_shown_in_a_frame_alone(
    destination: str | None, framed: int, is_wrapped: bool
) -> None:
    client = _host_of(recording.html("<script>1</script>"))
    headers = {} if destination is None else {"Sec-Fetch-Dest": destination}
    query = {"run": "a", "tag": "tag", "index": 0, "scripts": 1, "framed": framed}
    answer = client.get("/data/plugin/media/content", query_string=query, headers=headers)
    assert ("<iframe" in answer.text, "<script>" in answer.text) == (is_wrapped, not is_wrapped)


def test_only_videos_and_html_are_answered_as_what_they_claim_to_be() -> None:
    client = _host_of(Item("image/gif", b"<script>alert(1)</script>"))
    answer = _get(client, "content")
    assert (answer.mimetype, answer.headers["X-Content-Type-Options"]) == ("image/gif", "nosniff")
    answer = _get(_host_of(recording.markdown("# <script>")), "content")
    assert answer.mimetype == "application/octet-stream"


def test_numbers_of_csv_are_numbers_where_all_cells_of_a_column_are() -> None:
    table = table_of(recording.table(["a", "b", "c"], [[1, "x", ""], [2.5, "3", 4]]))
    assert table.columns == ([1.0, 2.5], ["x", "3"], [None, 4.0])


def test_of_a_long_table_the_first_rows_are_shown() -> None:
    table = table_of(recording.table(["a"], [[row] for row in range(MOST_ROWS + 5)]))
    assert (len(table.columns[0]), table.rows) == (MOST_ROWS, MOST_ROWS + 5)


def test_arrow_cells_of_any_type_are_texts_or_numbers() -> None:
    pa = pytest.importorskip("pyarrow")
    made = pa.table({"n": [1, None], "big": [2**60, 1], "nan": [float("nan"), 1.0], "list": [[1, 2], []]})
    table = table_of(recording.arrow_table(made))
    assert table.columns == ([1, None], [str(2**60), 1], ["nan", 1.0], ["[1, 2]", "[]"])


def test_without_pyarrow_a_table_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    item = recording.arrow_table({"a": [1]})
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    answer = _get(_host_of(item), "item")
    assert answer.status_code == 503
    assert "pip install 'insight-host[parquet]'" in answer.get_json()["error"]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Item(PLOTLY, b"{"), "not valid JSON"),
        (Item(PLOTLY, b"[1]"), "not a JSON object"),
        (Item(PLOTLY, b"{}"), "no list 'data'"),
        (Item(VEGA_LITE, b"[" * 100_000), "nested too deeply|not valid JSON"),
        (Item(CSV, b""), "no columns"),
        (Item(ARROW_STREAM, b"\x00\x01"), "Arrow data cannot be read"),
        (recording.confusion_matrix([[1, 2]]), "not square"),
        (recording.confusion_matrix([[1, -2], [0, 0]]), "negative"),
        (recording.confusion_matrix([[1]], ["a", "b"]), "'labels'"),
        (Item(CONFUSION_MATRIX, b'{"matrix": [[NaN]]}'), "not a finite"),
        (Item(CONFUSION_MATRIX, b'{"matrix": [["<b>"]]}'), "not a finite"),
        (Item(CONFUSION_MATRIX, b'{"matrix": [[1' + b"0" * 400 + b"]]}"), "not a finite"),
        (recording.confusion_matrix(np.zeros((MOST_CLASSES + 1,) * 2, int)), "501 classes"),
    ],
)
def test_hostile_content_is_an_error_of_its_record(item: Item, reason: str) -> None:
    answer = _get(_host_of(item), "item")
    assert answer.status_code == 422
    assert re.search(reason, answer.get_json()["error"]), answer.get_json()


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "empty"),
        (b"\xff\xff", "varint|truncated"),
        (wire.text_tensor([b"text/html"]), "not two strings"),
        (tensorflow_tensor(np.zeros(2, np.float32)), "float32"),
        (
            wire.text_tensor([b"text/javascript", b"alert(1)"]),
            "'text/javascript' is not one that can be shown",
        ),
        (wire.text_tensor([b"\xff" * 1000, b""]), "is not one that can be shown"),
    ],
)
def test_what_is_no_item_is_refused_with_the_reason(payload: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        item_of(Payload(payload, CLAIM))


def test_media_types_have_parameters_and_letters_of_any_case() -> None:
    item = item_of(Payload(wire.text_tensor([b"Text/HTML; charset=utf-8", b"x"]), CLAIM))
    assert item.media_type == HTML


def test_labels_and_counts_of_a_matrix_without_examples_are_kept() -> None:
    matrix = confusion_matrix_of(recording.confusion_matrix([[0, 0], [0, 0]]).content)
    assert matrix.labels == ("0", "1")
    assert insight_media.confusion.measures_of(matrix).accuracy == 0.0


def test_a_file_that_browsers_do_not_play_is_refused_when_it_is_recorded() -> None:
    with pytest.raises(ValueError, match="convert it to MP4, WebM, Ogg or GIF"):
        recording.video(b"RIFF....AVI ")
    assert recording.video(b"GIF89a").media_type == "image/gif"


def _unpacking(batches: int, rows: int) -> Item:
    """A table of zeros in some KB."""
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema([(f"c{place}", pa.int64()) for place in range(4)])
    batch = pa.record_batch([pa.array(np.zeros(rows, np.int64))] * 4, schema=schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        for _ in range(batches):
            writer.write_batch(batch)
    return Item(ARROW_STREAM, sink.getvalue().to_pybytes())


def test_of_an_arrow_table_that_unpacks_to_gigabytes_the_first_rows_are_shown_or_it_is_refused() -> None:
    shown, refused = _unpacking(20, 4_000_000), _unpacking(1, 50_000_000)
    before = peak_memory()
    table = table_of(shown)
    assert (len(table.columns[3]), table.rows, table.width) == (MOST_ROWS, 80_000_000, 4)
    with pytest.raises(ValueError, match="needs more than 1024 MiB of memory") as caught:
        table_of(refused)
    assert caught.value.args[0].code == "worker_memory"
    assert peak_memory() - before < 256  # MB


def test_files_and_streams_of_arrow_are_read_batch_by_batch() -> None:
    pa = pytest.importorskip("pyarrow")
    made = pa.table({"n": list(range(12)), "t": [f"x{row}" for row in range(12)]})
    for media_type, opened in ((ARROW_STREAM, pa.ipc.new_stream), (ARROW_FILE, pa.ipc.new_file)):
        sink = pa.BufferOutputStream()
        with opened(sink, made.schema) as writer:
            writer.write_table(made, max_chunksize=5)
        table = table_of(Item(media_type, sink.getvalue().to_pybytes()))
        assert (table.rows, list(table.columns[0]), table.columns[1][11]) == (12, list(range(12)), "x11")
