"""Texts, pictures and hyperparameters of a log format appear in the tabs that have those of event files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import insight_image
import insight_lineage
import insight_scalar
import insight_text
import numpy as np
import pytest
from attrs import evolve
from insight_image.decoder import pictures_of
from insight_remote.mirror.mirrors import Mirrors
from insight_text.decoder import texts_of

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import (
    FileName,
    HyperParameters,
    Images,
    InsightError,
    LogFormat,
    Points,
    RemoteFile,
    Texts,
    Undecodable,
)
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.testing import read_all
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import serve
from tests.lakes import LakeBuild
from tests.support.pictures import png
from tests.waiting import eventually

PLUGINS = [each.insight_plugin() for each in (insight_scalar, insight_text, insight_image, insight_lineage)]
PICTURE = png(np.full((2, 3), 7))


def read(stream: BinaryIO, state: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
    """A line is an object: ``step``, and ``loss``, ``text``, ``pixels``, ``path`` or ``params``."""
    items: list[Any] = []
    for _ in range(3):
        offset = stream.tell()
        line = stream.readline()
        if not line.endswith(b"\n"):
            stream.seek(offset)
            break
        said = json.loads(line)
        step = said.get("step", 0)
        if "loss" in said:
            items.append(Points("loss", [step], [said["loss"]]))
        if "text" in said:
            items.append(Texts("answer", [step], [said["text"]], [1_700_000_000.0 + step]))
        if "pixels" in said:
            items.append(Images("made", [step], [png(np.full((1, 1), said["pixels"]))]))
        if "path" in said:
            items.append(Images("saved", [step], [said["path"]]))
        if "params" in said:
            items.append(HyperParameters(said["params"]))
    return items, state


FORMAT = LogFormat("answers", FileName("*.answers"), read)


class LocalFiles:
    """A directory as a remote store."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def pages(self) -> Iterator[list[RemoteFile]]:
        yield [
            RemoteFile(path.relative_to(self._root).as_posix(), info.st_size, info.st_mtime_ns)
            for path in sorted(self._root.rglob("*"))
            if path.is_file() and (info := path.stat())
        ]

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        return (self._root / file.path).read_bytes()[start:end]

    def close(self) -> None:
        pass


def write(path: Path, *lines: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def open_(tmp_path: Path, stack: ExitStack) -> Any:  # noqa: ANN401
    def opened(**options: Any) -> LocalProvider:  # noqa: ANN401
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs"))],
            PLUGINS,
            log_formats=[FORMAT],
            cache_directory=tmp_path / "cache",
            **{"reload_interval": 0, **options},
        )
        stack.callback(provider.close)
        provider.load()
        return provider

    return opened


def texts(provider: DataProvider, run: str = "run") -> list[tuple[int, list[str]]]:
    key = SeriesKey(run, "answer")
    steps = provider.records("text", key).steps.tolist()
    read_ = [texts_of(provider.payload("text", key, index)) for index in range(len(steps))]
    return list(zip(steps, [list(each.strings) for each in read_], strict=True))


def test_each_kind_is_in_its_tab(open_: Any, tmp_path: Path, stack: ExitStack) -> None:  # noqa: ANN401
    run = tmp_path / "logs/run"
    write(run / "a.answers", {"params": {"optimizer": {"lr": 0.5}, "name": "adam", "nesterov": True}})
    for step in range(8):
        write(run / "a.answers", {"step": step, "loss": step / 2, "text": f"*{step}* ü", "pixels": step})
    (run / "seen").mkdir()
    (run / "seen/1.png").write_bytes(PICTURE)
    write(run / "a.answers", {"step": 1, "path": "seen/1.png"}, {"params": {"seed": 3}})
    local = open_()
    server = serve(local, "127.0.0.1", 0, version="test")
    stack.callback(server.stop)
    client = InsightProvider(Link(f"127.0.0.1:{server.port}"))
    stack.callback(client.close)
    client.start()
    eventually(client.generation)
    for provider in (local, client):
        assert provider.damage() == []
        assert provider.plugins() == {"scalar", "text", "image", "lineage"}
        assert texts(provider) == [(step, [f"*{step}* ü"]) for step in range(8)]
        times = provider.records("text", SeriesKey("run", "answer")).wall_times
        assert times.tolist() == [1_700_000_000.0 + step for step in range(8)]
        made = provider.payload("image", SeriesKey("run", "made"), 5)
        assert pictures_of(made).encoded == (png(np.full((1, 1), 5)),)
        saved = pictures_of(provider.payload("image", SeriesKey("run", "saved"), 0))
        assert (saved.encoded, saved.width, saved.height) == ((PICTURE,), 3, 2)
        found = provider.scalars("scalar", [SeriesKey("run", "loss")])[SeriesKey("run", "loss")]
        assert found.values.tolist() == [step / 2 for step in range(8)]
        [info] = provider.series("lineage")
        for text in (b"optimizer/lr", b"adam", b"nesterov", b"seed"):
            assert text in info.content


