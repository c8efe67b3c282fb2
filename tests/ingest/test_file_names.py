"""Which files plugins take by their names, and of which runs these are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from insight_core.ingest import suspects as suspects_module
from insight_core.ingest.beginnings import Beginnings
from insight_core.ingest.discover import discover, may_count_below
from insight_core.ingest.fetching import FilePart
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.found import Found
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import BEGINNING, DataKind, Dialect, FileName, Plugin, RecordDecoder

EVENTS = "events.out.tfevents.1700000000.host"


def plugin(name: str, *claims: FileName | str) -> Plugin:
    names = {FileName(claim) if isinstance(claim, str) else claim for claim in claims}
    return Plugin(name, name, decoder=RecordDecoder(names))


def found_below(directory: Path, *plugins: Plugin) -> Found:
    return discover([Logdir(str(directory))], FileNames(plugins))


def touch(directory: Path, *names: str) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def taken(found: Found) -> dict[str, set[str]]:
    """Tags by run."""
    tags: dict[str, set[str]] = {}
    for file in found.named.values():
        tags.setdefault(file.run, set()).add(file.path_in_run)
    return tags


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.pb", "graph.pb", True),
        ("*.pb", "below/graph.pb", False),
        ("*.pb", "graph.pbtxt", False),
        ("*.pb", ".hidden.pb", False),
        (".*.pb", ".hidden.pb", True),
        ("*.PB", "graph.pb", False),
        ("*.pt.trace.json*", "h.1.pt.trace.json.gz", True),
        ("step_?.csv", "step_1.csv", True),
        ("step_?.csv", "step_12.csv", False),
        ("rank_[0-3].csv", "rank_2.csv", True),
        ("rank_[!0-3].csv", "rank_2.csv", False),
        ("[!a]*.csv", ".b.csv", False),
        ("a(b).csv", "a(b).csv", True),
        ("plugins/profile/*/*.xplane.pb", "plugins/profile/2026/vm.xplane.pb", True),
        ("plugins/profile/*/*.xplane.pb", "plugins/profile/vm.xplane.pb", False),
        ("plugins/profile/*/*.xplane.pb", "plugins/profile/.old/vm.xplane.pb", False),
        ("**/*.json", "a.json", True),
        ("**/*.json", "x/y/a.json", True),
        ("**/*.json", "x/.git/a.json", False),
        ("x/**/a.json", "x/a.json", True),
        ("x/**/a.json", "x/y/z/a.json", True),
        ("x/**/y/*.json", "x/y/y/y/a.json", True),
        ("*_ms/**", "vm_ms/a/b.csv", True),
        ("*_ms/**", "vm_ms/c.csv", True),
        ("*_ms/**", "vm_ms/a/.b", False),
        ("*", "anything", True),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, path: str, matches: bool) -> None:
    touch(tmp_path, EVENTS, path)
    found = found_below(tmp_path, plugin("p", FileName(pattern, makes_run=False)))
    assert taken(found) == ({".": {path}} if matches else {})
    assert FileNames([plugin("p", pattern)]).take(path) or not matches


@pytest.mark.parametrize("pattern", ["", "/a", "a/", "a//b", "./a", "../a", "a/**b", "***"])
def test_patterns_that_are_no_paths_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        FileName(pattern)


def test_files_are_not_numbers() -> None:
    with pytest.raises(ValueError, match="no numbers"):
        RecordDecoder({FileName("*.csv")}, kind=DataKind.SCALAR)


def test_a_claim_is_its_pattern() -> None:
    assert FileName("*.pb") == FileName("*.pb", makes_run=False)
    assert str(FileName("*.pb")) == "file:*.pb"


def test_a_file_is_told_with_its_size_and_time(tmp_path: Path) -> None:
    touch(tmp_path, "run/trace/a.json")
    os.utime(tmp_path / "run/trace/a.json", ns=(1, 1_600_000_000_250_000_000))
    found = found_below(tmp_path, plugin("p", "trace/*.json"))
    [file] = found.named.values()
    assert (file.run, file.name, file.path_in_run) == ("run", "run/trace/a.json", "trace/a.json")
    assert file.claims == (("p", FileName("trace/*.json")),)
    assert (file.size, file.mtime_ns) == (1, 1_600_000_000_250_000_000)
    assert found.runs == {"run": 1_600_000_000.25}
    assert not found.files


def test_a_directory_that_holds_only_such_a_file_is_a_run(tmp_path: Path) -> None:
    touch(tmp_path, "a/graph.pb", "b/plugins/profile/2026/vm.xplane.pb", "c/deep/x.trace.json", "d/notes.txt")
    found = found_below(tmp_path, plugin("p", "*.pb", "plugins/profile/*/*.xplane.pb", "**/*.trace.json"))
    assert taken(found) == {
        "a": {"graph.pb"},
        "b": {"plugins/profile/2026/vm.xplane.pb"},
        "c/deep": {"x.trace.json"},
    }
    assert set(found.runs) == {"a", "b", "c/deep"}


def test_a_file_belongs_to_the_nearest_directory_with_event_files(tmp_path: Path) -> None:
    names = ("x.json", "a/x.json", "a/b/x.json", "a/b/c/d/x.json", "other/x.json")
    touch(tmp_path, EVENTS, f"a/b/{EVENTS}", *names)
    found = found_below(tmp_path, plugin("p", "**/*.json"))
    assert taken(found) == {".": {"x.json", "a/x.json", "other/x.json"}, "a/b": {"x.json", "c/d/x.json"}}
    assert set(found.runs) == {".", "a/b"}


def test_event_files_of_another_dialect_hold_a_file_as_well(tmp_path: Path) -> None:
    touch(tmp_path, f"a/{EVENTS}", "a/traces/x.json")
    logdir = Logdir(str(tmp_path), dialects=frozenset({Dialect.MINDSPORE}))
    found = discover([logdir], FileNames([plugin("p", "**/*.json")]))
    assert taken(found) == {"a": {"traces/x.json"}}
    assert not found.files


def test_what_makes_no_run_is_taken_where_there_is_one(tmp_path: Path) -> None:
    touch(
        tmp_path, f"a/{EVENTS}", "a/x.pb", "b/saved_model.pb", "c/x.pb", "c/x.trace.json", "d/ms_output_1.pb"
    )
    touch(tmp_path, "e/y_lineage", "e/events.out.events.summary.5.vm_lineage", "e/x.pb")
    found = found_below(
        tmp_path, plugin("graph", FileName("*.pb", makes_run=False)), plugin("trace", "*.trace.json")
    )
    assert taken(found) == {
        "a": {"x.pb"},
        "c": {"x.pb", "x.trace.json"},
        "d": {"ms_output_1.pb"},
        "e": {"x.pb"},
    }


def test_several_plugins_take_a_file_each_as_one_of_its_run(tmp_path: Path) -> None:
    touch(tmp_path, "a/p/x.pb")
    found = found_below(tmp_path, plugin("one", "*.pb"), plugin("two", "*.pb"), plugin("three", "p/*.pb"))
    claims = {file.run: dict(file.claims) for file in found.named.values()}
    assert claims == {
        "a/p": {"one": FileName("*.pb"), "two": FileName("*.pb")},
        "a": {"three": FileName("p/*.pb")},
    }


def test_of_several_patterns_of_a_plugin_the_one_that_says_most_decides(tmp_path: Path) -> None:
    touch(tmp_path, "a/p/long_name_of_a_graph.pb")
    found = found_below(tmp_path, plugin("one", "*.pb", "p/*.pb", "long_*.pb", "long_name_of_a_*.pb"))
    [file] = found.named.values()
    assert (file.run, file.claims) == ("a", (("one", FileName("p/*.pb")),))
    touch(tmp_path, "b/long_name_of_a_graph.pb")
    found = found_below(tmp_path / "b", plugin("one", "*.pb", "long_*.pb"))
    assert [file.claims for file in found.named.values()] == [(("one", FileName("long_*.pb")),)]


def test_event_files_are_not_taken_by_name(tmp_path: Path) -> None:
    names = ("events.out.events.summary.5.vm_lineage", "events.out.events.summary.5.vm_explain", "notes")
    touch(tmp_path, EVENTS, "events.out.events.summary.5.vm_MS", *names)
    found = found_below(tmp_path, plugin("p", "*"))
    assert taken(found) == {".": set(names)}
    assert {file.name for file in found.files.values()} == {EVENTS, "events.out.events.summary.5.vm_MS"}
    lineage = found_below(tmp_path, plugin("p", "*_lineage"))
    assert taken(lineage) == {".": {"events.out.events.summary.5.vm_lineage"}}


def test_links_are_followed_and_those_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    touch(tmp_path, "real/x.json")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real/loop").symlink_to(tmp_path)
    (tmp_path / "real/y.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "real/y.txt").symlink_to(tmp_path / "nothing")
    (tmp_path / "real/z.json").symlink_to(tmp_path / "real/x.json")
    os.mkfifo(tmp_path / "real/pipe.json")
    found = found_below(tmp_path, plugin("p", "*.json"))
    assert taken(found) == {"real": {"x.json", "z.json"}}
    assert {file: flaw.reason for (_, file), flaw in found.damage.items() if "loop" not in file} == {
        "real/y.json": "a symbolic link that leads nowhere",
    }


def test_a_link_to_a_file_outside_of_the_logdirs_is_told_and_not_read(tmp_path: Path) -> None:
    touch(tmp_path, "secret", "linked/run/x.json", "linked/run/other", "logs/run/y.json", "more/z.json")
    logs = tmp_path / "logs"
    (logs / "run/out.json").symlink_to(tmp_path / "secret")
    (logs / "run/far.json").symlink_to("../../linked/../secret")
    (logs / "in").symlink_to(tmp_path / "linked/run")
    (tmp_path / "linked/run/latest.json").symlink_to("x.json")
    (logs / "run/again.json").symlink_to(tmp_path / "linked/run/x.json")  # whose directory is linked too
    (logs / "run/more.json").symlink_to(tmp_path / "more/z.json")
    names = FileNames([plugin("p", "*.json")])
    found = discover([Logdir(str(logs), "a"), Logdir(str(tmp_path / "more"), "b")], names)
    assert taken(found) == {
        "a/run": {"y.json", "again.json", "more.json"},
        "a/in": {"x.json", "latest.json"},
        "b": {"z.json"},
    }
    assert {file for _, file in found.damage} == {"run/out.json", "run/far.json"}
    assert all("outside" in flaw.reason for flaw in found.damage.values())
    followed = discover([Logdir(str(logs), "a")], names, follow_symlinks=True)
    assert taken(followed)["a/run"] == {"y.json", "again.json", "more.json", "out.json", "far.json"}


def test_names_of_files_that_are_not_utf8_are_shown(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/bad\xff.pb", "wb"):
        pass
    [file] = found_below(tmp_path, plugin("p", "*.pb")).named.values()
    assert file.path_in_run == "bad\\xff.pb"
    assert os.path.exists(file.path)


def test_overlapping_logdirs_have_it_each(tmp_path: Path) -> None:
    touch(tmp_path, "a/x.pb")
    logdirs = [Logdir(str(tmp_path), "all"), Logdir(str(tmp_path / "a"), "one")]
    assert taken(discover(logdirs, FileNames([plugin("p", "*.pb")]))) == {"all/a": {"x.pb"}, "one": {"x.pb"}}


def test_what_is_watched_is_a_path_below_a_logdir(tmp_path: Path) -> None:
    logs = tmp_path / "trace"
    counts = may_count_below([Logdir(str(logs))], FileNames([plugin("p", "trace/**")]))
    assert counts(str(logs / "run/trace/any.log"))
    assert not counts(str(logs / "run/any.log"))
    assert counts(str(logs / "run" / EVENTS))


def test_nothing_is_taken_without_a_claim(tmp_path: Path) -> None:
    touch(tmp_path, EVENTS, "a/x.pb", "a/x.pt.trace.json")
    assert discover([Logdir(str(tmp_path))]).named == {}
    assert found_below(tmp_path, Plugin("p", "P")).runs.keys() == {"."}


def _is_ours(beginning: bytes) -> bool:
    return beginning.startswith(b"ours")


def test_a_file_makes_a_run_by_what_it_begins_with(tmp_path: Path) -> None:
    for name, content in {"a/x.pb": b"ours", "a/y.pb": b"no", "b/x.pb": b"no", "c/x.pb": b""}.items():
        touch(tmp_path, name)
        (tmp_path / name).write_bytes(content)
    touch(tmp_path, f"d/{EVENTS}", "d/x.pb")
    found = found_below(tmp_path, plugin("p", FileName("*.pb", makes_run=_is_ours)))
    assert taken(found) == {"a": {"x.pb", "y.pb"}, "d": {"x.pb"}}
    assert set(found.runs) == {"a", "d"}


def test_what_a_file_begins_with_is_read_once(tmp_path: Path) -> None:
    touch(tmp_path, "a/x.pb", EVENTS, "y.pb")
    asked: list[bytes] = []

    def tells(beginning: bytes) -> bool:
        asked.append(beginning)
        return _is_ours(beginning)

    names = FileNames([plugin("p", FileName("*.pb", makes_run=tells))])
    beginnings = Beginnings()
    (tmp_path / "a/x.pb").write_bytes(b"o")
    for content, expected, times in ((b"o", {}, 1), (b"o", {}, 1), (b"ours" * 2000, {"a": {"x.pb"}}, 2)):
        if (tmp_path / "a/x.pb").read_bytes() != content:
            (tmp_path / "a/x.pb").write_bytes(content)
        found = taken(discover([Logdir(str(tmp_path))], names, beginnings))
        assert found == {".": {"y.pb"}, **expected}
        assert len(asked) == times
    assert asked[-1] == b"ours" * (BEGINNING // 4)


def test_a_fault_in_what_tells_a_run_is_no_fault_of_the_look(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    touch(tmp_path, "a/x.pb", EVENTS)

    def tells(beginning: bytes) -> bool:
        raise RuntimeError("ours")

    assert set(found_below(tmp_path, plugin("p", FileName("*.pb", makes_run=tells))).runs) == {"."}
    assert "x.pb" in caplog.text


# --- claims by the beginning of files ---


def _suspecting(*patterns: str) -> FileNames:
    return FileNames([plugin("p", *(FileName(pattern, begins=_is_ours) for pattern in patterns))])


def _write(directory: Path, **contents: bytes) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (directory / f"{name}.x").write_bytes(content)


def test_only_files_that_begin_right_are_claimed(tmp_path: Path) -> None:
    _write(tmp_path / "a", x=b"ours", y=b"no", empty=b"")
    _write(tmp_path / "b", x=b"no")
    _write(tmp_path / "c", x=b"ours", y=b"no")
    touch(tmp_path, f"c/{EVENTS}")
    found = discover([Logdir(str(tmp_path))], _suspecting("*.x"))
    assert taken(found) == {"a": {"x.x"}, "c": {"x.x"}}
    assert set(found.runs) == {"a", "c"}


def test_a_file_that_is_claimed_by_its_name_is_not_asked_about(tmp_path: Path) -> None:
    _write(tmp_path, named=b"no", other=b"no")
    names = FileNames([plugin("p", "named.x", FileName("*.x", begins=_is_ours)), plugin("q", "other.x")])
    found = discover([Logdir(str(tmp_path))], names)
    assert sorted((file.path_in_run, [name for name, _ in file.claims]) for file in found.named.values()) == [
        ("named.x", ["p"]),
        ("other.x", ["q"]),
    ]


def test_a_file_that_becomes_ours_is_claimed(tmp_path: Path) -> None:
    _write(tmp_path, a=b"")
    names, beginnings = _suspecting("**/*.x"), Beginnings()
    assert taken(discover([Logdir(str(tmp_path))], names, beginnings)) == {}
    _write(tmp_path, a=b"ours")
    assert taken(discover([Logdir(str(tmp_path))], names, beginnings)) == {".": {"a.x"}}
    counts = may_count_below([Logdir(str(tmp_path))], names)
    assert counts(str(tmp_path / "a.x"))
    _write(tmp_path, a=b"no longer")
    assert not counts(str(tmp_path / "a.x"))
    assert taken(discover([Logdir(str(tmp_path))], names, beginnings)) == {}


def test_of_many_files_alike_some_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The beginnings of 100,000 samples are not read: it is clear what they are."""
    for number in range(70):
        _write(tmp_path / "samples", **{f"sample_{number:05}": b"no", f"{number * 7919:08x}-a": b"no"})
    _write(tmp_path / "samples", trace=b"ours")
    for number in range(70):
        _write(tmp_path / "traces", **{f"rank{number}": b"ours"})
    asked: list[bytes] = []

    def tells(beginning: bytes) -> bool:
        asked.append(beginning)
        return _is_ours(beginning)

    monkeypatch.setattr(suspects_module, "_MOST_ALIKE", 10)
    names, beginnings = FileNames([plugin("p", FileName("*.x", begins=tells))]), Beginnings()
    for _ in range(2):
        found = taken(discover([Logdir(str(tmp_path))], names, beginnings))
        assert found == {"samples": {"trace.x"}, "traces": {f"rank{number}.x" for number in range(70)}}
        assert asked.count(b"no") == 20
    monkeypatch.setattr(suspects_module, "_MOST_REFUSED", 3)
    limited = Beginnings()
    for _ in range(2):
        taken(discover([Logdir(str(tmp_path))], names, limited))
    assert asked.count(b"no") == 23
    assert caplog.text.count("not all of them are looked into") == 1


def test_many_files_of_many_names_hide_none(tmp_path: Path) -> None:
    for number in range(6_000):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        _write(tmp_path / "data", **{name: b"no"})
    _write(tmp_path / "data", zz=b"ours")
    _write(tmp_path / "traces", first=b"ours")
    found = taken(discover([Logdir(str(tmp_path))], _suspecting("**/*.x")))
    assert found == {"data": {"zz.x"}, "traces": {"first.x"}}


def test_beginnings_elsewhere_are_fetched_together_and_fewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        _write(tmp_path, **{f"sample_{number}": b"no"})
    fetched: list[int] = []

    def fetch(parts: Sequence[FilePart]) -> None:
        assert all((part.start, part.end) == (0, BEGINNING) for part in parts)
        fetched.append(len(parts))

    monkeypatch.setattr(suspects_module, "_MOST_ALIKE", 320)
    discover([Logdir(str(tmp_path))], _suspecting("*.x"), Beginnings(fetch))
    assert fetched[0] == 64
    assert len(fetched) == 11  # once together, then one after another, of which all are there
