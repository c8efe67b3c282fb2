"""Entries of the index cache: any there may be, and small ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve
from hypothesis import strategies as st
from numpy.typing import NDArray

from insight_core.formats.batch import Flaw
from insight_core.formats.columns import Block, Columns
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import Lost
from insight_core.ingest.file_record import Entry, FileRecord, FlawList, Stretch
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.format import index_directory
from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin
from insight_core.store.claims import FileState

LOG = "/logs/run/events.out.tfevents.1"
SCALAR = EventField(Dialect.TENSORBOARD, "simple_value")

texts = st.text(st.characters(), max_size=8)  # surrogates too: file names that are not UTF-8 have them
counts = st.integers(0, 2**62)
offsets = st.integers(-(2**62), 2**62)
checksums = st.integers(0, 2**32 - 1)
dialects = st.sampled_from(Dialect)
names = st.text(st.characters(codec="utf-8"), max_size=8)
# in the text of a claim a colon ends the name of a field
claims = st.builds(EventField, dialects, names.filter(lambda name: ":" not in name)) | st.builds(
    SummaryPlugin, names
)
flaws = st.builds(Flaw, offsets, texts, offsets)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Claim, Block]:
    tags = draw(st.lists(texts, min_size=1, max_size=4))

    def of_tags(each: st.SearchStrategy[Any]) -> NDArray[Any]:
        return np.array(draw(st.lists(each, min_size=len(tags), max_size=len(tags))))

    def column(kind: str, rows: int = 1) -> NDArray[Any]:
        size = 8 * points * rows
        return np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8).view(kind)[
            : points * rows
        ]

    ends = np.cumsum(of_tags(st.integers(0, 5)))
    points = int(ends[-1])
    columns = Columns(column("<i8"), column("<f8"))
    form = draw(st.sampled_from(["<f4", "<f8", None]))
    if form is not None:
        columns.values = column(form)
    if draw(st.booleans()):
        columns.places = column("<i8", 3).reshape(3, points)
    totals, stretches = (of_tags(counts) if draw(st.booleans()) else None for _ in range(2))
    return draw(claims), Block("", tuple(tags), ends, of_tags(st.booleans()), columns, totals, stretches)


@st.composite
def records(draw: st.DrawFn) -> FileRecord:
    position, length = draw(counts), draw(counts)
    return FileRecord(
        draw(dialects),
        draw(st.integers(0, 2**64 - 1)),
        draw(counts),
        draw(offsets),
        draw(offsets),
        position,
        Stretch(0, draw(counts), draw(checksums)),
        Stretch(position - length, length, draw(checksums)),
        FlawList(draw(st.lists(flaws, max_size=3)), draw(counts), draw(offsets), draw(offsets)),
        draw(st.none() | flaws),
        draw(texts),
    )


contents = st.binary(max_size=9)
metadata = st.builds(Metadata, texts, texts, texts, contents, st.integers(0, 9), st.none() | contents)
states = st.builds(
    FileState,
    dialect=dialects,
    start_time=st.none() | st.floats(allow_nan=False),
    metadata=st.dictionaries(texts, metadata, max_size=3),
    blocks=st.lists(blocks(), max_size=4).map(tuple),
    refused=st.dictionaries(texts, flaws, max_size=3),
    limits=st.dictionaries(claims, texts, max_size=3),
    odd_time=st.none() | st.floats(allow_nan=False),
)


def standing_alone(state: FileState) -> FileState:
    """The state with metadata for every tag."""
    tags = {tag for _, block in state.blocks for tag in block.tags} | state.refused.keys()
    return evolve(state, metadata={**dict.fromkeys(tags, Metadata("p", "", "")), **state.metadata})


entries = st.builds(Entry, records(), states.map(standing_alone))


def plain(entry: Entry | None) -> object:
    """An entry in a form that can be compared."""
    if entry is None:
        return None
    content = entry.content
    listed = []
    for claim, block in content.blocks:
        counts = np.diff(block.ends, prepend=0)
        totals = counts if block.totals is None else block.totals
        stretches = np.zeros_like(totals) if block.stretches is None else block.stretches
        for place, tag in enumerate(block.tags):
            columns = block.columns_of(place).loaded()
            held = [(column.dtype.str, column.tobytes()) for column in columns.arrays()]
            facts = int(totals[place]), int(stretches[place]), bool(block.ascending[place])
            listed.append((tag, claim, columns.layout, held, facts))
    listed.sort(key=repr)  # blocks of the same kind are joined
    limits = dict(content.limits)
    kept = (
        *(content.dialect, content.start_time, content.odd_time),
        *(dict(content.metadata), dict(content.refused), limits),
    )
    return entry.file, kept, listed


def entry_of(points: int, *, series: int = 3, first: float = 0.0) -> Entry:
    """What a small run with scalars leaves; values count from ``first``."""
    columns = Columns(
        np.arange(points),
        np.linspace(1.7e9, 1.7e9 + 60, points),
        np.arange(first, first + points, dtype=np.float32),
    )
    listed = tuple(
        (SCALAR, Block("", (f"tag{number}",), np.array([points]), np.array([True]), columns))
        for number in range(series)
    )
    state = FileState(Dialect.TENSORBOARD, 1.7e9, {"tag0": Metadata("scalars", "", "")}, listed)
    return Entry(FileRecord(Dialect.TENSORBOARD, 1, 2, 3, 4, 5, Stretch(0, 5, 6), Stretch(0, 5, 7)), state)


def place_of(cache: IndexCache, path: str = LOG) -> Path:
    """The segment file with the last entry of a log file."""
    assert cache.holds(path)
    return Path(cache._entries[os.path.abspath(path)][0].path)


def segments_in(directory: Path) -> list[Path]:
    return sorted(index_directory(directory).rglob("*.segment"))


def loaded(directory: Path, path: str = LOG) -> object:
    """What a new process reads of a log file, its points included, in a form that can be compared.

    None if there is nothing, or if some of it is damaged.
    """
    try:
        return plain(IndexCache(directory).load(path))
    except Lost:
        return None
