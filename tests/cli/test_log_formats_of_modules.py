"""Which log formats the modules of plugins give to a provider."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import insight_scalar
import pytest

from insight_core.cli.storage import follow_log_formats
from insight_core.isolation import Limits
from insight_core.plugin import FileName, LogFormat, StoreFormat
from insight_core.registry import Registry
from tests.hosts import with_hooks

WORDS = LogFormat("words", FileName("*.words"), lambda stream, state: ([], None))
OTHER_WORDS = LogFormat("words", FileName("*.text"), lambda stream, state: ([], None))


def _found(registry: Registry) -> Collection[LogFormat | StoreFormat]:
    found: list[LogFormat | StoreFormat] = []
    follow_log_formats(registry, found.extend)
    return found


def _fails() -> None:
    raise RuntimeError("no luck")


def test_a_module_may_give_log_formats_alone() -> None:
    registry = Registry.of(
        [("words", lambda: with_hooks(log_formats=lambda: [WORDS])), ("scalar", lambda: insight_scalar)]
    )
    assert _found(registry) == [WORDS]
    assert (list(registry.plugins), dict(registry.failures)) == (["scalar"], {})
    disabled = Registry.of([("words", lambda: with_hooks(log_formats=lambda: [WORDS]))], disabled=["words"])
    assert _found(disabled) == []
    assert disabled.disabled == {"words"}


def test_log_formats_of_a_module_that_is_imported_late_come_later() -> None:
    go, came = threading.Event(), threading.Event()

    def load() -> object:
        go.wait()
        return with_hooks(log_formats=lambda: [WORDS])

    registry = Registry.of([("late", load)], distribution="theirs", limits=Limits(start=0.01))
    follow_log_formats(registry, lambda log_formats: came.set())
    assert not came.is_set()
    go.set()
    assert came.wait(30)


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        (_fails, "RuntimeError: no luck"),
        (lambda: ["words"], "a str, not a LogFormat or StoreFormat"),
        (lambda: 7, "not a LogFormat"),
        (lambda: [StoreFormat("x", (), str)], "one or more FileName claims"),
        (lambda: [StoreFormat("", FileName("x"), str)], "needs a name"),
        (lambda: [LogFormat("x", (), WORDS.read)], "one or more FileName claims"),
        (lambda: [LogFormat("", FileName("x"), WORDS.read)], "needs a name"),
    ],
)
def test_a_broken_hook_for_log_formats_is_a_failure_of_its_module(
    hook: Callable[..., Any], reason: str
) -> None:
    registry = Registry.of(
        [("bad", partial(with_hooks, log_formats=hook)), ("scalar", lambda: insight_scalar)]
    )
    assert _found(registry) == []
    assert list(registry.plugins) == ["scalar"]
    assert reason in " ".join(failure.reason for failure in registry.failures.values())


def test_of_two_log_formats_of_one_name_the_first_is_used_and_the_other_is_a_failure() -> None:
    formats = {"a": lambda: [WORDS], "b": lambda: [OTHER_WORDS]}
    registry = Registry.of([(name, partial(with_hooks, log_formats=one)) for name, one in formats.items()])
    assert _found(registry) == [WORDS]
    assert "'words' is already there" in " ".join(f.reason for f in registry.failures.values())
