"""One broken plugin is one failure, and nothing else."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest
from attrs import evolve

from insight_core.isolation import Limits
from insight_core.plugin import (
    API_VERSION,
    Command,
    DataKind,
    Option,
    Plugin,
    RecordDecoder,
    RunColumn,
    SummaryPlugin,
    hookimpl,
)
from insight_core.plugin.findings import Rule
from insight_core.registry import Registry
from insight_core.registry.modules import GROUP as PLUGINS
from tests.hosts import module_of, with_hooks

GOOD = Plugin("good", "Good")


def _raising(error: BaseException) -> Callable[[], object]:
    def load() -> object:
        raise error

    return load


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
        (_unmarked, "it implements no hook"),
        (lambda: with_hooks(plugin=_fails), "RuntimeError: no luck"),
        (lambda: with_hooks(plugin=lambda: "good"), "returned a str, not a Plugin"),
        (lambda: with_hooks(plugin=lambda: None), "returned None, not a Plugin"),
        (lambda: with_hooks(plugin=lambda argument: GOOD), "argument"),
        (
            lambda: with_hooks(plugin=lambda: evolve(GOOD, name="bad", title=cast(Any, 7))),
            "its title is a int, not a string",
        ),
        (
            lambda: with_hooks(plugin=lambda: evolve(GOOD, name="bad", frontend=cast(Any, "x"))),
            "not a pathlib.Path",
        ),
        (lambda: with_hooks(plugin=lambda: evolve(GOOD, name="no/slash")), "name"),
    ],
)
def test_a_broken_plugin_leaves_the_others(load: Callable[[], object], reason: str) -> None:
    other = Plugin("other", "Other")
    registry = Registry.of(
        [
            ("good", lambda: with_hooks(plugin=lambda: GOOD)),
            ("bad", load),
            ("other", lambda: with_hooks(plugin=lambda: other)),
        ]
    )
    assert list(registry.plugins) == ["good", "other"]
    assert list(registry.failures) == ["bad"]
    assert reason in registry.failures["bad"].reason
    assert "\n" not in registry.failures["bad"].reason
    assert "Traceback" in registry.failures["bad"].traceback


def test_order_then_name_places_a_plugin() -> None:
    plugins = [Plugin("b", "B"), Plugin("a", "A"), Plugin("z", "Z", order=1)]
    registry = Registry.of([(p.name, partial(module_of, p)) for p in plugins])
    assert list(registry.plugins) == ["z", "a", "b"]


def test_what_a_module_contributes_belongs_to_its_plugin_and_not_to_its_entry_point() -> None:
    def insight_run_columns() -> list[RunColumn]:
        return [RunColumn("x", "X")]

    def insight_rules() -> NoReturn:
        raise RuntimeError("no rules")

    module = SimpleNamespace(
        insight_plugin=hookimpl(lambda: Plugin("mine", "Mine")),
        insight_run_columns=hookimpl(insight_run_columns),
        insight_rules=hookimpl(insight_rules),
    )
    registry = Registry.of([("entry", lambda: module)], distribution="a-dist")
    [found] = registry.collected("insight_run_columns", RunColumn)
    assert found.owner == "mine"
    assert not registry.collected("insight_rules", Rule)
    [(name, failure)] = registry.failures.items()
    assert (name, failure.entry_point) == ("mine (a-dist)", "mine")
    assert failure.reason.startswith("insight_rules() of mine: RuntimeError: no rules")
    for left_out in ("mine", "entry"):
        assert not Registry.of([("entry", lambda: module)], disabled=[left_out]).modules


def _numbers(name: str, order: int = 1000) -> Plugin:
    decoder = RecordDecoder({SummaryPlugin(f"of {name}")}, DataKind.SCALAR)
    return Plugin(name, name, decoder=decoder, order=order)


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ([_numbers("late"), _numbers("rates", 1), Plugin("first", "First", order=0)], "rates"),
        ([_numbers("rates", 1), _numbers("scalar", 2)], "scalar"),
        ([Plugin("first", "First")], "scalar"),
    ],
    ids=["the first with numbers", "the reserved name", "none"],
)
def test_the_plugin_of_scalars_is_the_one_that_has_numbers(plugins: list[Plugin], expected: str) -> None:
    registry = Registry.of([(plugin.name, lambda one=plugin: module_of(one)) for plugin in plugins])  # type: ignore[misc]
    assert registry.plugin_of_scalars == expected


def test_a_service_and_a_claim_lead_to_the_plugin_that_has_them() -> None:
    plain = Plugin("pictures", "P", decoder=RecordDecoder({SummaryPlugin("pictures")}))
    able = Plugin("able", "Able", services={"count": "builtins:len"}, order=1)
    also = Plugin("also", "Also", services={"count": min}, order=2)
    registry = Registry.of([(one.name, lambda one=one: module_of(one)) for one in (plain, also, able)])  # type: ignore[misc]
    assert registry.service("add") is None
    plugin, count = registry.service("count") or ("", min)
    assert (plugin, count([1, 2, 3])) == ("able", 3)
    assert plain.decoder is not None
    (claim,) = plain.decoder.claims
    assert registry.decoding(claim) == plain
    assert registry.decoding(SummaryPlugin("others")) is None


def test_a_plugin_for_a_later_host_is_refused_by_name() -> None:
    registry = Registry.of([("x", partial(module_of, Plugin("x", "X", requires_api=API_VERSION + 1)))])
    assert registry.failures["x"].reason == (
        f"plugin 'x' needs version {API_VERSION + 1} of the plugin API, and this insight-host has "
        f"{API_VERSION}: upgrade insight-host"
    )


def test_a_module_may_give_several_plugins() -> None:
    both = partial(with_hooks, plugin=lambda: iter([GOOD, Plugin("more", "More")]))
    registry = Registry.of([("both", both)])
    assert list(registry.plugins) == ["good", "more"]


def test_a_module_without_a_plugin_may_have_other_hooks() -> None:
    def commands(host: object) -> list[Command]:
        return [Command("greet", "greet", lambda argv: 0)]

    module = SimpleNamespace(commands=hookimpl(commands, specname="insight_commands"))
    registry = Registry.of([("m", lambda: module)])
    assert not registry.failures
    [found] = registry.collected("insight_commands", Command, host=None)
    assert (found.owner, found.value.name) == ("m", "greet")
    assert [list(module.hooks) for module in registry.modules] == [["insight_commands"]]


def _exits() -> object:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        (_fails, "RuntimeError: no luck"),
        (_exits, "SystemExit: 3"),
        (lambda: [7], "insight_run_columns() returned a int, not a RunColumn"),
        (lambda: None, "returned None, not a RunColumn"),
        (threading.Event().wait, "has not returned for 0 s"),
    ],
    ids=["raises", "exits", "wrong value", "nothing", "hangs"],
)
def test_a_hook_that_fails_leaves_those_of_other_modules(hook: Callable[[], object], reason: str) -> None:
    column = RunColumn("c", "C")
    limits = Limits(hook=0.2, turn=0.1)
    hooks = {"bad": lambda: hook(), "good": lambda: [column]}  # a new function, for it gets a mark
    modules = [(name, partial(with_hooks, run_columns=one)) for name, one in hooks.items()]
    registry = Registry.of(modules, limits=limits)
    for _ in range(2):  # each module is asked once
        assert [one.value for one in registry.collected("insight_run_columns", RunColumn)] == [column]
    assert reason in registry.failures["bad"].reason
    assert registry.failures["bad"].hook == "insight_run_columns"
    assert list(registry.failures) == ["bad"]


def test_a_hook_wrapper_is_refused_and_reaches_no_other_module() -> None:
    def insight_plugin() -> Any:  # noqa: ANN401
        yield

    wrapping = SimpleNamespace(insight_plugin=hookimpl(insight_plugin, wrapper=True))
    registry = Registry.of([("w", lambda: wrapping), ("good", partial(module_of, GOOD))])
    assert list(registry.plugins) == ["good"]
    assert "is a hook wrapper" in registry.failures["w"].reason


def _options(*options: Option) -> object:
    return with_hooks(options=lambda: options)


def test_options_come_from_the_flag_or_the_variable_or_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSIGHT_HOST_FROM_ENV", "2")
    options = [Option(name, "", 0, int) for name in ("--default", "from-env", "from-flag")]
    registry = Registry.of([("m", lambda: _options(*options))])
    registry.take_flags({"default": None, "from_flag": 3})
    assert registry.options["m"] == {"default": 0, "from_env": 2, "from_flag": 3}


def test_a_variable_that_cannot_be_read_is_a_failure_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSIGHT_HOST_COUNT", "many")
    registry = Registry.of([("m", lambda: _options(Option("count", "", 0, int)))])
    assert registry.failures["m"].reason.startswith("environment variable INSIGHT_HOST_COUNT: ")


def test_two_failures_under_one_name_are_both_told() -> None:
    registry = Registry.of([("x", _raising(ImportError("one"))), ("x", _raising(ImportError("two")))])
    assert sorted(failure.reason.partition(" (")[0] for failure in registry.failures.values()) == [
        "ImportError: one",
        "ImportError: two",
    ]


def test_a_disabled_plugin_is_not_even_imported() -> None:
    registry = Registry.of([("x", _raising(AssertionError("was imported")))], disabled=["x"])
    assert not registry.plugins
    assert not registry.failures
    assert registry.disabled == {"x"}


def test_disabling_takes_the_name_of_the_plugin_too() -> None:
    registry = Registry.of([("entry", lambda: with_hooks(plugin=lambda: GOOD))], disabled=["good"])
    assert not registry.plugins
    assert registry.disabled == {"good"}


def test_discovery_reads_the_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def point(name: str, distribution: str, plugin: Plugin) -> object:
        dist = SimpleNamespace(name=distribution, version="1.2")
        return SimpleNamespace(
            name=name, value=name, group=PLUGINS, dist=dist, load=lambda: with_hooks(plugin=lambda: plugin)
        )

    points = [
        point("a", "another", Plugin("scalar", "Hijack")),
        point("scalar", "insight-host", Plugin("scalar", "Scalars")),
        point("b", "another", Plugin("notes", "Notes")),
    ]
    groups = SimpleNamespace(select=lambda group: points if group == PLUGINS else [])
    monkeypatch.setattr("insight_core.registry.modules.entry_points", lambda: groups)
    registry = Registry.discover()
    assert registry.plugins["scalar"].title == "Scalars"
    assert registry.origins["notes"].distribution == "another"
    assert list(registry.failures) == ["a"]


def _imported(place: Path, body: str) -> Callable[[], object]:
    """Loads a package with this body, as an entry point does."""
    package = place / "insight_jsfault"
    package.mkdir()
    (package / "__init__.py").write_text(body, encoding="utf-8")

    sys.modules.pop("insight_jsfault", None)
    invalidate_caches()
    return partial(import_module, "insight_jsfault")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "import json\n\ndef helper(found):\n    return found.missing\n\nhelper(None)\n",
            "AttributeError: 'NoneType' object has no attribute 'missing' (insight_jsfault/__init__.py:4)",
        ),
        ("import json\n\njson.loads('{')\n", "(insight_jsfault/__init__.py:3)"),
        ("x = 1\ny = = 2\n", "SyntaxError: invalid syntax (insight_jsfault/__init__.py:2)"),
        (
            "from insight_core.plugin import *\n\n@hookimpl\ndef insight_plugin():\n    return {}['no']\n",
            "KeyError: 'no' (insight_jsfault/__init__.py:5)",
        ),
        (
            "from insight_core.plugin import *\n\n@hookimpl\ndef insight_plugins():\n    return ()\n",
            "unknown hook insight_plugins: did you mean insight_plugin? (insight_jsfault/__init__.py:3)",
        ),
        (
            "from insight_core.plugin import *\n\n@hookimpl\ndef insight_plugin(ctx):\n    return ()\n",
            "insight_plugin() has no argument 'ctx': it takes nothing (insight_jsfault/__init__.py:3)",
        ),
        (
            "from insight_core.plugin import *\n\nGOOD = Plugin('my plugin', 'Good')\n",
            "ValueError: its name is 'my plugin', which has not the form: "
            "letters, digits, - and _, a letter first (insight_jsfault/__init__.py:3)",
        ),
    ],
    ids=["helper", "library", "syntax", "hook", "unknown hook", "unknown argument", "name"],
)
def test_a_failure_has_the_innermost_line_of_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    failure = Registry.of([("jsfault", _imported(tmp_path, body))]).failures["jsfault"]
    assert failure.reason.endswith(reason)
    assert "Attribute(" not in failure.reason


def test_a_traceback_begins_with_the_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    failure = Registry.of([("jsfault", _imported(tmp_path, "import json\n\njson.loads('{')\n"))])
    text = failure.failures["jsfault"].traceback
    files = [line for line in text.splitlines() if line.startswith("  File ")]
    assert "insight_jsfault/__init__.py" in files[0]
    assert "json" in files[-1]
    assert "insight_core" not in text
