"""Small files read together against a scan of each."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_authoring.testing import wire
from insight_core.formats.batch import Batch, SmallFile
from insight_core.formats.columns import Block
from insight_core.ingest.scan_ahead import file_version
from insight_core.ingest.scanner import _kernel
from insight_core.ingest.scanner.scanner import CHUNK
from insight_core.ingest.scanner.small_files import LARGEST, read_small_files
from insight_core.plugin import Dialect
from insight_record.formats.crc32c import crc32c_in_python
from tests.scanner.both_scanners import opened
from tests.scanner.event_bytes import block, files
from tests.support.damaged_logdir import scalar_record, version_record

HEAD, TAIL = 10, 300
NUMBERS = frozenset({"scalars"})  # plugins that take numbers
TENSORBOARD = Dialect.TENSORBOARD


def exactly(batch: Batch) -> object:
    """All of a batch, the order of its columns and tags as well; numbers as bytes, so that NaN equals NaN."""
    return (
        (batch.end, batch.dialect, list(batch.metadata.items()), batch.flaws, batch.tail, batch.session_step),
        repr(batch.first_wall_time),
        [facts(block) for block in batch.blocks],
    )


def facts(block: Block) -> object:
    columns = block.columns
    arrays = [block.ends, block.ascending, columns.steps, columns.wall_times, columns.values, columns.places]
    return block.tags, block.field, [a if a is None else (a.dtype.str, a.tobytes()) for a in arrays]


def scanned(descriptor: int, guess: Dialect) -> Batch:
    batch: Batch = _kernel.CompiledScanner(guess, CHUNK, NUMBERS).scan(
        descriptor, 0, os.fstat(descriptor).st_size
    )
    return batch


def together(contents: Sequence[bytes], guesses: Sequence[Dialect]) -> list[SmallFile | None]:
    """What is read of files that hold this, each compared with what a scan of it gives."""
    with ExitStack() as stack:
        descriptors = [stack.enter_context(opened(data)) for data in contents]
        paths = [f"/proc/self/fd/{descriptor}" for descriptor in descriptors]
        found = read_small_files(paths, guesses, NUMBERS, HEAD, TAIL)
        assert len(found) == len(contents)
        for file, data, descriptor, guess in zip(found, contents, descriptors, guesses, strict=True):
            if file is None:
                continue
            info = os.fstat(descriptor)
            assert file.version == file_version(info)
            assert file.version[2] == len(data)
            assert (file.head_checksum, file.tail_checksum) == (
                crc32c_in_python(data[:HEAD]), crc32c_in_python(data[-TAIL:])
            )  # fmt: skip
            batch = scanned(descriptor, guess)
            assert exactly(file.batch) == exactly(batch)
            assert (batch.end, batch.tail, batch.flaws) == (len(data), None, [])
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(files(), st.sampled_from(list(Dialect))), max_size=5))
def test_what_is_read_together_is_what_scans_find(
    some: list[tuple[tuple[bytes, list[int]], Dialect]],
) -> None:
    together([data for (data, _), _ in some], [guess for _, guess in some])


def numbers(tags: Sequence[str], count: int = 20) -> bytes:
    return version_record() + b"".join(scalar_record(step, tag) for step in range(count) for tag in tags)


def with_metadata(tag: str, plugin: bytes, step: int) -> bytes:
    value = block(1, tag.encode()) + block(9, block(1, block(1, plugin))) + b"\x15\0\0\0\0"
    return wire.record(wire.event(step, 1.0, block(5, block(1, value))))


def test_files_that_share_tags_and_files_that_do_not() -> None:
    contents = [numbers(tags) for tags in (["a", "b"], ["b", "a"], ["a", "b"], ["c"], ["c", "a"], [])]
    found = together(contents, [TENSORBOARD] * 6)
    assert all(found)
    tags = [file.batch.blocks[0].tags for file in found[:5] if file]
    assert tags == [("a", "b"), ("b", "a"), ("a", "b"), ("c",), ("c", "a")]


def test_the_dialect_is_that_which_each_file_says() -> None:
    mindspore = wire.record(wire.version_event(Dialect.MINDSPORE, 5.0))
    landscape = wire.record(wire.event(1, 1.0, block(1, block(1, b"a") + block(10, b""))))
    contents = [version_record(), mindspore, version_record(), mindspore, landscape]
    guesses = [Dialect.MINDSPORE, TENSORBOARD, TENSORBOARD, Dialect.MINDSPORE, Dialect.MINDSPORE]
    found = together(contents, guesses)
    assert [file.batch.dialect for file in found if file] == [
        TENSORBOARD, Dialect.MINDSPORE, TENSORBOARD, Dialect.MINDSPORE, Dialect.MINDSPORE
    ]  # fmt: skip


def test_metadata_of_each_file() -> None:
    contents = [
        version_record() + with_metadata("a", b"one", 1) + with_metadata("a", b"two", 2),
        version_record() + with_metadata("a", b"two", 1) + with_metadata("b", b"one", 1),
        numbers(["a"]),
    ]
    found = together(contents, [TENSORBOARD] * 3)
    named = [{tag: each.plugin for tag, each in file.batch.metadata.items()} for file in found if file]
    assert named == [{"a": "one"}, {"a": "two", "b": "one"}, {}]


def tensor(tag: str, content: bytes) -> bytes:
    return wire.record(wire.event(1, 1.0, block(5, block(1, block(1, tag.encode()) + block(8, content)))))


def test_locators_of_numbers_are_those_of_plugins_that_want_more() -> None:
    number = block(8, b"\x08\x01\x2d\0\0\0\0")
    named = {name: block(9, block(1, block(1, name))) for name in (b"scalars", b"other")}
    contents = []
    for first, second in ((b"scalars", b"other"), (b"other", b"scalars"), (b"scalars", b"scalars")):
        both = [block(1, b"a") + named[first] + number, block(1, b"a") + named[second] + number]
        both.append(block(1, b"b") + named[second] + number)
        event = block(5, b"".join(block(1, value) for value in both))
        contents.append(version_record() + wire.record(wire.event(1, 1.0, event)))
    found = together(contents, [TENSORBOARD] * 3)
    located = [
        {tag: block.columns.places is not None for block in file.batch.blocks for tag in block.tags}
        for file in found
        if file
    ]
    assert located == [{"a": False, "b": True}, {"a": True, "b": False}, {"a": False, "b": False}]


@pytest.mark.parametrize(
    "odd",
    [
        b"",
        numbers(["a"])[:-1],
        numbers(["a"])[:-20],
        numbers(["a"]) + b"\0" * 40,
        version_record() + bytes([*scalar_record(1)[:-1], 0]) + scalar_record(2),
        version_record() + wire.record(b"\x0b\x0c"),
        version_record() + with_metadata("a", b"\xff", 1)[:-3],
        numbers(["a"], LARGEST // len(scalar_record(500, "a")) + 100),
        numbers(["a"]) + tensor("a", b"\x08\x01\x2d\0\0\0\0") + numbers(["a"]),
    ],
    ids=["empty", "footer", "cut", "header", "checksum", "malformed", "metadata", "long", "forms"],
)
def test_what_is_wrong_or_unusual_is_left(odd: bytes) -> None:
    found = together([numbers(["a"]), odd, numbers(["b"])], [TENSORBOARD] * 3)
    assert [file is None for file in found] == [False, True, False]


def test_files_that_cannot_be_read_are_left(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(numbers(["a"]))
    paths = [str(tmp_path / "none"), str(tmp_path), str(tmp_path / "good")]
    assert [file is None for file in read_small_files(paths, [TENSORBOARD] * 3, NUMBERS, 1, 1)] == [
        True,
        True,
        False,
    ]
    assert read_small_files([], [], NUMBERS, 1, 1) == []


def test_more_than_columns_are_made_of_at_once() -> None:
    long = numbers(["a"], LARGEST // len(scalar_record(500, "a")) - 10)
    many = [numbers([f"{number}/{tag}" for tag in range(400)], 1) for number in range(8)]
    found = together([long] * 12 + many, [TENSORBOARD] * 20)
    assert all(found)
    assert len({id(file.batch.blocks[0].columns.steps.base) for file in found if file}) > 3


def test_a_file_that_is_written_to_is_left_or_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(version_record())
    stop = threading.Event()

    def write() -> None:
        with open(path, "ab", buffering=0) as file:
            for step in range(3000):
                if stop.is_set():
                    return
                file.write(scalar_record(step))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while writer.is_alive():
            (file,) = read_small_files([str(path)], [TENSORBOARD], NUMBERS, HEAD, TAIL)
            if file is not None:
                data = path.read_bytes()[: file.version[2]]
                assert file.tail_checksum == crc32c_in_python(data[-TAIL:])
                for block in file.batch.blocks:
                    np.testing.assert_array_equal(block.columns.steps, np.arange(len(block.columns)))
    finally:
        stop.set()
        writer.join()
