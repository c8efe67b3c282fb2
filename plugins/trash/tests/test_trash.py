"""Runs go to a real trash directory, and nothing else does."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import insight_scalar
import insight_trash
import pytest
from werkzeug.test import Client, TestResponse

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import DataProvider, RunFile
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from insight_core.web.state.annotations import AnnotationStore
from tests.hosts import module_of

BASE = "/data/plugin/trash"


class Reading(FakeProvider):
    """Says that it reads these files."""

    def __init__(self, files: Sequence[RunFile]) -> None:
        super().__init__("here")
        self.files = files

    def run_files(self) -> Sequence[RunFile]:
        return self.files


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trash of a user whose home is below ``tmp_path``."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    for name in [name for name in sys.modules if name.split(".")[0] == "send2trash"]:
        monkeypatch.delitem(sys.modules, name)  # it looks for the trash when it is imported
    return home / "data/Trash"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def _write(directory: Path, *more: str) -> Path:
    with EventWriter(directory) as writer:
        writer.scalar("loss", 1, 0.5)
    [path] = [each for each in directory.iterdir() if "tfevents" in each.name]
    for name in more:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(b"12345")
    return path


def _client(data: DataProvider, page: Path, *, allowed: bool = True, read_only: bool = False) -> Client:
    scalars = module_of(insight_scalar.insight_plugin())
    registry = Registry.of([("scalar", lambda: scalars), ("trash", lambda: insight_trash)])
    registry.options = {"trash": {"allow_delete": allowed}}
    annotations = AnnotationStore(page / "state", list, read_only=read_only)
    return Client(Host(registry, data, HostSettings(page=page), annotations))


@pytest.fixture
def client_of(tmp_path: Path) -> Callable[..., Client]:
    def make(*logdirs: Path, **flags: bool) -> Client:
        names = [None] if len(logdirs) == 1 else [f"l{number}" for number in range(len(logdirs))]
        places = [Logdir(str(path), name) for path, name in zip(logdirs, names, strict=True)]
        return _client(LocalProvider(places, [insight_scalar.insight_plugin()]), tmp_path, **flags)

    return make


def _plan(client: Client, run: str) -> Any:  # noqa: ANN401
    answer = client.get(f"{BASE}/plan", query_string={"run": run})
    assert answer.status_code == 200, answer.text
    return answer.json


def _move(client: Client, run: str, plan: Any, **headers: str) -> TestResponse:  # noqa: ANN401
    given = {"Origin": "http://localhost", "X-Insight-Token": plan["token"], **headers}
    return client.post(f"{BASE}/move", query_string={"run": run, "version": plan["version"]}, headers=given)


def _refused(client: Client, run: str) -> tuple[int, str]:
    answer = client.get(f"{BASE}/plan", query_string={"run": run})
    assert answer.json is not None
    return answer.status_code, answer.json["code"]


def _tree(place: Path) -> set[str]:
    return {str(path.relative_to(place)) for path in place.rglob("*")}


def test_a_run_goes_to_the_trash_with_its_directory_and_can_be_restored(
    client_of: Callable[..., Client], logs: Path, trash: Path
) -> None:
    event_file = _write(logs / "a b%", "model/weights.bin")
    _write(logs / "other")
    before, client = _tree(logs / "a b%"), client_of(logs)
    (logs / "a b%/outside").symlink_to(logs / "other")  # is moved as a link
    plan = _plan(client, "a b%")
    size = event_file.stat().st_size + 5 + (logs / "a b%/outside").lstat().st_size
    assert (plan["directory"], plan["whole"]) == (str(logs / "a b%"), True)
    assert (plan["files"], plan["bytes"]) == (3, size)
    assert _move(client, "a b%", plan).status_code == 200
    assert _tree(logs) == {"other", *(f"other/{name}" for name in _tree(logs / "other"))}
    assert len(_tree(logs / "other")) == 1
    moved = trash / "files/a b%"
    assert _tree(moved) == before | {"outside"}
    info = (trash / "info/a b%.trashinfo").read_text()
    [line] = [line for line in info.splitlines() if line.startswith("Path=")]
    assert (trash.parent / unquote(line.removeprefix("Path="))).resolve() == logs / "a b%"
    [row] = client.get(f"{BASE}/moved").json["moved"]  # type: ignore[index]
    assert (row["run"], row["directory"], row["files"]) == ("a b%", str(logs / "a b%"), 3)


@pytest.mark.parametrize("run", ["a", "."])
def test_only_the_own_files_of_a_run_go_where_others_are_below_it(
    client_of: Callable[..., Client], logs: Path, trash: Path, run: str
) -> None:
    event_file = _write(logs / run, "notes.txt", "model/weights.bin")
    nested = _write(logs / run / "b/c")
    client = client_of(logs)
    plan = _plan(client, run)
    assert (plan["whole"], plan["nested"], plan["files"]) == (False, 1, 1)
    assert plan["bytes"] == event_file.stat().st_size
    assert _move(client, run, plan).status_code == 200
    assert [path.name for path in (trash / "files").iterdir()] == [event_file.name]
    assert not event_file.exists()
    assert nested.exists()
    assert (logs / run / "notes.txt").exists()
    assert (logs / run / "model/weights.bin").exists()


def test_a_log_directory_is_never_moved(client_of: Callable[..., Client], logs: Path, trash: Path) -> None:
    _write(logs, "notes.txt")
    client = client_of(logs)
    plan = _plan(client, ".")
    assert (plan["whole"], plan["nested"]) == (False, 0)
    assert _move(client, ".", plan).status_code == 200
    assert _tree(logs) == {"notes.txt"}


def test_a_host_without_the_flag_moves_nothing(
    client_of: Callable[..., Client], logs: Path, trash: Path
) -> None:
    _write(logs / "a")
    client = client_of(logs, allowed=False)
    assert client.get(f"{BASE}/plan?run=a").status_code == 404
    assert client.post(f"{BASE}/move?run=a&version=x").status_code == 404
    [option] = insight_trash.insight_options()
    assert (option.name, option.default) == ("allow-delete", False)


def test_a_read_only_host_moves_nothing(client_of: Callable[..., Client], logs: Path, trash: Path) -> None:
    _write(logs / "a")
    plan = _plan(client_of(logs), "a")
    client = client_of(logs, read_only=True)
    assert _refused(client, "a") == (403, "read_only")
    assert _move(client, "a", plan).status_code == 403
    assert (logs / "a").exists()


def test_another_page_moves_nothing(client_of: Callable[..., Client], logs: Path, trash: Path) -> None:
    _write(logs / "a")
    client = client_of(logs)
    plan = _plan(client, "a")
    assert _move(client, "a", plan, Origin="http://elsewhere.example").status_code == 403
    assert _move(client, "a", plan, **{"X-Insight-Token": "guessed"}).status_code == 403
    assert client.get(f"{BASE}/move?run=a&version={plan['version']}").status_code == 405
    assert (logs / "a").exists()


def test_what_was_not_confirmed_is_not_moved(
    client_of: Callable[..., Client], logs: Path, trash: Path
) -> None:
    _write(logs / "a")
    client = client_of(logs)
    plan = _plan(client, "a")
    nested = _write(logs / "a/new")
    answer = _move(client, "a", plan)
    assert (answer.status_code, answer.json["code"]) == (409, "trash_changed")  # type: ignore[index]
    assert nested.exists()
    assert not trash.exists()


def test_runs_of_another_machine_are_refused(tmp_path: Path, trash: Path) -> None:
    provider = FakeProvider("elsewhere:6007")
    provider.add_scalars("a", "loss", [1.0])
    assert _refused(_client(provider, tmp_path), "a") == (409, "trash_remote")


def test_links_are_refused(client_of: Callable[..., Client], logs: Path, tmp_path: Path, trash: Path) -> None:
    outside = _write(tmp_path / "outside/run")
    event_file = _write(logs / "a")
    (logs / "out").symlink_to(tmp_path / "outside")
    (logs / "same").symlink_to(logs / "a")
    assert _refused(client_of(logs), "out/run") == (409, "trash_outside")
    through = RunFile("same", str(logs / "same" / event_file.name), str(logs / "same"), str(logs))
    assert _refused(_client(Reading([through]), tmp_path), "same") == (409, "trash_link")
    assert outside.exists()


def test_a_run_in_several_directories_is_refused(logs: Path, tmp_path: Path, trash: Path) -> None:
    files = [RunFile("a", str(_write(logs / name)), str(logs / name), str(logs)) for name in ("a", "b")]
    assert _refused(_client(Reading(files), tmp_path), "a") == (409, "trash_several")


def test_a_file_of_two_runs_is_refused(client_of: Callable[..., Client], logs: Path, trash: Path) -> None:
    event_file = _write(logs / "a")
    (logs / "b").mkdir()
    (logs / "b" / event_file.name).symlink_to(event_file)
    assert _refused(client_of(logs), "a") == (409, "trash_shared")
    _write(logs / "c/d")
    assert _refused(client_of(logs, logs / "c"), "l1/d") == (409, "trash_shared")


@pytest.mark.parametrize("run", ["missing", "../logs/a", "/etc", ""])
def test_names_of_no_run_are_refused(
    client_of: Callable[..., Client], logs: Path, trash: Path, run: str
) -> None:
    _write(logs / "a")
    assert _refused(client_of(logs), run)[0] in (400, 404)


def test_a_trash_that_cannot_be_made_is_named_and_nothing_is_lost(
    client_of: Callable[..., Client], logs: Path, trash: Path
) -> None:
    event_file = _write(logs / "a")
    trash.parent.write_text("a file where the trash should be")
    client = client_of(logs)
    answer = _move(client, "a", _plan(client, "a"))
    assert answer.status_code == 409
    text = answer.json["error"]  # type: ignore[index]
    assert str(logs / "a") in text
    assert "Not a directory" in text
    assert event_file.exists()


def test_a_directory_that_may_not_be_written_is_named(
    client_of: Callable[..., Client], logs: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_file = _write(logs / "a")
    client = client_of(logs)
    plan = _plan(client, "a")
    access = os.access

    def denied(path: Any, mode: int) -> bool:  # noqa: ANN401
        return access(path, mode) and not (path == str(logs) and mode & os.W_OK)  # root may everything

    monkeypatch.setattr(os, "access", denied)
    answer = _move(client, "a", plan)
    assert answer.json["error"] == f"{logs / 'a'}: Permission denied ({logs})"  # type: ignore[index]
    assert event_file.exists()


def test_nothing_is_copied_to_another_file_system(
    client_of: Callable[..., Client], logs: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_file = _write(logs / "a")
    monkeypatch.setenv("XDG_DATA_HOME", "/proc/self")  # another file system everywhere
    client = client_of(logs)
    answer = _move(client, "a", _plan(client, "a"))
    assert answer.json["code"] == "trash_elsewhere"  # type: ignore[index]
    assert event_file.exists()
