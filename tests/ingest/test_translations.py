"""Stores of other trackers that a plugin's StoreFormat translates: found, followed, kept, damaged."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve

from insight_core.ingest.fetching import FilePart
from insight_core.ingest.found import Found, FoundStore
from insight_core.ingest.translation import translating
from insight_core.ingest.translation.translation_directory import TranslationDirectory
from insight_core.ingest.translation.translations import Translations
from insight_core.plugin import FileChanged, FileName, Translation
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.ingest import chest_format
from tests.ingest.chest_format import CHEST, seen_by
from tests.ingest.words_format import Opener, append, damage, values
from tests.waiting import PATIENCE, eventually


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.fixture
def opened(opened: Opener, logdir: Path) -> Opener:
    """Opens providers of the logdir, closed at the end."""
    return lambda store_format=CHEST, cache=None, interval=0: opened(store_format, logdir, cache, interval)


def _rows(run: str, first: int, end: int) -> str:
    return "".join(f"{run} loss {step} {step / 2}\n" for step in range(first, end))


def _write(place: Path) -> None:
    writer = EventWriter(place)
    writer.scalar("loss", 0, 1.0)
    writer.close()


def _names(provider: LocalProvider) -> list[str]:
    return sorted(run.name for run in provider.runs())


def test_the_runs_of_a_store_are_named_from_its_directory_beside_runs_of_event_files(
    logdir: Path, opened: Opener
) -> None:
    (logdir / "team").mkdir()
    (logdir / "team" / "a.chest").write_text(_rows("first", 0, 100) + _rows("deep/second", 0, 3))
    _write(logdir / "plain")
    provider = opened()
    provider.load()
    assert _names(provider) == ["plain", "team/deep/second", "team/first"]
    assert values(provider, "team/first") == [step / 2 for step in range(100)]
    assert values(provider, "team/deep/second") == [0, 0.5, 1]
    assert sorted(
        path.name for path in logdir.rglob("*") if path.is_file() and "tfevents" not in path.name
    ) == ["a.chest"]


def test_a_store_that_grows_is_followed_and_one_that_is_deleted_takes_its_runs_along(
    logdir: Path, opened: Opener
) -> None:
    path = logdir / "a.chest"
    path.write_text(_rows("first", 0, 2))
    provider = opened(interval=0.02)
    provider.start()
    eventually(lambda: values(provider, "first") == [0, 0.5])
    append(path, _rows("first", 2, 4) + _rows("late", 0, 1))
    eventually(lambda: values(provider, "first") == [0, 0.5, 1, 1.5])
    eventually(lambda: _names(provider) == ["first", "late"])
    eventually(lambda: provider.progress().loaded_once)
    path.unlink()
    (logdir / "b.chest").write_text(_rows("other", 0, 1))
    eventually(lambda: _names(provider) == ["other"])


def test_a_logdir_without_stores_needs_no_thread_until_there_is_one(logdir: Path, opened: Opener) -> None:
    def is_translating() -> bool:
        return any(thread.name == "insight-translations" for thread in threading.enumerate())

    provider = opened(interval=0.02)
    provider.start()
    eventually(lambda: provider.progress().loaded_once)
    assert not is_translating()
    (logdir / "a.chest").write_text(_rows("first", 0, 2))
    eventually(lambda: values(provider, "first") == [0, 0.5])
    assert is_translating()


def test_what_was_translated_is_kept_for_the_next_start(logdir: Path, opened: Opener, tmp_path: Path) -> None:
    (logdir / "a.chest").write_text(_rows("first", 0, 50))
    counted = evolve(CHEST, translate=chest_format.translate_and_tell)
    seen = seen_by(str(logdir / "a.chest"))

    def entries() -> list[int]:
        """Of the target, in each call since the last time."""
        numbers = [int(line.split()[0]) for line in seen.read_text().splitlines()]
        seen.unlink()
        return numbers

    first = opened(counted, tmp_path / "cache")
    first.load()
    assert values(first, "first") == [step / 2 for step in range(50)]
    first.close()
    assert entries()[0] == 0
    append(logdir / "a.chest", _rows("first", 50, 51))
    second = opened(counted, tmp_path / "cache")
    second.load()
    assert values(second, "first") == [step / 2 for step in range(51)]
    assert entries()[0] > 0
    second.close()
    newer = opened(evolve(counted, version=2), tmp_path / "cache")
    newer.load()
    assert entries()[0] == 0, "another version begins with an empty directory"
    assert values(newer, "first") == [step / 2 for step in range(51)]


def test_without_a_cache_the_event_files_are_deleted_at_the_end(logdir: Path, opened: Opener) -> None:
    (logdir / "a.chest").write_text(_rows("first", 0, 1))
    provider = opened(evolve(CHEST, translate=chest_format.translate_and_tell))
    provider.load()
    assert values(provider, "first") == [0]
    target = Path(seen_by(str(logdir / "a.chest")).read_text().split()[1])
    assert target.exists()
    provider.close()
    assert not target.exists()


def test_damage_that_a_format_reports_is_listed_and_goes_with_its_cause(logdir: Path, opened: Opener) -> None:
    path = logdir / "a.chest"
    path.write_text(_rows("first", 0, 2) + "odd\n")
    provider = opened()
    provider.load()
    assert damage(provider) == [("a.chest", 0, "line 3 is odd", 0)]
    assert values(provider, "first") == [0, 0.5]
    path.unlink()
    provider.load()
    assert damage(provider) == []
    assert _names(provider) == []


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("value", "the store format chests failed: no luck"),
        ("exit", "the store format chests failed: SystemExit: no way"),
        ("key", "the store format chests failed: KeyError: 'nowhere'"),
        ("type", "it returned a NoneType, not a Translation"),
        ("file", "Is a directory"),
        ("die", "the store format chests failed: the process that read it died: killed by SIGKILL"),
        ("memory", "the store format chests failed: it needs more than 1024 MiB of memory"),
        ("hang", "the store format chests has not returned for 8 s"),
    ],
)
def test_a_format_that_fails_is_damage_of_its_store_and_other_stores_are_read(
    logdir: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, kind: str, reason: str
) -> None:
    monkeypatch.setattr(translating, "DEADLINE", 8.0 if kind == "hang" else PATIENCE)
    for name in (kind, "good"):
        (logdir / f"{name}.chest").write_text(_rows(name, 0, 2))
    provider = opened(evolve(CHEST, translate=chest_format.translate_good))
    provider.load()
    assert values(provider, "good") == [0, 0.5]
    [(file, offset, said, _)] = damage(provider)
    assert (file, offset) == (f"{kind}.chest", 0)
    assert reason in said


def test_event_files_that_a_format_names_no_run_for_are_listed(logdir: Path, opened: Opener) -> None:
    (logdir / "x.chest").write_text(_rows("a", 0, 3) + _rows("b", 0, 3))
    provider = opened(evolve(CHEST, translate=chest_format.translate_and_forget))
    provider.load()
    assert values(provider, "a") == [0, 0.5, 1]
    [(file, _, said, _)] = damage(provider)
    assert file == "x.chest"
    assert said == "the store format chests wrote event files that belong to no run: 1"


def test_a_store_whose_process_was_killed_is_translated_by_another_one(logdir: Path, opened: Opener) -> None:
    (logdir / "a.chest").write_text(_rows("first", 0, 100))
    provider = opened(evolve(CHEST, translate=chest_format.translate_after_a_death))
    provider.load()
    assert values(provider, "first") == [step / 2 for step in range(100)]
    assert damage(provider) == []


def test_a_store_that_ends_its_process_again_and_again_is_left_alone(logdir: Path, tmp_path: Path) -> None:
    path = logdir / "a.chest"
    translations = Translations(tmp_path / "cache")
    store_format = evolve(CHEST, translate=chest_format.translate_and_die)
    for number in range(6):  # it grows, so that it would be tried again
        path.write_text(_rows("first", 0, number + 1))
        translations.reconcile([FoundStore(str(path), "a.chest", "", "", store_format)])
        translations.finish()
    assert seen_by(str(path)).read_text() == 3 * "called\n"
    translations.close()


def test_a_function_that_another_process_cannot_find_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a function of a module"):
        evolve(CHEST, translate=lambda source, target: Translation({}))


def test_names_and_directories_that_lead_elsewhere_stay_inside(
    logdir: Path, opened: Opener, tmp_path: Path
) -> None:
    (logdir / "deep").mkdir()
    (logdir / "deep" / "a.chest").write_text("")
    _write(tmp_path / "outside")
    provider = opened(evolve(CHEST, translate=chest_format.translate_elsewhere))
    provider.load()
    assert _names(provider) == ["deep", "deep/a/b" + "x" * 199, "deep/up"]


def test_a_function_decides_by_the_beginning_whether_a_file_is_a_store(logdir: Path, opened: Opener) -> None:
    (logdir / "mine.chest").write_text(_rows("mine", 0, 1))
    (logdir / "other.chest").write_text(_rows("other", 0, 1))
    file = FileName("*.chest", makes_run=lambda beginning: beginning.startswith(b"mine"))
    provider = opened(evolve(CHEST, files=[file]))
    provider.load()
    assert _names(provider) == ["mine"]


def test_a_store_is_listed_as_a_file_of_its_directory(logdir: Path, opened: Opener) -> None:
    """A directory is then not deleted as that of one run alone."""
    (logdir / "run" / "below").mkdir(parents=True)
    (logdir / "run" / "below" / "a.chest").write_text(_rows("first", 0, 1))
    _write(logdir / "run")
    files = {(Path(file.path).name[:7], file.run, file.is_store) for file in opened().run_files()}
    assert files == {("events.", "run", False), ("a.chest", "run/below", True)}


def test_files_of_a_mirror_are_fetched_before_a_store_is_read(logdir: Path, tmp_path: Path) -> None:
    store, picture, model = logdir / "a.chest", logdir / "media" / "a.png", logdir / "model.bin"
    picture.parent.mkdir()
    for path, size in ((store, 9), (picture, 9), (model, 9 << 20)):
        with path.open("wb") as file:
            file.truncate(size)  # as a mirror has it before anything is fetched
    fetched: list[str] = []

    def fetch(parts: Sequence[FilePart]) -> None:
        fetched.extend(part.path for part in parts)
        if len(fetched) == 2:
            raise FileChanged
        store.write_text(_rows("first", 0, 2))

    translations = Translations(tmp_path / "cache", fetch)
    translations.reconcile([FoundStore(str(store), "a.chest", "", "", CHEST)])
    translations.finish()
    translations.finish()  # the first time the store had another version
    assert set(fetched) == {str(store), str(picture)}
    found = Found()
    translations.add_to(found)
    assert list(found.runs) == ["first"]
    translations.close()


def test_two_processes_do_not_write_into_the_same_directory(tmp_path: Path) -> None:
    found = FoundStore(str(tmp_path / "a.chest"), "a.chest", "", "", CHEST)
    (tmp_path / "a.chest").touch()
    first, second = TranslationDirectory(tmp_path / "cache"), TranslationDirectory(tmp_path / "cache")
    places = {first.of(found), second.of(found)}
    assert len(places) == 2
    first.close()
    assert TranslationDirectory(tmp_path / "cache").of(found) in places
    second.close()


def test_translations_of_stores_that_are_gone_are_deleted_at_the_next_start(tmp_path: Path) -> None:
    stores = [FoundStore(str(tmp_path / f"{name}.chest"), "", "", "", CHEST) for name in "ab"]
    for store in stores:
        Path(store.path).touch()
    place = TranslationDirectory(tmp_path / "cache")
    gone, stays = (place.of(store) for store in stores)
    place.close()
    Path(stores[0].path).unlink()
    place = TranslationDirectory(tmp_path / "cache")
    assert place.of(stores[1]) == stays
    assert stays.exists()
    assert not gone.exists()
    place.close()


def test_an_index_of_the_logdir_is_as_good_with_stores_as_without(
    logdir: Path, opened: Opener, tmp_path: Path
) -> None:
    (logdir / "a.chest").write_text(_rows("first", 0, 3))
    _write(logdir / "plain")
    for _ in range(2):
        provider = opened(cache=tmp_path / "cache")
        provider.load()
        assert _names(provider) == ["first", "plain"]
        found = provider.scalars("scalar", [SeriesKey("first", "loss")])
        assert found[SeriesKey("first", "loss")].steps.tolist() == [0, 1, 2]
        provider.close()
