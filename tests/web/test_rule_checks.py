"""Rules that plugins contribute: who is asked, what a failing rule costs, and how long answers are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import SimpleNamespace

import pytest

from insight_core.isolation import Limits
from insight_core.plugin import (
    DataKind,
    Messages,
    Plugin,
    Reason,
    RecordDecoder,
    SummaryPlugin,
    Unavailable,
    hookimpl,
)
from insight_core.plugin.data import Run
from insight_core.plugin.findings import CheckedRule, Examined, Finding, FindingPlace, NotChecked, Rule
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web.rule_checks import RuleTable

TITLE = Reason("Something", "m_something")
Check = Callable[[Examined], Iterable[Finding]]


@pytest.fixture
def data() -> FakeProvider:
    provider = FakeProvider()
    for run in ("a", "b"):
        provider.add_run(Run(run))
        provider.add_scalars(run, "train/loss", [2.0, 1.0])
    return provider


def _finding(run: str, text: str = "it is wrong", tab: str = "scalar") -> Finding:
    saw, why, change = Reason(text, "m_saw"), Reason("why", "m_why"), Reason("do", "m_do")
    return Finding(run, "warning", saw, why, change, FindingPlace(tab))


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


def _table(data: FakeProvider, limit: float = 60.0, **modules: object) -> RuleTable:
    registry = Registry.of([(name, lambda one=one: one) for name, one in modules.items()])  # type: ignore[misc]
    ctx = context_of(Plugin("m", "M"), data)
    return RuleTable(registry, data, Limits(rule=limit), lambda _: ctx)


def _checked(table: RuleTable, *runs: str, **roles: str) -> list[CheckedRule]:
    return list(table.check(runs, roles).rules)


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

    first, second = _checked(_table(data, m=_module(Rule("r", TITLE, check, roles=["lr"]))), "a", "b")
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
    [checked] = table.check(["a"], {"curve": "loss", "train/loss": ""}).rules
    assert [str(one.saw) for one in checked.findings] == ["curve"]


def test_a_rule_needs_data_of_the_plugins_that_it_names(data: FakeProvider) -> None:
    table = _table(data, m=_module(Rule("r", TITLE, _finds, plugins=["histogram"])))
    assert _checked(table, "a")[0].unchecked == "there is no data of the plugin histogram"
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
        assert (bad.failed, bad.findings, good.findings) == (True, (), (_finding("a"),))


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
        assert (bad.failed, good.findings) == (True, (_finding(run),))
    assert len(calls) == 1
    go.set()
    for call in list(table._hanging.values()):
        call.done.wait()
    assert _checked(table, "a")[0].findings == (_finding("a"),)


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
    [checked] = _checked(_table(data, m=_module(rule)), "a")
    assert (len(checked.findings), checked.more) == (50, 20)


def test_a_hook_that_fails_is_listed_and_the_second_rule_of_an_id_is_left_out(data: FakeProvider) -> None:
    good = _module(Rule("r", TITLE, _finds), Rule("r", TITLE, _raises))
    broken, checked = _checked(_table(data, bad=_module(7), good=good), "a")
    assert (broken.plugin, broken.failed) == ("bad", True)
    assert "insight_rules() of bad" in str(broken.unchecked)
    assert checked.findings == (_finding("a"),)


def test_texts_of_modules_come_with_the_answer(data: FakeProvider) -> None:
    messages = Messages("zh-CN", {"reason.m_saw": "有问题"})
    module = SimpleNamespace(insight_messages=hookimpl(lambda: [messages]))
    assert _table(data, m=module).check(["a"], {}).messages == [messages]
