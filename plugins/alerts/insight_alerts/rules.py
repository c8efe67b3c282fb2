"""Reads the TOML file of rules and targets."""

from __future__ import annotations

import argparse
import hashlib
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import urlsplit

from attrs import frozen

from insight_alerts.alert import Alert

Kind: TypeAlias = Literal["nan", "above", "below", "stalled", "ended", "finding"]

OF_SERIES: tuple[Kind, ...] = ("nan", "above", "below")
KINDS: tuple[Kind, ...] = (*OF_SERIES, "stalled", "ended", "finding")
_BAD = ("error", "warning", "hint")  # severities, the worst first
_NEEDS = {"above": "value", "below": "value", "stalled": "minutes"}  # the number that a kind needs


@frozen(slots=False)
class AlertRule:
    """When to alert, about which runs and tags, and the names of the targets that receive the alerts.

    ``number`` is the limit of ``above`` and ``below``, minutes of ``stalled``, and of ``finding`` the place
    of the least severity among error, warning and hint; ``finds`` are the rules whose findings count.
    """

    name: str
    kind: Kind
    number: float
    run: re.Pattern[str]
    tag: re.Pattern[str]
    send: tuple[str, ...]
    finds: re.Pattern[str] = re.compile("")

    @property
    def id(self) -> str:
        """Names the rule among those of the host, which lists what it finds."""
        words = re.findall(r"[a-z0-9]+", self.name.lower())
        return "_".join(["alert", *words, self.key])

    @cached_property
    def key(self) -> str:
        """Identifies the rule in the journal: with another name, kind or number it is another rule."""
        parts = f"{self.name}\n{self.kind}\n{self.number!r}"
        return hashlib.blake2b(parts.encode(), digest_size=8).hexdigest()


@frozen
class Target:
    """The target of alerts: the address of a webhook, or a command with its arguments."""

    name: str
    webhook: str | None = None
    command: tuple[str, ...] = ()


@frozen
class AlertRules:
    """A file of rules. ``page`` is the address of the host as users reach it, or empty.

    What happened more than ``hours`` before it was found is neither sent nor in the journal.
    """

    rules: tuple[AlertRule, ...]
    targets: Mapping[str, Target]
    page: str = ""
    hours: float = 24.0

    def is_recent(self, alert: Alert) -> bool:
        """Whether an alert is sent and written down, not too old for it."""
        return alert.found - alert.at <= 3600 * self.hours

    def sends(self, alert: Alert) -> tuple[str, ...]:
        """Names of the targets of an alert, those of its rule."""
        return next(rule.send for rule in self.rules if rule.key == alert.key)


class _Table:
    """A table of the file, whose keys are taken one after the other; ``end`` reports those that are left."""

    def __init__(self, place: str, values: object) -> None:
        if not isinstance(values, dict):
            raise ValueError(f"{place} is not a table")
        self.place = place
        self._left: dict[str, Any] = dict(values)

    def take(self, key: str, kind: type | tuple[type, ...], words: str, default: Any = None) -> Any:  # noqa: ANN401
        value = self._left.pop(key, default)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ValueError(f"{self.place}: {key} is not {words}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = self.take(key, str, "a text", default)
        if not value and default is None:
            raise ValueError(f"{self.place}: {key} is missing")
        return cast(str, value)

    def number(self, key: str, default: float | None = None) -> float:
        value = self.take(key, (int, float), "a number", default)
        if value is None:
            raise ValueError(f"{self.place}: {key} is missing")
        if value != value:
            raise ValueError(f"{self.place}: {key} is NaN")
        return float(value)

    def pattern(self, key: str) -> re.Pattern[str]:
        text = self.text(key, "")
        try:
            return re.compile(text)
        except re.error as error:
            raise ValueError(f"{self.place}: {key} is not a regular expression: {error}") from error

    def texts(self, key: str) -> tuple[str, ...] | None:
        values = self.take(key, list, "a list of texts")
        if values is not None and not all(isinstance(one, str) and one for one in values):
            raise ValueError(f"{self.place}: {key} is not a list of texts")
        return None if values is None else tuple(values)

    def end(self) -> None:
        for key in self._left:
            raise ValueError(f"{self.place}: unknown key {key!r}")


def read_rules(path: str) -> AlertRules:
    """The rules of a TOML file. Raises ArgumentTypeError with the file, the rule and the cause."""
    try:
        return rules_of(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error.strerror}") from error
    except ValueError as error:  # of TOML, of UTF-8, and our own
        raise argparse.ArgumentTypeError(f"{path}: {error}") from error


def rules_of(document: Mapping[str, Any]) -> AlertRules:
    """The rules of a parsed file. Raises ValueError with the rule and the cause."""
    top = _Table("the file", document)
    page = top.text("page", "")
    if page:
        _check_address("page", page)
    hours = top.number("hours", 24.0)
    given = top.take("target", dict, "a table of targets", {})
    targets = {name: _target(name, table) for name, table in given.items()}
    listed = top.take("rule", list, "a list of rules: write [[rule]]", [])
    top.end()
    rules = [_rule(number, table, targets) for number, table in enumerate(listed, 1)]
    if not rules:
        raise ValueError("no [[rule]] in the file")
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two rules have the name {name!r}")
    return AlertRules(tuple(rules), targets, page.rstrip("/"), hours)


def _rule(number: int, values: object, targets: Mapping[str, Target]) -> AlertRule:
    table = _Table(f"rule {number}", values)
    name = table.text("name")
    table.place = f"rule {name!r}"
    when = table.text("when")
    if when not in KINDS:
        raise ValueError(f"{table.place}: when is {when!r}, not one of {', '.join(KINDS)}")
    kind: Kind = when
    amount = table.number(_NEEDS[kind]) if kind in _NEEDS else 0.0
    if kind == "stalled" and amount <= 0:
        raise ValueError(f"{table.place}: minutes is not greater than 0")
    if kind == "finding":
        amount = _severity(table)
    finds = table.pattern("finds") if kind == "finding" else re.compile("")
    run = table.pattern("run")
    tag = table.pattern("tag") if kind in OF_SERIES else re.compile("")
    send = table.texts("send")
    table.end()
    for target in send or ():
        if target not in targets:
            raise ValueError(f"{table.place}: there is no [target.{target}]")
    return AlertRule(name, kind, amount, run, tag, tuple(targets) if send is None else send, finds)


def _severity(table: _Table) -> float:
    """The place of the least severity that counts."""
    word = table.text("severity", "warning")
    if word not in _BAD:
        raise ValueError(f"{table.place}: severity is {word!r}, not one of {', '.join(_BAD)}")
    return float(_BAD.index(word))


def _target(name: str, values: object) -> Target:
    table = _Table(f"target {name!r}", values)
    webhook = table.text("webhook", "")
    command = table.texts("command")
    table.end()
    if bool(webhook) == bool(command):
        raise ValueError(f"{table.place}: needs either webhook or command")
    if webhook:
        _check_address(f"{table.place}: webhook", webhook)
    return Target(name, webhook or None, command or ())


def _check_address(what: str, address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{what} is not an address that begins with http:// or https://")
