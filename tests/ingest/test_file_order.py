"""Joins the files of a run in one order; a file that repeats no step of another is not its restart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import insight_scalar
import pytest

from insight_authoring.testing import wire
from insight_core.ingest.file_order import order_of
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider

T = 1_700_000_000
LOSS = SeriesKey(".", "loss")


def write(path: Path, steps: Sequence[int], value: float = 0.0, start: float = T) -> None:
    with EventWriter(path, start_time=start) as writer:
        for step in steps:
            writer.scalar("loss", step, value)


def loss_in(directory: Path, cache: Path | None = None, query: ScalarQuery | None = None) -> ScalarColumns:
    plugins = [insight_scalar.insight_plugin()]
    with closing(
        LocalProvider([Logdir(str(directory))], plugins, reload_interval=0, cache_directory=cache)
    ) as provider:
        provider.load()
        return provider.scalars("scalar", [LOSS], query or ScalarQuery())[LOSS]


def test_numbers_in_names_are_compared_as_numbers() -> None:
    names = [
        "events.out.tfevents.999.host",
        f"events.out.tfevents.{T}.host.5.2",
        f"events.out.tfevents.{T}.host.5.10",
        f"events.out.tfevents.{T}.host.5.10.v2",
        f"events.out.tfevents.{T}.host.99.0",
        f"events.out.tfevents.{T}.host.100.0",
        f"events.out.tfevents.{T}.host.00101.00000",
        f"x.events.summary.{T + 1}.host_MS",
    ]
    assert sorted(set(names), key=order_of) == names


@pytest.mark.parametrize("indexed", [False, True])
def test_writers_of_one_second_go_on_where_the_one_before_ended(tmp_path: Path, indexed: bool) -> None:
    """A loop that opens its writer for each value: all of them begin in the same second."""
    for step in range(30):
        write(tmp_path / "logs" / f"events.out.tfevents.{T}.host.7.{step}", [step])
    cache = tmp_path / "cache" if indexed else None
    for _ in range(2):
        found = loss_in(tmp_path / "logs", cache)
        assert (found.steps.tolist(), found.hidden, found.restarts.tolist()) == ([*range(30)], 0, [])


def test_of_two_processes_of_one_second_the_later_one_wins(tmp_path: Path) -> None:
    write(tmp_path / f"events.out.tfevents.{T}.host.99.0", range(10), 1.0)
    write(tmp_path / f"events.out.tfevents.{T}.host.100.0", range(10), 2.0)
    found = loss_in(tmp_path)
    assert (found.values.tolist(), found.hidden) == ([2.0] * 10, 10)


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(("first", "second"), [("b", "a"), ("a", "b")])
def test_where_names_have_equal_numbers_the_times_of_records_decide(
    tmp_path: Path, first: str, second: str, indexed: bool
) -> None:
    """Containers have hosts with names that tell nothing, and process 1."""
    logs = tmp_path / "logs"
    write(logs / f"events.out.tfevents.{T}.{first}.1.0", range(10), 1.0, T + 0.25)
    write(logs / f"events.out.tfevents.{T}.{second}.1.0", range(5, 10), 2.0, T + 20)
    for _ in range(2):
        found = loss_in(logs, tmp_path / "cache" if indexed else None)
        assert found.values.tolist() == [1.0] * 5 + [2.0] * 5


def test_a_file_without_a_record_finds_its_place_with_its_first_one(tmp_path: Path) -> None:
    late, early = (tmp_path / f"events.out.tfevents.{T}.{host}.1.0" for host in ("a", "b"))
    late.touch()
    write(early, range(10), 1.0, T + 0.25)
    with closing(
        LocalProvider([Logdir(str(tmp_path))], [insight_scalar.insight_plugin()], reload_interval=0)
    ) as provider:
        provider.load()
        write(late, range(5, 10), 2.0, T + 20)
        provider.load()
        assert provider.scalars("scalar", [LOSS])[LOSS].values.tolist() == [1.0] * 5 + [2.0] * 5


def test_a_machine_whose_clock_is_behind_goes_on_without_hiding_anything(tmp_path: Path) -> None:
    """TensorBoard's Python loader shows all 200 points, too."""
    write(tmp_path / f"events.out.tfevents.{T}.one.1.0", range(100), start=T)
    write(tmp_path / f"events.out.tfevents.{T - 500}.two.1.0", range(100, 200), start=T - 500)
    found = loss_in(tmp_path)
    assert (found.steps.tolist(), found.hidden, found.restarts.tolist()) == ([*range(200)], 0, [])
    every = loss_in(tmp_path, query=ScalarQuery(attempts="all"))
    assert every.steps.tolist() == [*range(100, 200), *range(100)]
    assert every.breaks.tolist() == [100]


