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
    Dialect,
    EventField,
    FileName,
    Option,
    Plugin,
    RecordDecoder,
    RunColumn,
    SummaryPlugin,
    hookimpl,
)
from insight_core.plugin.findings import Rule
from insight_core.registry import Registry
from insight_core.registry.modules import DISTRIBUTION, Candidate, Origin
from insight_core.registry.modules import GROUP as PLUGINS

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
        (_unmarked, "it implements no hook"),
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
    assert foreign.failures["scalar"].reason == (
        "the name 'scalar' is reserved for insight-host; "
        "--plugin scalar=somebody-else takes this plugin instead"
    )
    assert foreign.failures["scalar"].distribution == "somebody-else"


def _candidates(*plugins: tuple[str, Plugin]) -> list[Candidate]:
    """One candidate for each (distribution, plugin)."""
    return [
        Candidate(str(plugin.name), Origin(distribution), partial(_module, plugin))
        for distribution, plugin in plugins
    ]


IMAGES = RecordDecoder(claims={EventField(Dialect.TENSORBOARD, "image")})


def test_of_two_plugins_with_one_name_neither_is_taken() -> None:
    registry = Registry(_candidates(("a-dist", Plugin("x", "1")), ("b-dist", Plugin("x", "2"))))
    assert not registry.plugins
    reason = (
        "the name 'x' is used by 'x' of a-dist and 'x' of b-dist: "
        "choose one with --plugin x=a-dist or --plugin x=b-dist"
    )
    assert {name: failure.reason for name, failure in registry.failures.items()} == {
        "x": reason,
        "x (b-dist)": reason,
    }


def _with_images(name: str) -> Plugin:
    return Plugin(name, name, decoder=IMAGES)


def test_of_two_plugins_with_one_claim_the_one_installed_first_is_taken() -> None:
    def found(distribution: str, name: str, since: float) -> Candidate:
        return Candidate(name, Origin(distribution, "", since), partial(_module, _with_images(name)))

    registry = Registry([found("a-dist", "later", 20.0), found("b-dist", "first", 10.0)])
    assert list(registry.plugins) == ["first"]
    assert {name: failure.reason for name, failure in registry.failures.items()} == {
        "later": "tensorboard:image is claimed by 'first' of b-dist, which was installed first, "
        "and 'later' of a-dist: --plugin later=a-dist takes the latter instead"
    }


def test_the_user_chooses_between_plugins_with_one_claim() -> None:
    plugins = _candidates(("a-dist", _with_images("f")), ("b-dist", _with_images("s")))
    registry = Registry(plugins, choices={"s": "b-dist"})
    assert list(registry.plugins) == ["s"]
    assert "claimed by 's' of b-dist and 'f' of a-dist: --plugin f=a-dist" in registry.failures["f"].reason


def test_a_plugin_that_was_refused_takes_no_claim_from_others() -> None:
    audio = EventField(Dialect.TENSORBOARD, "audio")
    both = RecordDecoder(claims={*IMAGES.claims, audio})
    registry = Registry(
        _candidates(
            ("a-dist", _with_images("images")),
            ("b-dist", Plugin("both", "Both", decoder=both)),
            ("c-dist", Plugin("audios", "Audios", decoder=RecordDecoder(claims={audio}))),
        )
    )
    assert sorted(registry.plugins) == ["audios", "images"]


def test_of_two_plugins_with_one_address_neither_is_taken() -> None:
    registry = Registry(
        _candidates(("a-dist", Plugin("f", "1", address="/x")), ("b-dist", Plugin("s", "2", address="/x")))
    )
    assert not registry.plugins
    assert {failure.reason.partition(":")[0] for failure in registry.failures.values()} == {
        "the address /x is used by 'f' of a-dist and 's' of b-dist"
    }