def test_it_follows_the_file_and_begins_anew_with_it(open_: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "logs/run/a.answers"
    write(path, {"step": 0, "text": "a"})
    provider = open_(reload_interval=0.05)
    provider.start()
    write(path, {"step": 1, "text": "b"})

    def shows(expected: list[tuple[int, list[str]]]) -> bool:
        try:
            return texts(provider) == expected
        except InsightError:  # while the file is read again
            return False

    eventually(lambda: shows([(0, ["a"]), (1, ["b"])]))
    fresh = path.with_suffix(".new")
    write(fresh, {"step": 5, "text": "c"})
    fresh.replace(path)
    eventually(lambda: shows([(5, ["c"])]))
    path.unlink()
    eventually(lambda: not provider.series("text"))
    assert provider.damage() == []


def test_a_later_start_has_them_too(open_: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "logs/run/a.answers"
    for step in range(5):
        write(path, {"step": step, "loss": step})
    for count in range(5, 8):
        write(path, {"step": count, "loss": count, "text": str(count)})
        provider = open_()
        assert texts(provider) == [(step, [str(step)]) for step in range(5, count + 1)]
        [info] = provider.series("scalar")
        assert info.points == count + 1
        provider.close()


def test_a_later_start_goes_on_where_the_last_one_ended(
    open_: Any,  # noqa: ANN401
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "logs/run/a.answers"
    began: list[int] = []

    def noting(stream: BinaryIO, state: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
        began.append(stream.tell())
        return read(stream, state)

    monkeypatch.setitem(globals(), "FORMAT", evolve(FORMAT, read=noting))
    write(path, {"step": 0, "text": "a"}, {"params": {"lr": 0.5}}, {"step": 0, "pixels": 3})
    whole = path.stat().st_size
    open_().close()
    assert began == [0]
    write(path, {"step": 1, "text": "b"}, {"params": {"seed": 3}})
    for added in ([whole], []):
        del began[:]
        provider = open_()
        assert texts(provider) == [(0, ["a"]), (1, ["b"])]
        [info] = provider.series("lineage")
        assert b"lr" in info.content
        assert b"seed" in info.content
        made = provider.payload("image", SeriesKey("run", "made"), 0)
        assert pictures_of(made).encoded == (png(np.full((1, 1), 3)),)
        assert provider.damage() == []
        assert began == added
        provider.close()
    for file in (tmp_path / "cache/plugins/log_values").rglob("*.tfevents"):
        file.write_bytes(b"")
    provider = open_()
    assert began[0] == 0
    assert texts(provider) == [(0, ["a"]), (1, ["b"])]


def test_two_hosts_with_one_cache_have_values_of_their_own(open_: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "logs/run/a.answers"
    write(path, {"step": 0, "text": "a"})
    open_().close()
    one, other = open_(), open_()
    write(path, {"step": 1, "text": "b"})
    for provider in (one, other, one):
        provider.load()
        assert texts(provider) == [(0, ["a"]), (1, ["b"])]
    files = list((tmp_path / "cache/plugins/log_values").rglob("*.tfevents"))
    assert sorted(file.parent.name for file in files) == ["0", "1"]
    path.unlink()
    one.load()
    other.load()
    assert not [file for file in files if file.exists()]


def test_logdirs_that_overlap_do_not_share_a_file(tmp_path: Path, stack: ExitStack) -> None:
    path = tmp_path / "logs/run/a.answers"
    write(path, {"step": 0, "text": "a"})
    for count in (1, 2, 3):
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs")), Logdir(str(tmp_path / "logs/run"))],
            PLUGINS,
            log_formats=[FORMAT],
            cache_directory=tmp_path / "cache",
            reload_interval=0,
        )
        provider.load()
        runs = [run.name for run in provider.runs()]
        assert len(runs) == 2
        for run in runs:
            assert [step for step, _ in texts(provider, run)] == list(range(count))
        provider.close()
        write(path, {"step": count, "text": "b"})


def test_a_picture_that_cannot_be_shown_is_damage_and_the_rest_is_read(
    open_: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    run = tmp_path / "logs/run"
    write(run / "a.answers", {"step": 0, "text": "before"}, {"step": 1, "path": "gone.png"})
    (run / "text.png").write_text("no picture")
    (tmp_path / "secret.png").write_bytes(PICTURE)
    os.symlink(tmp_path / "secret.png", run / "link.png")
    for step, name in enumerate(
        ("text.png", "../../secret.png", "link.png", str(tmp_path / "secret.png")), 2
    ):
        write(run / "a.answers", {"step": step, "path": name})
    write(run / "a.answers", {"step": 9, "text": "after"})
    provider = open_()
    assert [step for step, _ in texts(provider)] == [0, 9]
    assert not provider.series("image")
    reasons = [str(each.reason) for each in provider.damage()]
    assert len(reasons) == 5
    outside = "its file is not below the directory of the log"
    assert [outside in reason for reason in reasons] == [False, False, True, True, True]
    assert all("the picture of 'saved' at step" in reason for reason in reasons)


def test_a_lake_has_copies_of_them(tmp_path: Path, stack: ExitStack) -> None:
    run = tmp_path / "logs/run"
    write(run / "a.answers", {"step": 0, "text": "a"}, {"step": 1, "path": "1.png"}, {"params": {"seed": 3}})
    (run / "1.png").write_bytes(PICTURE)
    build = LakeBuild([str(tmp_path / "logs")], str(tmp_path / "lake"), PLUGINS, log_formats=[FORMAT])
    build.run()
    provider = build.opened()
    stack.callback(provider.close)
    provider.start()
    eventually(provider.generation)
    assert texts(provider) == [(0, ["a"])]
    saved = pictures_of(provider.payload("image", SeriesKey("run", "saved"), 0))
    assert (saved.encoded, saved.width, saved.height) == ((PICTURE,), 3, 2)
    [info] = provider.series("lineage")
    assert b"seed" in info.content


def test_pictures_beside_a_remote_log_are_fetched(tmp_path: Path, stack: ExitStack) -> None:
    write(tmp_path / "logs/run/a.answers", {"step": 0, "path": "seen/1.png"}, {"step": 1, "text": "b"})
    (tmp_path / "logs/run/seen").mkdir()
    (tmp_path / "logs/run/seen/1.png").write_bytes(PICTURE)
    mirrors = Mirrors(tmp_path / "cache", interval=60)
    logdir = Logdir(mirrors.add("files://logs", lambda: LocalFiles(tmp_path / "logs")))
    provider = LocalProvider([logdir], PLUGINS, log_formats=[FORMAT], reload_interval=0, mirrors=mirrors)
    stack.callback(provider.close)
    provider.load()
    assert provider.damage() == []
    assert texts(provider) == [(1, ["b"])]
    saved = pictures_of(provider.payload("image", SeriesKey("run", "saved"), 0))
    assert (saved.encoded, saved.width, saved.height) == ((PICTURE,), 3, 2)


def test_a_picture_that_changes_later_is_not_another_one(open_: Any, tmp_path: Path) -> None:  # noqa: ANN401
    run = tmp_path / "logs/run"
    run.mkdir(parents=True)
    (run / "1.png").write_bytes(PICTURE)
    write(run / "a.answers", {"step": 0, "path": "1.png"})
    provider = open_()
    (run / "1.png").write_bytes(png(np.zeros((4, 4))))
    with pytest.raises(Undecodable, match="changed or deleted"):
        provider.payload("image", SeriesKey("run", "saved"), 0)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (Texts("t", [1, 2], ["one"]), "not equally long"),
        (Texts("", [1], ["one"]), "is not a tag"),
        (Texts("t", [1], [b"one"]), "not a str"),  # type: ignore[list-item]
        (Texts("t", [1.5], ["one"]), "are not numbers"),
        (Texts("t", [1], "one"), "one str, not a list"),
        (Images("t", [1], [7]), "a picture of 't' is a int, not bytes or a path"),  # type: ignore[list-item]
        (HyperParameters([1]), "mapping"),  # type: ignore[arg-type]
        ("a text", "not Points, Texts, Images, HyperParameters or a Flaw"),
    ],
)
def test_what_is_no_such_value_is_told(item: Any, words: str) -> None:  # noqa: ANN401
    def wrong(stream: BinaryIO, state: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
        stream.read()
        return [item], None

    found = read_all(LogFormat("wrong", FileName("*"), wrong), b"x")
    assert words in str(found.flaws[-1].reason)


def test_a_call_that_fails_leaves_nothing_and_is_repeated(open_: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "logs/run/a.answers"
    write(path, {"step": 1, "text": "a"}, {"step": 2, "text": 7})
    provider = open_()
    assert not provider.series("text")
    assert "not a str" in str(provider.damage()[0].reason)
    path.write_text(path.read_text().replace("7", '"b"'))
    provider.load()
    assert texts(provider) == [(1, ["a"]), (2, ["b"])]
    assert provider.damage() == []


def test_a_format_that_gives_something_at_every_call_ends() -> None:
    def again(stream: BinaryIO, state: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
        stream.read()
        return [HyperParameters({"lr": 0.5})], state

    assert len(read_all(LogFormat("again", FileName("*"), again), b"1234567").others) == 7


def test_an_author_sees_in_a_test_what_was_read() -> None:
    lines = b"".join(json.dumps({"step": i, "text": str(i), "loss": i}).encode() + b"\n" for i in range(9))
    found = read_all(FORMAT, lines)
    assert [each.texts for each in found.others if isinstance(each, Texts)] == [[str(i)] for i in range(9)]
    assert found.points["loss"].steps.tolist() == list(range(9))
