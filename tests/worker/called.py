"""Functions that tests call in a worker process."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from insight_core.plugin import TooLarge, Unavailable
from insight_core.plugin.worker import WorkerLink
from insight_record.formats.reason import Reason


def repeat(link: WorkerLink, text: str, times: int) -> bytes:
    return text.encode() * times


def process(link: WorkerLink) -> bytes:
    return str(os.getpid()).encode()


def joined(link: WorkerLink, names: list[str]) -> bytes:
    files = [link.open(name) for name in names]
    return b"|".join(file.read() for file in files)


def one_byte(link: WorkerLink, file: str) -> bytes:
    return link.open(file).read(1)


def much(link: WorkerLink, file: str, said: int, answer: int) -> bytes:
    """Reads the beginning of a file and says more than a pipe holds."""
    link.open(file).read(1)
    link.say(text="x" * said)
    return b"x" * answer


def allocate(link: WorkerLink, size: int) -> bytes:
    return str(len(bytearray(size))).encode()


def loop(link: WorkerLink) -> None:
    while True:
        pass


def sleep(link: WorkerLink) -> None:
    time.sleep(1000)


def compute(link: WorkerLink) -> None:
    """Compiled code that does not return to the interpreter."""
    str(pow(7, 1 << 26))[0]


def end(link: WorkerLink) -> None:
    os._exit(3)


def fail(link: WorkerLink, kind: str) -> None:
    if kind == "too large":
        raise TooLarge("far too large", code="far", by=7)
    if kind == "value":
        raise ValueError(Reason("a number is missing", "missing", number=3))
    raise KeyError(kind)


def chatter(link: WorkerLink) -> bytes:
    print("to nobody")
    sys.stdout.flush()
    link.say(part=1)
    return b"done"


def counted(data: bytes, times: int) -> dict[str, object]:
    return {"size": times * len(data), "twice": np.array([times, times]), "process": os.getpid()}


def refused(data: bytes) -> None:
    if data.endswith(b"!"):
        raise Unavailable("later")
    raise ValueError(Reason("a number is missing", "missing", number=3))
