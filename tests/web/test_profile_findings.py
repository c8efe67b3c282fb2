"""Rules about the profiles of a run: evidence is opened once for all of them, findings name the profile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import pytest
from attrs import field, frozen

from insight_core.isolation import Limits
from insight_core.plugin import Plugin, PluginContext, Reason, ReasonKind, RunProfile
from insight_core.plugin.data import Run
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Needs, NotChecked, Rule, Saving
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web.findings import FindingsTable
from insight_core.web.findings.merging import NamedColumn
from tests.hosts import with_hooks

TITLE = ReasonKind("m_slow", "Slow")
READING = ReasonKind("m_reading", "it is being read")


@frozen(eq=False)
class Profiles:
    """A plugin whose profiles are numbers of ms by run and name; opening one is counted."""

    times: dict[str, dict[str, float]]
    opened: list[tuple[str, str]] = field(factory=list)
    unread: set[str] = field(factory=set)
    versions: dict[str, int] = field(factory=dict)

    def of(self, ctx: PluginContext, run: str, name: str | None) -> Iterable[RunProfile]:
        for one in self.times.get(run, {}):
            if name in (None, one):
                kind = "fast" if one.startswith("fast") else "usual"
                yield RunProfile(one, kind, partial(self._open, run, one), self.versions.get(one, 0))

    def _open(self, run: str, name: str) -> float:
        self.opened.append((run, name))
        if name in self.unread:
            raise NotChecked(READING(), may_change=True)
        return self.times[run][name]


def _slow(examined: Examined) -> Iterable[Finding]:
    if examined.profile > 10:
        saw = Reason(f"{examined.profile:g} ms", "m_saw")
        yield Finding(examined.run, "warning", saw, saves=Saving(0.1, examined.profile / 100))


def _rule(name: str, check: Callable[[Examined], Iterable[Finding]] = _slow, *kinds: str) -> Rule:
    return Rule(name, TITLE, check, Needs(profiles=kinds), "profile")


@pytest.fixture
def data() -> FakeProvider:
    provider = FakeProvider()
    for run in ("a", "b", "c"):
        provider.add_run(Run(run))
    return provider


def _table(
    data: FakeProvider,
    profiles: Profiles,
    *rules: Rule,
    limit: float = 60.0,
    of: Callable[[PluginContext, str, str | None], Iterable[RunProfile]] | None = None,
    columns: Callable[[Sequence[str]], Sequence[NamedColumn]] = lambda runs: (),
) -> FindingsTable:
    module = with_hooks(plugin=lambda: Plugin("m", "M", profiles=of or profiles.of), rules=lambda: rules)
    ctx = context_of(Plugin("m", "M"), data)
    registry = Registry.of([("m", lambda: module)])
    return FindingsTable(registry, data, Limits(rule=limit), lambda _: ctx, columns)


def _texts(found: Sequence[Finding]) -> list[str]:
    return [str(one.saw) for one in found]


def test_a_profile_is_opened_once_for_all_rules_and_again_only_after_a_change(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"p": 20.0}})
    table = _table(data, profiles, *(_rule(f"rule_{place}") for place in range(30)))
    for _ in range(3):
        assert len(table.find().findings) == 30
    assert profiles.opened == [("a", "p")]
    table.find(["a"], profile="p")
    assert profiles.opened == [("a", "p")]
    data.add_scalars("a", "loss", [1.0])
    table.find()
    assert profiles.opened == [("a", "p")]
    profiles.versions["p"] = 1
    data.add_scalars("a", "loss/val", [1.0])
    table.find()
    assert profiles.opened == [("a", "p")] * 2


def test_the_place_of_a_finding_is_the_profile_in_the_tab_of_its_plugin(data: FakeProvider) -> None:
    def finds(examined: Examined) -> Iterable[Finding]:
        yield Finding(examined.run, "hint", TITLE(), place=FindingPlace(state={"view": "steps"}))
        yield Finding(examined.run, "hint", TITLE(), place=FindingPlace("scalar"))

    own, other = _table(data, Profiles({"a": {"p": 1.0}}), _rule("one", finds)).find().findings
    assert own.place == FindingPlace("m", state={"run": "a", "profile": "p", "view": "steps"})
    assert (other.place.plugin, other.place.state) == ("scalar", {})


def test_the_same_fault_of_several_runs_is_one_finding(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"p": 20.0}, "b": {"p": 40.0}, "c": {"p": 1.0}})
    [one] = _table(data, profiles, _rule("slow")).find().findings
    assert (one.runs, str(one.saw)) == (("b", "a"), "2 of 3 runs: Slow; b: 40 ms")
    assert one.saves == Saving(0.1, 0.4)


def test_profiles_of_a_run_with_the_same_fault_stay_distinguishable(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"early": 20.0, "late": 30.0, "fine": 1.0}})
    found = _table(data, profiles, _rule("slow")).find()
    [one] = found.findings
    assert (one.runs, str(one.saw)) == (("a",), "2 of 3 profiles: Slow; a, late: 30 ms")
    assert [each.place.state["profile"] for each in one.each] == ["late", "early"]
    assert found.rules[0].checked == ("a",)


def test_a_question_about_one_profile_asks_no_other_rule_and_opens_no_other(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"early": 20.0, "late": 30.0}})

    def of_run(examined: Examined) -> Iterable[Finding]:
        raise AssertionError("nobody asked")

    table = _table(data, profiles, _rule("slow"), Rule("run", TITLE, of_run))
    found = table.find(["a"], profile="early")
    assert _texts(found.findings) == ["20 ms"]
    assert ([one.id for one in found.rules], profiles.opened) == (["slow"], [("a", "early")])


def test_a_rule_examines_profiles_of_the_kinds_and_plugins_that_it_needs(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"fast": 20.0, "slow": 30.0}, "b": {"slow": 40.0}})
    rules = [_rule("kind", _slow, "fast"), _rule("plugin", _slow, "m"), _rule("none", _slow, "other")]
    found = _table(data, profiles, *rules).find()
    by_rule = {one.rule: len(one.each or (one,)) for one in found.findings}
    assert by_rule == {"kind": 1, "plugin": 3}
    missing = {one.rule: one.runs for one in found.unchecked if one.missing}
    assert missing == {"kind": ("b", "c"), "plugin": ("c",), "none": ("a", "b", "c")}


def test_rules_wait_for_a_profile_that_is_being_read_and_are_asked_again(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"p": 20.0}}, unread={"p"})
    table = _table(data, profiles, _rule("one"), _rule("two"))
    first = table.find(["a"])
    assert [(one.rule, one.pending, one.reason.code) for one in first.unchecked] == [
        ("one", True, "m_reading"),
        ("two", True, "m_reading"),
    ]
    assert len(profiles.opened) == 1
    profiles.unread.clear()
    assert len(table.find(["a"]).findings) == 2


def test_evidence_of_another_version_is_examined_again(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"p": 20.0}})

    def waits(examined: Examined) -> Iterable[Finding]:
        if not profiles.versions:
            raise NotChecked(READING(), may_change=True)
        return ()

    table = _table(data, profiles, _rule("slow"), _rule("waits", waits))
    assert _texts(table.find().findings) == ["20 ms"]
    profiles.times["a"]["p"] = 50.0
    assert _texts(table.find().findings) == ["20 ms"]  # only the rule that waits was asked again
    profiles.versions["p"] = 1
    found = table.find(["a"])
    assert (_texts(found.findings), found.unchecked) == (["50 ms"], [])


def test_a_profile_that_cannot_be_opened_fails_its_rules_alone(data: FakeProvider) -> None:
    profiles = Profiles({"b": {"q": 20.0}})

    def of(ctx: PluginContext, run: str, name: str | None) -> Iterable[RunProfile]:
        if run == "a":
            yield RunProfile("p", "usual", lambda: 1 / 0)
        yield from profiles.of(ctx, run, name)

    found = _table(data, profiles, _rule("one"), _rule("two"), of=of).find()
    assert [one.runs for one in found.findings] == [("b",), ("b",)]
    failed = {one.rule: (one.runs, str(one.reason)) for one in found.unchecked if one.failed}
    assert failed == dict.fromkeys(("one", "two"), (("a",), "ZeroDivisionError: division by zero"))


def test_evidence_is_not_opened_again_while_a_rule_goes_on(data: FakeProvider) -> None:
    go = threading.Event()

    def waits(examined: Examined) -> Iterable[Finding]:
        assert go.wait(30)
        return _slow(examined)

    profiles = Profiles({"a": {"p": 20.0}})
    table = _table(data, profiles, _rule("one", waits), _rule("two", waits))
    for _ in range(3):
        found = table.find(seconds=0.05)
        assert found.findings == []
        assert any(one.pending for one in found.unchecked)
    go.set()
    assert len(table.find().findings) == 2
    assert profiles.opened == [("a", "p")]


def test_a_profile_that_hangs_while_it_is_opened_fails_its_rules_and_is_opened_once(
    data: FakeProvider,
) -> None:
    go, began = threading.Event(), []

    def hangs() -> float:
        began.append(1)
        assert go.wait(30)
        return 20.0

    def of(ctx: PluginContext, run: str, name: str | None) -> Iterable[RunProfile]:
        yield RunProfile("p", "usual", hangs)

    table = _table(data, Profiles({}), _rule("one"), _rule("two"), limit=0.05, of=of)
    for _ in range(2):
        found = table.find()
        assert {(one.rule, one.failed) for one in found.unchecked} == {("one", True), ("two", True)}
        assert all("opening a profile of m has not returned" in str(one.reason) for one in found.unchecked)
    go.set()
    assert len(began) == 1


def test_evidence_is_not_opened_again_for_other_questions_about_the_same_rules(data: FakeProvider) -> None:
    profiles = Profiles({"a": {"p": 20.0}})
    table = _table(data, profiles, _rule("one"), _rule("two"))
    table.find()
    for _ in range(2):
        assert len(table.find(rules=["one"]).findings) == 1
        assert len(table.find(roles={"loss": ""}).findings) == 2
        assert len(table.find(rules=["two"], profile="p").findings) == 1
    assert profiles.opened == [("a", "p")]


def test_a_rule_about_profiles_that_needs_series_waits_for_them_and_follows_them(data: FakeProvider) -> None:
    asked = []

    def counts(examined: Examined) -> Iterable[Finding]:
        asked.append(len(examined.keys("loss")))
        return ()

    series = Rule("series", TITLE, counts, Needs(["loss"], ["scalar"]), "profile")
    table = _table(data, Profiles({"a": {"p": 20.0}}), series, _rule("slow"))
    found = table.find(["a"])
    assert [(one.rule, one.missing) for one in found.unchecked] == [("series", True)]
    assert len(found.findings) == 1
    data.add_scalars("a", "loss", [1.0])
    for _ in range(2):
        assert table.find(["a"]).unchecked == []
    data.add_scalars("a", "train/loss", [1.0])
    table.find(["a"])
    assert asked == [1, 2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["p"], "TypeError: it gave a str, not a RunProfile"),
        ([RunProfile("p", "usual", lambda: 1.0)] * 2, "ValueError: it gave several profiles of one name"),
    ],
)
def test_a_plugin_that_gives_something_else_than_profiles_fails_alone(
    data: FakeProvider, given: list[RunProfile], said: str
) -> None:
    table = _table(data, Profiles({}), _rule("slow"), of=lambda ctx, run, name: given)
    [one] = table.find().unchecked
    assert (one.runs, one.failed) == (("a", "b", "c"), True)
    assert str(one.reason).startswith(said)


def test_several_profiles_of_one_run_share_nothing_that_other_runs_do_not(data: FakeProvider) -> None:
    times = {"a": {"early": 20.0, "late": 30.0}, "b": {"p": 1.0}, "c": {"p": 1.0}}
    table = _table(data, Profiles(times), _rule("slow"), columns=lambda runs: pytest.fail("nobody asked"))
    [one] = table.find().findings
    assert (len(one.each), one.shared) == (2, ())


def test_of_two_rules_of_one_id_that_installed_first_is_asked_and_the_other_named(data: FakeProvider) -> None:
    def module(text: str) -> object:
        def finds(examined: Examined) -> Iterable[Finding]:
            yield Finding(examined.run, "hint", Reason(text))

        rules = [Rule("same", TITLE, finds), Rule(f"own_{text}", TITLE, finds)]
        return with_hooks(rules=lambda: rules)

    registry = Registry.of([("first", lambda: module("first")), ("second", lambda: module("second"))])
    ctx = context_of(Plugin("m", "M"), data)
    table = FindingsTable(registry, data, Limits(), lambda _: ctx)
    for _ in range(2):
        found = table.find(["a"])
        assert sorted(_texts(found.findings)) == ["first", "first", "second"]
        [failed] = [one for one in found.unchecked if one.failed]
        assert "the rule 'same' is that of 'first' of insight-host" in str(failed.reason)
        assert "and of 'second' of insight-host" in str(failed.reason)
    [failure] = registry.failures.values()
    assert (failure.entry_point, failure.hook) == ("second", "insight_rules")
