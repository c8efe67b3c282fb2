"""Writes a logdir with every kind of damage on disk, and lists what can still be read of it."""

from __future__ import annotations

import errno
import math
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path

from attrs import evolve, field, frozen

import insight_authoring.testing.wire as wire
from insight_authoring.testing.event_writer import START_TIME
from insight_core.plugin import Dialect

FILE_NAME = "events.out.tfevents.1700000000.test"


@frozen
class ExpectedDamage:
    """``file`` is relative to the logdir; ``reason`` is a lower-case part of the text."""

    file: str
    offset: int
    reason: str = ""


@frozen
class DamagedRun:
    """What must be readable of a run: (step, value) points by tag, and the damage to be listed."""

    name: str
    points: dict[str, list[tuple[int, float]]] = field(factory=dict)
    damage: tuple[ExpectedDamage, ...] = ()


def scalar_record(step: int, tag: str | bytes = "loss", wall_time: float | None = None) -> bytes:
    """The framed record of one scalar, whose value is its step."""
    time = START_TIME + step if wall_time is None else wall_time
    return wire.record(wire.event(step, time, wire.summary([wire.scalar_value(tag, step)])))


def version_record() -> bytes:
    """The framed first record of a TensorBoard event file."""
    return wire.record(wire.version_event(Dialect.TENSORBOARD, START_TIME))


def damaged_logdir(logdir: Path) -> dict[str, DamagedRun]:
    """Writes the corpus below ``logdir`` (made if missing) and returns its runs by name."""
    logdir.mkdir(parents=True, exist_ok=True)
    runs: dict[str, DamagedRun] = {}
    corpus = _Corpus(logdir, runs)
    for write in (_good, _records, _lengths, _oddities, _directories):
        write(corpus)
    return runs


@frozen
class _Corpus:
    logdir: Path
    runs: dict[str, DamagedRun]

    def add(
        self,
        name: str,
        *records: bytes,
        steps: tuple[int, ...] = (),
        damage: tuple[tuple[int, str], ...] = (),
        tag: str = "loss",
        file: str = FILE_NAME,
    ) -> None:
        directory = self.logdir / name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / file).write_bytes(b"".join(records))
        self.runs[name] = DamagedRun(
            name,
            {tag: [(step, float(step)) for step in steps]} if steps else {},
            tuple(ExpectedDamage(f"{name}/{file}", offset, reason) for offset, reason in damage),
        )

    def expect(self, name: str, damage: ExpectedDamage) -> None:
        self.runs[name] = evolve(self.runs[name], damage=(*self.runs[name].damage, damage))


def _good(corpus: _Corpus) -> None:
    head = version_record()
    corpus.add("good", head, *map(scalar_record, range(4)), steps=(0, 1, 2, 3))
    corpus.add("version_only", head)
    corpus.add("zero_length", damage=((0, "empty"),))
    corpus.add("negative_steps", head, scalar_record(-5), scalar_record(-1), steps=(-5, -1))


def _records(corpus: _Corpus) -> None:
    head, first, third = version_record(), scalar_record(0), scalar_record(2)
    at = len(head) + len(first)
    payload = scalar_record(1)[12:-4]
    corpus.add(
        "bad_data_crc",
        head,
        first,
        wire.record(payload, bad_data_crc=True),
        third,
        steps=(0, 2),
        damage=((at, "checksum"),),
    )
    corpus.add(
        "bad_length_crc",
        head,
        first,
        wire.record(payload, bad_length_crc=True),
        third,
        steps=(0, 2),
        damage=((at, "checksum"),),
    )
    corpus.add(
        "bad_event",
        head,
        first,
        wire.record(b"\xff\xff\xff"),
        third,
        steps=(0, 2),
        damage=((at, ""),),
    )
    noise = random.Random(7).randbytes(3000)
    corpus.add("random_bytes", noise, damage=((0, ""),))
    corpus.add("random_in_the_middle", head, first, noise, third, steps=(0, 2), damage=((at, ""),))
    corpus.add("zeroed_tail", head, first, bytes(4096), steps=(0,), damage=((at, ""),))


