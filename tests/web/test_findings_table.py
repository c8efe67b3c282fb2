"""Rules that plugins contribute: who is asked, what a failing rule costs, and how long answers are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace

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
    hookimpl,
)
from insight_core.plugin.data import Run
from insight_core.plugin.findings import (
    Examined,
    Finding,
    FindingPlace,
    Findings,
    Needs,
    NotChecked,
    Rule,
    Saving,
)
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web.findings import FindingsTable
from insight_core.web.findings.merging import NamedColumn

TITLE = ReasonKind("m_something", "Something")
Check = Callable[[Examined], Iterable[Finding]]


@pytest.fixture
def data() -> FakeProvider:
    provider = FakeProvider()
    for run in ("a", "b"):
        provider.add_run(Run(run))
        provider.add_scalars(run, "train/loss", [2.0, 1.0])
    return provider


def _finding(run: str, text: str = "it is wrong", tab: str = "scalar") -> Finding:
    return Finding(run, "warning", Reason(text, "m_saw"), Reason("do", "m_do"), FindingPlace(tab))


def _finds(examined: Examined) -> Iterable[Finding]:
    yield _finding(examined.run)


def test_rules_read_the_scalars_of_whatever_plugin_has_them_and_point_to_its_tab() -> None:
    data = FakeProvider()
    data.add_run(Run("a"))
    data.add_scalars("a", "train/loss", [2.0, 1.0], plugin="rates")
    read: list[list[float]] = []

    def finds(examined: Examined) -> Iterable[Finding]:
        read.extend(columns.values.tolist() for _, columns in examined.scalars("loss"))
        yield _finding(examined.run, tab="")
        yield _finding(examined.run, tab="mine")

    decoder = RecordDecoder({SummaryPlugin("rate")}, DataKind.SCALAR)
    rates = SimpleNamespace(
        insight_plugin=hookimpl(lambda: Plugin("rates", "Rates", decoder=decoder)),
        insight_rules=hookimpl(lambda: [Rule("losses", TITLE, finds)]),
    )
    (rule,) = _checked(_table(data, rates=rates), "a")
    assert [one.place.plugin for one in rule.findings] == ["rates", "mine"]
    assert read == [[2.0, 1.0]]


def _module(*rules: object) -> object:
    return SimpleNamespace(insight_rules=hookimpl(lambda: rules))


def _table(data: FakeProvider, limit: float = 60.0, **modules: object) -> FindingsTable:
    registry = Registry.of([(name, lambda one=one: one) for name, one in modules.items()])  # type: ignore[misc]
    ctx = context_of(Plugin("m", "M"), data)
    return FindingsTable(registry, data, Limits(rule=limit), lambda _: ctx)


def _checked(table: FindingsTable, *runs: str, **roles: str) -> list[CheckedRule]:
    return list(checks_of(table.find(runs, roles)).rules)


def _texts(checked: CheckedRule) -> list[str]:
    return [str(one.saw) for one in checked.findings]


def test_a_rule_is_asked_about_each_run_that_is_there(data: FakeProvider) -> None:
    asked: list[str] = []

    def check(examined: Examined) -> Iterable[Finding]:
        asked.append(examined.run)
        return [_finding(examined.run)]

    table = _table(data, m=_module(Rule("one", TITLE, check)))
    found = _checked(table, "a", "b", "unknown")
    assert asked == ["a", "b"]
    assert [(one.run, one.findings[0].run) for one in found] == [("a", "a"), ("b", "b")]
    assert _checked(table) == []


def test_a_rule_gets_the_points_of_the_roles_that_it_needs(data: FakeProvider) -> None:
    data.add_scalars("b", "lr", [0.5, 0.25])
    seen: dict[str, list[float]] = {}

    def check(examined: Examined) -> Iterable[Finding]:
        for key, columns in examined.scalars("lr"):
            seen[key.run] = columns.values.tolist()
        return ()

    first, second = _checked(_table(data, m=_module(Rule("r", TITLE, check, Needs(["lr"])))), "a", "b")
    assert seen == {"b": [0.5, 0.25]}
    assert first.unchecked is not None
    assert first.unchecked.fields() == {
        "error": "no tag has the role lr",
        "code": "no_tag_of_role",
        "details": {"role": "lr"},
    }
    assert (first.failed, second.unchecked, second.findings) == (False, None, ())


def test_roles_that_are_given_replace_those_of_names(data: FakeProvider) -> None:
    data.add_scalars("a", "curve", [3.0, 4.0])

    def check(examined: Examined) -> Iterable[Finding]:
        return [_finding(examined.run, key.tag) for key in examined.keys("loss")]

    table = _table(data, m=_module(Rule("r", TITLE, check)))
    assert [str(one.saw) for one in _checked(table, "a")[0].findings] == ["train/loss"]
    [checked] = checks_of(table.find(["a"], {"curve": "loss", "train/loss": ""})).rules
    assert [str(one.saw) for one in checked.findings] == ["curve"]


def test_a_rule_needs_data_of_the_plugins_that_it_names(data: FakeProvider) -> None:
    table = _table(data, m=_module(Rule("r", TITLE, _finds, Needs(plugins=["histogram"]))))
    assert _checked(table, "a")[0].unchecked == "the plugin histogram has no data"
    data.add_records("histogram", "a", "w", [b""], claim=SummaryPlugin("histograms"))
    assert _checked(table, "a")[0].unchecked is None


def _raises(examined: Examined) -> Iterable[Finding]:
    raise RuntimeError("no luck")


def _exits(examined: Examined) -> Iterable[Finding]:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (_raises, "RuntimeError: no luck"),
        (_exits, "SystemExit: 3"),
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
    table = _table(data, m=_module(Rule("bad", TITLE, check), Rule("good", TITLE, _finds)))
    for _ in range(2):  # a failure is not kept
        bad, good = _checked(table, "a")
        assert reason in str(bad.unchecked)
        assert (bad.failed, bad.findings, _texts(good)) == (True, (), ["it is wrong"])


def test_a_rule_that_hangs_is_not_called_again_before_it_has_returned(data: FakeProvider) -> None:
    go, calls = threading.Event(), []

    def hang(examined: Examined) -> Iterable[Finding]:
        calls.append(threading.current_thread())
        go.wait()
        return [_finding(examined.run)]

    table = _table(data, limit=0.2, m=_module(Rule("bad", TITLE, hang), Rule("good", TITLE, _finds)))
    for run in ("a", "b", "a"):
        bad, good = _checked(table, run)
        assert "has not returned" in str(bad.unchecked)
        assert (bad.failed, _texts(good)) == (True, ["it is wrong"])
    assert len(calls) == 1
    go.set()
    for left in list(table._calls._left.values()):
        left._call.done.wait()
    assert _texts(_checked(table, "a")[0]) == ["it is wrong"]


def test_answers_are_kept_until_series_of_the_run_change(data: FakeProvider) -> None:
    asked: list[str] = []

    def check(examined: Examined) -> Iterable[Finding]:
        asked.append(examined.run)
        return ()

    table = _table(data, m=_module(Rule("r", TITLE, check)))
    _checked(table, "a", "b")
    _checked(table, "b", "a")
    assert asked == ["a", "b"]
    data.add_scalars("b", "other", [1.0])
    _checked(table, "a", "b")
    assert asked == ["a", "b", "b"]


def test_the_points_of_a_series_are_read_once_for_all_rules(
    data: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    plain = FakeProvider.scalars

    def scalars(self: FakeProvider, plugin: str, keys: object, *rest: object) -> object:
        read.append(keys)
        return plain(self, plugin, keys, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(FakeProvider, "scalars", scalars)

    def check(examined: Examined) -> Iterable[Finding]:
        assert [len(columns.steps) for _, columns in examined.scalars("loss")] == [2]
        return ()

    checked = _checked(_table(data, m=_module(Rule("r", TITLE, check), Rule("s", TITLE, check))), "a")
    assert [one.unchecked for one in checked] == [None, None]
    assert len(read) == 1


def test_a_rule_whose_word_changes_with_time_is_asked_again(
    data: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_core.web.findings.calls._FRESH", 0.0)
    asked: list[str] = []

    def check(examined: Examined) -> Iterable[Finding]:
        asked.append(examined.run)
        if len(asked) > 2:
            yield _finding(examined.run)

    def other_check(examined: Examined) -> Iterable[Finding]:
        asked.append("other")
        return ()

    other = Rule("other", TITLE, other_check)
    table = _table(data, m=_module(Rule("r", TITLE, check, may_change=True), other))
    assert [_texts(one) for one in _checked(table, "a")] == [[], []]
    assert [_texts(one) for one in _checked(table, "a")] == [["it is wrong"], []]
    assert asked == ["a", "other", "a"]


def test_only_the_rules_that_are_named_are_asked_and_give_all_that_they_found(data: FakeProvider) -> None:
    asked: list[str] = []

    def rule(name: str) -> Rule:
        def check(examined: Examined) -> Iterable[Finding]:
            asked.append(name)
            return [_finding(examined.run, str(n)) for n in range(70)]

        return Rule(name, TITLE, check)

    table = _table(data, m=_module(rule("r"), rule("s")))
    found = table.find(["a"], rules=["s"])
    assert ([one.id for one in found.rules], len(found.each), found.rules[0].more) == (["s"], 70, 0)
    assert [state.more for state in table.find(["a"]).rules] == [20, 20]
    assert asked == ["s", "r"]


def test_rules_behind_one_that_hangs_are_called_and_those_of_a_late_answer_go_on(data: FakeProvider) -> None:
    go, asked = threading.Event(), []

    def hang(examined: Examined) -> Iterable[Finding]:
        go.wait()
        return ()

    def rule(name: str) -> Rule:
        def check(examined: Examined) -> Iterable[Finding]:
            asked.append((name, examined.run))
            return ()

        return Rule(name, TITLE, check)

    table = _table(data, limit=0.2, m=_module(rule("p"), Rule("hang", TITLE, hang), rule("s")))
    first = table.find(["a"], seconds=0.0)
    assert {"hang", "s"} <= {one.rule for one in first.unchecked if one.pending}
    second = table.find(["a"])
    assert [(one.rule, one.failed) for one in second.unchecked] == [("hang", True)]
    third = table.find(["b"])
    assert [(one.rule, one.failed) for one in third.unchecked] == [("hang", True)]
    go.set()
    assert asked == [("p", "a"), ("s", "a"), ("p", "b"), ("s", "b")]


@pytest.mark.parametrize(("may_change", "again"), [(True, 2), (False, 1)])
def test_a_rule_says_why_it_cannot_tell(data: FakeProvider, may_change: bool, again: int) -> None:
    asked = []

    def check(examined: Examined) -> Iterable[Finding]:
        asked.append(examined.run)
        raise NotChecked(Reason("it is being read", "m_reading"), may_change=may_change)

    table = _table(data, m=_module(Rule("r", TITLE, check)))
    for _ in range(2):
        [checked] = _checked(table, "a")
        assert checked.unchecked is not None
        assert (checked.failed, checked.unchecked.code) == (False, "m_reading")
    assert len(asked) == again


def test_data_that_cannot_be_reached_is_no_failure_of_the_rule(data: FakeProvider) -> None:
    def check(examined: Examined) -> Iterable[Finding]:
        raise Unavailable("the server is away")

    [checked] = _checked(_table(data, m=_module(Rule("r", TITLE, check))), "a")
    assert (checked.failed, str(checked.unchecked)) == (False, "the server is away")


def test_of_very_many_findings_the_first_are_given_and_the_others_counted(data: FakeProvider) -> None:
    rule = Rule("r", TITLE, lambda examined: [_finding(examined.run, str(n)) for n in range(70)])
    found = _table(data, m=_module(rule)).find(["a"])
    assert (len(found.findings), found.rules[0].more) == (50, 20)


def test_a_hook_that_fails_is_listed_and_the_second_rule_of_an_id_is_left_out(data: FakeProvider) -> None:
    good = _module(Rule("r", TITLE, _finds), Rule("r", TITLE, _raises))
    broken, checked = _checked(_table(data, bad=_module(7), good=good), "a")
    assert (broken.plugin, broken.failed) == ("bad", True)
    assert "insight_rules() of bad" in str(broken.unchecked)
    assert _texts(checked) == ["it is wrong"]


def test_texts_of_modules_come_with_the_answer(data: FakeProvider) -> None:
    messages = Messages("zh-CN", {"reason.m_saw": "有问题"})
    module = SimpleNamespace(insight_messages=hookimpl(lambda: [messages]))
    assert _table(data, m=module).find(["a"], {}).messages == [messages]


def _of_runs(*severities: tuple[str, str]) -> Rule:
    """Finds a fault of this severity in these runs."""
    by_run = dict(severities)

    def check(examined: Examined) -> Iterable[Finding]:
        if (severity := by_run.get(examined.run)) is not None:
            saw = Reason(f"{examined.run} is wrong", "m_saw")
            yield Finding(examined.run, severity, saw, saves=Saving(0.1, 0.2))  # type: ignore[arg-type]

    return Rule("stuck", TITLE, check)


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
    module = _module(_of_runs(*((run, "error" if run == "r10" else "warning") for run in stuck)))
    registry = Registry.of([("m", lambda: module)])
    ctx = context_of(Plugin("m", "M"), many)
    table = FindingsTable(registry, many, Limits(), lambda _: ctx, lambda _: [rates, seeds])
    [one] = table.find().findings
    assert (one.rule, one.severity, one.run, sorted(one.runs)) == ("stuck", "error", "r10", stuck)
    assert str(one.saw) == "12 of 60 runs: Something; r10: r10 is wrong"
    assert [str(condition) for condition in one.shared] == ["lr = 0.3"]
    assert one.each[0].runs == ("r10",)
    assert one.saves == Saving(0.1, 0.2)


def test_a_hint_is_not_merged_with_faults(data: FakeProvider) -> None:
    found = _table(data, m=_module(_of_runs(("a", "hint"), ("b", "error")))).find()
    assert [(one.severity, one.runs) for one in found.findings] == [("error", ("b",)), ("hint", ("a",))]


def test_findings_are_sorted_by_severity_then_by_runs_and_saving(many: FakeProvider) -> None:
    def rule(name: str, severity: str, most: str, saves: Saving | None) -> Rule:
        def check(examined: Examined) -> Iterable[Finding]:
            if examined.run <= most:
                yield Finding(examined.run, severity, Reason("x"), saves=saves)  # type: ignore[arg-type]

        return Rule(name, TITLE, check)

    rules = [
        rule("good", "good", "r50", None),
        rule("some", "warning", "r03", Saving(0.1, 0.1)),
        rule("more", "warning", "r30", Saving(0.1, 0.1)),
        rule("one", "error", "r00", None),
        rule("none", "warning", "r50", None),
    ]
    found = _table(many, m=_module(*rules)).find()
    assert [one.rule for one in found.findings] == ["one", "more", "some", "none", "good"]


def test_a_rule_of_several_runs_sees_all_of_them_and_is_not_merged(data: FakeProvider) -> None:
    def check(examined: Examined) -> Iterable[Finding]:
        for run in examined.runs:
            yield Finding(examined.runs, "good", Reason(f"best {run}"), place=FindingPlace("x"))

    found = _table(data, m=_module(Rule("best", TITLE, check, scope="runs"))).find()
    assert [(str(one.saw), one.runs, one.place.plugin) for one in found.findings] == [
        ("best a", ("a", "b"), "x"),
        ("best b", ("a", "b"), "x"),
    ]
    assert found.rules[0].checked == ("a", "b")


def test_an_answer_comes_in_time_and_the_next_goes_on(many: FakeProvider) -> None:
    go, asked = threading.Event(), []

    def check(examined: Examined) -> Iterable[Finding]:
        asked.append(examined.run)
        if examined.run == "r05":
            go.wait()
        return ()

    table = _table(many, m=_module(Rule("slow", TITLE, check)))
    first = table.find(seconds=0.2)
    assert first.left > 0
    assert ("r05", True) in {(run, one.pending) for one in first.unchecked for run in one.runs}
    go.set()
    for left in list(table._calls._left.values()):
        left._call.done.wait()
    last = table.find()
    assert (last.left, last.unchecked, len(last.rules[0].checked)) == (0, [], 60)
    assert len(asked) == 60


def test_what_was_said_is_not_asked_again_while_another_rule_waits(data: FakeProvider) -> None:
    asked = []

    def waits(examined: Examined) -> Iterable[Finding]:
        raise NotChecked(Reason("it is being read", "m_reading"), may_change=True)

    def counts(examined: Examined) -> Iterable[Finding]:
        asked.append(examined.run)
        return ()

    table = _table(data, m=_module(Rule("w", TITLE, waits), Rule("c", TITLE, counts)))
    found = [table.find(["a"]) for _ in range(3)]
    assert asked == ["a"]
    assert found[-1].unchecked[0].pending


def _found(table: FindingsTable) -> Findings:
    return table.find()


def test_sources_of_highlights_of_the_last_release_are_rules(data: FakeProvider) -> None:
    with pytest.warns(DeprecationWarning, match="scope='runs'"):
        from insight_core.plugin.findings import HighlightSource  # type: ignore[attr-defined]
    with pytest.warns(DeprecationWarning, match="deprecated"):
        from insight_core.plugin.findings import Highlight  # type: ignore[attr-defined]

    def says(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Finding]:
        yield Highlight("info", Reason(f"all of {', '.join(runs)}"), runs)

    module = SimpleNamespace(insight_highlights=hookimpl(lambda: [HighlightSource("old", says)]))
    [one] = _found(_table(data, m=module)).findings
    assert (one.rule, one.severity, str(one.saw), one.runs) == ("old", "hint", "all of a, b", ("a", "b"))


def test_constructors_of_the_last_release_give_findings_and_rules_of_now() -> None:
    saw, why, change = Reason("saw"), Reason("why"), Reason("change")
    place = FindingPlace(tag="loss")
    expected = Finding("a", "hint", saw, change, place, Saving(0.5, 0.5, "run"))
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        assert Finding("a", "info", saw, why, change, place, 0.5) == expected  # type: ignore[arg-type,call-arg]
    named: dict[str, object] = {"run": "a", "severity": "hint", "why": why, "saves": 0.5}
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        assert Finding(saw=saw, change=change, place=place, **named) == expected  # type: ignore[arg-type]
    for given in (
        {"roles": ["lr"], "plugins": ["scalar"]},
        {"plugins": ["scalar"], "needs": ["lr"]},
    ):
        with pytest.warns(DeprecationWarning, match="Needs"):
            rule = Rule("r", Reason("R {x}", "m_r"), lambda _: (), **given)  # type: ignore[arg-type]
        assert (rule.needs, str(rule.title())) == (Needs(["lr"], ["scalar"]), "R {x}")
    with pytest.raises(TypeError, match="surprise"):
        Finding("a", "hint", saw, surprise=1)  # type: ignore[call-arg]
