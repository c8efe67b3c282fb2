"""What the store holds of a file can be taken out, put into another store, and goes on from there."""

from __future__ import annotations

import itertools

import insight_scalar
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from insight_core.formats.batch import Batch
from insight_core.formats.columns import Block, Columns
from insight_core.formats.event import Metadata
from insight_core.plugin import (
    CachePolicy,
    DataKind,
    Dialect,
    EventField,
    Keep,
    Plugin,
    RecordDecoder,
    SummaryPlugin,
)
from insight_core.plugin.data import SeriesKey
from insight_core.store.claims import FileState
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store

SCALAR = insight_scalar.insight_plugin()
PICTURES = Plugin(
    "pictures",
    "Pictures",
    decoder=RecordDecoder(
        {EventField(Dialect.TENSORBOARD, "image"), SummaryPlugin("images")}, kind=DataKind.RECORD
    ),
)
FIRST, SECOND = (1.0, "a"), (2.0, "b")


def numbers(tag: str, steps: range) -> Block:
    values, ends = np.array(steps, np.float32), np.array([len(steps)])
    columns = Columns(np.array(steps), values.astype(float), values)
    return Block("simple_value", (tag,), ends, np.array([True]), columns)


def payloads(tag: str, steps: range, field: str = "image") -> Block:
    at, ends = np.array(steps), np.array([len(steps)])
    columns = Columns(at, at.astype(float), None, np.array((at * 100, at * 100 + 20, at + 7)))
    return Block(field, (tag,), ends, np.array([True]), columns)


def batch(*blocks: Block, metadata: dict[str, Metadata] | None = None, first: float = 5.0) -> Batch:
    return Batch(1000, Dialect.TENSORBOARD, list(blocks), metadata or {}, first_wall_time=first)


def store_of(policy: CachePolicy | None = None) -> Store:
    store = Store([SCALAR, PICTURES], {"scalar": policy, "pictures": policy} if policy else {})
    store.add_runs(["r"])
    return store


def add(store: Store, order: FileOrder, found: Batch) -> None:
    store.append("r", order[1], order, Dialect.TENSORBOARD, found)


def content(store: Store) -> dict[str, object]:
    """Everything that a reader sees."""
    seen: dict[str, object] = {"runs": store.runs(), "damage": store.damage(None)}
    for plugin in store.plugins():
        for info in store.infos(plugin, None):
            snapshot = store.snapshot(plugin, info.key)
            assert snapshot is not None
            held = [column.tolist() for column in snapshot.columns.arrays()]
            taken = [snapshot.claim_of(i) for i in range(len(snapshot))]
            files = [snapshot.file_of(i) for i in range(len(snapshot))]
            seen[f"{plugin} {info.key}"] = (held, taken, files, info, snapshot.total)
    return seen


def copied(store: Store, into: Store, orders: list[FileOrder], *, read_only: bool = True) -> Store:
    for order in orders:
        state = store.file_state("r", order)
        assert state is not None
        blocks = []
        for claim, block in state.blocks:
            block = block.loaded()
            columns = block.columns[np.arange(len(block.columns))]  # a copy
            for column in columns.arrays():
                column.flags.writeable = not read_only
            blocks.append((claim, evolve(block, columns=columns)))
        assert into.restore("r", order[1], order, evolve(state, blocks=tuple(blocks)))
    return into


POLICIES = [None, CachePolicy(Keep.UNIFORM, points=7), CachePolicy(Keep.LATEST, points=5)]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_restored_store_holds_the_same_and_goes_on_alike(policy: CachePolicy | None) -> None:
    def fill(store: Store) -> None:
        metadata = {"t": Metadata("images", "T", "about T", b"content", 3), "x": Metadata("scalars", "X", "")}
        add(store, FIRST, batch(numbers("x", range(30)), payloads("p", range(3)), metadata=metadata))
        add(store, FIRST, batch(payloads("t", range(9), "tensor"), payloads("p", range(3, 20))))
        add(store, SECOND, batch(numbers("x", range(20, 50)), numbers("y", range(3)), first=3.0))

    def go_on(store: Store) -> None:
        add(store, SECOND, batch(numbers("x", range(50, 70))))
        add(store, FIRST, batch(payloads("p", range(20, 31)), payloads("t", range(9, 11), "tensor")))

    original = store_of(policy)
    fill(original)
    for orders in ([FIRST, SECOND], [SECOND, FIRST]):
        restored = copied(original, store_of(policy), orders)
        assert content(restored) == content(original)
    go_on(original)
    go_on(restored)
    assert content(restored) == content(original)
    again = copied(restored, store_of(policy), [FIRST, SECOND])
    assert content(again) == content(original)


