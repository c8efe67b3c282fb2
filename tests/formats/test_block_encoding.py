"""Blocks of a segment file: the compiled encoder against its definition in numpy, and what a reader gets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.formats.alike_files import FILES, PLACE, AlikeBlock, AlikeFiles, SharedColumns
from insight_core.formats.block_encoding import encode_alike, encode_block, fit_one_chunk
from insight_core.formats.columns import Block, Columns
from insight_core.formats.dialects import Dialect
from insight_core.formats.stored_block import Form, StoredBlock
from tests.oracles import block_encoding

_LONG = 9000  # points: a chunk of their own, in every form


@st.composite
def _blocks(draw: st.DrawFn) -> list[Block]:
    """Blocks of one form, some as slices of larger columns, with series of any length."""
    form = draw(
        st.sampled_from([Form(values, places) for places in (False, True) for values in ("", "f", "d")])
    )
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return [_block(draw, form, random) for _ in range(draw(st.integers(1, 3)))]


def _block(draw: st.DrawFn, form: Form, random: np.random.Generator) -> Block:
    lengths = st.integers(0, 5) | st.integers(500, 4000) | st.just(_LONG)
    counts = np.array(draw(st.lists(lengths, min_size=1, max_size=6)))
    points, before = int(counts.sum()), draw(st.sampled_from([0, 7]))
    columns = Columns(
        random.integers(-(2**63), 2**63 - 1, before + points),
        random.standard_normal(before + points),
        random.integers(0, 2**32, before + points, np.uint32).view(np.float32)  # any NaN, too
        if form.values == "f"
        else random.integers(0, 2**63, before + points).view(np.float64)
        if form.values == "d"
        else None,
        random.integers(0, 2**40, (3, before + points)) if form.has_places else None,
    )[before : before + points]
    return Block(
        "",
        tuple(draw(st.sampled_from("abcdef")) for _ in counts),
        counts.cumsum(),
        random.integers(0, draw(st.sampled_from([2, 100])), len(counts)) > 0,
        columns,
        counts + draw(st.integers(0, 1)) if draw(st.booleans()) else None,
        random.integers(0, 2, len(counts)) if draw(st.booleans()) else None,
    )


@given(_blocks())
def test_the_compiled_encoder_gives_what_its_definition_gives(blocks: list[Block]) -> None:
    made = encode_block(blocks)
    data = b"".join(made.pieces)
    assert len(data) == made.size
    assert (data, made.chunks, made.checksum, made.rests) == block_encoding.encoded(blocks)


@given(_blocks())
def test_a_reader_gets_the_points_that_were_encoded(blocks: list[Block]) -> None:
    made = encode_block(blocks)
    data = b"".join(made.pieces)
    tags = tuple(tag for block in blocks for tag in block.tags)
    stored = StoredBlock(
        "a log",
        tags,
        Form.of(blocks[0].columns),
        made.rests,
        lambda offset, size: data[offset : offset + size],
        pytest.fail,
        0,
        made.chunks,
        made.checksum,
    )
    expected = [block.columns_of(place) for block in blocks for place in range(len(block.tags))]
    for place, columns in enumerate(expected):
        found = stored.points_of(place)
        for one, other in zip(found.arrays(), columns.arrays(), strict=True):
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("column", ["steps", "wall_times", "values", "places"])
def test_columns_that_are_not_equally_long_are_refused(column: str) -> None:
    columns = Columns(np.arange(5), np.zeros(5), np.zeros(5), np.zeros((3, 5), np.int64))
    setattr(columns, column, getattr(columns, column)[..., :4])
    block = Block("", ("a", "b"), np.array([2, 5]), np.array([True, True]), columns)
    with pytest.raises(ValueError, match="not equally long"):
        encode_block([block])


def test_ends_that_do_not_ascend_are_refused() -> None:
    columns = Columns(np.arange(5), np.zeros(5), np.zeros(5))
    block = Block("", ("a", "b"), np.array([7, 5]), np.array([True, True]), columns)
    with pytest.raises(ValueError, match="do not ascend"):
        encode_block([block])


@st.composite
def _alike(draw: st.DrawFn) -> AlikeFiles:
    """Files whose points lie somewhere in columns that they share."""
    forms = draw(st.lists(st.sampled_from([("", True), ("f", False), ("d", False), ("d", True)]), max_size=3))
    kinds = [
        AlikeBlock("a field", tuple(f"{at}/{tag}" for tag in range(draw(st.integers(1, 3)))), *form)
        for at, form in enumerate(forms)
    ]
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 4))
    places = np.zeros((count, len(kinds), PLACE), np.int64)
    ends: list[int] = []
    for file in range(count):
        for at, kind in enumerate(kinds):
            counts = [draw(st.integers(1, 5)) for _ in kind.tags]
            first = draw(st.integers(0, 20))
            places[file, at] = [first, first + sum(counts), *random.integers(0, 20, 2), len(ends)]
            ends += np.cumsum(counts).tolist()
    points = 40
    columns = SharedColumns(
        random.integers(0, 1000, points),
        random.standard_normal(points),
        random.standard_normal(points).astype(np.float32),
        random.standard_normal(points),
        random.integers(0, 2**40, (3, points)),
        np.array(ends, np.int64),
        np.ones(len(ends), np.bool_),
    )
    return AlikeFiles(Dialect.TENSORBOARD, tuple(kinds), columns, np.zeros(count, FILES), places)


@given(_alike())
def test_files_that_are_alike_are_encoded_as_each_would_be(files: AlikeFiles) -> None:
    assert fit_one_chunk(files)
    numbers = list(reversed(range(len(files.files))))
    made = encode_alike(files, files.kinds, numbers)
    expected, sizes, rows = b"", [], []
    for number in numbers:
        size = 0
        for block in files.blocks(number):
            each = encode_block([block])
            rows.append([size, each.chunks, each.checksum, each.rests])
            expected += b"".join(each.pieces)
            size += each.size
        sizes.append(size)
    assert made.data == expected
    assert np.frombuffer(made.sizes, np.int64).tolist() == sizes
    assert np.frombuffer(made.rows, np.int64).reshape(-1, 4).tolist() == rows


def test_files_with_a_block_of_several_chunks_do_not_fit() -> None:
    kind = AlikeBlock("a field", ("a",), "d", has_places=False)
    none, numbers = np.zeros(0, np.int64), np.zeros(0)
    columns = SharedColumns(
        none,
        numbers,
        np.zeros(0, np.float32),
        numbers,
        np.zeros((3, 0), np.int64),
        none,
        np.zeros(0, np.bool_),
    )
    for points, fits in ((2730, True), (2731, False)):  # of 24 bytes, in 64 KiB
        places = np.array([[[0, points, 0, 0, 0]]])
        files = AlikeFiles(Dialect.TENSORBOARD, (kind,), columns, np.zeros(1, FILES), places)
        assert fit_one_chunk(files) is fits
