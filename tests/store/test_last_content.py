"""Content of summary metadata that changes: that of the first value, or of the last for some plugins."""

from __future__ import annotations

import insight_scalar
import numpy as np
import pytest

from insight_core.formats.batch import Batch
from insight_core.formats.columns import Block, Columns
from insight_core.formats.event import Metadata
from insight_core.plugin import Dialect, Plugin, RecordDecoder, SummaryPlugin
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

SESSIONS = Plugin("sessions", "Sessions", decoder=RecordDecoder({SummaryPlugin("s")}, last_content=True))
MESHES = Plugin("meshes", "Meshes", decoder=RecordDecoder({SummaryPlugin("m")}))
OLD, NEW, NEWEST = (1.0, "a"), (2.0, "b"), (3.0, "c")


def store_of(*plugins: Plugin) -> Store:
    store = Store([insight_scalar.insight_plugin(), *plugins], {})
    store.add_runs(["r"])
    return store


def say(store: Store, order: FileOrder, *contents: bytes, plugin: str = "s") -> None:
    """A batch of one value for each content."""
    steps = np.arange(len(contents))
    columns = Columns(steps, steps.astype(float), None, np.array((steps * 100, steps * 100 + 20, steps + 7)))
    first, *others = [Metadata(plugin, "", "", content) for content in contents]
    for each in others:
        first = first.continued(each)
    block = Block("metadata", ("t",), np.array([len(steps)]), np.array([True]), columns)
    batch = Batch(1000, Dialect.TENSORBOARD, [block], {"t": first})
    store.append("r", order[1], order, Dialect.TENSORBOARD, batch)


def content(store: Store, plugin: str = "sessions") -> bytes:
    [info] = store.infos(plugin, None)
    [column] = [table.column("content") for table in store.tables(plugin, {"content"}, None)]
    assert list(column) == [info.content]
    return info.content


def test_metadata_go_on_with_the_content_of_later_values() -> None:
    first = Metadata("s", "name", "about", b"1", 2)
    assert first.continued(first) is first
    assert first.continued(Metadata("s", "other", "", b"1")) is first
    second = first.continued(Metadata("s", "", "", b"2"))
    assert (second.content, second.last_content, second.display_name) == (b"1", b"2", "name")
    assert second.continued(Metadata("other", "", "", b"3")) is second
    assert second.continued(Metadata("s", "", "", b"")).last_content == b""
    assert second.continued(Metadata("s", "", "", b"1")) == first
    assert first.continued(second) == second


def test_the_last_value_counts_where_a_plugin_asks_for_it() -> None:
    store = store_of(SESSIONS, MESHES)
    say(store, OLD, b"1", b"2")
    assert content(store) == b"2"
    say(store, OLD, b"3")
    assert content(store) == b"3"


def test_the_first_value_counts_otherwise_as_in_tensorboard() -> None:
    store = store_of(SESSIONS, MESHES)
    say(store, OLD, b"1", b"2", plugin="m")
    say(store, NEW, b"3", plugin="m")
    assert content(store, "meshes") == b"1"


@pytest.mark.parametrize("orders", [(OLD, NEW), (NEW, OLD)])
def test_the_last_file_counts_in_whatever_order_files_come(orders: tuple[FileOrder, ...]) -> None:
    contents = {OLD: b"old", NEW: b"new"}
    store = store_of(SESSIONS)
    for order in orders:
        say(store, order, contents[order])
    assert content(store) == b"new"
    say(store, OLD, b"old, later")
    assert content(store) == b"new"
    store.drop_file("r", "b", NEW)
    assert content(store) == b"old, later"


def test_files_that_were_restored_count_as_files_that_were_read() -> None:
    store = store_of(SESSIONS)
    say(store, OLD, b"1", b"2")
    say(store, NEW, b"3", b"4")
    kept = {order: store.file_state("r", order) for order in (OLD, NEW)}
    again = store_of(SESSIONS)
    for order in (NEW, OLD):
        state = kept[order]
        assert state is not None
        assert again.restore("r", order[1], order, state)
    assert content(again) == b"4"
    say(again, NEWEST, b"5")
    assert content(again) == b"5"


def test_a_plugin_that_comes_later_gets_the_last_content() -> None:
    store = store_of()
    say(store, OLD, b"1", b"2")
    store.admit(SESSIONS)
    assert content(store) == b"2"
