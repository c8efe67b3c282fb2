"""Finds the line of a step: which lines name one, and where in a long log the step stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from insight_console.source import OpenLog
from insight_console.texts import plain

_SCANNED = 1 << 20  # bytes that are read whole
_SAMPLES = 64  # places of a longer part that are looked at
_SAMPLE = 16 << 10  # bytes of one
_REST = 4 << 10  # bytes of a line behind the part in which it begins

# "Epoch [3][50/1000]", "Epoch(train) [3][  50/1000]": epochs from 1, steps within one
_IN_EPOCH = re.compile(rb"Epoch\s*(?:\(train\))?\s*\[(\d{1,9})\]\s*\[\s*(\d{1,12})/(\d{1,12})\]")
# "step 120", "global_step=120", "iter: 50", "Iter(train) [ 50/90]", "'step': 120", "Step[120/500]", "it 7"
_STEP = re.compile(
    rb"(?i)(?<![a-z])(?:global[_ ]?|train(?:ing)?[_ /]?)?(?:step|iteration|iter|it)s?(?![a-z_])"
    rb"(?:\s*\(train\))?[\"']?\s*[:=#\[(]*\s*(\d{1,15})(?![\d.]*\s*(?:s\b|ms\b|/s|it/s))"
)
# "Epoch 3/10", "epoch: 3", "'epoch': 3.0"
_EPOCH = re.compile(rb"(?i)(?<![a-z])epochs?[\"']?\s*[:=#\[(]*\s*(\d{1,9})(?:\.0+)?(?![\d.])")


def step_of(line: bytes) -> int | None:
    """The step that a line of a log names; None without one."""
    found = _IN_EPOCH.search(line)
    if found is not None:
        return (int(found[1]) - 1) * int(found[3]) + int(found[2])
    found = _STEP.search(line)
    return None if found is None else int(found[1])


def _epoch_of(line: bytes) -> int | None:
    found = _EPOCH.search(line)
    return None if found is None else int(found[1])


def names_step(line: bytes) -> bool:
    """Whether a line speaks of a step or an epoch."""
    return step_of(line) is not None or _epoch_of(line) is not None


def locate(log: OpenLog, step: int) -> tuple[int, int] | None:
    """The byte at which the line of a step begins, and its step: that of the last attempt, or of the nearest
    step before. None in a log without steps, where epochs count as such."""
    for number_of in (step_of, _epoch_of):
        found = _located(log, step, 0, log.size, number_of)
        if found is not None:
            return found
    return None


def _located(
    log: OpenLog, step: int, low: int, high: int, number_of: Callable[[bytes], int | None]
) -> tuple[int, int] | None:
    while high - low > _SCANNED:
        width = (high - low) // _SAMPLES
        samples = [
            found
            for place in range(low, high, width)
            if (found := next(_numbers(log, place, min(place + min(width, _SAMPLE), high), number_of), None))
        ]
        if not samples:
            return None
        numbers = [number for _, number in samples]
        before = [at for at, number in enumerate(numbers) if number <= step]
        if not before:
            high = samples[0][0] + 1
            low = max(low, high - _SCANNED)
            break
        around = [at for at in before if numbers[at + 1 : at + 2] > [step]]  # the last: of the last attempt
        place = around[-1] if around else max(before, key=lambda at: (numbers[at], at))
        length = high - low
        low, high = samples[place][0], samples[place + 1][0] if place + 1 < len(samples) else high
        if high - low > length // 2:  # what follows names no step
            break
    high = min(high, low + _SCANNED)
    best: tuple[int, int] | None = None
    previous = -1
    for offset, number in _numbers(log, low, high, number_of):
        is_again = best is not None and number == best[1] and previous < number  # by a later attempt
        if best is None or (number <= step and (number > best[1] or best[1] > step)) or is_again:
            best = offset, number
        previous = number
    return best


def _numbers(
    log: OpenLog, low: int, high: int, number_of: Callable[[bytes], int | None]
) -> Iterator[tuple[int, int]]:
    """Offsets and numbers of the lines that begin in a part of the log and name one."""
    begin = max(0, low - 1)
    data = log.read(begin, high - begin + _REST)
    start = 0 if low == 0 else data.find(b"\n") + 1
    if start == 0 and low > 0:
        return  # within one long line
    while start < min(len(data), high - begin):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number = number_of(plain(data[start:end]))
        if number is not None:
            yield begin + start, number
        start = end + 1
