"""Copies of log files with bytes changed, each in a run of its own, among runs that stay whole."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from insight_core.plugin.testing import EventWriter
from tests.fuzz.decoders import LOGS

_LARGEST = 1 << 16  # bytes of a file that is copied
_ODD = (
    b"", b"\0", b"\xff" * 8, b"\x80" * 9 + b"\x01", b"-1", b"1e999", b"NaN", b'"', b"{", b"[" * 99, b"\n",
    b"\xed\xa0\x80",
)  # fmt: skip
CONTROLS = 3  # runs that stay whole


def sources() -> Sequence[Path]:
    """The sample files that are small enough, each kind of them."""
    return sorted(path for path in LOGS.rglob("*") if path.is_file() and path.stat().st_size <= _LARGEST)


def changed(data: bytes, chance: random.Random) -> bytes:
    """The bytes with one to six changes: cut, doubled, overwritten, or something odd put in."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at, length = chance.randrange(len(out) + 1), chance.choice((1, 1, 4, 16, 256))
        match chance.randrange(6):
            case 0:
                del out[at : at + length]
            case 1:
                out[at:at] = out[at : at + length]
            case 2:
                out[at : at + length] = chance.randbytes(len(out[at : at + length]))
            case 3:
                out[at : at + chance.randrange(9)] = chance.choice(_ODD)
            case 4:
                out[at : at + 1] = bytes([1 << chance.randrange(8)])
            case 5 if chance.random() < 0.2:
                del out[max(1, at) :]
    return bytes(out)


def write_mutants(logdir: Path, count: int, seed: int) -> Iterator[str]:
    """Writes so many changed files and the control runs; gives the names of the runs that were changed."""
    chance, files = random.Random(seed), sources()
    for number in range(CONTROLS):
        with EventWriter(logdir / control(number)) as writer:
            for step in range(20):
                writer.scalar("loss", step, step + number / 4)
    for number in range(count):
        source = files[number % len(files)]
        run = f"mutant_{number}"
        target = logdir / run / source.relative_to(LOGS)
        target.parent.mkdir(parents=True)
        target.write_bytes(changed(source.read_bytes(), chance))
        yield run


def control(number: int) -> str:
    """The name of a control run; they stand before, between and after the others."""
    return ("a_control", "mutant_control", "z_control")[number]