@pytest.mark.parametrize(
    "theirs",
    [
        Plugin("own", "Theirs"),
        Plugin("theirs", "Theirs", decoder=IMAGES),
        Plugin("theirs", "Theirs", address="/own"),
    ],
    ids=["name", "claim", "address"],
)
def test_a_plugin_of_the_host_wins_and_the_loser_is_named(theirs: Plugin) -> None:
    own = Plugin("own", "Own", decoder=IMAGES, address="/own")
    registry = Registry(_candidates(("insight-host", own), ("their-dist", theirs)))
    assert [plugin.title for plugin in registry.plugins.values()] == ["Own"]
    [failure] = registry.failures.values()
    assert failure.distribution == "their-dist"
    assert f"{str(theirs.name)!r} of their-dist" in failure.reason


def test_an_address_of_the_host_is_not_to_be_had_by_a_choice() -> None:
    own, theirs = Plugin("own", "Own", address="/own"), Plugin("theirs", "Theirs", address="/own")
    candidates = _candidates(("insight-host", own), ("their-dist", theirs))
    registry = Registry(candidates, choices={"theirs": "their-dist"})
    assert list(registry.plugins) == ["own"]
    assert registry.failures["theirs"].reason.endswith("leave out the former with --disable-plugin own")
    assert list(Registry(candidates, ["own"]).plugins) == ["theirs"]


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


def test_two_plugins_of_one_distribution_name_the_entry_points_to_leave_out() -> None:
    registry = Registry.of([("one", partial(_module, GOOD)), ("two", partial(_module, GOOD))])
    assert not registry.plugins
    assert registry.failures["two"].reason.endswith("with --disable-plugin one or --disable-plugin two")


@pytest.mark.parametrize("chosen", ["a-dist", "b-dist", "B_Dist"])
def test_a_choice_takes_one_of_two_plugins(chosen: str) -> None:
    registry = Registry(
        _candidates(("a-dist", Plugin("x", "a-dist")), ("b-dist", Plugin("x", "b-dist"))),
        choices={"x": chosen},
    )
    assert registry.plugins["x"].title == chosen.lower().replace("_", "-")
    assert not registry.failures
    [other] = {"a-dist", "b-dist"} - {registry.plugins["x"].title}
    assert registry.disabled == {f"x ({other})"}


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
    registry = Registry.of([(plugin.name, lambda one=plugin: _module(one)) for plugin in plugins])  # type: ignore[misc]
    assert registry.plugin_of_scalars == expected


def test_a_service_and_a_claim_lead_to_the_plugin_that_has_them() -> None:
    plain = _with_images("pictures")
    able = Plugin("able", "Able", services={"count": "builtins:len"}, order=1)
    also = Plugin("also", "Also", services={"count": min}, order=2)
    registry = Registry.of([(one.name, lambda one=one: _module(one)) for one in (plain, also, able)])  # type: ignore[misc]
    assert registry.service("add") is None
    plugin, count = registry.service("count") or ("", min)
    assert (plugin, count([1, 2, 3])) == ("able", 3)
    assert plain.decoder is not None
    (claim,) = plain.decoder.claims
    assert registry.decoding(claim) == plain
    assert registry.decoding(SummaryPlugin("others")) is None


def test_a_choice_takes_a_claim_and_a_reserved_name() -> None:
    own, theirs = Plugin("image", "Own", decoder=IMAGES), Plugin("photos", "Theirs", decoder=IMAGES)
    candidates = _candidates(("insight-host", own), ("their-dist", theirs))
    unchosen = Registry(candidates)
    assert (list(unchosen.plugins), list(unchosen.failures)) == (["image"], ["photos"])
    chosen = Registry(candidates, choices={"photos": "their-dist"})
    assert (list(chosen.plugins), list(chosen.failures)) == (["photos"], ["image"])
    candidates = _candidates(("insight-host", own), ("their-dist", Plugin("image", "Theirs")))
    assert Registry(candidates, choices={"image": "their-dist"}).plugins["image"].title == "Theirs"


