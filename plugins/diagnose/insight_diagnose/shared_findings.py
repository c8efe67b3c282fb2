"""Answers about findings that pages share: rules examine the runs once for all, and not all the time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

from attrs import define, field, frozen

_MOST = 8  # questions whose answers are kept
_SHARE = 0.05  # of the time that rules may take again and again, for clients that take older answers


class FindingsAnswer(NamedTuple):
    """The bytes of an answer; ``is_whole``: no run is left, and no rule still checks something."""

    body: bytes
    is_whole: bool


@define(eq=False)
class _Kept:
    """The last answer to a question, and when (monotonic) it was begun and there."""

    making: threading.Lock = field(factory=threading.Lock)
    answer: FindingsAnswer = field(factory=lambda: FindingsAnswer(b"", False))
    began: float = -1.0
    ended: float = -1.0

    def serves(self, arrived: float, age: float) -> bool:
        """Whether the answer is new enough for a client."""
        if self.began >= arrived:
            return True
        oldest = max(age, (self.ended - self.began) / _SHARE)
        return self.began >= 0 and age > 0 and self.answer.is_whole and arrived - self.began <= oldest


@frozen(eq=False)
class SharedFindings:
    """Answers by question. For any thread."""

    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _kept: OrderedDict[Hashable, _Kept] = field(factory=OrderedDict, init=False)

    def body(
        self,
        question: Hashable,
        ask: Callable[[float | None], FindingsAnswer],
        seconds: float | None,
        age: float = 0.0,
    ) -> bytes:
        """What ``ask`` answers within ``seconds``, or has answered to another client who asked the same.

        That answer was begun since this client came, or, if it is whole, at most ``age`` seconds before, or
        20 times as long before as it took.
        """
        arrived = time.monotonic()
        with self._lock:
            kept = self._kept.setdefault(question, _Kept())
            self._kept.move_to_end(question)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        if not kept.making.acquire(timeout=-1 if seconds is None else seconds):
            return ask(0.0).body  # what is known without those who still find out
        try:
            began = time.monotonic()
            if not kept.serves(arrived, age):
                answer = ask(None if seconds is None else max(0.0, seconds - (began - arrived)))
                kept.answer, kept.began, kept.ended = answer, began, time.monotonic()
            return kept.answer.body
        finally:
            kept.making.release()
