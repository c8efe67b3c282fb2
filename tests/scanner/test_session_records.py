"""A session that begins in a file ends the batch before it, and its step is that of the next batch."""

from __future__ import annotations

from itertools import pairwise

import pytest

from insight_authoring.testing import wire
from insight_core.formats.batch import Batch
from insight_core.ingest.scanner.scanner import CHUNK
from insight_core.ingest.scanner.small_files import read_small_files
from insight_core.plugin import Dialect
from tests.scanner.both_scanners import BOTH, MakeScanner, opened
from tests.scanner.event_bytes import block


def scalar(step: int, value: float = 0.0) -> bytes:
    return wire.record(wire.event(step, 1.0 + step, wire.summary([wire.scalar_value("loss", value)])))


def started(step: int, status: int = 1) -> bytes:
    return wire.record(wire.session_event(step, 1.0 + step, status))


def batches(make: MakeScanner, data: bytes, guess: Dialect = Dialect.TENSORBOARD) -> list[Batch]:
    scanner = make(guess, CHUNK)
    found = [Batch(0, guess)]
    with opened(data) as descriptor:
        while found[-1].end < len(data):
            found.append(scanner.scan(descriptor, found[-1].end, len(data)))
            assert found[-1].end > found[-2].end
    return found[1:]


def steps(batch: Batch) -> list[int]:
    return [step for each in batch.blocks for step in each.columns.steps.tolist()]


@pytest.mark.parametrize("make", BOTH)
def test_values_before_and_after_a_session_begins_are_in_batches_of_their_own(make: MakeScanner) -> None:
    parts = [*map(scalar, range(40)), started(30), started(20), *map(scalar, range(20, 60)), started(50)]
    found = batches(make, b"".join(parts))
    assert [(batch.session_step, steps(batch)) for batch in found] == [
        (None, list(range(40))),
        (20, list(range(20, 60))),
        (50, []),
    ]
    assert [batch.first_wall_time for batch in found] == [1.0, 21.0, 51.0]
    assert all(one.end < other.end for one, other in pairwise(found))


@pytest.mark.parametrize("make", BOTH)
def test_only_a_start_in_tensorboards_dialect_begins_a_session(make: MakeScanner) -> None:
    data = scalar(0) + started(5, status=2) + started(5, status=3) + scalar(6)
    [batch] = batches(make, data)
    assert (batch.session_step, steps(batch)) == (None, [0, 6])
    mindspore = wire.record(wire.event(1, 1.0, block(7, b"\x08\x01")))
    [batch] = batches(make, mindspore, Dialect.MINDSPORE)
    assert batch.session_step is None


@pytest.mark.parametrize("make", BOTH)
def test_a_start_whose_checksum_is_wrong_begins_nothing(make: MakeScanner) -> None:
    bad = wire.record(wire.session_event(1, 1.0), bad_data_crc=True)
    [batch] = batches(make, scalar(0) + bad + scalar(2))
    assert (batch.session_step, steps(batch), len(batch.flaws)) == (None, [0, 2], 1)


def test_small_files_with_a_session_after_values_are_read_one_by_one() -> None:
    whole = [started(3) + scalar(3), scalar(3) + started(3) + scalar(3)]
    with opened(whole[0]) as one, opened(whole[1]) as other:
        paths = [f"/proc/self/fd/{descriptor}" for descriptor in (one, other)]
        first, second = read_small_files(paths, [Dialect.TENSORBOARD] * 2, frozenset(), 10, 10)
    assert first is not None
    assert first.batch.session_step == 3
    assert second is None


def labelled(*contents: bytes) -> bytes:
    """An event with a value for each content of the metadata of one tag."""
    values = [
        wire.tensor_value("loss", wire.text_tensor([b""]), wire.metadata("hparams", content=content))
        for content in contents
    ]
    return wire.record(wire.event(1, 1.0, wire.summary(values)))


@pytest.mark.parametrize("make", BOTH)
def test_the_last_metadata_of_a_tag_count_within_an_event_too(make: MakeScanner) -> None:
    [batch] = batches(make, labelled(b"one") + labelled(b"two", b"one"))
    assert batch.metadata["loss"].last_content == b"one"
    [batch] = batches(make, labelled(b"one") + labelled(b"one", b"two"))
    assert batch.metadata["loss"].last_content == b"two"