def test_claims_are_those_of_each_file() -> None:
    metadata = {"p": Metadata("images", "", "")}
    original = store_of()
    add(original, FIRST, batch(payloads("p", range(3))))
    add(
        original,
        SECOND,
        batch(payloads("p", range(3, 5), "tensor"), payloads("p", range(5, 6)), metadata=metadata),
    )
    restored = copied(original, store_of(), [SECOND, FIRST])
    key = SeriesKey("r", "p")
    for store in (original, restored):
        snapshot = store.snapshot("pictures", key)
        assert snapshot is not None
        taken = [str(snapshot.claim_of(index)) for index in range(6)]
        image, tensor = "tensorboard:image", "plugin:images"
        assert taken == [image, image, image, tensor, tensor, image]
        assert [str(claim) for claim in store.infos("pictures", None)[0].claims] == [image, tensor]
        store.drop_file("r", "b", SECOND)
        assert [str(claim) for claim in store.infos("pictures", None)[0].claims] == [image]


def test_refused_tags_come_back_and_go_with_their_file() -> None:
    original = Store([SCALAR], {"scalar": CachePolicy(series=1)})
    original.add_runs(["r"])
    add(original, FIRST, batch(numbers("x", range(2)), numbers("y", range(2)), numbers("z", range(2))))
    restored = Store([SCALAR], {"scalar": CachePolicy(series=1)})
    restored.add_runs(["r"])
    copied(original, restored, [FIRST])
    assert len(original.damage("r")) == 2
    assert restored.damage("r") == original.damage("r")
    assert restored.runs()[0].damage == 2
    restored.drop_file("r", "a", FIRST)
    assert restored.damage("r") == []


def test_refused_tags_are_listed_up_to_a_limit_and_counted() -> None:
    store = Store([SCALAR], {"scalar": CachePolicy(series=1)})
    store.add_runs(["r"])
    add(store, FIRST, batch(*(numbers(f"x{i}", range(1)) for i in range(1000))))
    assert len(store.damage("r")) == 201 == store.runs()[0].damage
    assert store.damage("r")[-1].reason.startswith("799 more")


def test_metadata_of_a_file_that_went_is_forgotten() -> None:
    store = store_of()
    add(store, FIRST, batch(numbers("x", range(2)), metadata={"x": Metadata("scalars", "old", "")}))
    add(store, SECOND, batch(numbers("x", range(2)), metadata={"x": Metadata("scalars", "new", "")}))
    assert [info.display_name for info in store.infos("scalar", None)] == ["old"]
    store.drop_file("r", "a", FIRST)
    assert [info.display_name for info in store.infos("scalar", None)] == ["new"]


def test_values_that_are_metadata_alone_belong_to_the_plugin_it_names() -> None:
    store = store_of()
    add(store, FIRST, batch(payloads("t", range(1), "metadata"), metadata={"t": Metadata("hparams", "", "")}))
    assert store.plugins() == {"plugin:hparams"}


def test_nothing_is_known_of_a_file_that_never_came() -> None:
    assert store_of().file_state("r", FIRST) is None
    assert store_of().file_state("other", FIRST) is None


def kept_by(plugin: Plugin = SCALAR, policy: CachePolicy | None = None) -> FileState:
    """What a store with this plugin and policy keeps of a file of numbers, payloads and tensors."""
    store = Store([plugin, PICTURES], {plugin.name: policy} if policy else {})
    store.add_runs(["r"])
    tensors = payloads("t", range(20), "tensor")
    tensors.columns.values = np.arange(20.0)
    metadata = {"t": Metadata("scalars", "", "")}
    add(store, FIRST, batch(numbers("x", range(20)), numbers("y", range(20)), tensors, metadata=metadata))
    state = store.file_state("r", FIRST)
    assert state is not None
    return state


def takes(state: FileState, plugins: list[Plugin], policies: dict[str, CachePolicy] | None = None) -> bool:
    store = Store(plugins, policies or {})
    store.add_runs(["r"])
    return store.restore("r", "a", FIRST, state)