def _lengths(corpus: _Corpus) -> None:
    head, first = version_record(), scalar_record(0)
    at = len(head) + len(first)
    for name, bits in (("huge_length", 40), ("largest_length", 63)):
        length = struct.pack("<Q", 1 << bits)
        good = struct.pack("<I", wire.masked_crc32c(length))
        corpus.add(f"{name}_good_crc", head, first, length + good + b"x" * 64, steps=(0,), damage=((at, ""),))
        corpus.add(
            f"{name}_bad_crc", head, first, length + b"\0\0\0\0" + b"x" * 64, steps=(0,), damage=((at, ""),)
        )
    corpus.add("truncated", head, first, scalar_record(1)[:-3], steps=(0,), damage=((at, "cut off"),))


def _oddities(corpus: _Corpus) -> None:
    head, first, third = version_record(), scalar_record(0), scalar_record(2)
    for name, wall_time in (("nan_wall_time", math.nan), ("infinite_wall_time", math.inf)):
        corpus.add(name, head, first, scalar_record(1, wall_time=wall_time), third, steps=(0, 1, 2))
    corpus.add("empty_tag", head, scalar_record(0, tag=""), steps=(0,), tag="")
    corpus.add("odd_tag", head, scalar_record(0, tag=b"loss\xff\xfe"), steps=(0,), tag=r"loss\xff\xfe")
    corpus.add("no_version", first, third, steps=(0, 2))
    corpus.add("same_step", head, *[scalar_record(7) for _ in range(3)])
    corpus.runs["same_step"] = DamagedRun("same_step", {"loss": [(7, 7.0)] * 3})
    steps = (0, 1, 2, 3, 1, 2)
    corpus.add("out_of_order", head, *map(scalar_record, steps), steps=steps)


def _directories(corpus: _Corpus) -> None:
    records = (version_record(), scalar_record(0))
    corpus.add("beside_directory", *records, steps=(0,))
    for named in (f"directory_as_file/{FILE_NAME}", f"beside_directory/{FILE_NAME}.v2"):
        (corpus.logdir / named).mkdir(parents=True)
        corpus.runs[named] = DamagedRun(named, damage=(ExpectedDamage(named, 0, "directory"),))
    corpus.add("loop", *records, steps=(0,))
    (corpus.logdir / "loop" / "self").symlink_to(corpus.logdir / "loop", target_is_directory=True)
    corpus.expect("loop", ExpectedDamage("loop/self", 0, "link"))
    outside = corpus.logdir.parent / f"{corpus.logdir.name}-outside"
    outside.mkdir(exist_ok=True)
    (outside / FILE_NAME).write_bytes(b"".join(records))
    (corpus.logdir / "linked").symlink_to(outside, target_is_directory=True)
    corpus.runs["linked"] = DamagedRun("linked", {"loss": [(0, 0.0)]})
    (corpus.logdir / "dangling").mkdir()
    (corpus.logdir / "dangling" / FILE_NAME).symlink_to(corpus.logdir / "nowhere")
    corpus.runs["dangling"] = DamagedRun(
        "dangling", damage=(ExpectedDamage(f"dangling/{FILE_NAME}", 0, "link"),)
    )
    _unless_refused(lambda: _undecodable(corpus, b"".join(records)))


def _undecodable(corpus: _Corpus, content: bytes) -> None:
    directory = os.fsencode(corpus.logdir) + b"/bytes_\xff"
    os.mkdir(directory)
    with open(os.path.join(directory, os.fsencode(FILE_NAME)), "wb") as file:
        file.write(content)
    corpus.runs["bytes_\\xff"] = DamagedRun("bytes_\\xff", {"loss": [(0, 0.0)]})


def _unless_refused(write: Callable[[], None]) -> None:
    """Some file systems take only UTF-8 names; there the case cannot arise."""
    try:
        write()
    except OSError as error:
        if error.errno not in (errno.EILSEQ, errno.EINVAL):
            raise
