"""Answers of routes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from safetensors.numpy import load

from insight_core.plugin.http import bytes_response, json_response, safetensors_response, streamed_response


def test_json() -> None:
    answer = json_response({"a": np.array([1.5, np.nan])})
    assert answer.mimetype == "application/json"
    assert json.loads(answer.data) == {"a": [1.5, "NaN"]}
    assert "Cache-Control" not in answer.headers


def test_safetensors() -> None:
    steps = np.arange(10, dtype=np.int64)[::2]  # not contiguous
    answer = safetensors_response({"steps": steps}, "series", [{"tag": "图"}])
    assert load(answer.data)["steps"].tolist() == [0, 2, 4, 6, 8]
    header = json.loads(answer.data[8 : 8 + int.from_bytes(answer.data[:8], "little")])
    assert json.loads(header["__metadata__"]["series"]) == [{"tag": "图"}]


def test_bytes_that_never_change() -> None:
    answer = bytes_response(b"\x89PNG", "image/png", immutable=True)
    assert (answer.data, answer.mimetype) == (b"\x89PNG", "image/png")
    assert answer.headers["Cache-Control"] == "private, max-age=86400, immutable"
    assert "Content-Disposition" not in answer.headers
    assert "Cache-Control" not in bytes_response(b"", "image/png").headers
    assert json_response(1, immutable=True).headers["Cache-Control"] == answer.headers["Cache-Control"]


@pytest.mark.parametrize("content_type", ["text/event-stream", "Text/Event-Stream; charset=utf-8"])
def test_an_event_is_sent_when_it_is_made(content_type: str) -> None:
    made: list[int] = []

    def events() -> Iterator[bytes]:
        for number in range(3):
            made.append(number)
            yield b"data: %d\n\n" % number

    answer = streamed_response(events(), content_type)
    assert made == []  # the first event may be far away
    sent = answer.iter_encoded()
    assert [(next(sent), list(made)) for _ in range(2)] == [
        (b"data: 0\n\n", [0]),
        (b"data: 1\n\n", [0, 1]),
    ]


@pytest.mark.parametrize(
    ("filename", "header"),
    [
        ("loss_7.png", 'attachment; filename="loss_7.png"'),
        ('a/b\\c"\r\nX: y.png', 'attachment; filename="a_b_c___X_ y.png"'),
        ("图像.png", "attachment; filename=\"__.png\"; filename*=UTF-8''%E5%9B%BE%E5%83%8F.png"),
        ("\udcff.png", 'attachment; filename="?.png"'),
        ("..", 'attachment; filename="download"'),
    ],
)
def test_the_name_of_a_file_to_save(filename: str, header: str) -> None:
    answer = bytes_response(b"", "application/octet-stream", filename=filename)
    assert answer.headers["Content-Disposition"] == header
