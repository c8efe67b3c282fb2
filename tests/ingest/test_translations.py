"""Stores of other trackers that a plugin's StoreFormat translates: found, followed, kept, damaged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import insight_scalar
import pytest
from attrs import evolve

from insight_core.ingest import translated_store
from insight_core.ingest.fetching import FilePart
from insight_core.ingest.found import Found, FoundStore
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.translation_directory import TranslationDirectory
from insight_core.ingest.translations import Translations
from insight_core.plugin import FileChanged, FileName, SeriesKey, StoreFormat, Translation
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.ingest.chest_format import CHEST, translate
from tests.ingest.words_format import append, damage, values
from tests.waiting import eventually

Opener = Callable[..., LocalProvider]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.fixture
def opened(logdir: Path) -> Iterator[Opener]:
    """Opens providers of the logdir, closed at the end."""
    providers: list[LocalProvider] = []

    def open_(
        store_format: StoreFormat = CHEST, cache: Path | None = None, interval: float = 0
    ) -> LocalProvider:
        plugins = [insight_scalar.insight_plugin()]
        provider = LocalProvider(
            [Logdir(str(logdir))],
            plugins,
            log_formats=[store_format],
            reload_interval=interval,
            cache_directory=cache,
        )
        providers.append(provider)
        return provider

    yield open_
    for provider in providers:
        provider.close()


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
    calls: list[int] = []

    def counting(source: str, target: Path) -> Translation:
        calls.append(len(list(target.iterdir())))
        return translate(source, target)

    counted = evolve(CHEST, translate=counting)
    first = opened(counted, tmp_path / "cache")
    first.load()
    assert values(first, "first") == [step / 2 for step in range(50)]
    first.close()
    del calls[:]
    append(logdir / "a.chest", _rows("first", 50, 51))
    second = opened(counted, tmp_path / "cache")
    second.load()
    assert values(second, "first") == [step / 2 for step in range(51)]
    assert calls[0] > 0
    second.close()
    del calls[:]
    newer = opened(evolve(counted, version=2), tmp_path / "cache")
    newer.load()
    assert calls[0] == 0, "another version begins with an empty directory"
    assert values(newer, "first") == [step / 2 for step in range(51)]


def test_without_a_cache_the_event_files_are_deleted_at_the_end(logdir: Path, opened: Opener) -> None:
    (logdir / "a.chest").write_text(_rows("first", 0, 1))
    targets: list[Path] = []

    def noting(source: str, target: Path) -> Translation:
        targets.append(target)
        return translate(source, target)

    provider = opened(evolve(CHEST, translate=noting))
    provider.load()
    assert values(provider, "first") == [0]
    assert targets[0].exists()
    provider.close()
    assert not targets[0].exists()


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


def _exits(source: str, target: Path) -> Translation:
    raise SystemExit("no way")


def _raises(source: str, target: Path) -> Translation:
    raise ValueError("no luck")


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        (_raises, "the store format chests failed: no luck"),
        (_exits, "the store format chests failed: SystemExit: no way"),
        (lambda source, target: None, "it returned a NoneType, not a Translation"),
        (lambda source, target: target.read_bytes(), "Is a directory"),
    ],
)
def test_a_format_that_fails_is_damage_of_its_store_and_other_stores_are_read(
    logdir: Path,
    opened: Opener,
    fails: Any,  # noqa: ANN401
    reason: str,
) -> None:
    for name in ("bad", "good"):
        (logdir / f"{name}.chest").write_text(_rows(name, 0, 2))

    def only_bad(source: str, target: Path) -> Translation:
        made: Translation = (fails if source.endswith("bad.chest") else translate)(source, target)
        return made

    provider = opened(evolve(CHEST, translate=only_bad))
    provider.load()
    assert values(provider, "good") == [0, 0.5]
    [(file, offset, said, _)] = damage(provider)
    assert (file, offset) == ("bad.chest", 0)
    assert reason in said


def test_event_files_that_a_format_names_no_run_for_are_listed(logdir: Path, opened: Opener) -> None:
    def forgets(source: str, target: Path) -> Translation:
        return evolve(translate(source, target), runs={"0": "a"})

    (logdir / "x.chest").write_text(_rows("a", 0, 3) + _rows("b", 0, 3))
    provider = opened(evolve(CHEST, translate=forgets))
    provider.load()
    assert values(provider, "a") == [0, 0.5, 1]
    [(file, _, said, _)] = damage(provider)
    assert file == "x.chest"
    assert said == "the store format chests wrote event files that belong to no run: 1"


def test_a_format_that_hangs_is_damage_of_its_store(
    logdir: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translated_store, "_DEADLINE", 0.05)
    for name in ("bad", "good"):
        (logdir / f"{name}.chest").write_text(_rows(name, 0, 2))
    go = threading.Event()

    def hanging(source: str, target: Path) -> Translation:
        if source.endswith("bad.chest"):
            go.wait()
        return translate(source, target)

    provider = opened(evolve(CHEST, translate=hanging))
    provider.load()
    assert [reason for *_, reason, _ in damage(provider)] == [
        "the store format chests has not returned for 0 s"
    ]
    assert values(provider, "good") == [0, 0.5]
    go.set()


def test_names_and_directories_that_lead_elsewhere_stay_inside(
    logdir: Path, opened: Opener, tmp_path: Path
) -> None:
    (logdir / "deep").mkdir()
    (logdir / "deep" / "a.chest").write_text("")
    _write(tmp_path / "outside")

    def hostile(source: str, target: Path) -> Translation:
        for number in range(3):
            _write(target / str(number) / "events.out.tfevents.1.x")
        outside = str(tmp_path / "outside")
        return Translation({"0": "../../up", "1": "", "2": "/a//./b" + "x" * 999, outside: "o", "../..": "p"})

    provider = opened(evolve(CHEST, translate=hostile))
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
