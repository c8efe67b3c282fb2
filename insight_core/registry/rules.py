"""Which of several plugins of one name, claim, address or flag is taken: that of the user's choice, else
that of this distribution; of others with one claim the one installed first, otherwise none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from attrs import field, frozen

from insight_core.plugin import Claim, FileName, Plugin, PluginNameEnum
from insight_core.registry.modules import DISTRIBUTION, Module

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@frozen(eq=False)
class Contender:
    """A plugin and the module that it comes from."""

    plugin: Plugin
    module: Module

    @property
    def name(self) -> str:
        """The name of the plugin."""
        return str(self.plugin.name)

    @property
    def distribution(self) -> str:
        """The distribution that provides the plugin."""
        return self.module.candidate.origin.distribution


@frozen
class Verdict:
    """Which plugins are taken, which are refused and why, and which lost to a choice of the user."""

    taken: list[Contender] = field(factory=list)
    refused: dict[Contender, str] = field(factory=dict)
    left_out: list[Contender] = field(factory=list)


def same_distribution(one: str, other: str) -> bool:
    """Compares as package indexes do: case, ``-``, ``_`` and ``.`` do not count."""
    first, second = (re.sub(r"[-_.]+", "-", name).lower() for name in (one, other))
    return first == second


def settle(contenders: Iterable[Contender], choices: Mapping[str, str]) -> Verdict:
    """``choices`` are distributions by the name of the plugin. The result is in the given order."""
    verdict = Verdict()
    left = []
    for one in contenders:
        if one.name in choices and not same_distribution(choices[one.name], one.distribution):
            verdict.left_out.append(one)
        else:
            left.append(one)
    for one in left:
        is_free = one.name in choices or one.name not in set(PluginNameEnum)
        if not is_free and one.distribution != DISTRIBUTION:
            verdict.refused[one] = (
                f"the name {one.name!r} is reserved for {DISTRIBUTION}; "
                f"{_choice(one)} takes this plugin instead"
            )
    left = [one for one in left if one not in verdict.refused]
    _refuse(verdict, _groups((one.name, one) for one in left), choices, "the name {!r} is used by")
    left = [one for one in left if one not in verdict.refused]
    _refuse_claimed(verdict, left, choices)
    left = [one for one in left if one not in verdict.refused]
    _refuse_addresses(verdict, left, choices)
    verdict.taken.extend(one for one in left if one not in verdict.refused)
    return verdict


def conflicting_options(modules: Sequence[Module], taken: Collection[str]) -> dict[Module, str]:
    """Modules with a flag of the host or of another module, and why they are refused.

    One of this distribution keeps its flag: others could otherwise switch off the guard by a flag of it.
    """
    refused = {}
    for key, owners in _groups((option.key, one) for one in modules for option in one.options).items():
        flag = "--" + key.replace("_", "-")
        own = [module for module in owners if module.candidate.origin.distribution == DISTRIBUTION]
        for module in owners:
            if key in taken:
                refused[module] = f"its flag {flag} is one of the host's"
            elif len(owners) > 1 and own != [module]:
                named = " and ".join(_of(each.candidate.name, each) for each in owners)
                refused[module] = f"the flag {flag} is that of {named}: leave one out with --disable-plugin"
    return refused


def _rank(one: Contender, choices: Mapping[str, str]) -> int:
    """3: chosen by the user; 2: of this distribution; 1: in a file that the user named; 0: any other."""
    if one.name in choices:
        return 3
    return 2 if one.distribution == DISTRIBUTION else int(one.module.candidate.is_file)


def _refuse(
    verdict: Verdict, groups: Mapping[Key, list[Contender]], choices: Mapping[str, str], words: str
) -> None:
    for key, group in groups.items():
        best = max(_rank(one, choices) for one in group)
        winners = [one for one in group if _rank(one, choices) == best]
        if len(group) == 1:
            continue
        named = " and ".join(_of(one.name, one.module) for one in group)
        distributions = {one.distribution for one in group}
        if len(distributions) == 1 and len({one.name for one in group}) == 1:
            entries = " or ".join(f"--disable-plugin {one.module.candidate.name}" for one in group)
            hint = f"leave one out with {entries}"
        else:
            hint = f"choose one with {' or '.join(_choice(one) for one in group)}"
        for one in group:
            if len(winners) > 1 or one not in winners:
                verdict.refused.setdefault(one, f"{words.format(key)} {named}: {hint}")


def _refuse_claimed(verdict: Verdict, contenders: list[Contender], choices: Mapping[str, str]) -> None:
    """Refuses plugins with a claim of one that goes before: what an event holds goes to one plugin.

    A file may be taken by several.
    """
    owners: dict[Claim, Contender] = {}
    for one in sorted(
        contenders, key=lambda each: (-_rank(each, choices), each.module.candidate.origin.since)
    ):
        claims = [] if one.plugin.decoder is None else sorted(one.plugin.decoder.claims, key=str)
        events = [claim for claim in claims if not isinstance(claim, FileName)]
        lost = next((claim for claim in events if claim in owners), None)
        if lost is None:
            owners |= dict.fromkeys(events, one)
            continue
        owner = owners[lost]
        first = "" if _rank(owner, choices) > _rank(one, choices) else ", which was installed first,"
        named = f"{_of(owner.name, owner.module)}{first} and {_of(one.name, one.module)}"
        verdict.refused[one] = f"{lost} is claimed by {named}: {_choice(one)} takes the latter instead"


def _refuse_addresses(verdict: Verdict, contenders: list[Contender], choices: Mapping[str, str]) -> None:
    """Protocols fix addresses: no choice takes that of a plugin of this distribution."""
    groups = _groups((one.plugin.address, one) for one in contenders if one.plugin.address)
    for address, group in [*groups.items()]:
        owner = next((one for one in group if one.distribution == DISTRIBUTION), None)
        if owner is None:
            continue
        del groups[address]
        for one in group:
            if one is not owner:
                named = f"{_of(owner.name, owner.module)} and {_of(one.name, one.module)}"
                hint = f"leave out the former with --disable-plugin {owner.name}"
                verdict.refused[one] = f"the address {address} is used by {named}: {hint}"
    _refuse(verdict, groups, choices, "the address {} is used by")


def _groups(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    groups: dict[Key, list[Value]] = defaultdict(list)
    for key, one in pairs:
        if one not in groups[key]:
            groups[key].append(one)
    return groups


def _choice(one: Contender) -> str:
    return f"--plugin {one.name}={one.distribution}"


def _of(name: str, module: Module) -> str:
    return f"{name!r} of {module.candidate.origin.distribution or 'an unknown distribution'}"
