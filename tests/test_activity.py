"""Whether a plugin has something to show: asked beside the listings, the last answer is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from insight_core.activity import Question
from insight_core.isolation import DEFAULT_LIMITS, Calls, Limits
from insight_core.plugin import Unavailable


def _question(
    ask: Callable[[], object], changed: Callable[[], None] = lambda: None, limits: Limits = DEFAULT_LIMITS
) -> Question:
    return Question(Calls("plugin x", limits), ask, changed, keeps=(Unavailable,))


def _now(seconds: float = 20.0) -> float:
    return time.monotonic() + seconds


def test_a_hanging_question_delays_one_listing_and_is_heard_later() -> None:
    go_on, told = threading.Event(), threading.Event()
    question = _question(lambda: go_on.wait(20), told.set)
    question.ask(1)
    assert question.answer(_now(0.05)) is False
    begin = time.monotonic()
    assert question.answer(_now()) is False  # not waited for again
    assert time.monotonic() - begin < 10
    assert question.error is None
    go_on.set()
    assert told.wait(20)
    assert question.answer(_now()) is True


def test_a_question_that_hangs_is_an_error_that_says_since_when() -> None:
    go_on, told = threading.Event(), threading.Event()
    question = _question(lambda: go_on.wait(20), told.set, Limits(active=0.1))
    question.ask(1)
    question.answer(_now(0.0))
    assert told.wait(20)  # without being asked
    assert question.error is not None
    assert question.error.startswith("is_active() has not returned for 0 s, since ")
    go_on.set()
    assert question.answer(_now()) in (True, False)
    until = _now()
    while question.error is not None:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_it_is_asked_once_for_each_generation() -> None:
    asked: list[int] = []
    question = _question(lambda: asked.append(1) or True)  # type: ignore[func-returns-value]
    for generation in (1, 1, 1, 2, 2):
        question.ask(generation)
        assert question.answer(_now())
    assert len(asked) == 2


def test_a_tab_stays_while_the_data_cannot_be_reached() -> None:
    answers: list[bool | Exception] = [True, Unavailable("away")]

    def ask() -> bool:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    question = _question(ask)
    for generation in (1, 2):
        question.ask(generation)
        assert question.answer(_now())
        assert question.error is None
