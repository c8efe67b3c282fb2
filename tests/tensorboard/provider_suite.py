"""What TensorBoard's plugins rely on in a data provider, as cases that any provider can be put to.

``write_logs`` writes a log directory; a provider of these logs, with every point kept, is put to CASES.
Source: the docstrings of tensorboard/data/provider.py. The cases hold for TensorBoard's
MultiplexerDataProvider as well as for ours: they ask for no more than the contract.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from attrs import define
from tensorboard.context import RequestContext
from tensorboard.data.provider import RunTagFilter

from insight_authoring.testing.event_writer import START_TIME
from tests.tensorboard.provider_logs import CONTENT, DESCRIPTION, DISPLAY_NAME, STEPS, WRITTEN

EVERY = 1 << 30  # points: more than there are
_KEY = re.compile(r"[A-Za-z0-9._~-]+")

Names: TypeAlias = Collection[str] | None


@define
class Subject:
    """A provider, asked as TensorBoard's plugins ask: with a RequestContext, the rest by keyword."""

    provider: Any

    @cached_property
    def context(self) -> Any:  # noqa: ANN401
        return RequestContext()

    def ask(self, method: str, plugin: str, *, runs: Names = None, tags: Names = None, **more: object) -> Any:  # noqa: ANN401
        """``list_scalars("scalars", tags=["loss"])``; without names, without a filter."""
        if runs is not None or tags is not None:
            more["run_tag_filter"] = RunTagFilter(runs=runs, tags=tags)
        return getattr(self.provider, method)(self.context, experiment_id="", plugin_name=plugin, **more)

    def series(self, method: str, plugin: str, run: str, tag: str, downsample: int = EVERY) -> list[Any]:
        """The points of one series."""
        read = self.ask(method, plugin, runs=[run], tags=[tag], downsample=downsample)
        return list(read[run][tag])


Case: TypeAlias = Callable[[Subject], None]


# --- what is there ---


def the_experiment_is_described(subject: Subject) -> None:
    metadata = subject.provider.experiment_metadata(subject.context, experiment_id="")
    assert isinstance(metadata.data_location, str)
    assert isinstance(metadata.experiment_name, str)
    assert isinstance(metadata.experiment_description, str)
    assert metadata.creation_time >= 0


def runs_are_listed_with_their_start(subject: Subject) -> None:
    runs = {run.run_name: run for run in subject.provider.list_runs(subject.context, experiment_id="")}
    assert runs.keys() == {"train", "eval/deep"}
    assert all(isinstance(run.run_id, str) and run.run_id for run in runs.values())
    assert len({run.run_id for run in runs.values()}) == 2
    assert all(run.start_time == START_TIME for run in runs.values())


def plugins_are_those_that_own_data(subject: Subject) -> None:
    listed = subject.provider.list_plugins(subject.context, experiment_id="")
    if listed is not None:  # the method is optional
        assert set(listed) == {"scalars", "text", "images", "custom"}


def series_are_listed_by_class_of_data(subject: Subject) -> None:
    assert _tags(subject.ask("list_scalars", "scalars")) == {
        "train": {"loss", "accuracy", "odd"},
        "eval/deep": {"loss"},
    }
    assert _tags(subject.ask("list_tensors", "text")) == {"train": {"note"}}
    assert _tags(subject.ask("list_tensors", "custom")) == {"eval/deep": {"array"}}
    assert _tags(subject.ask("list_blob_sequences", "images")) == {"train": {"picture"}}
    for method, plugin in [
        ("list_scalars", "text"),
        ("list_scalars", "images"),
        ("list_tensors", "scalars"),
        ("list_tensors", "images"),
        ("list_blob_sequences", "scalars"),
        ("list_blob_sequences", "text"),
    ]:
        assert not subject.ask(method, plugin), (method, plugin)


def nothing_is_known_of_a_plugin_without_data(subject: Subject) -> None:
    for kind in ("scalars", "tensors", "blob_sequences"):
        assert not subject.ask(f"list_{kind}", "nobody")
        assert not subject.ask(f"read_{kind}", "nobody", downsample=EVERY)
    assert not subject.ask("read_last_scalars", "nobody")


def a_series_is_described(subject: Subject) -> None:
    loss = subject.ask("list_scalars", "scalars")["train"]["loss"]
    assert (loss.max_step, loss.max_wall_time) == (STEPS[-1], START_TIME + STEPS[-1])
    assert (loss.description, loss.display_name) == (DESCRIPTION, DISPLAY_NAME)
    assert loss.last_value is None or loss.last_value == WRITTEN.loss[STEPS[-1]]  # it is optional
    array = subject.ask("list_tensors", "custom")["eval/deep"]["array"]
    assert (array.max_step, array.max_wall_time) == (4, START_TIME + 4)
    assert array.plugin_content == CONTENT
    assert (array.description, array.display_name) == ("", "")
    picture = subject.ask("list_blob_sequences", "images")["train"]["picture"]
    assert (picture.max_step, picture.max_wall_time, picture.max_length) == (4, START_TIME + 4, 4)


