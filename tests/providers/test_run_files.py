"""``DataProvider.run_files``: plugins learn where the files of a run are."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import insight_scalar

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import RunFile
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.local import LocalProvider
from tests.support.sweeps import write_trial


def _write(directory: Path) -> str:
    with EventWriter(directory) as writer:
        writer.scalar("loss", 1, 0.5)
    [path] = [each for each in directory.iterdir() if each.is_file()]
    return str(path)


def _files(*logdirs: Logdir) -> set[RunFile]:
    return set(LocalProvider(logdirs, [insight_scalar.insight_plugin()]).run_files())


def test_every_file_is_there_with_the_directory_of_its_run(tmp_path: Path) -> None:
    root, run, nested = (tmp_path / name for name in (".", "a", "a/b"))
    places = {".": root, "a": run, "a/b": nested}
    expected = {
        RunFile(name, _write(place), str(tmp_path / name).removesuffix(".") or "/", str(tmp_path))
        for name, place in places.items()
    }
    found = _files(Logdir(str(tmp_path)))
    assert {(file.run, file.path, Path(file.directory), file.logdir) for file in found} == {
        (file.run, file.path, Path(file.directory), file.logdir) for file in expected
    }


def test_a_file_of_logdirs_that_overlap_is_there_for_both_runs(tmp_path: Path) -> None:
    path = _write(tmp_path / "outer/inner/run")
    outer, inner = str(tmp_path / "outer"), str(tmp_path / "outer/inner")
    directory = str(tmp_path / "outer/inner/run")
    assert _files(Logdir(outer, "x"), Logdir(inner, "y")) == {
        RunFile("x/inner/run", path, directory, outer),
        RunFile("y/run", path, directory, inner),
    }


def test_a_provider_without_files_here_is_recognised() -> None:
    assert FakeProvider("elsewhere").run_files() is None


def test_files_of_hyperparameters_are_those_of_the_run_unless_they_are_more(tmp_path: Path) -> None:
    """Before anything is read, as a lake asks for the runs that it builds."""
    logs = tmp_path / "logs"
    write_trial(logs / "trial", {"lr": 0.1}, {"acc": 0.5})
    with EventWriter(write_trial(logs / "real", {"lr": 0.1}, {"acc": 0.5}, name="1.5")) as writer:
        writer.scalar("acc", 2, 0.75)
    for session in ("3.5", "4.5"):
        write_trial(logs / "again", {"lr": 0.1}, {"acc": 0.5}, name=session)
        write_trial(logs / "apart", {"lr": 0.1}, {"acc": 0.5}, name=session, steps=0)
    provider = LocalProvider([Logdir(str(logs))], [insight_scalar.insight_plugin()], reload_interval=0)
    with closing(provider):
        before = {(file.run, file.path) for file in provider.run_files()}
        provider.load()
        assert {(file.run, file.path) for file in provider.run_files()} == before
    runs = {run for run, _ in before}
    assert runs == {"trial", "real", "real/1.5", "again", "apart", "apart/3.5", "apart/4.5"}
