"""Files of a profile: unpacked by their first bytes, counted, cut."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from insight_profiler.files import TOO_MUCH, WRONG_SUM, Files

TEXT = b"".join(b"%d lines of a trace\n" % number for number in range(200_000))


def _files(directory: Path, **contents: bytes) -> Files:
    for name, data in contents.items():
        (directory / name).write_bytes(data)
    return Files.of_directory(directory)


@pytest.mark.parametrize(
    ("packed", "expected"),
    [
        (TEXT, TEXT),
        (gzip.compress(TEXT), TEXT),
        (gzip.compress(TEXT) + gzip.compress(b"more") + b"\0" * 9, TEXT + b"more"),
        (b"", b""),
        (b"\x1f", b"\x1f"),
        (b"{}", b"{}"),
    ],
    ids=["plain", "packed", "two members and padding", "empty", "one byte", "two bytes"],
)
def test_bytes_come_unpacked(tmp_path: Path, packed: bytes, expected: bytes) -> None:
    files = _files(tmp_path, trace=packed)
    with files.open("trace") as stream:
        assert stream.read() == expected
    assert files.bytes_read == len(packed)
    assert files.cut == {}


@pytest.mark.parametrize("kept", [11, 1_000, 100_000])
def test_of_a_cut_file_comes_what_there_is(tmp_path: Path, kept: int) -> None:
    files = _files(tmp_path, trace=gzip.compress(TEXT)[:kept])
    with files.open("trace") as stream:
        data = stream.read()
    assert TEXT.startswith(data)
    assert len(data) > kept or kept == 11
    assert files.cut == {"trace": "it ends before its packed data do"}


_DAMAGED = ("its packed data are damaged", WRONG_SUM)  # what a wrong byte of packed data does varies


def _damaged(packed: bytes, place: int) -> bytes:
    return packed[:place] + bytes([packed[place] ^ 255]) + packed[place + 1 :]


@pytest.mark.parametrize("text", [TEXT[:9_000], TEXT], ids=["one piece", "many pieces"])
def test_a_wrong_checksum_loses_nothing(tmp_path: Path, text: bytes) -> None:
    packed = gzip.compress(text)
    files = _files(tmp_path, trace=_damaged(packed, len(packed) - 6))
    with files.open("trace") as stream:
        assert stream.read() == text
    assert files.cut == {"trace": WRONG_SUM}


def test_what_costs_bytes_is_said_rather_than_a_wrong_checksum(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT)
    files = _files(tmp_path, trace=_damaged(packed, len(packed) - 6) + packed[: len(packed) // 2])
    with files.open("trace") as stream:
        assert stream.read().startswith(TEXT)
    assert files.cut == {"trace": "it ends before its packed data do"}


@pytest.mark.parametrize("text", [TEXT[:90_000], TEXT], ids=["one piece", "many pieces"])
def test_of_a_damaged_file_comes_what_is_before(tmp_path: Path, text: bytes) -> None:
    packed = gzip.compress(text)
    files = _files(tmp_path, trace=_damaged(packed, len(packed) * 9 // 10))
    with files.open("trace") as stream:
        data = stream.read()
    assert data.startswith(text[: len(text) * 85 // 100])
    assert files.cut["trace"] in _DAMAGED


@pytest.mark.parametrize("place", [4_000, -6])
def test_after_a_damaged_member_the_next_one_is_read(tmp_path: Path, place: int) -> None:
    first = gzip.compress(TEXT)
    last = b"the next member\n" * 1_000
    files = _files(tmp_path, trace=_damaged(first, place % len(first)) + gzip.compress(last))
    with files.open("trace") as stream:
        assert stream.read().endswith(last)
    assert files.cut["trace"] in _DAMAGED


def test_a_small_file_does_not_unpack_to_gigabytes(tmp_path: Path) -> None:
    packed = gzip.compress(b"\0" * (256 << 20), 9)
    files = _files(tmp_path, trace=packed)
    count = 0
    with files.open("trace") as stream:
        while piece := stream.read(1 << 20):
            count += len(piece)
    assert len(packed) < 1 << 20
    assert count < 128 << 20
    assert files.cut == {"trace": TOO_MUCH}


def test_names_are_paths_within(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.csv").write_bytes(b"\xef\xbb\xbfx,y\xff")
    files = Files.of_directory(tmp_path)
    assert files.names() == {"sub/a.csv": 7}
    assert files.text("sub/a.csv") == "x,y\ufffd"
    assert files.text("sub/a.csv", 4) == "x"
    with pytest.raises(KeyError):
        files.open("b.csv")


def test_a_file_that_goes_is_told(tmp_path: Path) -> None:
    files = _files(tmp_path, a=b"1")
    (tmp_path / "a").unlink()
    with pytest.raises(FileNotFoundError):
        files.open("a")