# --- which of it ---


def no_filter_is_everything(subject: Subject) -> None:
    everything = _tags(subject.ask("list_scalars", "scalars"))
    assert _tags(subject.ask("list_scalars", "scalars", runs=None, tags=None)) == everything
    assert _tags(subject.ask("read_scalars", "scalars", downsample=1)) == everything
    assert _tags(subject.ask("read_last_scalars", "scalars")) == everything


def an_empty_filter_is_nothing(subject: Subject) -> None:
    empty: list[dict[str, Names]] = [
        {"runs": []},
        {"tags": []},
        {"runs": [], "tags": ["loss"]},
        {"runs": ["train"], "tags": []},
    ]
    for names in empty:
        for kind, plugin in [("scalars", "scalars"), ("tensors", "text"), ("blob_sequences", "images")]:
            assert not _tags(subject.ask(f"list_{kind}", plugin, **names))
            assert not _tags(subject.ask(f"read_{kind}", plugin, downsample=EVERY, **names))
        assert not _tags(subject.ask("read_last_scalars", "scalars", **names))


def filters_of_runs_and_tags_both_count(subject: Subject) -> None:
    def listed(runs: Names = None, tags: Names = None) -> Mapping[str, Collection[str]]:
        return _tags(subject.ask("list_scalars", "scalars", runs=runs, tags=tags))

    assert listed(runs=["train"]) == {"train": {"loss", "accuracy", "odd"}}
    assert listed(tags=["loss"]) == {"train": {"loss"}, "eval/deep": {"loss"}}
    assert listed(runs=["eval/deep"], tags=["loss", "odd"]) == {"eval/deep": {"loss"}}


def only_what_exists_is_answered(subject: Subject) -> None:
    names: Mapping[str, Names] = {"runs": ["train", "nowhere"], "tags": ["loss", "nothing"]}
    assert _tags(subject.ask("list_scalars", "scalars", **names)) == {"train": {"loss"}}
    assert _tags(subject.ask("read_scalars", "scalars", downsample=3, **names)) == {"train": {"loss"}}
    assert _tags(subject.ask("read_last_scalars", "scalars", **names)) == {"train": {"loss"}}
    assert not _tags(subject.ask("read_scalars", "scalars", runs=["nowhere"], downsample=3))


# --- values ---


def scalars_are_read_in_the_order_of_steps(subject: Subject) -> None:
    points = subject.series("read_scalars", "scalars", "train", "loss")
    assert [point.step for point in points] == list(STEPS)
    assert [point.wall_time for point in points] == [START_TIME + step for step in STEPS]
    assert [point.value for point in points] == [WRITTEN.loss[step] for step in STEPS]


def numbers_that_are_not_finite_are_kept(subject: Subject) -> None:
    values = [point.value for point in subject.series("read_scalars", "scalars", "train", "odd")]
    np.testing.assert_array_equal(values, list(WRITTEN.odd.values()))
    assert np.signbit(values[-1])


def the_last_scalar_is_that_of_the_series(subject: Subject) -> None:
    last = subject.ask("read_last_scalars", "scalars", tags=["loss"])
    for run in ("train", "eval/deep"):
        read = subject.series("read_scalars", "scalars", run, "loss")[-1]
        found = last[run]["loss"]
        assert (found.step, found.wall_time, found.value) == (read.step, read.wall_time, read.value)


def tensors_are_arrays(subject: Subject) -> None:
    points = subject.series("read_tensors", "custom", "eval/deep", "array")
    assert [point.step for point in points] == list(WRITTEN.arrays)
    for point, written in zip(points, WRITTEN.arrays.values(), strict=True):
        assert point.wall_time == START_TIME + point.step
        assert point.numpy.dtype == written.dtype
        np.testing.assert_array_equal(point.numpy, written)


def strings_are_bytes_in_arrays_of_objects(subject: Subject) -> None:
    points = subject.series("read_tensors", "text", "train", "note")
    assert [point.step for point in points] == list(WRITTEN.notes)
    assert all(point.numpy.shape == (1,) and point.numpy.dtype == object for point in points)
    assert [point.numpy[0] for point in points] == [text.encode() for text in WRITTEN.notes.values()]


def an_array_belongs_to_who_asked(subject: Subject) -> None:
    subject.series("read_tensors", "custom", "eval/deep", "array")[0].numpy[:] = -1
    again = subject.series("read_tensors", "custom", "eval/deep", "array")[0].numpy
    np.testing.assert_array_equal(again, WRITTEN.arrays[1])


