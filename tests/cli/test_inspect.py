"""``insight-host inspect`` and ``plugins``, as a user runs them."""

from __future__ import annotations

import json
import lzma
import math
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

import insight_host
from insight_core.cli.options import read_options
from insight_core.cli.plugins import plugin_rows
from insight_core.cli.policies import cache_policies, describe
from insight_core.plugin import CachePolicy, Keep, Plugin
from insight_core.plugin.testing import EventWriter
from insight_core.providers.common import unread_reasons
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from tests.hosts import module_of, registry_of
from tests.support.damaged_logdir import damaged_logdir
from tests.tensorboard.installed import install

Run = Callable[..., CompletedProcess[str]]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "torch") as writer:
        for step in (3, 5, 8):
            writer.scalar("损失", step, math.nan)
        writer.tensor("note", 1, np.zeros(2, np.float32), plugin="mystery")
    with EventWriter(tmp_path / "logs" / "ms", "mindspore") as writer:
        writer.scalar("loss/auto", 1, 0.5)
        writer.raw(b"cut off")
    return tmp_path / "logs"


def test_json(run: Run, logdir: Path) -> None:
    done = run("inspect", "--logdir", str(logdir), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    [file] = os.listdir(logdir / "ms")
    size = (logdir / "ms" / file).stat().st_size
    report = json.loads(done.stdout)
    [damage] = report["runs"]["ms"]["damage"]
    assert report == {
        "runs": {
            "ms": {
                "dialect": "mindspore",
                "plugins": {"scalar": {"loss/auto": {"points": 1, "first_step": 1, "last_step": 1}}},
                "damage": [
                    {"file": f"ms/{file}", "offset": size - 7, "reason": damage["reason"], "skipped": 7}
                ],
                "unclaimed": {},
            },
            "torch": {
                "dialect": "tensorboard",
                "plugins": {"scalar": {"损失": {"points": 3, "first_step": 3, "last_step": 8}}},
                "damage": [],
                "unclaimed": {"plugin:mystery": 1},
            },
        }
    }


def test_table(run: Run, logdir: Path) -> None:
    done = run("inspect", "--logdir", str(logdir), env={"PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["torch", "tensorboard", "scalar", "损失", "3", "3", "8"] in rows
    assert ["ms", "mindspore", "scalar", "loss/auto", "1", "1", "1"] in rows
    assert ["torch", "plugin:mystery", "1"] in rows
    assert any(row[:1] == ["ms"] and "cut" in row for row in rows)


@pytest.mark.parametrize(("flags", "encoding"), [([], "ascii"), (["--json"], "ascii"), (["--json"], "utf-8")])
def test_the_damage_corpus(run: Run, tmp_path: Path, flags: list[str], encoding: str) -> None:
    runs = damaged_logdir(tmp_path / "logs")
    done = run("inspect", "--logdir", str(tmp_path / "logs"), *flags, env={"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, "")
    if not flags:
        assert all(name in done.stdout for name in runs)
        return
    report = json.loads(done.stdout)["runs"]
    assert report.keys() == runs.keys()
    for name, wanted in runs.items():
        assert {entry["offset"] for entry in report[name]["damage"]} == {d.offset for d in wanted.damage}


def test_several_logdirs(run: Run, logdir: Path) -> None:
    done = run("inspect", f"a:{logdir}", f"b:{logdir / 'ms'}", "--json")
    assert sorted(json.loads(done.stdout)["runs"]) == ["a/ms", "a/torch", "b"]


@pytest.fixture
def unread(tmp_path: Path) -> Path:
    """A run, and next to it and in another directory files that nothing reads; a study of Optuna is read."""
    logs = tmp_path / "logs"
    with EventWriter(logs / "run") as writer:
        writer.scalar("loss", 0, 0.5)
    (logs / "other").mkdir()
    study = ROOT / "plugins/importers/tests/fixtures/optuna/optuna.db.xz"
    (logs / "study.db").write_bytes(lzma.decompress(study.read_bytes()))
    for place in (logs / "run", logs / "other"):
        for name in ("own.db", "own.sqlite", "OWN.SQLITE3", "own_results.db"):
            with closing(sqlite3.connect(place / name)) as database:
                for number in range(1 if name == "own.db" else 200):  # more than the first page can name
                    database.execute(f"CREATE TABLE customers_{number} (id INTEGER, name TEXT)")
                database.commit()
        (place / "binary.log").write_bytes(b"\0\1")
        (place / "words.dat").write_text("7")
    (logs / "other" / "model.pt").write_bytes(b"PK")
    return logs


def test_files_that_nothing_reads_are_counted_once(run: Run, unread: Path) -> None:
    """Databases of unknown programs too, and also where logdirs overlap or a link leads to a file."""
    (unread / "other" / "latest.log").symlink_to("binary.log")
    expected = {"SQLite databases": 8, "console logs": 2, "checkpoints": 1}
    whole = json.loads(run("inspect", "--logdir", str(unread), "--json").stdout)
    assert whole["unread"] == expected
    assert "study.db" not in str(whole["unread"])
    assert any(name.startswith("study/") or "trial" in name for name in whole["runs"])
    overlapping = ("--logdir", f"a:{unread}", "--logdir", f"b:{unread / 'other'}")
    assert json.loads(run("inspect", *overlapping, "--json").stdout)["unread"] == expected


def test_files_that_nothing_reads_are_listed_as_the_page_lists_them(run: Run, unread: Path) -> None:
    shown = run("inspect", "--logdir", str(unread)).stdout.partition("Files that are not read:\n")[2]
    with insight_host.open(unread) as logs:
        assert shown.splitlines() == [f"  {reason}" for reason in unread_reasons(logs.provider)]
    assert len(shown.splitlines()) == 3


def test_a_missing_logdir_is_an_error(run: Run, tmp_path: Path) -> None:
    done = run("inspect", "--logdir", str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert str(tmp_path / "nowhere") in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_logdir(run: Run, tmp_path: Path) -> None:
    done = run("inspect", "--logdir", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "No runs found.\n")
    assert json.loads(run("inspect", "--logdir", str(tmp_path), "--json").stdout) == {"runs": {}}


@pytest.mark.parametrize("flag", ["--disable-plugin=scalr", "--samples-per-plugin=scalr=3"])
def test_unknown_plugins_are_refused(run: Run, flag: str) -> None:
    done = run("plugins", flag)
    assert done.returncode == 1
    assert all(text in done.stderr for text in (flag.split("=")[0], "scalr", "known plugins: ", "'scalar'?"))
    assert done.stdout == ""
    name, _, value = flag.removeprefix("--").replace("-", "_").partition("=")
    assert ("demo, " in done.stderr) is (name == "disable_plugin")  # a module without a tab
    done = run("plugins", env={f"INSIGHT_HOST_{name.upper()}": value})
    assert f"INSIGHT_HOST_{name.upper()}" in done.stderr


def test_plugins_are_listed(run: Run) -> None:
    done = run("plugins", "--json", "--samples-per-plugin", "scalar=500")
    assert done.returncode == 0
    scalar = next(row for row in json.loads(done.stdout)["plugins"] if row["name"] == "scalar")
    assert scalar["state"] == "ok", scalar["reason"]
    assert scalar["distribution"] == "insight-host"
    assert scalar["cache"] == "uniform 500 points"
    assert {"mindspore:scalar_value", "plugin:scalars", "tensorboard:simple_value"} <= set(scalar["claims"])
    assert "GET /series" in scalar["routes"]


def test_the_list_of_plugins_fits_a_terminal_of_100_columns_and_long_has_the_rest(
    run: Run, tmp_path: Path
) -> None:
    reason = "why " * 60 + "/a/path/that/stays/whole.py"
    (tmp_path / "broken_one.py").write_text(f"raise RuntimeError({reason!r})\n", encoding="utf-8")
    install(tmp_path, {"broken": "broken_one"}, "insight-plugin-broken", group="insight.plugins")
    env = {"PYTHONPATH": str(tmp_path)}
    done = run("plugins", env=env)
    short = done.stdout
    assert done.returncode == 0, done.stderr
    assert short.split("\n")[0].split() == ["NAME", "VERSION", "DISTRIBUTION", "STATE"]
    assert max(map(len, short.splitlines())) <= 100
    assert " ".join(short.split()).count(f"broken: RuntimeError: {reason}") == 1
    rows = run("plugins", "--long", env=env).stdout.splitlines()
    assert rows[0].split()[:4] == ["NAME", "VERSION", "DISTRIBUTION", "STATE"]
    assert "GET /series" in next(row for row in rows if row.startswith("scalar "))


def test_a_disabled_plugin_is_listed_as_such(run: Run) -> None:
    rows = json.loads(run("plugins", "--json", "--disable-plugin", "scalar").stdout)["plugins"]
    assert next(row for row in rows if row["name"] == "scalar")["state"] == "disabled"


def _fails() -> object:
    raise ImportError("no module named torch")


def test_plugins_that_fail_say_why() -> None:
    def broken_routes(_: object) -> list[object]:
        raise RuntimeError("no routes today")

    plugin = Plugin(name="half", title="Half", routes=broken_routes)
    registry = Registry.of([("broken", _fails), ("half", partial(module_of, plugin))])
    rows = {row.name: row for row in plugin_rows(registry, read_options(["plugins"], {}))}
    assert (rows["broken"].state, rows["half"].state) == ("failed", "failed")
    assert "no module named torch" in rows["broken"].reason
    assert "no routes today" in rows["half"].reason


def test_a_front_end_that_cannot_be_shown_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.js").write_text("export default {};")
    (tmp_path / "manifest.json").write_text("[]")
    plugin = Plugin(name="odd", title="Odd", frontend=tmp_path)
    [row] = plugin_rows(registry_of(plugin), read_options(["plugins"], {}))
    assert row.state == "failed"
    assert "manifest.json is not an object" in row.reason


PLUGINS = {
    name: Plugin(name=name, title=name, cache=cache, presets=presets)
    for name, cache, presets in (
        ("scalar", CachePolicy(), {"mindinsight": CachePolicy(Keep.UNIFORM, 1000, 300)}),
        ("image", CachePolicy(Keep.LATEST, 5, 7, 1 << 20), {"mindinsight": CachePolicy(Keep.UNIFORM, 10)}),
        ("custom", CachePolicy(), {}),
    )
}


def _policies(*flags: str) -> dict[str, CachePolicy]:
    return cache_policies(read_options(["plugins", *flags], {}), PLUGINS)


def test_cache_policies() -> None:
    assert _policies() == {}
    image = CachePolicy(payload_bytes=1 << 20)
    assert _policies("--cache-preset=all") == {
        "scalar": CachePolicy(),
        "image": image,
        "custom": CachePolicy(),
    }
    assert _policies("--cache-preset=mindinsight") == {
        "scalar": CachePolicy(Keep.UNIFORM, 1000, 300),
        "image": CachePolicy(Keep.UNIFORM, 10, 0, 1 << 20),
    }
    assert _policies("--samples-per-plugin=scalar=3,image=0") == {
        "scalar": CachePolicy(Keep.UNIFORM, 3),
        "image": CachePolicy(Keep.ALL, 0, 7, 1 << 20),
    }
    both = _policies("--cache-preset=mindinsight", "--samples-per-plugin=scalar=0")
    assert both["scalar"] == CachePolicy(Keep.ALL, 0, 300)


def test_policies_in_words() -> None:
    assert describe(CachePolicy()) == "all"
    assert describe(CachePolicy(Keep.UNIFORM, 1000, 300)) == "uniform 1000 points, 300 tags a run"
    assert describe(CachePolicy(Keep.LATEST, 1)) == "latest 1 point"


def test_names_that_a_terminal_would_obey_are_escaped(run: Run, tmp_path: Path) -> None:
    name = "two\nERROR forged\u202egnp.exe"
    with EventWriter(tmp_path / "logs" / name) as writer:
        writer.scalar("tag\x1b[31m\u2066", 1, 0.5)
    (tmp_path / "logs" / name / "events.out.tfevents.9.bro\u202eken").write_bytes(bytes(40))
    shown = run("inspect", "--logdir", str(tmp_path / "logs"))
    assert r"two\nERROR forged\u202egnp.exe" in shown.stdout
    assert r"tag\x1b[31m\u2066" in shown.stdout
    assert r"events.out.tfevents.9.bro\u202eken" in shown.stdout
    assert shown.stdout.replace("\n", "").isprintable()
    report = json.loads(run("inspect", "--logdir", str(tmp_path / "logs"), "--json").stdout)
    assert list(report["runs"]) == [name], "JSON has the name as it is"
    missing = run("inspect", "--logdir", str(tmp_path / name))
    assert missing.stderr.count("\n") == 1
    assert "\u202e" not in missing.stderr


def test_a_database_that_is_looked_at_again_stays_one_that_nothing_reads(unread: Path) -> None:
    with insight_host.open(unread) as logs:
        assert isinstance(logs.provider, LocalProvider)
        before = unread_reasons(logs.provider)
        for store in logs.provider._translations._stores.values():
            store.is_pending = True  # as while a file that changed just now is translated once more
        assert unread_reasons(logs.provider) == before
