"""Hooks of third-party packages on the command line: what they add, and what happens when they fail."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insight_core.plugin.testing import EventWriter
from tests.distributions import install
from tests.tensorboard import installed
from tests.waiting import eventually

Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., Any]

PLUGINS, MIDDLEWARE = "insight.plugins", "insight.middleware"
FAILING = {
    "raises": "raise RuntimeError('no luck')",
    "exits": "import sys; sys.exit(3)",
    "hangs": "import threading; threading.Event().wait()",
}


@pytest.fixture(scope="module")
def extensions(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, offline_environment: dict[str, str]
) -> dict[str, str]:
    """The environment in which the example is installed as a user would, but without the network."""
    source = repository / "examples/insight-plugin-extensions"
    return _with_path(install(source, tmp_path_factory.mktemp("site"), offline_environment))


def _with_path(*places: Path) -> dict[str, str]:
    kept = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    return {"PYTHONPATH": os.pathsep.join([*map(str, places), *kept])}


def _module(place: Path, name: str, body: str, distribution: str | None = None, group: str = PLUGINS) -> Path:
    """A module with an entry point, as pip would leave it."""
    modules = ("insight_core.plugin", "insight_core.plugin.data", "insight_core.plugin.findings")
    names = "; ".join(f"from {module} import *" for module in modules)
    source = f"{names}\nfrom insight_core.plugin import hookimpl\n{body}\n"
    place.mkdir(exist_ok=True)
    (place / f"{name}.py").write_text(source, encoding="utf-8")
    return installed.install(place, {name: name}, distribution or name, group=group)


def _hook(head: str, body: str) -> str:
    return f"@hookimpl\ndef {head}:\n    {body}\n"


def test_plugins_lists_the_hooks_of_each_module(run: Run, extensions: dict[str, str]) -> None:
    rows = {
        row["name"]: row for row in json.loads(run("plugins", "--json", env=extensions).stdout)["plugins"]
    }
    assert rows["extensions"]["hooks"] == [
        "insight_commands",
        "insight_log_formats",
        "insight_messages",
        "insight_open_files",
        "insight_open_provider",
        "insight_options",
        "insight_plugin",
        "insight_rules",
        "insight_run_columns",
        "insight_tables",
        "insight_wrap_app",
    ]
    assert rows["demo"]["hooks"] == ["insight_commands"]
    assert rows["insight-host"]["hooks"] == ["insight_commands"]
    assert "insight_open_provider" in rows["tensorboard-plugins"]["hooks"]


@pytest.mark.parametrize(("hook", "how"), [("insight_options()", "hangs"), ("insight_commands()", "exits")])
def test_a_hook_of_the_command_line_that_fails_leaves_those_of_others(
    run: Run, extensions: dict[str, str], tmp_path: Path, hook: str, how: str
) -> None:
    bad = _module(tmp_path / "site", "bad", _hook(hook, FAILING[how]))
    env = _with_path(Path(extensions["PYTHONPATH"].split(os.pathsep)[0]), bad)
    done = run("--help", env=env)
    assert done.returncode == 0
    assert "--greeting" in done.stdout
    assert "greet by name" in done.stdout
    assert re.search("plugin bad of bad did not load: .+|plugin bad has not loaded yet", done.stderr)


def test_commands_of_the_host_win_over_those_of_other_packages(run: Run, tmp_path: Path) -> None:
    names = ("inspect", "mcp", "cache purge", "mine")
    commands = [f"Command({name!r}, 'text of theirs', lambda words: print('theirs') or 0)" for name in names]
    theirs = _module(
        tmp_path / "site", "theirs", _hook("insight_commands()", f"return [{', '.join(commands)}]"), "a-dist"
    )
    env = _with_path(theirs)
    (tmp_path / "logs").mkdir()
    inspected = run("inspect", "--logdir", str(tmp_path / "logs"), env=env)
    assert (inspected.returncode, "theirs\n" in inspected.stdout) == (0, False)
    for name in names[:3]:
        assert f"the command {name} of theirs of a-dist is left out" in inspected.stderr
    assert run("mine", env=env).stdout == "theirs\n"


def _guard(place: Path, body: str, group: str = MIDDLEWARE) -> dict[str, str]:
    return _with_path(_module(place / "site", "guard", body, "my-guard", group))


WRAPS = _hook("insight_wrap_app(app)", "return app")


@pytest.mark.parametrize("how", FAILING)
def test_a_middleware_that_fails_ends_the_start_with_the_reason(run: Run, tmp_path: Path, how: str) -> None:
    env = _guard(tmp_path, _hook("insight_wrap_app(app, settings)", FAILING[how]))
    done = run("--logdir", str(tmp_path), "--port", "0", env=env)
    assert done.returncode == 1
    assert "insight_wrap_app() of guard failed" in done.stderr
    assert "http://" not in done.stdout


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import no_such_module_here\n" + WRAPS, "No module named 'no_such_module_here'"),
        (WRAPS + _hook("insight_plugin()", "raise OSError('gone')"), "OSError: gone"),
        (_hook("insight_plugin()", "return Plugin('guard', 'Guard')"), "it has no insight_wrap_app()"),
    ],
    ids=["cannot be imported", "another hook fails", "the hook was renamed"],
)
def test_no_host_runs_without_a_middleware_that_is_installed(
    run: Run, tmp_path: Path, body: str, reason: str
) -> None:
    done = run("--logdir", str(tmp_path), "--port", "0", env=_guard(tmp_path, body))
    assert done.returncode == 1
    assert "no host runs without the middleware guard of my-guard: " in done.stderr
    assert reason in done.stderr
    assert "leave it out with --disable-plugin guard" in done.stderr
    assert "http://" not in done.stdout


def test_disabling_the_entry_point_leaves_a_middleware_out(serve: Serve, tmp_path: Path) -> None:
    env = _guard(tmp_path, "raise OSError('gone')\n")
    serving = serve("--logdir", str(tmp_path), "--disable-plugin", "guard", env=env)
    serving.process.send_signal(signal.SIGTERM)
    serving.process.communicate(timeout=60)
    assert serving.process.returncode == 0


def test_disabling_the_tab_of_a_middleware_leaves_the_middleware(run: Run, tmp_path: Path) -> None:
    wraps = _hook("insight_wrap_app()", "raise OSError('called')")
    env = _guard(tmp_path, wraps + _hook("insight_plugin()", "return Plugin('tab', 'Tab')"))
    done = run("--logdir", str(tmp_path), "--port", "0", "--disable-plugin", "tab", env=env)
    assert "insight_wrap_app() of guard failed: OSError: called" in done.stderr


def test_the_host_waits_for_a_middleware_that_is_imported_slowly(serve: Serve, tmp_path: Path) -> None:
    body = "import time\ntime.sleep(2)\n" + _hook(
        "insight_wrap_app(app)",
        "return lambda e, start: app(e, lambda s, h, *r: start(s, [*h, ('X-Guard', 'on')], *r))",
    )
    serving = serve("--logdir", str(tmp_path), env=_guard(tmp_path, body))
    with urllib.request.urlopen(f"{serving.url}healthz", timeout=60) as answer:
        assert answer.headers["X-Guard"] == "on"


def test_a_middleware_outside_of_its_group_is_refused(run: Run, tmp_path: Path) -> None:
    env = _guard(tmp_path, WRAPS, PLUGINS)
    rows = json.loads(run("plugins", "--json", env=env).stdout)["plugins"]
    [reason] = [row["reason"] for row in rows if row["name"] == "guard"]
    assert "name it in the entry-point group 'insight.middleware'" in reason


def test_the_host_waits_for_a_chosen_plugin_and_never_starts_without_it(
    serve: Serve, run: Run, tmp_path: Path
) -> None:
    body = "import time\ntime.sleep(2)\n" + _hook("insight_plugin()", "return Plugin('guard', 'Guard')")
    env = _guard(tmp_path, body, PLUGINS)
    serving = serve("--logdir", str(tmp_path), "--plugin", "guard=my-guard", env=env)
    serving.process.send_signal(signal.SIGTERM)
    serving.process.communicate(timeout=60)
    assert serving.process.returncode == 0
    done = run("--logdir", str(tmp_path), "--plugin", "guard=other", env=env)
    assert done.returncode == 1
    assert "--plugin guard=other: no plugin 'guard' of 'other' is installed" in done.stderr


def test_a_data_source_that_hangs_ends_the_start_with_the_reason(run: Run, tmp_path: Path) -> None:
    site = _module(tmp_path / "site", "vault", _hook("insight_open_provider(location)", FAILING["hangs"]))
    done = run("--data-provider", "vault://x", env=_with_path(site))
    assert done.returncode == 1
    assert "insight_open_provider() of vault" in done.stderr


PROVIDER = """
class Vault(ProviderBase):
    def runs(self):
        return [Run("vault/a")]
    def series(self, plugin, *, runs=None, tags=None):
        {series}
    def points(self, plugin, key):
        return [1, 2], [10.0, 11.0], [0.5, 0.25]
