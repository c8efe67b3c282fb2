"""What a plugin of the last release imports is there, with a warning that names the new place."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from insight_core.moved import MOVED_MODULES, MOVED_NAMES, MOVED_ROOMS
from insight_core.plugin import Reason
from insight_core.plugin.findings import Finding, FindingPlace, Needs, Rule, Saving

GONE = {  # names of machinery that one plugin had alone, and which is in that plugin now: see CHANGELOG.md
    "insight_core.plugin.payloads": {
        *("AFTER_SLASH", "DEEPEST", "UNKNOWN", "FieldColumns", "Interned", "NameTree", "interned"),
        *("last_places", "name_tree", "pieces_of", "HISTOGRAMS", "MINDSPORE_HISTOGRAM"),
    },
    "insight_core.plugin": {"Attempts", "Purge", "find_attempts"},
    "insight_core.plugin.testing": {  # fixtures of this repository's tests
        *("DamagedRun", "ExpectedDamage", "GrowingFile", "damaged_logdir", "png", "scalar_points"),
    },
}
GONE_MODULES = {
    "insight_core.plugin.http.frames",
    "insight_core.plugin.testing.graphs",
    "insight_core.plugin.testing.landscapes",
}


@pytest.fixture(scope="module")
def names(repository: Path) -> dict[str, list[str]]:
    """Public names of the last release by module."""
    found: dict[str, list[str]] = {}
    for line in (repository / "tests/fixtures/names_of_last_release.txt").read_text().splitlines():
        module, name = line.split()
        found.setdefault(module, []).append(name)
    return found


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_plugin_of_the_last_release_finds_every_name(names: dict[str, list[str]]) -> None:
    for module in names.keys() - GONE_MODULES:
        for name in set(names[module]) - GONE.get(module, set()):
            exec(f"from {module} import {name}", {})  # raises ImportError


@pytest.mark.parametrize("module", MOVED_NAMES)
def test_a_name_that_moved_is_the_same_and_warns(module: str) -> None:
    for name, place in MOVED_NAMES[module].items():
        with pytest.warns(DeprecationWarning, match=rf"{name} is deprecated: ") as told:
            value = getattr(import_module(module), name)
        new, _, renamed = place.partition(":")
        assert value is getattr(import_module(new), renamed or name)
        assert told[0].filename == __file__


@pytest.mark.parametrize("module", MOVED_MODULES)
def test_a_module_that_moved_has_the_same_names_and_warns(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, module, raising=False)  # a module warns when it is first imported
    with pytest.warns(DeprecationWarning, match=f"{module} is deprecated: import from insight_core.plugin"):
        found = import_module(module)
    there = import_module(MOVED_MODULES[module])
    public = [name for name in vars(there) if not name.startswith("_")]
    assert all(getattr(found, name) is getattr(there, name) for name in public)


@pytest.mark.parametrize("module", [*MOVED_ROOMS, "insight_core.mirror.state"])
def test_a_room_that_is_in_a_plugin_now_has_the_same_names_and_warns(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {old: f"{new}{module.removeprefix(old)}" for old, new in MOVED_ROOMS.items()}
    [place] = [new for old, new in places.items() if f"{module}.".startswith(f"{old}.")]
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.warns(DeprecationWarning, match=f"^{module} is deprecated: import from {place}$"):
        found = import_module(module)
    public = {name: value for name, value in vars(import_module(place)).items() if not name.startswith("_")}
    assert public.items() <= vars(found).items()


def test_other_names_are_errors() -> None:
    for module in ("insight_core.plugin", "insight_core.plugin.payloads", "insight_core.plugin.testing"):
        with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'Nothing'"):
            getattr(import_module(module), "Nothing")  # noqa: B009
    with pytest.raises(ModuleNotFoundError):
        import_module("insight_core.plugin.http.nothing")
    with pytest.raises(ModuleNotFoundError), pytest.warns(DeprecationWarning, match="insight_core.mirror"):
        import_module("insight_core.mirror.nothing")


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