def blobs_are_read_by_their_keys(subject: Subject) -> None:
    points = subject.series("read_blob_sequences", "images", "train", "picture")
    assert [point.step for point in points] == list(WRITTEN.pictures)
    for point in points:
        assert point.wall_time == START_TIME + point.step
        keys = [reference.blob_key for reference in point.values]
        assert all(_KEY.fullmatch(key) for key in keys)
        assert len(set(keys)) == len(keys) == 4
        assert all(reference.url is None for reference in point.values)
        blobs = [subject.provider.read_blob(subject.context, blob_key=key) for key in keys]
        assert blobs == [b"4", b"3", *WRITTEN.pictures[point.step]]


def a_key_of_nothing_is_an_error(subject: Subject) -> None:
    for key in ("!", "nothing", "WzFd"):
        try:
            subject.provider.read_blob(subject.context, blob_key=key)
        except Exception:
            continue
        raise AssertionError(f"read_blob gave something for the key {key!r}")


# --- how much of it ---


def as_many_points_are_read_as_asked_for(subject: Subject) -> None:
    for count in (1, 2, 3, 10, len(STEPS) - 1, len(STEPS), len(STEPS) + 1):
        for kind, plugin, run, tag, steps in _SERIES:
            points = subject.series(f"read_{kind}", plugin, run, tag, count)
            found = [point.step for point in points]
            assert len(found) == min(count, len(steps))
            assert found[-1] == steps[-1], "the last point is always among them"
            assert found == [step for step in steps if step in found], "in the order of steps, each once"


def none_is_none(subject: Subject) -> None:
    for kind, plugin, run, tag, _ in _SERIES:
        assert subject.series(f"read_{kind}", plugin, run, tag, 0) == []


def the_same_points_are_read_again(subject: Subject) -> None:
    first = subject.series("read_scalars", "scalars", "train", "loss", 7)
    assert subject.series("read_scalars", "scalars", "train", "loss", 7) == first


def series_of_one_length_keep_the_same_steps(subject: Subject) -> None:
    read = subject.ask("read_scalars", "scalars", runs=["train"], tags=["loss", "accuracy"], downsample=7)
    loss, accuracy = read["train"]["loss"], read["train"]["accuracy"]
    assert [point.step for point in loss] == [point.step for point in accuracy]


def how_many_has_to_be_said(subject: Subject) -> None:
    for kind, plugin in [("scalars", "scalars"), ("tensors", "text"), ("blob_sequences", "images")]:
        for wrong in (None, "7"):
            try:
                subject.ask(f"read_{kind}", plugin, downsample=wrong)
            except Exception:
                continue
            raise AssertionError(f"read_{kind} takes downsample={wrong!r}")


# --- the rest ---


def hyperparameters_may_be_asked_for(subject: Subject) -> None:
    found = subject.provider.list_hyperparameters(subject.context, experiment_ids=[""], limit=10)
    assert list(found.hyperparameters) == []
    assert list(found.session_groups) == []
    groups = subject.provider.read_hyperparameters(subject.context, experiment_ids=[""], filters=[], sort=[])
    assert list(groups) == []


def any_thread_may_ask(subject: Subject) -> None:
    def read(_: int) -> list[Any]:
        return subject.series("read_scalars", "scalars", "train", "loss")

    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(read, range(16))
    assert all(other == first for other in others)


_SERIES: list[tuple[str, str, str, str, Sequence[int]]] = [
    ("scalars", "scalars", "train", "loss", STEPS),
    ("scalars", "scalars", "eval/deep", "loss", range(5)),
    ("tensors", "text", "train", "note", list(WRITTEN.notes)),
    ("tensors", "custom", "eval/deep", "array", list(WRITTEN.arrays)),
    ("blob_sequences", "images", "train", "picture", list(WRITTEN.pictures)),
]
CASES: tuple[Case, ...] = (
    the_experiment_is_described,
    runs_are_listed_with_their_start,
    plugins_are_those_that_own_data,
    series_are_listed_by_class_of_data,
    nothing_is_known_of_a_plugin_without_data,
    a_series_is_described,
    no_filter_is_everything,
    an_empty_filter_is_nothing,
    filters_of_runs_and_tags_both_count,
    only_what_exists_is_answered,
    scalars_are_read_in_the_order_of_steps,
    numbers_that_are_not_finite_are_kept,
    the_last_scalar_is_that_of_the_series,
    tensors_are_arrays,
    strings_are_bytes_in_arrays_of_objects,
    an_array_belongs_to_who_asked,
    blobs_are_read_by_their_keys,
    a_key_of_nothing_is_an_error,
    as_many_points_are_read_as_asked_for,
    none_is_none,
    the_same_points_are_read_again,
    series_of_one_length_keep_the_same_steps,
    how_many_has_to_be_said,
    hyperparameters_may_be_asked_for,
    any_thread_may_ask,
)


def _tags(found: Mapping[str, Mapping[str, object]]) -> dict[str, set[str]]:
    """Runs and tags of an answer; runs without tags do not count."""
    return {run: set(tags) for run, tags in found.items() if tags}
