"""One broken plugin is one failure, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from attrs import evolve

from insight_core.plugin import Dialect, EventField, FileName, Plugin, RecordDecoder, hookimpl
from insight_core.registry import Registry

GOOD = Plugin("good", "Good")


def _raising(error: BaseException) -> Callable[[], object]:
    def load() -> object:
        raise error

    return load


def _with_hook(function: Callable[..., Any]) -> object:
    return SimpleNamespace(insight_plugin=hookimpl(function, specname="insight_plugin"))


def _module(plugin: Plugin) -> object:
    return _with_hook(lambda: plugin)


def _misspelt() -> object:
    def insight_plugn() -> Plugin:
        return GOOD

    return SimpleNamespace(insight_plugn=hookimpl(insight_plugn))


def _unmarked() -> object:
    return SimpleNamespace(insight_plugin=lambda: GOOD)


def _fails() -> Plugin:
    raise RuntimeError("no\nluck")


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (_raising(ImportError("no module named torch")), "ImportError: no module named torch"),
        (_raising(SystemExit(3)), "SystemExit: 3"),
        (_misspelt, "insight_plugn"),
        (_unmarked, "no function insight_plugin() marked with @hookimpl"),
        (lambda: _with_hook(_fails), "RuntimeError: no luck"),
        (lambda: _with_hook(lambda: "good"), "returned a str, not a Plugin"),
        (lambda: _with_hook(lambda: None), "returned None, not a Plugin"),
        (lambda: _with_hook(lambda argument: GOOD), "argument"),
        (
            lambda: _with_hook(lambda: evolve(GOOD, name="bad", title=cast(Any, 7))),
            "its title is a int, not a string",
        ),
        (lambda: _with_hook(lambda: evolve(GOOD, name="bad", frontend=cast(Any, "x"))), "not a pathlib.Path"),
        (lambda: _with_hook(lambda: evolve(GOOD, name="no/slash")), "name"),
        (lambda: _with_hook(lambda: GOOD), "a plugin named 'good' is already there"),
    ],
)
def test_a_broken_plugin_leaves_the_others(load: Callable[[], object], reason: str) -> None:
    other = Plugin("other", "Other")
    registry = Registry.of(
        [
            ("good", lambda: _with_hook(lambda: GOOD)),
            ("bad", load),
            ("other", lambda: _with_hook(lambda: other)),
        ]
    )
    assert list(registry.plugins) == ["good", "other"]
    assert list(registry.failures) == ["bad"]
    assert reason in registry.failures["bad"].reason
    assert "\n" not in registry.failures["bad"].reason
    assert "Traceback" in registry.failures["bad"].traceback


def test_order_then_name_places_a_plugin() -> None:
    plugins = [Plugin("b", "B"), Plugin("a", "A"), Plugin("z", "Z", order=1)]
    registry = Registry.of([(p.name, partial(_module, p)) for p in plugins])
    assert list(registry.plugins) == ["z", "a", "b"]


def test_reserved_names_are_for_this_distribution() -> None:
    def load() -> object:
        return _with_hook(lambda: Plugin("scalar", "Mine"))

    assert list(Registry.of([("scalar", load)]).plugins) == ["scalar"]
    foreign = Registry.of([("scalar", load)], distribution="somebody-else")
    assert not foreign.plugins
    assert foreign.failures["scalar"].reason == "the name 'scalar' is reserved for insight-host"
    assert foreign.failures["scalar"].distribution == "somebody-else"


def test_a_claim_has_one_owner() -> None:
    decoder = RecordDecoder(claims={EventField(Dialect.TENSORBOARD, "image")})
    first, second = Plugin("first", "1", decoder=decoder), Plugin("second", "2", decoder=decoder)
    registry = Registry.of(
        [("f", lambda: _with_hook(lambda: first)), ("s", lambda: _with_hook(lambda: second))]
    )
    assert list(registry.plugins) == ["first"]
    assert registry.failures["s"].reason == "both 'first' and 'second' claim tensorboard:image"


def test_a_file_may_be_claimed_by_several() -> None:
    decoder = RecordDecoder(claims={FileName("*_lineage")})
    first, second = Plugin("first", "1", decoder=decoder), Plugin("second", "2", decoder=decoder)
    registry = Registry.of(
        [("f", lambda: _with_hook(lambda: first)), ("s", lambda: _with_hook(lambda: second))]
    )
    assert list(registry.plugins) == ["first", "second"]
    assert not registry.failures


def test_two_failures_under_one_name_are_both_told() -> None:
    registry = Registry.of([("x", _raising(ImportError("one"))), ("x", _raising(ImportError("two")))])
    assert sorted(failure.reason for failure in registry.failures.values()) == [
        "ImportError: one",
        "ImportError: two",
    ]


def test_a_disabled_plugin_is_not_even_imported() -> None:
    registry = Registry.of([("x", _raising(AssertionError("was imported")))], disabled=["x"])
    assert not registry.plugins
    assert not registry.failures
    assert registry.disabled == {"x"}


def test_disabling_takes_the_name_of_the_plugin_too() -> None:
    registry = Registry.of([("entry", lambda: _with_hook(lambda: GOOD))], disabled=["good"])
    assert not registry.plugins
    assert registry.disabled == {"good"}


def test_discovery_reads_the_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def point(name: str, distribution: str, plugin: Plugin) -> object:
        dist = SimpleNamespace(name=distribution, version="1.2")
        return SimpleNamespace(name=name, dist=dist, load=lambda: _with_hook(lambda: plugin))

    points = [
        point("a", "another", Plugin("scalar", "Hijack")),
        point("scalar", "insight-host", Plugin("scalar", "Scalars")),
        point("b", "another", Plugin("notes", "Notes")),
    ]
    monkeypatch.setattr("insight_core.registry.entry_points", lambda group: points)
    registry = Registry.discover()
    assert registry.plugins["scalar"].title == "Scalars"
    assert registry.origins["notes"].distribution == "another"
    assert list(registry.failures) == ["a"]
