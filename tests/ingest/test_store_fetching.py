"""Which files of a store are fetched before its format reads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from insight_core.ingest.fetching import FilePart
from insight_core.ingest.translation.translated_store import fetch_store


def test_small_files_next_to_a_store_and_next_to_its_watched_files_are_fetched_once(tmp_path: Path) -> None:
    names = ["first/run.log", "first/files/a.png", "second/run.log", "second/files/b.png", "other/run.log"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"content")
    fetched: list[FilePart] = []

    def fetch(parts: Sequence[FilePart]) -> None:
        fetched.extend(parts)

    source, second = str(tmp_path / "first/run.log"), str(tmp_path / "second/run.log")
    watched = [source, second, str(tmp_path), str(tmp_path / "second/files/b.png")]
    seen: dict[str, tuple[int, int]] = {}
    fetch_store(fetch, source, watched, seen)
    found = {os.path.relpath(part.path, tmp_path) for part in fetched}
    assert found == set(names) - {"other/run.log"}
    assert {part.path for part in fetched if part.grows} >= {source, second}
    fetched.clear()
    fetch_store(fetch, source, watched, seen)
    assert not fetched
