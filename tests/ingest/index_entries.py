"""Entries of the index cache: any there may be, and small ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from attrs import evolve
from hypothesis import strategies as st

from insight_core.formats.batch import Flaw
from insight_core.formats.event import Metadata
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.entry import Entry, FileRecord
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.store.file_state import FileState, SeriesGroup

LOG = "/logs/run/events.out.tfevents.1"
SCALAR = EventField(Dialect.TENSORBOARD, "simple_value")

texts = st.text(st.characters(), max_size=8)  # surrogates too: file names that are not UTF-8 have them
counts = st.integers(0, 2**62)
offsets = st.integers(-(2**62), 2**62)
checksums = st.integers(0, 2**32 - 1)
dialects = st.sampled_from(Dialect)
names = st.text(st.characters(codec="utf-8"), max_size=8)
claims = st.builds(EventField, dialects, names) | st.builds(SummaryPlugin, names)
flaws = st.builds(Flaw, offsets, texts, offsets)


@st.composite
def groups(draw: st.DrawFn) -> SeriesGroup:
    tags = draw(st.lists(texts, min_size=1, max_size=4))
    ends = np.cumsum(draw(st.lists(st.integers(0, 5), min_size=len(tags), max_size=len(tags))))
    points = int(ends[-1])
    types = draw(
        st.dictionaries(names, st.sampled_from(["<i8", "<f8", "<f4", "|u1"]), min_size=1, max_size=4)
    )
    columns = {
        name: np.frombuffer(draw(st.binary(min_size=8 * points, max_size=8 * points)), np.uint8)
        .view(kind)[:points]
        .copy()
        for name, kind in types.items()
    }
    totals = draw(st.none() | st.lists(counts, min_size=len(tags), max_size=len(tags)))
    return SeriesGroup(
        draw(texts),
        tuple(tags),
        tuple(draw(st.lists(claims, max_size=3))),
        columns,
        ends,
        None if totals is None else np.array(totals),
        np.array(draw(st.lists(st.booleans(), min_size=len(tags), max_size=len(tags)))),
    )


records = st.builds(
    FileRecord,
    inode=st.integers(0, 2**64 - 1),
    size=counts,
    mtime_ns=offsets,
    ctime_ns=offsets,
    position=counts,
    head_length=counts,
    head_checksum=checksums,
    tail_length=counts,
    tail_checksum=checksums,
    dialect=dialects,
    flaws=st.lists(flaws, max_size=3).map(tuple),
    more_flaws=counts,
    first_unnamed_flaw=offsets,
    unnamed_skipped=counts,
    tail=st.none() | flaws,
)
metadata = st.builds(Metadata, texts, texts, texts, st.binary(max_size=9), st.integers(0, 9))
states = st.builds(
    FileState,
    dialect=dialects,
    start_time=st.none() | st.floats(allow_nan=False),
    metadata=st.dictionaries(texts, metadata, max_size=3),
    groups=st.lists(groups(), max_size=4).map(tuple),
    refused=st.dictionaries(texts, flaws, max_size=3),
)


def standing_alone(state: FileState) -> FileState:
    """The state with metadata for every tag."""
    tags = {tag for group in state.groups for tag in group.tags} | state.refused.keys()
    return evolve(state, metadata={**dict.fromkeys(tags, Metadata("p", "", "")), **state.metadata})


entries = st.builds(Entry, records, states.map(standing_alone))


def plain(entry: Entry | None) -> object:
    """An entry in a form that can be compared."""
    if entry is None:
        return None
    content = entry.content
    listed = []
    for group in content.groups:
        totals = group.counts() if group.totals is None else group.totals
        for place, tag in enumerate(group.tags):
            columns = group.columns_of(place)
            held = [(name, column.dtype.str, column.tobytes()) for name, column in columns.items()]
            facts = int(totals[place]), bool(group.ascending[place])
            listed.append((group.plugin, tag, group.claims, held, facts))
    listed.sort(key=repr)  # groups of the same kind are joined
    kept = content.dialect, content.start_time, dict(content.metadata), dict(content.refused)
    return entry.file, kept, listed


def entry_of(points: int, *, series: int = 3, first: float = 0.0) -> Entry:
    """What a small run with scalars leaves; values count from ``first``."""
    listed = tuple(
        SeriesGroup(
            "scalar",
            (f"tag{number}",),
            (SCALAR,),
            {
                "steps": np.arange(points),
                "wall_times": np.linspace(1.7e9, 1.7e9 + 60, points),
                "values": np.arange(first, first + points, dtype=np.float32),
            },
            np.array([points]),
            None,
            np.array([True]),
        )
        for number in range(series)
    )
    state = FileState(Dialect.TENSORBOARD, 1.7e9, {"tag0": Metadata("scalars", "", "")}, listed)
    return Entry(FileRecord(1, 2, 3, 4, 5, 6, 7, 8, 9, Dialect.TENSORBOARD), state)


def place_of(cache: IndexCache, path: str = LOG) -> Path:
    return Path(cache._place(path))
