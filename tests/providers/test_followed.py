"""What all providers of data elsewhere share."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

import pytest

from insight_core.plugin import Unavailable
from insight_core.plugin.data import Run, SeriesInfo
from insight_core.providers.followed import FollowedProvider


class Nothing(FollowedProvider):
    def runs(self) -> Sequence[Run]:
        return []

    def series(self, plugin: str, **_: object) -> Sequence[SeriesInfo]:
        return []


def test_a_step_that_fails_is_tried_again_until_the_provider_is_closed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failures: list[Exception] = [ValueError("a fault of ours"), Unavailable("the server is away")]
    worked = threading.Event()

    def step() -> float:
        if failures:
            raise failures.pop()
        worked.set()
        return 60.0

    provider = Nothing([], [("follower", step)])
    with caplog.at_level(logging.ERROR):
        provider.start()
        assert worked.wait(20)
    assert [(record.message, str(record.exc_info and record.exc_info[1])) for record in caplog.records] == [
        ("follower failed; it is tried again", "a fault of ours")  # a server that is away is not an error
    ]
    [thread] = [thread for thread in threading.enumerate() if thread.name == "follower"]
    provider.close()
    thread.join(20)
    assert not thread.is_alive()
