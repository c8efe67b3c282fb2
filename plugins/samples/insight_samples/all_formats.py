"""All formats, those of other packages too: which one a file has, by its path, its first bytes and a row."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import entry_points

from insight_samples.formats import USUAL, Row, SampleFormat
from insight_samples.known_formats import KNOWN

_GROUP = "insight.samples"  # of entry points: sequences of SampleFormat
_IMAGE = b'"data:image/'  # may be longer than the beginning of a file that is looked at
_TEXTS = ("prompt", "completion", "messages")  # roles
# Of files with texts, but of another kind
_OTHER_LINES = re.compile(rb'^\s*\{\s*"(?:op_code|time":\s*"[^"]*",\s*"level)"')


@cache
def all_formats() -> Sequence[SampleFormat]:
    """Those of other packages, then those that come with the plugin, the most special ones first."""
    found: list[SampleFormat] = []
    for point in entry_points(group=_GROUP):
        try:
            found += [one for one in point.load() if isinstance(one, SampleFormat)]
        except Exception:
            logging.getLogger("insight.plugin.samples").exception("formats of %s are left out", point.value)
    return [*found, *KNOWN]


def formats_of(path: str) -> Sequence[SampleFormat]:
    """The formats that a file may have by its path."""
    return [one for one in all_formats() if any(_matches(path, each) for each in one.files)]


def format_of(path: str, row: Row) -> SampleFormat | None:
    """The format of a file with this row."""
    return next((one for one in formats_of(path) if one.has(row)), None)


def begins_as_samples(beginning: bytes) -> bool:
    """Whether a file may hold samples, by its first bytes: objects in lines, Parquet, or a zip."""
    if beginning.startswith((b"PAR1", b"PK\x03\x04")):
        return True
    if beginning.lstrip()[:1] != b"{" or _OTHER_LINES.match(beginning):
        return False
    return _IMAGE in beginning or any(name in beginning for name in _signs())


@cache
def _signs() -> Iterable[bytes]:
    """Names of columns, quoted, of which the beginning of a file has at least one."""
    usual = [name for role, names in USUAL.items() if role in _TEXTS for name in names]
    named = [name.split(".")[0] for one in all_formats() for name in one.columns.values()]
    needed = [name for one in all_formats() for name in one.needs]
    return [f'"{name}"'.encode() for name in (*usual, *named, *needed)]


def _matches(path: str, pattern: str) -> bool:
    names, wanted = path.split("/"), pattern.removeprefix("**/").split("/")
    return len(names) >= len(wanted) and all(map(fnmatchcase, names[-len(wanted) :], wanted))
