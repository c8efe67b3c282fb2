"""Which of several plugins of one name, claim, address or flag is taken, and what the others report."""

from __future__ import annotations

from functools import partial

import pytest

from insight_core.plugin import (
    Dialect,
    EventField,
    FileName,
    Option,
    Plugin,
    RecordDecoder,
)
from insight_core.registry import Registry
from insight_core.registry.modules import DISTRIBUTION, Candidate, Origin
from tests.hosts import module_of, with_hooks

GOOD = Plugin("good", "Good")


def _options(*options: Option) -> object:
    return with_hooks(options=lambda: options)


def test_reserved_names_are_for_this_distribution() -> None:
    def load() -> object:
        return with_hooks(plugin=lambda: Plugin("scalar", "Mine"))

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
        Candidate(str(plugin.name), Origin(distribution), partial(module_of, plugin))
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
        return Candidate(name, Origin(distribution, "", since), partial(module_of, _with_images(name)))

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


def test_two_plugins_of_one_distribution_name_the_entry_points_to_leave_out() -> None:
    registry = Registry.of([("one", partial(module_of, GOOD)), ("two", partial(module_of, GOOD))])
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


def test_a_choice_takes_a_claim_and_a_reserved_name() -> None:
    own, theirs = Plugin("image", "Own", decoder=IMAGES), Plugin("photos", "Theirs", decoder=IMAGES)
    candidates = _candidates(("insight-host", own), ("their-dist", theirs))
    unchosen = Registry(candidates)
    assert (list(unchosen.plugins), list(unchosen.failures)) == (["image"], ["photos"])
    chosen = Registry(candidates, choices={"photos": "their-dist"})
    assert (list(chosen.plugins), list(chosen.failures)) == (["photos"], ["image"])
    candidates = _candidates(("insight-host", own), ("their-dist", Plugin("image", "Theirs")))
    assert Registry(candidates, choices={"image": "their-dist"}).plugins["image"].title == "Theirs"


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
        [("f", lambda: with_hooks(plugin=lambda: first)), ("s", lambda: with_hooks(plugin=lambda: second))]
    )
    assert list(registry.plugins) == ["first", "second"]
    assert not registry.failures
