"""Calls into plugins: one that hangs, crashes or exits costs a bounded number of threads and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from insight_core.isolation import Busy, Calls, Crashed, Limits, Overdue, in_turn

_LONG = 60.0


class _Hanging:
    """Calls that wait until the test ends, and how many run."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.end = threading.Event()
        self.begun = threading.Semaphore(0)

    def __call__(self) -> str:
        self.begun.release()
        assert self.end.wait(_LONG)
        return "ended"

    def start(self, count: int) -> list[threading.Thread]:
        threads = [threading.Thread(target=self._run) for _ in range(count)]
        for thread in threads:
            thread.start()
        for _ in threads:
            assert self.begun.acquire(timeout=_LONG)
        return threads

    def _run(self) -> None:
        self.calls.run("a view", self, _LONG)


@pytest.fixture
def hanging() -> Iterator[_Hanging]:
    made = _Hanging(Calls("plugin x", Limits(slow=0.0, hanging=3)))
    yield made
    made.end.set()


def test_a_call_has_a_thread_that_is_kept_for_the_next_one() -> None:
    calls = Calls("plugin x")
    threads = [calls.run("a view", threading.get_ident, _LONG) for _ in range(5)]
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


def test_an_overdue_call_is_named_with_the_time_it_began(hanging: _Hanging) -> None:
    with pytest.raises(
        Overdue, match=r"^a view has not returned for 0 s, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"
    ):
        hanging.calls.run("a view", hanging, 0.05)


def test_beyond_the_cap_a_call_is_refused_at_once_until_one_ends(hanging: _Hanging) -> None:
    changes: list[str | None] = []
    hanging.calls._changed = lambda: changes.append(hanging.calls.busy)
    threads = hanging.start(3)
    before = threading.active_count()
    for _ in range(40):
        with pytest.raises(Busy, match=r"^3 calls to it hang, the first of them \(a view\) since "):
            hanging.calls.run("another view", lambda: None, _LONG)
    assert threading.active_count() <= before
    assert len(changes) == 1
    hanging.end.set()
    for thread in threads:
        thread.join(_LONG)
    assert hanging.calls.run("another view", lambda: "works", _LONG) == "works"
    assert (hanging.calls.busy, changes[-1]) == (None, None)


def test_a_call_waits_while_the_others_are_only_many() -> None:
    calls = Calls("plugin x", Limits(slow=_LONG, hanging=3))
    running, most, lock = [0], [0], threading.Lock()

    def view() -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.01)
        with lock:
            running[0] -= 1
        return "done"

    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(calls.run("a view", view, _LONG))) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LONG)
    assert answers == ["done"] * 12
    assert most[0] <= 3


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseException("odd")])
def test_what_would_end_more_than_a_request_arrives_as_an_exception(error: BaseException) -> None:
    def view() -> NoReturn:
        raise error

    with pytest.raises(Crashed, match=f"^{type(error).__name__}") as caught:
        Calls("plugin x").run("a view", view, _LONG)
    assert caught.value.__cause__ is error


def test_a_plugin_that_asks_itself_needs_no_second_thread() -> None:
    calls = Calls("plugin x", Limits(slow=0.0, hanging=1))
    assert calls.run("outer", lambda: calls.run("inner", lambda: "both", _LONG), _LONG) == "both"


def test_an_answer_that_comes_too_late_is_closed(hanging: _Hanging) -> None:
    closed = threading.Event()

    class Answer:
        def close(self) -> None:
            closed.set()

    def view() -> Answer:
        hanging()
        return Answer()

    with pytest.raises(Overdue):
        hanging.calls.run("a view", view, 0.05)
    assert not closed.is_set()
    hanging.end.set()
    assert closed.wait(_LONG)


def test_a_body_that_hangs_counts_as_a_call_that_does(hanging: _Hanging) -> None:
    calls = Calls("plugin x", Limits(slow=0.0, hanging=1))

    def pieces() -> Iterator[bytes]:
        yield b"first"
        hanging()
        yield b"second"

    body = iter(calls.body(pieces(), "a body"))
    assert next(body) == b"first"
    assert calls.run("a view", lambda: "works", _LONG) == "works"  # it is the client that is waited for
    sending = threading.Thread(target=next, args=(body,))
    sending.start()
    assert hanging.begun.acquire(timeout=_LONG)
    with pytest.raises(Busy, match="a body"):
        calls.run("a view", lambda: "works", _LONG)
    hanging.end.set()
    sending.join(_LONG)
    assert list(body) == []
    assert calls.run("a view", lambda: "works", _LONG) == "works"


def test_bodies_that_are_sent_at_a_time_are_bounded() -> None:
    calls = Calls("plugin x", Limits(streams=2))
    bodies = [iter(calls.body(iter([b"a", b"b"]), "a body")) for _ in range(2)]
    assert [next(body) for body in bodies] == [b"a", b"a"]
    with pytest.raises(Busy, match="2 of its answers are being sent"):
        calls.body(iter([b"a"]), "a body")
    with pytest.raises(Busy):
        calls.run("a view", lambda: None, _LONG)
    assert calls.busy is None  # nothing hangs
    assert list(bodies[0]) == [b"b"]
    assert calls.run("a view", lambda: "works", _LONG) == "works"
    assert list(calls.body(iter([b"c"]), "a body")) == [b"c"]


def test_a_body_that_exits_is_an_exception_and_is_closed() -> None:
    closed: list[bool] = []

    def pieces() -> Iterator[bytes]:
        try:
            yield b"first"
            raise SystemExit(1)
        finally:
            closed.append(True)

    body = Calls("plugin x").body(pieces(), "a body")
    with pytest.raises(Crashed, match=r"^SystemExit: 1$"):
        list(body)
    body.close()
    assert closed == [True]


def test_a_slow_call_keeps_no_later_one_waiting() -> None:
    end, overdue, done = threading.Event(), [], []

    def call_of(name: str) -> object:
        if name == "slow":
            end.wait(_LONG)
        done.append(name)
        return None

    in_turn(
        ["slow", "quick"],
        lambda name: Calls(f"plugin {name}").start(name, lambda _: call_of(name), 0.2),
        0.01,
        lambda name, call: overdue.append((name, call.is_overdue)),
    )
    assert (done, overdue) == (["quick"], [("slow", True)])
    end.set()
