"""Images of vision models: in columns, in messages and in logs of Inspect, and what is refused."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight_samples.images import image_of

from tests.support.pictures import png
from tests.support.sample_hosts import ROUTES, Samples, samples_of, write_lines

FIXTURES = Path(__file__).parent / "fixtures"
PNG = [png([[number, 255 - number], [7, number]]) for number in range(4)]
URI = "data:image/png;base64," + base64.b64encode(PNG[0]).decode()
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def _images(sample: Mapping[str, Any]) -> list[dict[str, Any]]:
    turns = [*sample["prompt"], *sample["completion"]]
    return [part for turn in turns for part in turn["parts"] if part["kind"] == "image"]


def _answered(of: Samples, line: Mapping[str, Any], image: str) -> Any:  # noqa: ANN401 - HostResponse
    where = {"run": of.run, "source": of.source, "id": line["id"], "size": line["size"]}
    return of.host.get(f"{ROUTES}/image", **where, image=image)


def _bytes(of: Samples, line: Mapping[str, Any]) -> list[bytes]:
    """The bytes of all images of a sample."""
    return [_answered(of, line, one["image"]).content for one in _images(of.sample(line))]


def _parquet(path: Path, columns: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=2)
    return path


_STRUCT = pa.struct([("bytes", pa.binary()), ("path", pa.string())])  # as datasets.Image writes
COLUMNS = {
    "a struct": pa.array([{"bytes": one, "path": "a.png"} for one in PNG], _STRUCT),
    "bytes": pa.array(PNG, pa.binary()),
    "a list of structs": pa.array([[{"bytes": one, "path": None}] for one in PNG], pa.list_(_STRUCT)),
    "a list of bytes": pa.array([[one] for one in PNG], pa.list_(pa.binary())),
    "Base64": pa.array([base64.b64encode(one).decode() for one in PNG]),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_images_of_a_column_are_those_that_pandas_reads(tmp_path: Path, kind: str) -> None:
    messages = [[{"role": "user", "content": f"what is {number}?"}] for number in range(4)]
    said = [[{"role": "assistant", "content": f"it is {number}"}] for number in range(4)]
    columns = {"prompt": messages, "completion": said, "accuracy": [0.0, 1.0, 0.0, 1.0]}
    path = _parquet(
        tmp_path / "run/completions/completions_00003.parquet", columns | {"images": COLUMNS[kind]}
    )
    table = pd.read_parquet(path)
    with samples_of(tmp_path) as of:
        lines = of.lines(step=3, sort="file")
        for number, line in enumerate(lines):
            row = table.iloc[number]
            assert line["asked"] == row["prompt"][0]["content"]
            assert line["scores"] == {"accuracy": row["accuracy"]}
            assert _bytes(of, line) == [PNG[number]]
            [image] = _images(of.sample(line))
            assert (image["text"], image["width"], image["height"]) == ("PNG", 2, 2)


def test_images_of_a_column_stand_where_the_messages_have_a_place_for_them(tmp_path: Path) -> None:
    place = {"type": "image", "text": None}
    content = [{"type": "text", "text": "before"}, place, {"type": "text", "text": "after"}]
    prompt = pa.array([[{"role": "user", "content": content}]])
    images = pa.array([[{"bytes": one, "path": None} for one in PNG[:2]]], pa.list_(_STRUCT))
    columns = {"prompt": prompt, "completion": ["yes"], "images": images}
    _parquet(tmp_path / "run/completions/completions_1.parquet", columns)
    with samples_of(tmp_path) as of:
        [line] = of.lines(step=1)
        [turn] = of.sample(line)["prompt"]
        assert [part["kind"] for part in turn["parts"]] == ["image", "text", "image", "text"]
        assert _bytes(of, line) == [PNG[1], PNG[0]]  # that without a place comes first


MESSAGES = {
    "OpenAI": {"type": "image_url", "image_url": {"url": URI, "detail": "low"}},
    "Responses": {"type": "input_image", "image_url": URI},
    "Inspect": {"type": "image", "image": URI},
    "Anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": URI.partition(",")[2]},
    },
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_an_image_in_a_message_is_answered_with_its_type_and_never_guessed(tmp_path: Path, kind: str) -> None:
    asked = {"role": "user", "content": [{"type": "text", "text": "what?"}, MESSAGES[kind]]}
    row = {"messages": [asked, {"role": "assistant", "content": "a square"}], "reward": 1}
    write_lines(tmp_path / "run" / "samples.jsonl", [row])
    with samples_of(tmp_path) as of:
        [line] = of.lines()
        sample = of.sample(line)
        [image] = _images(sample)
        answer = _answered(of, line, image["image"])
        assert answer.content == PNG[0]
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert URI not in json.dumps(sample)  # the bytes come when the image is looked at


def test_a_file_that_begins_with_a_long_image_is_one_of_samples(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (64, 200))
    uri = "data:image/png;base64," + base64.b64encode(png(noise)).decode()
    assert len(uri) > 1 << 13
    write_lines(tmp_path / "run" / "samples.jsonl", [{"image": uri, "prompt": "p", "completion": "c"}])
    with samples_of(tmp_path) as of:
        [line] = of.lines()
        assert _bytes(of, line) == [png(noise)]


def test_images_of_inspect_are_its_attachments() -> None:
    with samples_of(FIXTURES / "inspect_images", "sight") as of:
        kinds = []
        for line in of.lines(sort="file"):
            [image] = _images(of.sample(line))
            if "image" in image:
                answer = _answered(of, line, image["image"])
                kinds.append((image["width"], image["height"], answer.headers["Content-Type"]))
            else:
                kinds.append(image["text"])
        assert kinds == [(8, 6, "image/png"), (8, 6, "image/jpeg"), "https://example.com/x.png"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (SVG, "samples_no_image"),
        (b"<html><script>alert(1)</script>", "samples_no_image"),
        (b"BM" + bytes(12) + (12).to_bytes(4, "little") + b"\1\0\1\0\1\0\1\0", "samples_no_image"),
        (png([[1]])[:16] + b"\0\1\0\0\0\1\0\0" + png([[1]])[24:], "samples_large_image"),
        (PNG[0][:20], "samples_no_image"),
    ],
    ids=["SVG", "HTML", "BMP", "too many pixels", "cut"],
)
def test_what_is_no_image_that_a_page_shows_is_refused(tmp_path: Path, data: bytes, code: str) -> None:
    columns = {"prompt": ["p"], "completion": ["c"], "image": pa.array([data], pa.binary())}
    _parquet(tmp_path / "run/completions/completions_1.parquet", columns)
    with samples_of(tmp_path) as of:
        [line] = of.lines(step=1)
        [image] = _images(of.sample(line))
        assert (image["code"], "image" in image) == (code, False)
        found = image_of(data)
        assert found is not None
        answer = _answered(of, line, f"0-{found.digest}")
        assert (answer.status, answer.json()["code"]) == (422, code)


@pytest.mark.parametrize("address", ["http://169.254.169.254/x.png", "file:///etc/passwd", "../secret.png"])
def test_an_address_is_shown_as_text_and_never_fetched(tmp_path: Path, address: str) -> None:
    content = [{"type": "image_url", "image_url": {"url": address}}]
    write_lines(
        tmp_path / "run" / "samples.jsonl",
        [{"prompt": [{"role": "user", "content": content}], "completion": "c", "reward": 0}],
    )
    with samples_of(tmp_path) as of:
        [line] = of.lines()
        assert _images(of.sample(line)) == [{"kind": "image", "text": address}]
        found = image_of(address)
        assert found is not None
        assert _answered(of, line, f"0-{found.digest}").status == 422


def test_an_image_of_another_sample_is_gone(tmp_path: Path) -> None:
    columns = {"prompt": ["p"], "completion": ["c"], "image": pa.array([PNG[0]], pa.binary())}
    _parquet(tmp_path / "run/completions/completions_1.parquet", columns)
    with samples_of(tmp_path) as of:
        [line] = of.lines(step=1)
        name = _images(of.sample(line))[0]["image"]
        columns["image"] = pa.array([PNG[1]], pa.binary())
        _parquet(tmp_path / "run/completions/completions_1.parquet", columns)
        of.host.load()
        answer = _answered(of, line, name)
        assert (answer.status, answer.json()["code"]) == (404, "samples_gone")


def test_prompts_with_equal_texts_and_other_images_are_other_prompts(tmp_path: Path) -> None:
    columns = {"prompt": ["what?"] * 4, "completion": ["a", "b", "c", "d"]}
    images = pa.array([PNG[0], PNG[0], PNG[1], PNG[1]], pa.binary())
    _parquet(tmp_path / "run/completions/completions_1.parquet", columns | {"image": images})
    with samples_of(tmp_path) as of:
        groups = [line["group"] for line in of.lines(step=1, sort="file")]
        assert [groups.index(one) for one in groups] == [0, 0, 2, 2]


def test_a_list_of_samples_reads_no_bytes_of_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"prompt": ["p"] * 4, "completion": ["c"] * 4, "images": COLUMNS["a list of structs"]}
    _parquet(tmp_path / "run/completions/completions_1.parquet", columns)
    with samples_of(tmp_path) as of:
        of.overview()
        read = []
        batches = pq.ParquetFile.iter_batches

        def noted(file: pq.ParquetFile, *given: Any, **more: Any) -> Any:  # noqa: ANN401
            read.append(more["columns"])
            return batches(file, *given, **more)

        monkeypatch.setattr(pq.ParquetFile, "iter_batches", noted)
        lines = of.lines(step=1, sort="file")
        assert [line["asked"] for line in lines] == ["p"] * 4
        assert read
        assert all("images.list.element.bytes" not in names for names in read)
        assert _bytes(of, lines[2]) == [PNG[2]]
