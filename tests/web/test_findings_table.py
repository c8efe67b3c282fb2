"""Rules that plugins contribute: who is asked, what a failing rule costs, and how long answers are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from unittest.mock import Mock

import pytest

from insight_core.isolation import Limits
from insight_core.old_findings import CheckedRule, checks_of
from insight_core.plugin import (
    DataKind,
    Messages,
    Plugin,
    PluginContext,
    Reason,
    ReasonKind,
    RecordDecoder,
    SummaryPlugin,
    Unavailable,
)
from insight_core.plugin.findings import (
    Examined,
    Finding,
    FindingPlace,
    Needs,
    NotChecked,
    Rule,
    Saving,
)
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web.findings import FindingsTable
from insight_core.web.findings.merging import NamedColumn
from tests.hosts import with_hooks

TITLE = ReasonKind("m_something", "Something")
Check = Callable[[Examined], Iterable[Finding]]


@pytest.fixture
def data() -> FakeProvider:
    provider = FakeProvider()
    for run in ("a", "b"):
        provider.add_scalars(run, "train/loss", [2.0, 1.0])
    return provider


def _finding(run: str, text: str = "it is wrong", tab: str = "scalar") -> Finding:
    return Finding(run, "warning", Reason(text, "m_saw"), Reason("do", "m_do"), FindingPlace(tab))


def _finds(examined: Examined) -> Iterable[Finding]:
    yield _finding(examined.run)


def test_rules_read_the_scalars_of_whatever_plugin_has_them_and_point_to_its_tab() -> None:
    data = FakeProvider()
    data.add_scalars("a", "train/loss", [2.0, 1.0], plugin="rates")
    read: list[list[float]] = []

    def finds(examined: Examined) -> Iterable[Finding]:
        read.extend(columns.values.tolist() for _, columns in examined.scalars("loss"))
        yield _finding(examined.run, tab="")
        yield _finding(examined.run, tab="mine")

    decoder = RecordDecoder({SummaryPlugin("rate")}, DataKind.SCALAR)
    rates = with_hooks(
        plugin=lambda: Plugin("rates", "Rates", decoder=decoder),
        rules=lambda: [Rule("losses", TITLE, finds)],
    )
    (rule,) = _checked(_table(data, rates=rates), "a")
    assert [one.place.plugin for one in rule.findings] == ["rates", "mine"]
    assert read == [[2.0, 1.0]]


def _module(*rules: object) -> object:
    return with_hooks(rules=lambda: rules)


def _table(
    data: FakeProvider,
    *rules: Rule,
    limit: float = 60.0,
    columns: Callable[[Sequence[str]], Sequence[NamedColumn]] = lambda runs: (),
    **modules: object,
) -> FindingsTable:
    """The findings of rules of a module, or of several modules."""
    given = modules or {"m": _module(*rules)}
    registry = Registry.of([(name, lambda one=one: one) for name, one in given.items()])  # type: ignore[misc]
    ctx = context_of(Plugin("m", "M"), data)
    return FindingsTable(registry, data, Limits(rule=limit), lambda _: ctx, columns)


def _wait_for_late_calls(table: FindingsTable) -> None:
    for left in list(table._calls._left.values()):
        left._call.done.wait()


def _checked(table: FindingsTable, *runs: str) -> list[CheckedRule]:
    return list(checks_of(table.find(runs)).rules)


def _noting(asked: list[str], finds: Check = lambda _: (), name: str = "") -> Check:
    """A check that notes the run (or ``name``) each time it is asked, then finds what ``finds`` does."""

    def check(examined: Examined) -> Iterable[Finding]:
        asked.append(name or str(examined.run))
        return finds(examined)

    return check


def _waiting(go: threading.Event, run: str = "") -> Check:
    """A check that hangs until ``go`` is set, about this run alone if one is given."""

    def check(examined: Examined) -> Iterable[Finding]:
        if run in ("", examined.run):
            go.wait()
        return [_finding(examined.run)]

    return check


def _raising(error: BaseException) -> Check:
    def check(examined: Examined) -> Iterable[Finding]:
        raise error

    return check


def _texts(checked: CheckedRule) -> list[str]:
    return [str(one.saw) for one in checked.findings]


def test_a_rule_is_asked_about_each_run_once_until_its_series_change(data: FakeProvider) -> None:
    asked: list[str] = []
    table = _table(data, Rule("one", TITLE, _noting(asked, _finds)))
    assert _checked(table) == []
    for runs in (("a", "b", "unknown"), ("b", "a")):
        found = _checked(table, *runs)
        assert [(one.run, one.findings[0].run) for one in found] == [(run, run) for run in runs[:2]]
        assert asked == ["a", "b"]
    data.add_scalars("b", "other", [1.0])
    _checked(table, "a", "b")
    assert asked == ["a", "b", "b"]


def test_a_rule_gets_the_points_of_the_roles_that_it_needs(data: FakeProvider) -> None:
    data.add_scalars("b", "lr", [0.5, 0.25])
    seen: dict[str, list[float]] = {}

    def check(examined: Examined) -> Iterable[Finding]:
        for key, columns in examined.scalars("lr"):
            seen[key.run] = columns.values.tolist()
        return ()

    first, second = _checked(_table(data, Rule("r", TITLE, check, Needs(["lr"]))), "a", "b")
    assert seen == {"b": [0.5, 0.25]}
    assert isinstance(first.unchecked, Reason)
    assert (first.unchecked.code, first.unchecked.details) == ("no_tag_of_role", {"role": "lr"})
    assert (first.unchecked, first.failed) == ("no tag has the role lr", False)
    assert (second.failed, second.unchecked, second.findings) == (False, None, ())


def test_roles_that_are_given_replace_those_of_names(data: FakeProvider) -> None:
    data.add_scalars("a", "curve", [3.0, 4.0])
    rule = Rule("r", TITLE, lambda each: [_finding(each.run, key.tag) for key in each.keys("loss")])
    table = _table(data, rule)
    assert [str(one.saw) for one in _checked(table, "a")[0].findings] == ["train/loss"]
    [checked] = checks_of(table.find(["a"], {"curve": "loss", "train/loss": ""})).rules
    assert [str(one.saw) for one in checked.findings] == ["curve"]


def test_a_rule_needs_data_of_the_plugins_that_it_names(data: FakeProvider) -> None:
    table = _table(data, Rule("r", TITLE, _finds, Needs(plugins=["histogram"])))
    assert _checked(table, "a")[0].unchecked == "the plugin histogram has no data"
    data.add_records("histogram", "a", "w", [b""], claim=SummaryPlugin("histograms"))
    assert _checked(table, "a")[0].unchecked is None


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (_raising(RuntimeError("no luck")), "RuntimeError: no luck"),
        (_raising(SystemExit(3)), "SystemExit: 3"),
        (lambda _: [7], "it returned a int, not a Finding"),
        (lambda _: [_finding("b")], "which it was not asked about"),
        (lambda _: None, "not iterable"),
        ("insight_core.no_such:check", "No module named"),
    ],
    ids=["raises", "exits", "no finding", "another run", "nothing", "no function"],
)
def test_a_rule_that_fails_is_a_failure_of_this_rule_alone(
    data: FakeProvider, check: Check | str, reason: str
) -> None:
    table = _table(data, Rule("bad", TITLE, check), Rule("good", TITLE, _finds))
    for _ in range(2):  # a failure is not kept
        bad, good = _checked(table, "a")
        assert reason in str(bad.unchecked)
        assert (bad.failed, bad.findings, _texts(good)) == (True, (), ["It is wrong"])


def test_a_rule_that_hangs_is_not_called_again_before_it_has_returned(data: FakeProvider) -> None:
    go, calls = threading.Event(), list[str]()
    rules = Rule("bad", TITLE, _noting(calls, _waiting(go))), Rule("good", TITLE, _finds)
    table = _table(data, *rules, limit=0.2)
    for run in ("a", "b", "a"):
        bad, good = _checked(table, run)
        assert "has not returned" in str(bad.unchecked)
        assert (bad.failed, _texts(good)) == (True, ["It is wrong"])
    assert len(calls) == 1
    go.set()
    _wait_for_late_calls(table)
    assert _texts(_checked(table, "a")[0]) == ["It is wrong"]


def test_the_points_of_a_series_are_read_once_for_all_rules(
    data: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Mock(wraps=data.scalars)
    monkeypatch.setattr(data, "scalars", read)

    def check(examined: Examined) -> Iterable[Finding]:
        assert [len(columns.steps) for _, columns in examined.scalars("loss")] == [2]
        return ()

    checked = _checked(_table(data, Rule("r", TITLE, check), Rule("s", TITLE, check)), "a")
    assert [one.unchecked for one in checked] == [None, None]
    assert read.call_count == 1


def test_a_rule_whose_word_changes_with_time_is_asked_again(
    data: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_core.web.findings.calls._FRESH", 0.0)
    asked: list[str] = []
    check = _noting(asked, lambda examined: [_finding(examined.run)] * (len(asked) > 2))
    other = Rule("other", TITLE, _noting(asked, name="other"))
    table = _table(data, Rule("r", TITLE, check, may_change=True), other)
    assert [_texts(one) for one in _checked(table, "a")] == [[], []]
    assert [_texts(one) for one in _checked(table, "a")] == [["It is wrong"], []]
    assert asked == ["a", "other", "a"]


def test_only_the_rules_that_are_named_are_asked_and_give_all_that_they_found(data: FakeProvider) -> None:
    asked: list[str] = []

    def finds(examined: Examined) -> Iterable[Finding]:
        return [_finding(examined.run, str(n)) for n in range(70)]

    table = _table(data, *(Rule(name, TITLE, _noting(asked, finds, name)) for name in "rs"))
    found = table.find(["a"], rules=["s"])
    assert ([one.id for one in found.rules], len(found.each), found.rules[0].more) == (["s"], 70, 0)
    every = table.find(["a"])
    assert (len(every.findings), [state.more for state in every.rules]) == (100, [20, 20])
    assert asked == ["s", "r"]


def test_rules_behind_one_that_hangs_are_called_and_those_of_a_late_answer_go_on(data: FakeProvider) -> None:
    go, asked = threading.Event(), list[str]()
    first_rule, last_rule = (Rule(name, TITLE, _noting(asked, name=name)) for name in "ps")
    table = _table(data, first_rule, Rule("hang", TITLE, _waiting(go)), last_rule, limit=0.2)
    first = table.find(["a"], seconds=0.0)
    assert {"hang", "s"} <= {one.rule for one in first.unchecked if one.pending}
    for run in ("a", "b"):
        found = table.find([run])
        assert [(one.rule, one.failed) for one in found.unchecked] == [("hang", True)]
    go.set()
    assert asked == ["p", "s", "p", "s"]


@pytest.mark.parametrize(("may_change", "again"), [(True, 2), (False, 1)])
def test_a_rule_says_why_it_cannot_tell_and_no_other_is_asked_again(
    data: FakeProvider, may_change: bool, again: int
) -> None:
    asked: list[str] = []
    why = _raising(NotChecked(Reason("it is being read", "m_reading"), may_change=may_change))
    rules = Rule("w", TITLE, _noting(asked, why, "w")), Rule("c", TITLE, _noting(asked, name="c"))
    table = _table(data, *rules)
    for _ in range(2):
        checked, _other = _checked(table, "a")
        assert checked.unchecked is not None
        assert (checked.failed, checked.unchecked.code) == (False, "m_reading")
    assert (asked.count("w"), asked.count("c")) == (again, 1)
    assert table.find(["a"]).unchecked[0].pending is may_change


def test_data_that_cannot_be_reached_is_no_failure_of_the_rule(data: FakeProvider) -> None:
    away = _raising(Unavailable("the server is away"))
    [checked] = _checked(_table(data, Rule("r", TITLE, away)), "a")
    assert (checked.failed, str(checked.unchecked)) == (False, "the server is away")


def test_a_hook_that_fails_is_listed_and_the_second_rule_of_an_id_is_left_out(data: FakeProvider) -> None:
    good = _module(Rule("r", TITLE, _finds), Rule("r", TITLE, _raising(RuntimeError("no luck"))))
    broken, checked = _checked(_table(data, bad=_module(7), good=good), "a")
    assert (broken.plugin, broken.failed) == ("bad", True)
    assert "insight_rules() of bad" in str(broken.unchecked)
    assert _texts(checked) == ["It is wrong"]


def test_texts_of_modules_come_with_the_answer(data: FakeProvider) -> None:
    messages = Messages("zh-CN", {"reason.m_saw": "有问题"})
    module = with_hooks(messages=lambda: [messages])
    assert _table(data, m=module).find(["a"], {}).messages == [messages]


def _of_runs(severities: Mapping[str, str], name: str = "stuck", saves: Saving | None = None) -> Rule:
    """Finds a fault of this severity in these runs."""

    def check(examined: Examined) -> Iterable[Finding]:
        if (severity := severities.get(str(examined.run))) is not None:
            saw = Reason(f"{examined.run} is wrong", "m_saw")
            yield Finding(examined.run, severity, saw, saves=saves)  # type: ignore[arg-type]

    return Rule(name, TITLE, check)


@pytest.fixture
def many() -> FakeProvider:
    data = FakeProvider()
    for number in range(60):
        data.add_scalars(f"r{number:02}", "train/loss", [2.0, 1.0])
    return data


def test_a_fault_of_many_runs_is_one_finding_that_names_what_they_share(many: FakeProvider) -> None:
    stuck = [f"r{number:02}" for number in range(0, 60, 5)]
    rates = NamedColumn("lr", {run.name: 0.3 if run.name in stuck else 0.1 for run in many.runs()})
    seeds = NamedColumn("seed", {run.name: place for place, run in enumerate(many.runs())})
    faults = {run: "error" if run == "r10" else "warning" for run in stuck}
    rule = _of_runs(faults, saves=Saving(0.1, 0.2))
    [one] = _table(many, rule, columns=lambda _: [rates, seeds]).find().findings
    assert (one.rule, one.severity, one.run, sorted(one.runs)) == ("stuck", "error", "r10", stuck)
    assert str(one.saw) == "12 of 60 runs: Something; r10: r10 is wrong"
    assert [str(condition) for condition in one.shared] == ["lr = 0.3"]
    assert one.each[0].runs == ("r10",)
    assert one.saves == Saving(0.1, 0.2)


def test_a_hint_is_not_merged_with_faults(data: FakeProvider) -> None:
    found = _table(data, _of_runs({"a": "hint", "b": "error"})).find()
    assert [(one.severity, one.runs) for one in found.findings] == [("error", ("b",)), ("hint", ("a",))]


def test_findings_are_sorted_by_severity_then_by_runs_and_saving(many: FakeProvider) -> None:
    def rule(name: str, severity: str, most: int, saves: Saving | None = None) -> Rule:
        return _of_runs({f"r{number:02}": severity for number in range(most)}, name, saves)

    rules = [
        rule("good", "good", 51),
        rule("some", "warning", 4, Saving(0.1, 0.1)),
        rule("more", "warning", 31, Saving(0.1, 0.1)),
        rule("one", "error", 1),
        rule("none", "warning", 51),
    ]
    found = _table(many, *rules).find()
    assert [one.rule for one in found.findings] == ["one", "more", "some", "none", "good"]


def test_a_rule_of_several_runs_sees_all_of_them_and_is_not_merged(data: FakeProvider) -> None:
    def check(examined: Examined) -> Iterable[Finding]:
        for run in examined.runs:
            yield Finding(examined.runs, "good", Reason(f"best {run}"), place=FindingPlace("x"))

    found = _table(data, Rule("best", TITLE, check, scope="runs")).find()
    said = [(str(one.saw), one.runs, one.place.plugin) for one in found.findings]
    assert said == [(f"best {run}", ("a", "b"), "x") for run in "ab"]
    assert found.rules[0].checked == ("a", "b")


def test_an_answer_comes_in_time_and_the_next_goes_on(many: FakeProvider) -> None:
    go, asked = threading.Event(), list[str]()
    table = _table(many, Rule("slow", TITLE, _noting(asked, _waiting(go, "r05"))))
    first = table.find(seconds=0.2)
    assert first.left > 0
    assert ("r05", True) in {(run, one.pending) for one in first.unchecked for run in one.runs}
    go.set()
    _wait_for_late_calls(table)
    last = table.find()
    assert (last.left, last.unchecked, len(last.rules[0].checked), len(asked)) == (0, [], 60, 60)


def test_sources_of_highlights_of_the_last_release_are_rules(data: FakeProvider) -> None:
    with pytest.warns(DeprecationWarning, match="scope='runs'"):
        from insight_core.plugin.findings import HighlightSource  # type: ignore[attr-defined]
    with pytest.warns(DeprecationWarning, match="deprecated"):
        from insight_core.plugin.findings import Highlight  # type: ignore[attr-defined]

    def says(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Finding]:
        yield Highlight("info", Reason(f"all of {', '.join(runs)}"), runs)

    module = with_hooks(highlights=lambda: [HighlightSource("old", says)])
    [one] = _table(data, m=module).find().findings
    assert (one.rule, one.severity, str(one.saw), one.runs) == ("old", "hint", "all of a, b", ("a", "b"))