RATES = Plugin("rates", "Rates", decoder=RecordDecoder({SummaryPlugin("rate")}, kind=DataKind.SCALAR))
TENSORS = Plugin("tensors", "Tensors", decoder=RecordDecoder({SummaryPlugin("scalars")}))
LATEST = CachePolicy(Keep.LATEST, points=5)


def test_other_plugins_take_over_what_was_kept() -> None:
    for plugins in ([SCALAR], [PICTURES, SCALAR, RATES], [evolve(SCALAR, name="numbers")]):
        assert takes(kept_by(), plugins)


@pytest.mark.parametrize("policy", [LATEST, CachePolicy(Keep.UNIFORM, points=5), CachePolicy(series=2)])
def test_what_a_policy_left_out_is_read_again_under_another(policy: CachePolicy) -> None:
    state = kept_by(policy=policy)
    assert takes(state, [SCALAR, RATES], {"scalar": policy})
    assert not takes(state, [SCALAR])
    assert not takes(state, [SCALAR], {"scalar": evolve(policy, points=policy.points + 1)})
    is_complete = not policy.series  # which needs to know where each tag begins
    assert takes(kept_by(), [SCALAR], {"scalar": policy}) == is_complete


def test_numbers_alone_are_read_again_for_a_plugin_of_records() -> None:
    assert not takes(kept_by(), [TENSORS])
    assert not takes(kept_by(), [])
    assert takes(kept_by(TENSORS), [TENSORS])
    assert takes(kept_by(TENSORS), [SCALAR])


def test_a_tag_is_joined_under_the_policy_of_its_plugin() -> None:
    store = store_of(LATEST)
    metadata = {"p": Metadata("images", "", "")}
    for first in range(0, 12, 4):
        add(store, FIRST, batch(payloads("p", range(first, first + 2)), metadata=metadata))
        add(store, FIRST, batch(payloads("p", range(first + 2, first + 4), "tensor")))
    snapshot = store.snapshot("pictures", SeriesKey("r", "p"))
    assert snapshot is not None
    assert snapshot.columns.steps.tolist() == [7, 8, 9, 10, 11]
    assert snapshot.total == 12
    assert [(info.points, info.kept) for info in store.infos("pictures", None)] == [(12, 5)]


Operation = tuple[str, int, int]


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(POLICIES),
    st.lists(
        st.tuples(
            st.sampled_from(["append", "append", "append", "drop", "look", "restore"]),
            st.integers(0, 3),
            st.integers(1, 12),
        ),
        max_size=25,
    ),
)
def test_whatever_comes_and_goes_a_series_is_its_files_end_to_end(
    policy: CachePolicy | None, operations: list[Operation]
) -> None:
    store = store_of(policy)
    files: dict[FileOrder, list[int]] = {}
    step = 0
    for operation, number, count in operations:
        order = (float(number), f"f{number}")
        if operation == "append":
            steps = range(step % 40, step % 40 + count)  # goes back now and then
            step += count
            add(store, order, batch(numbers("x", steps), payloads("p", steps)))
            files.setdefault(order, []).extend(steps)
        elif operation == "drop":
            store.drop_file("r", order[1], order)
            files.pop(order, None)
        elif operation == "look":
            for name, tag in (("scalar", "x"), ("pictures", "p")):
                store.snapshot(name, SeriesKey("r", tag))
        else:
            store = copied(store, store_of(policy), list(files))
        infos = store.infos("scalar", None)
        assert len(infos) == bool(files)
        if not infos:
            continue
        whole = [at for order in sorted(files) for at in files[order]]
        assert infos[0].points == len(whole)
        if operation == "look" or count == 1:
            [info], snapshot = infos, store.snapshot("scalar", SeriesKey("r", "x"))
            assert snapshot is not None
            assert snapshot.total == len(whole)
            assert info.kept == len(snapshot) == (min(len(whole), policy.points) if policy else len(whole))
            assert snapshot.columns.steps[-1] == whole[-1]
            if policy is None:
                assert snapshot.columns.steps.tolist() == whole
                assert snapshot.columns.values is not None
                assert snapshot.columns.values.tolist() == whole
                owners = [order for order in sorted(files) for _ in files[order]]
                assert [snapshot.file_of(index) for index in range(len(snapshot))] == owners
                backwards = sum(b < a for a, b in itertools.pairwise(whole))
                assert len(snapshot.attempts.starts) == backwards + 1
                assert info.attempts == snapshot.attempts.count
