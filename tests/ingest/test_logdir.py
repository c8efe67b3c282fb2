"""Which runs a logdir holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from insight_core.ingest.discover import discover
from insight_core.ingest.logdir import Logdir, parse_logdir
from insight_core.plugin import Dialect, InvalidArgument


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")


def test_names_of_both_writers_at_any_depth(tmp_path: Path) -> None:
    touch(tmp_path / "events.out.tfevents.5.h")
    touch(tmp_path / "a/b/c/events.out.tfevents.17.h.1.v2")
    touch(tmp_path / "ms/events.out.events.summary.99.0.vm_MS")
    touch(tmp_path / "ms/events.out.events.summary.99.0.vm_lineage")
    touch(tmp_path / "lineage/events.out.events.summary.98.0.vm_lineage")
    touch(tmp_path / "graph/ms_output_after_hwopt.pb")
    touch(tmp_path / ".hidden/x.tfevents")
    touch(tmp_path / "saved/saved_model.pb")
    touch(tmp_path / "a/plugins/profile/2026/vm.xplane.pb")
    touch(tmp_path / "other/notes.txt")
    found = discover([Logdir(str(tmp_path))])
    assert set(found.runs) == {".", "a/b/c", "ms", "lineage", "graph", ".hidden"}
    files = {f.name: (f.run, f.order[0], f.dialect) for f in found.files.values()}
    assert files == {
        "events.out.tfevents.5.h": (".", 5.0, Dialect.TENSORBOARD),
        "a/b/c/events.out.tfevents.17.h.1.v2": ("a/b/c", 17.0, Dialect.TENSORBOARD),
        "ms/events.out.events.summary.99.0.vm_MS": ("ms", 99.0, Dialect.MINDSPORE),
        ".hidden/x.tfevents": (".hidden", 0.0, Dialect.TENSORBOARD),
    }
    assert not found.damage


def test_links_to_directories_are_followed_and_loops_cut(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    touch(logs / "real/x.tfevents.1")
    touch(tmp_path / "elsewhere/sub/y.tfevents.1")
    (logs / "link").symlink_to(tmp_path / "elsewhere")
    (logs / "real/loop").symlink_to(logs)
    (tmp_path / "itself").symlink_to(logs)
    for logdir in (logs, tmp_path / "itself"):
        found = discover([Logdir(str(logdir))])
        assert set(found.runs) == {"real", "link/sub"}
        assert {file for _, file in found.damage} == {"real/loop"}


def test_each_directory_is_visited_once_however_many_links_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"d{number}" for number in range(9)]
    for name in names:
        touch(tmp_path / name / "x.tfevents.1")
    for name in names:
        for other in names:
            if other != name:
                (tmp_path / name / f"to_{other}").symlink_to(tmp_path / other)
    listed: list[str] = []
    scan = os.scandir

    def counted(path: str) -> object:
        listed.append(path)
        assert len(listed) <= 10
        return scan(path)

    monkeypatch.setattr(os, "scandir", counted)
    found = discover([Logdir(str(tmp_path))])
    assert set(found.runs) == set(names)
    assert not found.damage


def test_a_directory_keeps_its_own_name_and_else_that_of_the_nearest_first_link(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    touch(logs / "z/run/x.tfevents.1")
    touch(tmp_path / "elsewhere/x.tfevents.1")
    (logs / "a").symlink_to(logs / "z/run")
    (logs / "z/below").symlink_to(tmp_path / "elsewhere")
    (logs / "second").symlink_to(tmp_path / "elsewhere")
    (logs / "first").symlink_to(tmp_path / "elsewhere")
    assert set(discover([Logdir(str(logs))]).runs) == {"z/run", "first"}


@pytest.mark.parametrize("spelled", ["{}", "{}/", "{}/./run/.."])
def test_links_directly_in_a_logdir_are_followed_wherever_they_lead(tmp_path: Path, spelled: str) -> None:
    touch(tmp_path / "elsewhere/x.tfevents.1")
    touch(tmp_path / "far/run/y.tfevents.1")
    touch(tmp_path / "logs/run/z.tfevents.1")
    (tmp_path / "logs/x.tfevents.1").symlink_to(tmp_path / "elsewhere/x.tfevents.1")
    (tmp_path / "logs/link").symlink_to(tmp_path / "far")
    found = discover([Logdir(spelled.format(tmp_path / "logs"))])
    assert set(found.runs) == {".", "run", "link/run"}
    assert not found.damage
    assert not found.not_followed


def linked_out(tmp_path: Path) -> Path:
    """A logdir with links further below, which lead out of it, and to places inside."""
    logs = tmp_path / "logs"
    touch(tmp_path / "outside/a/x.tfevents.1")
    touch(tmp_path / "shared/b/x.tfevents.1")
    touch(tmp_path / "shared/c/x.tfevents.1")
    touch(logs / "run/x.tfevents.1")
    (logs / "group").mkdir()
    (logs / "group/directory").symlink_to(tmp_path / "outside")
    (logs / "group/x.tfevents.2").symlink_to(tmp_path / "outside/a/x.tfevents.1")
    (logs / "run/checkpoints").symlink_to(tmp_path / "outside")
    (logs / "run/x.tfevents.3").symlink_to(tmp_path / "shared/c/x.tfevents.1")
    (logs / "run/twin").symlink_to(logs / "run")
    (logs / "zz").symlink_to(tmp_path / "shared")
    return logs


def test_other_links_out_of_the_logdirs_are_listed_and_not_followed(tmp_path: Path) -> None:
    logs = linked_out(tmp_path)
    found = discover([Logdir(str(logs))])
    assert set(found.runs) == {"run", "zz/b", "zz/c", "group"}
    assert {file.name for file in found.files.values()} == {
        "run/x.tfevents.1",
        "run/x.tfevents.3",  # it lies below the target of a link directly in the logdir
        "zz/b/x.tfevents.1",
        "zz/c/x.tfevents.1",
    }
    damage = {file: flaw.reason for (_, file), flaw in found.damage.items()}
    assert set(damage) == {"group/directory", "group/x.tfevents.2", "run/twin"}
    assert "--follow-symlinks" in damage["group/directory"]
    expected = ["group/directory", "group/x.tfevents.2", "run/checkpoints"]
    assert sorted(found.not_followed) == [str(logs / name) for name in expected]


def test_links_that_lead_out_are_followed_on_request(tmp_path: Path) -> None:
    found = discover([Logdir(str(linked_out(tmp_path)))], follow_symlinks=True)
    assert set(found.runs) == {"run", "zz/b", "zz/c", "group", "group/directory/a"}
    assert {file for _, file in found.damage} == {"run/twin"}
    assert not found.not_followed


def test_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    directory = os.fsencode(tmp_path) + b"/bad\xff"
    os.mkdir(directory)
    with open(directory + b"/x.tfevents", "wb"):
        pass
    found = discover([Logdir(str(tmp_path))])
    assert list(found.runs) == ["bad\\xff"]
    [(_, path)] = found.files
    assert os.path.exists(path)


def test_a_directory_named_like_an_event_file_is_said(tmp_path: Path) -> None:
    touch(tmp_path / "events.out.tfevents.1/x.tfevents.2")
    found = discover([Logdir(str(tmp_path))])
    assert list(found.runs) == ["events.out.tfevents.1"]
    [flaw] = found.damage.values()
    assert "directory" in flaw.reason


def test_several_logdirs_have_prefixes_of_their_own(tmp_path: Path) -> None:
    for name in ("one/logs", "two/logs", "three"):
        touch(tmp_path / name / "x.tfevents.1")
    found = discover(
        [Logdir(str(tmp_path / p), n) for p, n in (("one/logs", None), ("two/logs", None), ("three", "mine"))]
    )
    assert list(found.runs) == ["logs", "logs~2", "mine"]


def test_a_missing_logdir_is_said_and_the_others_load(tmp_path: Path) -> None:
    touch(tmp_path / "x.tfevents.1")
    found = discover([Logdir(str(tmp_path), "here"), Logdir(str(tmp_path / "none"))])
    assert found.missing == [str(tmp_path / "none")]
    assert list(found.runs) == ["here"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("runs", Logdir("runs")),
        ("/abs/runs", Logdir("/abs/runs")),
        ("base:runs", Logdir("runs", "base")),
        ("a/b:c", Logdir("a/b:c")),
    ],
)
def test_parse_logdir(text: str, expected: Logdir) -> None:
    assert parse_logdir(text) == expected


def test_parse_logdir_does_not_split_what_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x:y").mkdir()
    assert parse_logdir("x:y") == Logdir("x:y")
    with pytest.raises(InvalidArgument):
        parse_logdir("")


def test_a_logdir_may_be_of_one_dialect(tmp_path: Path) -> None:
    touch(tmp_path / "a/events.out.tfevents.1.host")
    touch(tmp_path / "b/x.out.events.summary.1.host")
    mindspore = Logdir(str(tmp_path), dialects=frozenset({Dialect.MINDSPORE}))
    assert list(discover([mindspore]).runs) == ["b"]
    assert {file.run for file in discover([Logdir(str(tmp_path))]).files.values()} == {"a", "b"}