def test_a_plugin_for_a_later_host_is_refused_by_name() -> None:
    registry = Registry.of([("x", partial(_module, Plugin("x", "X", requires_api=API_VERSION + 1)))])
    assert registry.failures["x"].reason == (
        f"plugin 'x' needs version {API_VERSION + 1} of the plugin API, and this insight-host has "
        f"{API_VERSION}: upgrade insight-host"
    )


def test_a_module_may_give_several_plugins() -> None:
    registry = Registry.of([("both", lambda: _with_hook(lambda: iter([GOOD, Plugin("more", "More")])))])
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
    def module(function: Callable[[], object]) -> object:
        def insight_run_columns() -> object:
            return function()

        return SimpleNamespace(insight_run_columns=hookimpl(insight_run_columns))

    column = RunColumn("c", "C")
    limits = Limits(hook=0.2, turn=0.1)
    registry = Registry.of(
        [("bad", lambda: module(hook)), ("good", lambda: module(lambda: [column]))], limits=limits
    )
    for _ in range(2):  # each module is asked once
        assert [one.value for one in registry.collected("insight_run_columns", RunColumn)] == [column]
    assert reason in registry.failures["bad"].reason
    assert registry.failures["bad"].hook == "insight_run_columns"
    assert list(registry.failures) == ["bad"]


def test_a_hook_wrapper_is_refused_and_reaches_no_other_module() -> None:
    def insight_plugin() -> Any:  # noqa: ANN401
        yield

    wrapping = SimpleNamespace(insight_plugin=hookimpl(insight_plugin, wrapper=True))
    registry = Registry.of([("w", lambda: wrapping), ("good", partial(_module, GOOD))])
    assert list(registry.plugins) == ["good"]
    assert "is a hook wrapper" in registry.failures["w"].reason


def _options(*options: Option) -> object:
    def insight_options() -> tuple[Option, ...]:
        return options

    return SimpleNamespace(insight_options=hookimpl(insight_options))


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


def test_two_modules_with_one_flag_are_both_refused() -> None:
    option = Option("deep-sea", "")
    modules = [(name, partial(_options, option)) for name in ("a", "b")]
    registry = Registry.of([*modules, ("c", partial(_options, Option("other", "")))])
    assert [module.candidate.name for module in registry.modules] == ["c"]
    assert registry.failures["a"].reason == (
        "the flag --deep-sea is that of 'a' of insight-host and 'b' of insight-host: "
        "leave one out with --disable-plugin"
    )
    assert registry.failures["b"].reason == registry.failures["a"].reason
    candidates = [Candidate("a", Origin("d"), modules[0][1])]
    registry = Registry(candidates, flags=["deep_sea"])
    assert registry.failures["a"].reason == "its flag --deep-sea is one of the host's"


def test_a_flag_of_the_host_distribution_stays_its_own() -> None:
    """Otherwise a flag called --token would leave the host without its guard."""
    candidates = [
        Candidate(name, Origin(distribution), partial(_options, Option("token", "")))
        for name, distribution in (("access", DISTRIBUTION), ("theirs", "d"))
    ]
    registry = Registry(candidates)
    assert [module.candidate.name for module in registry.modules] == ["access"]
    assert registry.failures["theirs"].reason == (
        "the flag --token is that of 'access' of insight-host and 'theirs' of d: "
        "leave one out with --disable-plugin"
    )


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
    registry = Registry.of([("entry", lambda: _with_hook(lambda: GOOD))], disabled=["good"])
    assert not registry.plugins
    assert registry.disabled == {"good"}


def test_discovery_reads_the_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def point(name: str, distribution: str, plugin: Plugin) -> object:
        dist = SimpleNamespace(name=distribution, version="1.2")
        return SimpleNamespace(
            name=name, value=name, group=PLUGINS, dist=dist, load=lambda: _with_hook(lambda: plugin)
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
