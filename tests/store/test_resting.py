"""Series at rest are, to whoever asks, what they are when each is held by itself."""

from __future__ import annotations

import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from insight_core.formats.batch import Batch
from insight_core.formats.columns import Block, Columns
from insight_core.formats.event import Metadata
from insight_core.plugin import CachePolicy, Dialect, EventField, FileName, Plugin, RecordDecoder
from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.store import run_table
from insight_core.store.changed_series import Change, run_of
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.held_file import NamedFile
from insight_core.store.joined_series import joined
from insight_core.store.segment import FileOrder, PartOrder
from insight_core.store.series import Series
from insight_core.store.sessions import NO_SESSIONS
from insight_core.store.snapshot import Snapshot
from insight_core.store.store import Store
from tests.store.scanned_blocks import FILES, SCALAR, Steps, append, found

IMAGE = EventField(Dialect.TENSORBOARD, "image")
SIMPLE_VALUE = EventField(Dialect.TENSORBOARD, "simple_value")
FILE = FileName("*")
PICTURES = Plugin("pictures", "Pictures", decoder=RecordDecoder({IMAGE, FILE}))
TAGS = ["a", "b", "c", "d"]


def named_file(tag: str, size: int) -> NamedFile:
    return NamedFile("r", tag, tag, tag, (("pictures", FILE),), size, 1000 + size)


class Model:
    """What each file gave, and series that are made of it one by one."""

    def __init__(self) -> None:
        self.files: dict[FileOrder, dict[tuple[str, str], list[int]]] = {}
        self.named: dict[str, NamedFile] = {}

    def append(self, order: FileOrder, field: str, steps: Steps) -> None:
        held = self.files.setdefault(order, {})
        for tag, more in steps.items():
            held.setdefault((field, tag), []).extend(more)

    def snapshot(self, field: str, tag: str) -> Snapshot | None:
        claim, layout = (SIMPLE_VALUE, (True, False)) if field == "simple_value" else (IMAGE, (False, True))
        series = Series(SeriesKey("r", tag), claim, layout, CachePolicy(), ColumnMemory())
        for order, held in sorted(self.files.items()):
            if (field, tag) in held:
                series.append((order, 0), found(field, {tag: held[field, tag]}).columns)
        snapshots = [] if series.empty else [series.snapshot()]
        if field == "image" and tag in self.named:
            file = Series(SeriesKey("r", tag), FILE, (False, True), CachePolicy(), ColumnMemory())
            file.append((self.named[tag].order, 0), self.named[tag].columns(0))
            snapshots.append(file.snapshot())
        return joined(snapshots, CachePolicy(), NO_SESSIONS) if snapshots else None

    def infos(self, field: str) -> set[tuple[object, ...]]:
        made = ((tag, self.snapshot(field, tag)) for tag in TAGS)
        return {facts(each.info(SeriesKey("r", tag), None)) for tag, each in made if each}


def facts(info: SeriesInfo) -> tuple[object, ...]:
    return (
        info.key, info.points, info.kept, info.first_step, info.last_step, info.last_value,
        info.last_wall_time, info.attempts, info.claims,
    )  # fmt: skip


operations = st.tuples(
    st.sampled_from(
        ["append", "append", "append", "drop", "restore", "infos", "find", "state", "file", "file", "unlink"]
    ),
    st.integers(0, 2),
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(0, 9), min_size=1, max_size=6),
    st.sampled_from(["one", "each", "twice", "both"]),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(operations, max_size=12), st.sampled_from([None, 0, 300]))
def test_whatever_is_asked_and_comes_a_series_is_the_same(
    some: list[tuple[str, int, list[str], list[int], str]], limit: int | None
) -> None:
    memory = ColumnMemory(limit)
    exercise(some, memory)
    assert memory.held == 0  # nobody has any of it


