"""Chrome traces that tests write, and what was read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from tests.conformance.our_profiles import read_files

Event = dict[str, Any]


def read_trace(directory: Path, content: object, source: Source = Source.CHROME) -> Profile:
    """The profile of a trace of these events, or bytes; ``trace.json`` in the directory."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (directory / "trace.json").write_bytes(data)
    return read_files(Files.of_directory(directory, "trace.json"), source)


def slice_of(name: str, start: float, duration: float, tid: object = 1, **more: object) -> Event:
    return {
        "ph": "X",
        "name": name,
        "cat": "cpu_op",
        "pid": 1,
        "tid": tid,
        "ts": start,
        "dur": duration,
        **more,
    }


def names_of(profile: Profile, table: str = "slices", column: str = "name") -> list[str]:
    return [profile.texts[place] if place >= 0 else "" for place in profile.tables[table][column].tolist()]


def column_of(profile: Profile, name: str, table: str = "slices") -> list[Any]:
    found: list[Any] = profile.tables[table][name].tolist()
    return found


def codes_of(profile: Profile) -> list[str]:
    return [note.code for note in profile.notes]