def test_a_restart_counts_among_the_files_that_it_repeats_steps_of(tmp_path: Path) -> None:
    """0 to 99, a restart at 50 up to 150, and a machine with a clock that is behind from 151 on."""
    write(tmp_path / f"events.out.tfevents.{T - 500}.two.1.0", range(151, 200), 3.0)
    write(tmp_path / f"events.out.tfevents.{T}.one.1.0", range(100), 1.0)
    write(tmp_path / f"events.out.tfevents.{T + 1}.one.2.0", range(50, 151), 2.0)
    found = loss_in(tmp_path)
    assert found.steps.tolist() == [*range(200)]
    assert found.values.tolist() == [1.0] * 50 + [2.0] * 101 + [3.0] * 49
    assert (found.hidden, found.restarts.tolist()) == (50, [50])


def test_files_with_steps_between_each_other_are_shown_by_step(tmp_path: Path) -> None:
    write(tmp_path / f"events.out.tfevents.{T}.host.1.0", range(0, 20, 2), 1.0)
    write(tmp_path / f"events.out.tfevents.{T}.host.2.0", range(1, 20, 2), 2.0)
    for width in (None, 3):
        found = loss_in(tmp_path, query=ScalarQuery(width=width))
        assert (found.points, found.hidden) == (20, 0)
        assert found.steps.tolist() == sorted(found.steps.tolist())


def result(tag: str, value: float) -> bytes:
    """What ``add_hparams`` writes: hyperparameters of a session, and a metric at step 0."""
    session = wire.tensor_value(
        "_hparams_/session_start_info", wire.text_tensor([b""]), wire.metadata("hparams")
    )
    events = [wire.summary([session]), wire.summary([wire.scalar_value(tag, value)])]
    return b"".join(wire.record(wire.event(0, T + 9.0, event)) for event in events)


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_result_with_the_tag_of_a_curve_hides_none_of_its_points(tmp_path: Path, goes_on: bool) -> None:
    """TensorBoard shows both values of step 0, and the one recorded last in its table of hyperparameters."""
    write(tmp_path / f"events.out.tfevents.{T}.host.1.0", range(5), 0.5)
    (tmp_path / f"events.out.tfevents.{T}.host.1.1").write_bytes(result("loss", 0.25))
    if goes_on:
        write(tmp_path / f"events.out.tfevents.{T + 20}.host.2.0", range(5, 8), 0.75)
    with closing(
        LocalProvider([Logdir(str(tmp_path))], [insight_scalar.insight_plugin()], reload_interval=0)
    ) as provider:
        provider.load()
        [info] = provider.series("scalar")
        found = provider.scalars("scalar", [LOSS])[LOSS]
    assert found.steps.tolist() == [0, 0, 1, 2, 3, 4, *([5, 6, 7] if goes_on else [])]
    assert found.values.tolist()[:3] == [0.5, 0.25, 0.5]
    assert (found.hidden, found.restarts.tolist(), info.attempts) == (0, [], 1)
    assert (info.last_step, info.last_value) == ((7, 0.75) if goes_on else (4, 0.25))


def test_a_result_recorded_before_its_training_is_not_the_last_value(tmp_path: Path) -> None:
    """``add_hparams`` at the start of a training writes a file that was begun after that of the curve."""
    write(tmp_path / f"events.out.tfevents.{T}.host.1.0", range(5), 0.5, T + 10.0)
    (tmp_path / f"events.out.tfevents.{T}.host.1.1").write_bytes(result("loss", 0.25))
    provider = LocalProvider([Logdir(str(tmp_path))], [insight_scalar.insight_plugin()], reload_interval=0)
    with closing(provider):
        provider.load()
        [info] = provider.series("scalar")
    assert (info.last_step, info.last_value) == (4, 0.5)


def test_nothing_is_hidden_of_two_processes_that_write_at_the_same_time(tmp_path: Path) -> None:
    for number, late in ((1, 0.0), (2, 0.4)):
        write(tmp_path / f"events.out.tfevents.{T}.host.{number}.0", range(40), number, T + late)
    found = loss_in(tmp_path)
    assert (found.steps.tolist(), found.hidden) == ([step for step in range(40) for _ in range(2)], 0)
    assert found.restarts.tolist() == []
    lines = loss_in(tmp_path, query=ScalarQuery(attempts="all"))
    assert (lines.breaks.tolist(), lines.values.tolist()) == ([40], [1.0] * 40 + [2.0] * 40)