def exercise(some: list[tuple[str, int, list[str], list[int], str]], memory: ColumnMemory) -> None:
    store, model = Store([SCALAR, PICTURES], {}, memory), Model()
    store.add_runs(["r"])
    for operation, number, tags, steps, form in some:
        order = FILES[number]
        given_steps = {tag: [step + place for step in steps] for place, tag in enumerate(tags)}
        before = store.generation
        if operation == "append":
            blocks = [found("simple_value", given_steps)]
            if form == "each":
                blocks = [found("simple_value", {tag: each}) for tag, each in given_steps.items()]
            fields = ["simple_value"]
            if form == "twice":
                blocks *= 2
                fields *= 2
            elif form == "both":
                blocks.append(found("image", given_steps))
                fields.append("image")
            append(store, order, *blocks)
            for field in fields:
                model.append(order, field, given_steps)
            told = store.changes(before, 0).series
            assert told is not None
            assert {plugin: sorted(keys) for plugin, keys in told.items()} == {
                "scalar" if field == "simple_value" else "pictures": [SeriesKey("r", t) for t in sorted(tags)]
                for field in fields
            }
        elif operation == "drop":
            store.drop_file("r", order[1], order)
            model.files.pop(order, None)
        elif operation == "file":
            model.named[tags[0]] = named_file(tags[0], steps[0])
            store.put_file(model.named[tags[0]])
            assert store.changes(before, 0).series == {"pictures": [SeriesKey("r", tags[0])]}
        elif operation == "unlink":
            file = model.named.pop(tags[0], named_file(tags[0], 0))
            store.drop_file("r", file.name, file.order)
        elif operation == "restore":
            again = Store([SCALAR, PICTURES], {}, memory)
            again.add_runs(["r"])
            for file in model.named.values():
                again.put_file(file)
            for kept in model.files:
                state = store.file_state("r", kept)
                assert state is not None
                again.restore("r", kept[1], kept, state)
            store.remove_runs(["r"])
            store = again
        elif operation == "state":
            state = store.file_state("r", order)
            assert (state is None) == (order not in model.files)
            names = [(claim, tag) for claim, block in state.blocks for tag in block.tags] if state else []
            assert len(names) == len(set(names)) == len(model.files.get(order, {}))
        elif operation == "find":
            for field, plugin in (("simple_value", "scalar"), ("image", "pictures")):
                one, other = store.snapshot(plugin, SeriesKey("r", tags[0])), model.snapshot(field, tags[0])
                assert (one is None) == (other is None)
                if one is not None and other is not None:
                    assert [file for file, _ in one.parts] == [file for file, _ in other.parts]
                    assert (one.ends, one.claims) == (other.ends, other.claims)
                    for column, expected in zip(one.columns.arrays(), other.columns.arrays(), strict=True):
                        np.testing.assert_array_equal(column, expected)
                    assert store.snapshot(plugin, SeriesKey("r", tags[0])) is one
        if operation in ("infos", "restore"):
            infos = store.infos("scalar", None)
            assert {facts(info) for info in infos} == model.infos("simple_value")
            assert len({info.key for info in infos}) == len(infos)
            assert {facts(info) for info in store.infos("pictures", ["r"])} == model.infos("image")
        assert store.plugins() == {
            "scalar" if field == "simple_value" else "pictures"
            for held in (*model.files.values(), *([("image", "")] for _ in model.named))
            for field, _ in held
        }
    store.remove_runs(["r"])


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Tags of the series that were made."""
    tags: list[str] = []

    class Watched(Series):
        def append(self, place: PartOrder, *given: object, **named: object) -> None:
            if self.empty:
                tags.append(self.key.tag)
            super().append(place, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(run_table, "Series", Watched)
    return tags


def test_no_series_is_made_until_one_is_asked_for(made: list[str]) -> None:
    first, second = Store([SCALAR], {}), Store([SCALAR], {})
    first.add_runs(["r"])
    second.add_runs(["r"])
    append(first, FILES[0], found("simple_value", {"a": [1, 2], "b": [1]}), about="A")
    append(first, FILES[1])
    state = first.file_state("r", FILES[0])
    assert state is not None
    second.restore("r", "f", FILES[0], state)
    assert made == []
    for store in (first, second):
        assert [info.attempts for info in store.infos("scalar", None)] == [1, 1]
        assert made == []
        for _ in range(2):
            assert store.snapshot("scalar", SeriesKey("r", "b")) is not None
            assert made == ["b"]
        made.clear()


def test_a_tag_that_restarts_does_not_rest() -> None:
    store = Store([SCALAR], {})
    store.add_runs(["r"])
    append(store, FILES[0], found("simple_value", {"a": [1, 2], "back": [1, 2, 1]}))
    assert [info.attempts for info in store.infos("scalar", None)] == [1, 2]


def test_files_that_are_taken_by_name_wake_no_series(made: list[str]) -> None:
    store = Store([SCALAR, PICTURES], {})
    store.add_runs(["r"])
    store.put_file(named_file("before", 1))
    append(store, FILES[0], found("simple_value", {"a": [1, 2], "b": [1]}), found("image", {"c": [1]}))
    store.put_file(named_file("after", 1))
    store.put_file(named_file("before", 2))
    infos = {info.key.tag: info for info in store.infos("pictures", None)}
    assert set(infos) == {"before", "after", "c"}
    assert infos["before"].claims == (FILE,)
    assert len(store.infos("scalar", None)) == 2
    assert set(made) == {"before", "after"}
    store.put_file(named_file("c", 1))
    assert set(made) == {"before", "after", "a", "b", "c"}
    assert [run.dialects for run in store.runs()] == [(Dialect.TENSORBOARD,)]


def test_a_series_that_was_asked_for_goes_on() -> None:
    store = Store([SCALAR], {})
    store.add_runs(["r"])
    append(store, FILES[1], found("simple_value", {"a": [1, 2], "b": [1]}), about="A")
    before = store.snapshot("scalar", SeriesKey("r", "a"))
    append(store, FILES[0], found("simple_value", {"a": [0]}), about="other")
    after = store.snapshot("scalar", SeriesKey("r", "a"))
    assert before is not None
    assert after is not None
    assert (before.columns.steps.tolist(), after.columns.steps.tolist()) == ([1, 2], [0, 1, 2])
    assert {info.key.tag: info.points for info in store.infos("scalar", None)} == {"a": 3, "b": 1}
    assert [info.display_name for info in store.infos("scalar", None)] == ["A", ""]


def test_all_that_came_at_once_is_told_as_changed_once_and_what_came_later_by_itself() -> None:
    store = Store([SCALAR], {})
    store.add_runs(["r"])
    append(store, FILES[0], found("simple_value", {"a": [1], "b": [1]}))
    first = store.generation
    assert store.changes(first, 0).series == {}
    append(store, FILES[0], found("simple_value", {"b": [2]}))
    assert store.changes(first, 0).series == {"scalar": [SeriesKey("r", "b")]}
    everything = store.changes(0, 0).series
    assert everything is not None
    assert sorted(everything["scalar"]) == [SeriesKey("r", "a"), SeriesKey("r", "b")]


def test_more_changes_than_are_listed_are_told_as_anything() -> None:
    store = Store([SCALAR], {})
    store.add_runs(["r"])
    append(store, FILES[0], found("simple_value", {str(number): [1] for number in range(2001)}))
    assert store.changes(0, 0).series is None


def test_many_runs_go_with_one_look_at_earlier_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store([SCALAR], {})
    names = [f"run{number}" for number in range(100)]
    store.add_runs(names)
    batch = Batch(1000, Dialect.TENSORBOARD, [found("simple_value", {"a": [1]})], {}, first_wall_time=5.0)
    for name in names:
        store.append(name, "f0", FILES[0], Dialect.TENSORBOARD, batch)
    before = store.generation
    looked: list[Change] = []

    def watched(change: Change) -> str:
        looked.append(change)
        return run_of(change)

    monkeypatch.setattr("insight_core.store.changed_series.run_of", watched)
    store.remove_runs(names)
    for name in names:  # as the loader does, file by file
        store.drop_file(name, "f0", FILES[0])
    assert len(looked) == 100
    assert store.runs() == []
    told = store.changes(before, 0)
    assert told.gone
    assert told.series == {"scalar": [SeriesKey(name, "a") for name in reversed(names)]}


def test_series_of_a_removed_run_beyond_what_is_listed_are_told_as_anything() -> None:
    store = Store([SCALAR], {})
    store.add_runs(["r", "other"])
    append(store, FILES[0], found("simple_value", {str(number): [1] for number in range(2001)}))
    before = store.generation
    store.remove_runs(["r"])
    told = store.changes(before, 0)
    assert (told.series, told.runs, told.gone) == (None, True, True)


def test_values_of_one_field_go_to_the_plugins_that_their_metadata_names() -> None:
    store = Store([SCALAR], {})
    store.add_runs(["r"])
    columns = found("tensor", {tag: [1, 2] for tag in TAGS})
    named = dict(zip(TAGS, ["text", "scalars", "scalars", "text"], strict=True))
    metadata = {tag: Metadata(plugin, tag, "") for tag, plugin in named.items()}
    batch = Batch(1000, Dialect.TENSORBOARD, [columns], metadata)
    store.append("r", "f", FILES[0], Dialect.TENSORBOARD, batch)
    assert [info.key.tag for info in store.infos("plugin:text", None)] == ["a", "d"]
    assert [info.display_name for info in store.infos("plugin:text", None)] == ["a", "d"]
    assert [damage.reason for damage in store.damage("r")] == [
        f"{tag!r} of plugin scalar is not one number" for tag in "bc"
    ]
    snapshot = store.snapshot("plugin:text", SeriesKey("r", "d"))
    assert snapshot is not None
    assert snapshot.place_of(1) == (200, 22, 9)


def test_a_plugin_with_a_cache_policy_has_series_of_its_own() -> None:
    store = Store([SCALAR, PICTURES], {"pictures": CachePolicy(points=1), "scalar": CachePolicy(series=2)})
    store.add_runs(["r"])
    steps = {tag: [1, 2, 3] for tag in TAGS}
    append(store, FILES[0], found("simple_value", steps), found("image", steps))
    assert [info.key.tag for info in store.infos("scalar", None)] == ["a", "b"]
    assert [info.key.tag for info in store.infos("pictures", None)] == TAGS
    assert len(store.damage("r")) == 2


def test_columns_in_files_leave_nothing_of_the_scan_in_memory(tmp_path: Path) -> None:
    """Files that are read together share one block of memory, which any view keeps."""
    memory = np.arange(30)
    freed = weakref.ref(memory)
    columns = Columns(memory[:10], memory[10:20].view(np.float64), memory[20:].view(np.float64))
    block = Block("simple_value", ("a",), memory[10:11], memory[1:2].view(np.bool_)[:1], columns)
    store = Store([SCALAR], {}, memory=ColumnMemory(0, tmp_path))
    store.add_runs(["r"])
    append(store, FILES[0], block)
    del memory, columns, block
    assert freed() is None
    snapshot = store.snapshot("scalar", SeriesKey("r", "a"))
    assert snapshot is not None
    assert snapshot.columns.steps.tolist() == list(range(10))