"""
SERIES = """key = SeriesKey("vault/a", "loss")
        return [SeriesInfo(key, 2, 2, 1, 2)] if plugin == "scalar" else []"""


def _json(serving: Any, path: str) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(serving.url + path, timeout=60) as answer:
        return json.load(answer)


def _vault(place: Path, series: str) -> Path:
    body = "return Vault(location, settings) if location.startswith('vault:') else None"
    hook = _hook("insight_open_provider(location, settings)", body)
    return _module(place, "vault", PROVIDER.format(series=series) + hook)


def test_logdirs_are_shown_next_to_a_data_source(serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "logs/run") as writer:
        writer.scalar("loss", 0, 1.0)
    site = _vault(tmp_path / "site", SERIES)
    serving = serve("--logdir", str(tmp_path / "logs"), "--data-provider", "vault:x", env=_with_path(site))
    eventually(lambda: len(_json(serving, "data/plugin/scalar/tags")) == 2)
    assert _json(serving, "data/plugin/scalar/tags").keys() == {"run", "vault/a"}


def test_flags_of_the_host_load_no_module_while_the_command_line_is_read(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom insight_core.cli.options import read_options\n"
        "read_options(['--logdir', 'x', '--port', '0'], {})\n"
        "print([name for name in sys.modules if name.startswith('insight_scalar')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
