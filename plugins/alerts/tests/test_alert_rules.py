"""Files of rules: what is accepted, and errors with file, rule and cause."""

from __future__ import annotations

import argparse
import math
import tomllib
from pathlib import Path

import pytest
from insight_alerts.alert import Alert, Journal, shown
from insight_alerts.rules import read_rules, rules_of

GOOD = """
page = "http://gpu7:6006/"
hours = 2

[target.chat]
webhook = "https://example.org/hook"

[target.mail]
command = ["mail", "-s", "training", "me@example.org"]

[[rule]]
name = "loss diverges"
when = "above"
value = 10
tag = "^loss$"
send = ["mail"]

[[rule]]
name = "no progress"
when = "stalled"
minutes = 15
run = "seed"
"""


def test_a_file_of_rules_and_targets_is_read(tmp_path: Path) -> None:
    path = tmp_path / "alerts.toml"
    path.write_text(GOOD)
    found = read_rules(str(path))
    diverges, stalled = found.rules
    assert (found.page, found.hours, list(found.targets)) == ("http://gpu7:6006", 2.0, ["chat", "mail"])
    assert (diverges.kind, diverges.number, diverges.send) == ("above", 10.0, ("mail",))
    assert (stalled.kind, stalled.number, stalled.send) == ("stalled", 15.0, ("chat", "mail"))
    assert found.targets["mail"].command[0] == "mail"


_RULE = '[[rule]]\nname = "r"\n'


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[[rule]]\nname = =\n", "line 2"),
        ("", "no [[rule]] in the file"),
        ("rules = 3\n" + _RULE + 'when = "nan"', "the file: unknown key 'rules'"),
        ("rule = 3", "rule is not a list of rules"),
        ('[[rule]]\nwhen = "nan"', "rule 1: name is missing"),
        (_RULE + 'when = "often"', "rule 'r': when is 'often', not one of nan, above"),
        (_RULE + 'when = "above"', "rule 'r': value is missing"),
        (_RULE + 'when = "above"\nvalue = "10"', "rule 'r': value is not a number"),
        (_RULE + 'when = "above"\nvalue = true', "rule 'r': value is not a number"),
        (_RULE + 'when = "above"\nvalue = nan', "rule 'r': value is NaN"),
        (_RULE + 'when = "stalled"\nminutes = 0', "rule 'r': minutes is not greater than 0"),
        (_RULE + 'when = "nan"\ntag = "("', "rule 'r': tag is not a regular expression"),
        (_RULE + 'when = "ended"\ntag = "loss"', "rule 'r': unknown key 'tag'"),
        (_RULE + 'when = "nan"\nsend = ["x"]', "rule 'r': there is no [target.x]"),
        (_RULE + 'when = "nan"\n' + _RULE + 'when = "nan"', "two rules have the name 'r'"),
        (_RULE + 'when = "nan"\n[target.t]', "target 't': needs either webhook or command"),
        (
            _RULE + 'when = "nan"\n[target.t]\ncommand = "rm -rf"',
            "target 't': command is not a list of texts",
        ),
        (_RULE + 'when = "nan"\n[target.t]\nwebhook = "file:///x"', "begins with http:// or https://"),
        ('page = "gpu7"\n' + _RULE + 'when = "nan"', "page is not an address"),
    ],
)
def test_a_mistake_names_the_file_the_rule_and_the_cause(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "alerts.toml"
    path.write_text(text)
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        read_rules(str(path))
    assert str(path) in str(caught.value)
    assert cause in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"away\.toml: No such file"):
        read_rules(str(tmp_path / "away.toml"))


def _alert(**changes: object) -> Alert:
    values = {
        "rule": "r",
        "key": "k",
        "kind": "nan",
        "run": "a",
        "tag": "loss",
        "subject": "1",
        "step": 7,
        "value": math.nan,
        "at": 100.0,
        "found": 200.0,
    }
    return Alert(**{**values, **changes})  # type: ignore[arg-type]


def test_names_of_logs_cannot_act_on_terminals_or_services() -> None:
    hostile = "a\x1b[2J\n<!channel> & \u202egnp.exe"
    alert = _alert(tag=hostile)
    text = alert.message()["text"]
    assert text.isprintable()
    assert "<" not in text
    assert "&lt;!channel&gt; &amp;" in text
    assert "\\x1b" in text
    assert alert.message()["tag"] == hostile
    assert len(shown("x" * 10_000)) == 300


def test_a_link_leads_to_the_run_the_tag_and_the_step() -> None:
    url = _alert(run="a;b", tag="loss (x)&y", step=3107).url("http://h")
    assert url == "http://h/#tab=scalar&runs=a%253Bb&scalar.tags=%5Eloss%20%5C%28x%5C%29%26y%24&cursor=3107"


def test_a_rule_with_another_limit_is_another_rule() -> None:
    text = '[[rule]]\nname = "r"\nwhen = "above"\nvalue = {}'
    keys = [rules_of(tomllib.loads(text.format(value))).rules[0].key for value in (1, 1.0, 2)]
    assert keys[0] == keys[1] != keys[2]


def test_hosts_that_share_a_journal_write_an_alert_once_and_survive_odd_lines(tmp_path: Path) -> None:
    path = tmp_path / "deep/journal.jsonl"
    one, other = Journal(path), Journal(path)
    assert one.add(_alert())
    assert not other.add(_alert())
    with path.open("a") as file:
        file.write('not json\n{"rule": 3}\n[]\n{"rule": "cut o')
    assert other.add(_alert(subject="2"))
    again = Journal(path)
    assert [alert.subject for alert in again.after(0, 10)[1]] == ["1", "2"]
    total, [last] = again.after(1, 10)
    assert (total, last.subject, str(last.value), last.at) == (2, "2", "nan", 100.0)
    assert "not json" in path.read_text()


def test_a_journal_that_is_deleted_or_cut_begins_anew_and_tells_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    assert journal.add(_alert())
    path.unlink()
    assert journal.add(_alert(subject="2"))
    assert not journal.add(_alert(subject="2"))
    assert not journal.add(_alert())
    assert [alert.subject for alert in Journal(path).after(0, 10)[1]] == ["2"]
    path.write_text("")
    assert journal.add(_alert(subject="3"))
    assert not journal.add(_alert(subject="3"))
    assert [alert.subject for alert in journal.after(0, 10)[1]] == ["1", "2", "3"]
