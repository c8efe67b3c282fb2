"""Makes the index of a part of a file: where its rows are, and what is known of each in numbers."""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, BinaryIO

import numpy as np

from insight_core.plugin.worker import WorkerLink
from insight_samples.all_formats import format_of
from insight_samples.formats import Row, SampleFormat
from insight_samples.images import SampleImage
from insight_samples.packing import Columns, IndexPart, packed
from insight_samples.rows import read_rows
from insight_samples.sample import sample_of
from insight_samples.summaries import summaries_of

PART = 32 << 20  # bytes of lines that are indexed at a time
EMPTY, TRUNCATED, KNOWS_END, IS_REPEATED = 1, 2, 4, 8  # flags
SCORE = "score/"  # before the names of scores
_REPEATED = 0.88  # of the end of a text that a compressor saves, from which on it repeats itself
_LOOP = 192  # characters of a text that ends with one sentence again and again
_END = 1024  # characters at the end of a text that are looked at
_PROBE = 16  # characters at the end of a text that repeat where the text does
_LEAST = 200  # characters that a text has at least that repeats itself
_FIXED = {"offset": np.int64, "size": np.int64, "step": np.int64, "flags": np.uint8}
_HASHES = ("prompt", "group", "said")
_NUMBERS = ("advantage", "length", "prompt_length", "characters", "repetition")


def indexed(link: WorkerLink, path: str, start: int, step: int, most: int) -> bytes:
    """SampleIndexes a part in a worker, which reads ``file`` from ``start`` on."""
    return packed(index_part(link.open("file"), path, start, step, most))


def index_part(stream: BinaryIO, path: str, start: int, step: int, most: int = PART) -> IndexPart:
    """The index of the rows from ``start`` on. ``step`` is that of rows without one.

    Raises Undecodable for a file that cannot be read.
    """
    rows: dict[str, list[Any]] = {name: [] for name in (*_FIXED, *_HASHES, *_NUMBERS)}
    scores: dict[str, dict[int, float]] = {}
    bad, first_bad, end = 0, -1, start
    count, of = 0, None
    for read in read_rows(stream, path, start, most):
        end = read.end
        if read.row is not None and (of is None or not of.has(read.row)):
            of = format_of(path, read.row)
        if read.row is None or of is None:
            bad += 1
            first_bad = read.offset if first_bad < 0 else first_bad
            continue
        _take(rows, scores, count, of, read.row, step)
        rows["offset"].append(read.offset)
        rows["size"].append(read.size)
        count += 1
    columns: Columns = {name: np.array(rows[name], dtype) for name, dtype in _FIXED.items()}
    columns |= {name: np.frombuffer(b"".join(rows[name]), np.uint64) for name in _HASHES}
    columns |= {name: np.array(rows[name], np.float64) for name in _NUMBERS}
    for name, values in scores.items():
        column = columns[SCORE + name] = np.full(count, np.nan)
        column[np.fromiter(values, np.int64, len(values))] = np.fromiter(
            values.values(), np.float64, len(values)
        )
    steps = np.unique(columns["step"])
    return IndexPart(start, end, columns, bad, first_bad, steps, summaries_of(columns), count)


def _take(
    rows: dict[str, list[Any]],
    scores: dict[str, dict[int, float]],
    count: int,
    of: SampleFormat,
    row: Row,
    step: int,
) -> None:
    sample = sample_of(row, of)
    prompt, said = sample.prompt_text, sample.completion_text
    repetition = repetition_of(said)
    asked_images, said_images = sample.all_images()
    flags = 0 if said.strip() or said_images else EMPTY
    if sample.is_truncated is not None:
        flags |= KNOWS_END | (TRUNCATED if sample.is_truncated else 0)
    if repetition >= _REPEATED or (repetition and loop_of(said) >= _LOOP):
        flags |= IS_REPEATED
    rows["step"].append(step if sample.step is None else max(min(sample.step, 1 << 62), -(1 << 62)))
    rows["flags"].append(flags)
    hashed = _hash(prompt, asked_images)
    rows["prompt"].append(hashed)
    rows["group"].append(_hash(sample.group, ()) if sample.group else hashed)
    rows["said"].append(_hash(said, said_images))
    rows["advantage"].append(sample.advantage)
    rows["length"].append(sample.length)
    rows["prompt_length"].append(sample.prompt_length)
    rows["characters"].append(len(said))
    rows["repetition"].append(repetition)
    for name, value in sample.scores.items():
        scores.setdefault(name, {})[count] = value


def _hash(text: str, images: Sequence[SampleImage]) -> bytes:
    hashed = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    for image in images:
        hashed.update(image.digest.encode())
    return hashed.digest()


def repetition_of(text: str) -> float:
    """Which share of the end of a text a compressor saves; 0 where its last characters do not come again."""
    if len(text) < _LEAST:
        return 0.0
    end = text[-_END:]
    if end.count(end[-_PROBE:]) < 3:
        return 0.0
    raw = end.encode("utf-8", "surrogatepass")
    return 1 - len(zlib.compress(raw, 1)) / len(raw)


def loop_of(text: str) -> int:
    """How many characters at the end of a text are one part again and again; 0 for less than three times."""
    end = text[-_END:]
    last = len(end) - _PROBE
    before = end.rfind(end[last:], 0, len(end) - 1)
    if before < 0:
        return 0
    period = last - before
    ends = range(1, len(end) - period + 1)  # so many characters at the end equal those a period before
    equal = bisect_left(ends, True, key=lambda length: end[-length:] != end[-length - period : -period])
    return equal + period if equal >= 2 * period else 0
