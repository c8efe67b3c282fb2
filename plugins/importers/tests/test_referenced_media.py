"""Media of stores are read where they are: the cache does not hold them, and never more than it may."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import insight_image
import insight_importers
import insight_media
import insight_scalar
import pytest
from insight_image.decoder import pictures_of
from insight_media.item import item_of
from PIL import Image

from insight_core.ingest.logdir import Logdir
from insight_core.ingest.translation import translation_directory
from insight_core.plugin import Undecodable
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

Open = Callable[..., LocalProvider]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the directory ``logs`` with a cache, and loads it."""
    plugins = [one.insight_plugin() for one in (insight_scalar, insight_image, insight_media)]
    providers: list[LocalProvider] = []

    def open_(logs: str = "logs", cache_size: int | None = None) -> LocalProvider:
        for provider in providers:
            provider.close()
        provider = LocalProvider(
            [Logdir(str(tmp_path / logs))],
            plugins,
            log_formats=insight_importers.FORMATS,
            cache_directory=tmp_path / "cache",
            cache_size=cache_size,
        )
        providers.append(provider)
        provider.load()
        return provider

    yield open_
    for provider in providers:
        provider.close()


def _trackio(logs: Path, rows: list[dict[str, object]]) -> Path:
    """A store of Trackio with a row of metrics for each step, and the directory of its media."""
    (logs / "media").mkdir(parents=True)
    with closing(sqlite3.connect(logs / "a.db")) as database:
        database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics)")
        for step, row in enumerate(rows):
            given = "r", "2026-01-01", step, json.dumps(row)
            database.execute(
                "INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)", given
            )
        database.commit()
    return logs / "media"


def _picture(size: tuple[int, int] = (8, 6)) -> bytes:
    file = io.BytesIO()
    Image.frombytes("RGB", size, os.urandom(size[0] * size[1] * 3)).save(file, "PNG")
    return file.getvalue()


def _kept(tmp_path: Path) -> int:
    return sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())


_IMAGE = {"_type": "trackio.image", "file_path": "a.png"}
_VIDEO = {"_type": "trackio.video", "file_path": "a.mp4"}
PICTURE, VIDEO = SeriesKey("a/r", "picture"), SeriesKey("a/r", "video")


def test_a_picture_that_is_named_often_is_shown_and_not_copied(tmp_path: Path, opened: Open) -> None:
    media = _trackio(tmp_path / "logs", [{"picture": _IMAGE, "video": _VIDEO} for _ in range(50)])
    data, video = _picture((300, 200)), os.urandom(400_000)
    (media / "a.png").write_bytes(data)
    (media / "a.mp4").write_bytes(video)
    for _ in range(2):  # and after a restart, from the index
        provider = opened()
        assert provider.damage() == []
        found = pictures_of(provider.payload("image", PICTURE, 49))
        assert (found.encoded, found.width, found.height) == ((data,), 300, 200)
        payload = provider.payload("media", VIDEO, 0)
        assert item_of(payload).content == video
        assert provider.records("media", VIDEO).sizes.tolist() == [len(payload.data)] * 50
        assert provider.payload("media", VIDEO, 0, limit=100).data == payload.data[:100]
        with provider.open_payload("image", PICTURE, 3, offset=5, length=50) as stream:
            assert stream.file.read() == provider.payload("image", PICTURE, 3).data[5:55]
    assert _kept(tmp_path) < len(data)


def test_a_picture_that_was_changed_or_deleted_or_is_a_link_now_is_not_shown(
    tmp_path: Path, opened: Open
) -> None:
    media = _trackio(tmp_path / "logs", [{"picture": _IMAGE}])
    data = _picture()
    path = media / "a.png"
    path.write_bytes(data)
    provider = opened()
    info = path.stat()
    path.write_bytes(data[:-1])
    with pytest.raises(Undecodable, match="its file in the store was changed or deleted"):
        provider.payload("image", PICTURE, 0)
    path.unlink()
    with pytest.raises(Undecodable, match="its file in the store was changed or deleted"):
        provider.payload("image", PICTURE, 0)
    secret = tmp_path / "secret.png"
    secret.write_bytes(data)
    os.utime(secret, ns=(info.st_mtime_ns, info.st_mtime_ns))
    path.symlink_to(secret)
    with pytest.raises(Undecodable, match="its file in the store was changed or deleted"):
        provider.payload("image", PICTURE, 0)


def test_an_event_file_of_a_logdir_cannot_refer_to_files(tmp_path: Path, opened: Open) -> None:
    media = _trackio(tmp_path / "logs", [{"picture": _IMAGE}])
    (media / "a.png").write_bytes(_picture())
    opened()
    [translated] = (tmp_path / "cache").rglob("*tfevents*values")
    forged = tmp_path / "forged" / "run" / "events.out.tfevents.1.a"
    forged.parent.mkdir(parents=True)
    forged.write_bytes(translated.read_bytes())
    provider = opened("forged")
    with pytest.raises(ValueError, match="no picture"):
        pictures_of(provider.payload("image", SeriesKey("run", "picture"), 0))


def test_a_store_that_does_not_fit_into_the_cache_is_damage_and_makes_others_go_that_are_not_open(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation_directory, "_MEASURED_EVERY", -1.0)
    texts = [{"good": step, "text": "x" * 10_000} for step in range(200)]
    for name in ("first", "logs"):
        _trackio(tmp_path / name, texts)
    assert opened("first").damage() == []
    provider = opened("logs", cache_size=7 << 20)
    assert provider.damage() == []  # 2 MB each: the first one, which is not open, went
    assert len(list((tmp_path / "cache").rglob("*tfevents*values"))) == 1
    _trackio(tmp_path / "more", [{"good": 1, "text": "x" * 1_000} for _ in range(12_000)])
    provider = opened("more", cache_size=7 << 20)
    [damage] = provider.damage()
    assert "--cache-size" in damage.reason
    [good] = provider.series("scalar")
    assert 0 < good.points < 12_000
    assert _kept(tmp_path) < 9 << 20
