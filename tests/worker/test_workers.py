"""Worker processes: answers, limits, and failures that end nothing but the call."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from attrs import evolve

from insight_core.plugin.worker import PieceSource, WorkerFailed, WorkerJob, WorkerLimits, Workers
from insight_core.worker.decoding import SMALL, decode_apart
from insight_core.worker.job import WorkerSource
from tests.waiting import PATIENCE, eventually

_HERE = "tests.worker.called"
_LIMITS = WorkerLimits(memory=256 << 20, seconds=PATIENCE, deadline=PATIENCE, answer=1 << 20)


@pytest.fixture
def workers() -> Iterator[Workers]:
    made = Workers(_LIMITS, 1)
    yield made
    made.close()


def _call(workers: Workers, name: str, **arguments: Any) -> bytes:  # noqa: ANN401 - JSON
    return workers.call(f"{_HERE}:{name}", arguments)


def _failure(workers: Workers, name: str, **arguments: Any) -> WorkerFailed:  # noqa: ANN401 - JSON
    with pytest.raises(WorkerFailed) as caught:
        _call(workers, name, **arguments)
    return caught.value


def test_calls_are_answered_by_one_process_that_stays(workers: Workers) -> None:
    assert _call(workers, "repeat", text="ab", times=3) == b"ababab"
    first = _call(workers, "process")
    assert _call(workers, "process") == first
    assert workers.pids == [int(first)]


def test_a_function_reads_what_the_caller_opens(workers: Workers) -> None:
    large = bytes(range(256)) * 20_000  # more than is sent at a time
    given: dict[str, WorkerSource] = {
        "a": io.BytesIO(large),
        "b": PieceSource(bytes([number]) * number for number in range(200)),
    }
    answer = workers.call(f"{_HERE}:one_byte", {"file": "a"}, given.__getitem__)
    assert answer == b"\0"  # what it did not read is dropped
    given["a"] = io.BytesIO(large[:100_000])
    answer = workers.call(f"{_HERE}:joined", {"names": ["a", "b"]}, given.__getitem__)
    assert answer == large[:100_000] + b"|" + b"".join(bytes([n]) * n for n in range(200))


@pytest.mark.parametrize(("said", "answer"), [(0, 1 << 19), (1 << 19, 0)])
def test_a_long_answer_does_not_wait_for_what_the_function_did_not_read(
    workers: Workers, said: int, answer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_core.worker.process._PIPE", 1 << 16)  # as where a user has many pipes
    large = bytes(8 << 20)
    arguments = {"file": "a", "said": said, "answer": answer}
    found = workers.call(f"{_HERE}:much", arguments, lambda _: io.BytesIO(large))
    assert len(found) == answer


def test_what_cannot_be_opened_is_a_failure_with_the_reason(workers: Workers) -> None:
    failure = _failure(workers, "one_byte", file="x")
    assert (failure.code, str(failure)) == (
        "worker_unreadable",
        "a file cannot be read: there is nothing named 'x'",
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("too large", ("far too large", 413, "far", {"by": 7})),
        ("value", ("a number is missing", 422, "missing", {"number": 3})),
        ("key", ("the reader failed: KeyError: 'key'", 422, "worker_failed", {"reason": "KeyError: 'key'"})),
    ],
)
def test_an_error_of_the_function_is_raised_with_its_code(
    workers: Workers, kind: str, expected: tuple[object, ...]
) -> None:
    failure = _failure(workers, "fail", kind=kind)
    assert (str(failure), failure.status, failure.code, failure.details) == expected
    assert _call(workers, "repeat", text="a", times=1) == b"a"


def test_memory_beyond_the_limit_ends_the_call_and_no_other(workers: Workers) -> None:
    failure = _failure(workers, "allocate", size=300 << 20)
    assert (failure.code, failure.details) == ("worker_memory", {"mib": 256})
    for _ in range(3):  # what a call took is given back
        assert _call(workers, "allocate", size=200 << 20) == str(200 << 20).encode()


def test_an_answer_has_a_limit(workers: Workers) -> None:
    failure = _failure(workers, "repeat", text="a", times=(1 << 20) + 1)
    assert (failure.code, failure.details) == ("worker_answer", {"mib": 1})


def test_processor_time_has_a_limit() -> None:
    workers = Workers(evolve(_LIMITS, seconds=0.2), 1)
    assert _failure(workers, "loop").code == "worker_seconds"
    assert _call(workers, "repeat", text="a", times=1) == b"a"
    workers.close()


@pytest.mark.parametrize("name", ["sleep", "compute"])
def test_a_call_that_does_not_end_is_killed_at_its_deadline(name: str) -> None:
    workers = Workers(evolve(_LIMITS, deadline=1.5), 1)
    failure = _failure(workers, name)
    assert (failure.code, failure.is_at_limit) == ("worker_deadline", True)
    workers.limits = _LIMITS
    assert _call(workers, "repeat", text="a", times=1) == b"a"
    workers.close()


def test_a_process_that_dies_fails_one_call(workers: Workers) -> None:
    failure = _failure(workers, "end")
    assert failure.code == "worker_died"
    assert "exit code 3" in str(failure)
    assert _call(workers, "repeat", text="a", times=1) == b"a"


def test_what_a_function_prints_is_no_answer(workers: Workers) -> None:
    assert _call(workers, "chatter") == b"done"


def test_calls_fail_when_the_workers_are_closed(workers: Workers) -> None:
    failures: list[WorkerFailed] = []
    threads = [threading.Thread(target=lambda: failures.append(_failure(workers, "sleep"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    eventually(lambda: workers.pids)
    workers.close()
    for thread in threads:
        thread.join(PATIENCE)
    assert [failure.code for failure in failures] == ["worker_died"] * 3
    assert workers.pids == []
    assert _failure(workers, "process").code == "worker_died"


def test_a_decoder_returns_and_raises_what_its_function_does_in_a_worker() -> None:
    large = b"a" * (SMALL + 1)
    found = decode_apart(f"{_HERE}:counted", large, 2)
    assert (found["size"], found["twice"].tolist()) == (2 * len(large), [2, 2])
    assert found["process"] != os.getpid()
    assert decode_apart(f"{_HERE}:counted", [b"ab", b"c"], 1)["size"] == 3
    assert decode_apart(f"{_HERE}:counted", b"a", 1, unpacks=True)["process"] == found["process"]
    assert decode_apart(f"{_HERE}:counted", b"a", 1)["process"] == os.getpid(), "small, so it stays here"
    with pytest.raises(ValueError, match="a number is missing") as caught:
        decode_apart(f"{_HERE}:refused", large)
    assert caught.value.args[0].code == "missing"
    with pytest.raises(WorkerFailed, match="later") as unavailable:
        decode_apart(f"{_HERE}:refused", large + b"!")
    assert unavailable.value.status == 503


class _Waiting(WorkerJob):
    """A job that begins when it may, and writes down that it did."""

    function = f"{_HERE}:process"

    def __init__(self, name: str, begun: list[str], may: threading.Event, memory: int = 0) -> None:
        self._name, self._begun, self._may = name, begun, may
        self.memory = memory
        self.done = threading.Event()

    def begin(self) -> Mapping[str, object]:
        self._begun.append(self._name)
        assert self._may.wait(PATIENCE)
        return {}

    def is_done(self, answer: bytes) -> None:
        self.done.set()

    def has_failed(self, failure: WorkerFailed) -> None:
        raise AssertionError(failure)


def test_what_users_wait_for_is_done_before_the_rest(workers: Workers) -> None:
    begun: list[str] = []
    may = threading.Event()
    first, other, waiting, looked_at, hurried = (
        _Waiting(name, begun, may) for name in ("first", "other", "waiting", "looked at", "hurried")
    )
    workers.start(first)
    eventually(lambda: begun == ["first"])
    for job in (other, waiting, hurried):
        workers.start(job, is_urgent=False)
    workers.start(looked_at)
    workers.hurry(hurried)
    workers.hurry(hurried)  # it is already
    may.set()
    assert all(job.done.wait(PATIENCE) for job in (other, waiting))
    assert begun == ["first", "looked at", "hurried", "other", "waiting"]


@pytest.mark.parametrize(("memory", "together"), [(1 << 30, 1), (1 << 20, 2)])
def test_jobs_are_done_at_once_only_as_far_as_memory_goes(memory: int, together: int) -> None:
    begun: list[str] = []
    may = threading.Event()
    jobs = [_Waiting(name, begun, may, memory) for name in ("a", "b")]
    workers = Workers(_LIMITS, 2, memory=2 << 30)
    for job in jobs:
        workers.start(job)
    eventually(lambda: len(begun) >= together)
    assert len(begun) == together
    may.set()
    assert all(job.done.wait(PATIENCE) for job in jobs)
    workers.close()
