"""``insight-host plugin check``, on plugins with planted faults."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from insight_authoring.check import texts
from insight_authoring.scaffold import write_plugin


def _check(plugin: Path, status: int) -> str:
    command = [sys.executable, "-m", "insight_core.cli", "plugin", "check", str(plugin)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A plugin as ``plugin new --javascript`` writes it."""
    return write_plugin("flawed", tmp_path, javascript=True)


def _edit(path: Path, changes: Mapping[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def test_a_plugin_as_it_was_written_has_no_faults(plugin: Path) -> None:
    said = _check(plugin, 0)
    assert [line.split()[:2] for line in said.splitlines()[1:4]] == [
        ["plugin", "ok"],
        ["texts", "ok"],
        ["wheel", "ok"],
    ]
    assert "no faults in" in said


FAULTS = """
from insight_core.plugin import Command, FileName, Plugin, RecordDecoder, RunColumn, RunColumns, hookimpl

@hookimpl
def insight_plugin():
    return Plugin(
        name="other",
        title="Other",
        decoder=RecordDecoder(
            {FileName("x", makes_run="insight_flawed.absent:f")}, decode="insight_flawed.parts:no"
        ),
        routes="insight_flawed.parts:routes",
        is_active="insight_flawed.parts:is_active",
        computations={"sum": "insight_flawed.parts:number"},
    )

@hookimpl
def insight_run_columns():
    size = RunColumn("size", "Size", "insight_flawed.parts:one")
    return [size, RunColumns(lambda ctx: [], "insight_flawed:nope")]

@hookimpl
def insight_commands(host):
    return [Command("flaw", "does nothing", "insight_flawed.parts:none")]

@hookimpl
def insight_rules():
    return ["not a rule"]
"""
PARTS = """
from insight_core.plugin import Route

number = 3

def one(data):
    return {}

def none():
    return 0

def is_active(ctx):
    return ctx.data.no_such_method()

def view(request) -> str:
    return ""

def routes(ctx):
    return [Route("/runs/<run>", view), Route("/late", "insight_flawed.parts:absent")]
"""


def test_names_functions_and_hooks_that_are_wrong_are_all_said(plugin: Path) -> None:
    package = plugin / "insight_flawed"
    (package / "__init__.py").write_text(FAULTS, encoding="utf-8")
    (package / "parts.py").write_text(PARTS, encoding="utf-8")
    said = _check(plugin, 1)
    for expected in (
        "the entry point 'flawed' has the plugin 'other': give both one name",
        "Plugin 'other', decoder, claims file:x, makes_run names insight_flawed.absent:f: Module",
        "Plugin 'other', decoder, decode names insight_flawed.parts:no: AttributeError",
        "Plugin 'other', computations 'sum' names insight_flawed.parts:number: TypeError: "
        "insight_flawed.parts:number is a int, not a function",
        "RunColumn 'size', values: the host gives it 2 arguments, too many positional arguments "
        "(insight_flawed/parts.py:6)",
        "RunColumns, values names insight_flawed:nope: AttributeError",
        "Command 'flaw', run: the host gives it 1 argument, too many positional arguments",
        "insight_rules() of other: insight_rules() returned a str, not a Rule",
        "is_active failed without logs: AttributeError",
        "(insight_flawed/parts.py:13)",
        "the view of /late names insight_flawed.parts:absent: AttributeError",
        "the view of /runs/<run>: the host gives it 1 argument and run, "
        "got an unexpected keyword argument 'run' (insight_flawed/parts.py:15)",
        "the view of /runs/<run> returns str, not a werkzeug Response (insight_flawed/parts.py:15)",
    ):
        assert expected in said
    assert "12 faults in" in said


@pytest.mark.parametrize(
    ("file", "changes", "expected"),
    [
        (
            "__init__.py",
            {"import annotations": "import annotations\n\n1 / 0"},
            "ZeroDivisionError: division by zero",
        ),
        (
            "__init__.py",
            {"import annotations": "import annotations\nimport os\nos._exit(3)"},
            "with status 3",
        ),
        ("__init__.py", {'FileName("flawed.txt")': '"flawed.txt"'}, "one of its claims is a str"),
        ("routes.py", {"[Route(": '[Route("/lines/", lines), Route('}, "two routes answer GET /lines: "),
        (
            "static/manifest.json",
            {'"api":': '"api": 99, "was":'},
            "its front end was built for the page API 99",
        ),
        ("static/manifest.json", {"@insight-host/kit/html": "lodash"}, "its front end imports lodash"),
    ],
)
def test_a_fault_is_said_with_its_reason(
    plugin: Path, file: str, changes: dict[str, str], expected: str
) -> None:
    _edit(plugin / "insight_flawed" / file, changes)
    said = _check(plugin, 1)
    assert expected in said
    assert "1 fault in" in said


def test_functions_routes_and_front_ends_of_our_own_plugins_have_no_faults() -> None:
    script = "from insight_authoring.loading import main; main()"
    done = subprocess.run([sys.executable, "-c", script, "insight-host"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["faults"] == []


def test_a_wheel_without_the_front_end_or_texts_is_a_fault(plugin: Path) -> None:
    (plugin / ".gitignore").write_text("static/\nlocales/\n", encoding="utf-8")
    locales = plugin / "insight_flawed/locales"
    locales.mkdir()
    (locales / "en.json").write_text("{}", encoding="utf-8")
    _edit(plugin / "pyproject.toml", {'[tool.hatch.build]\nartifacts = ["insight_flawed/static/**"]\n': ""})
    said = _check(plugin, 1)
    assert (
        "insight_flawed/static/index.js is not in it: with hatchling, [tool.hatch.build] "
        'artifacts = ["insight_flawed/static/**"]'
    ) in said
    assert "insight_flawed/locales/en.json is not in it" in said


def test_texts_that_not_every_language_has_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "insight_x/locales"
    folder.mkdir(parents=True)
    en = '{"a": "{count} files of {run}", "a.one": "a file", "only": "here", "same": "same"}'
    zh = '{"a": "{count} / {step}", "same": "same", "reason.x_bad": "{why}", "more": "more"}'
    for name, text in {"en": en, "zh-CN": zh, "de": '{"a": 1}', "fr": "{"}.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    faults = [fault.removeprefix("insight_x/locales/") for fault in texts(tmp_path)]
    assert faults[0] == "de.json: not an object of texts, or of groups of texts"
    assert faults[1].startswith("fr.json: Expecting property name")
    assert faults[2:] == [
        "en.json: no text 'more', which zh-CN.json has",
        "zh-CN.json: no text 'only', which en.json has",
        "zh-CN.json: 'a' has {step}, which en.json does not have there",
    ]


def test_texts_are_compared_group_by_group(tmp_path: Path) -> None:
    folder = tmp_path / "insight_x/locales"
    folder.mkdir(parents=True)
    (folder / "en.json").write_text('{"page": {"a": "A", "b": "B"}}', encoding="utf-8")
    (folder / "zh-CN.json").write_text(
        '{"page": {"a": "甲"}, "late": {"b": "乙", "reason.x": "因"}}', encoding="utf-8"
    )
    assert [fault.removeprefix("insight_x/locales/") for fault in texts(tmp_path)] == [
        "en.json: no text 'late: b', which zh-CN.json has",
        "zh-CN.json: no text 'page: b', which en.json has",
    ]


def test_the_texts_of_our_own_plugins_pass(repository: Path) -> None:
    assert [fault for plugin in (repository / "plugins").iterdir() for fault in texts(plugin)] == []


def test_a_directory_without_a_plugin_is_no_plugin(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "insight_core.cli", "plugin", "check", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "pyproject.toml: No such file" in done.stderr
