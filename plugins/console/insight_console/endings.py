"""How a log ends: what its last lines say of why a training ended, and that nothing went on after that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from insight_console.signs import EXCEPTION, GOES_ON, SIGNS, TRAILS
from insight_console.steps import names_step
from insight_console.texts import plain, text_of

READ = 64 << 10  # bytes at the end of a log that are looked at
LAST_LINES = 6  # that the run table shows
_MOST_AFTER = 8  # lines of other kinds after a failure; more, and the program went on
_LONGEST = 400  # characters of an exception
_MOST_FRAMES = 100  # lines after a crash that are looked at

_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\s*$")
_FRAME = re.compile(r'^\s+File "([^"]+)", line (\d+)(?:, in (.+))?')
_EXCEPTION = re.compile(r"^([A-Za-z_][\w.]*)(?::\s?(.*))?$")
_INSIDE = re.compile(r"^(?:\s+|\s*$|The above exception was|During handling of the above|Original Traceback)")
_PREFIX = re.compile(  # of a rank, before each line: torchrun, srun -l, DeepSpeed, Ray
    r"^(?:\[(?:rank|default)?\d+\]:\s?|\d{1,4}:\s|\([\w.]+ pid=\d+[^)]*\)\s|\[\d+,\d+\]<std(?:err|out)>:\s?)"
)
_NOT_OF_USER = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d|^<|importlib|runpy\.py$")
_LAUNCHERS = ("ChildFailedError", "CalledProcessError", "ProcessExitedException", "ProcessRaisedException")
_BAR = re.compile(r"(?<![\d.])(\d+)/(\d+) \[\d+:\d\d(?::\d\d)?<")
_BY_TEST = re.compile(r"^=+ .*\b(?:passed|failed|errors?)\b.* =+$|^FAILED \S+::|^=+ FAILURES =+$|^E   ")


@frozen
class LogEnding:
    """Why a training ended, by the last lines of its log.

    ``offset`` is the byte at which the line begins that says it; ``said`` is the exception or that line,
    ``exception`` its type. Of several endings that of the smallest ``rank`` is the cause. ``file`` and
    ``line`` are the last place in the user's own code.
    """

    kind: str
    offset: int
    said: str
    rank: int
    exception: str = ""
    file: str = ""
    line: int = 0


def last_lines(tail: bytes) -> list[str]:
    """The last lines that are not empty, without colours."""
    texts = [text_of(plain(line))[0].rstrip()[:_LONGEST] for line in tail[-8192:].split(b"\n")]
    return [text for text in texts if text][-LAST_LINES:]


def ending_of(tail: bytes, offset: int = 0) -> LogEnding | None:
    """How a log ends whose last bytes are ``tail``, which begin at ``offset``; None if it says nothing of a
    failure, or if the training went on after it."""
    raw = tail.split(b"\n")
    offsets = [offset]
    for one in raw:
        offsets.append(offsets[-1] + len(one) + 1)
    texts = [_PREFIX.sub("", text_of(plain(one))[0]) for one in raw]
    if any(_BY_TEST.match(text) for text in texts[-200:]):
        return None
    found: list[tuple[int, int, LogEnding]] = []  # with the lines at which it begins and ends
    place = 0
    while place < len(texts):
        text = texts[place]
        if _TRACEBACK.search(text):
            end, ending = _of_traceback(texts, place, offsets[place])
            if ending is not None:
                found.append((place, end, ending))
            place = max(end, place + 1)
            continue
        for kind, sign, rank in SIGNS:
            if sign.search(text) and not GOES_ON.search(text):
                own = _frame_below(texts, place) if kind == "crash" else ("", 0)
                ending = LogEnding(kind, offsets[place], text.strip()[:_LONGEST], rank, "", *own)
                found.append((place, place + 1, ending))
                break
        place += 1
    bars = _bars(texts)
    left = [one for one in found if not _went_on(texts, one[1], bars)]
    return min(left, key=lambda one: (one[2].rank, one[0]))[2] if left else None


def _of_traceback(texts: Sequence[str], begin: int, offset: int) -> tuple[int, LogEnding | None]:
    """Where a traceback ends, with those that it is the cause of, and what it says."""
    own = frame = ("", 0)
    place = begin + 1
    exception = message = ""
    while place < len(texts):
        text = texts[place]
        at = _FRAME.match(text)
        if at is not None:
            frame = at[1], int(at[2])
            if not _NOT_OF_USER.search(at[1]):
                own = frame
        elif _TRACEBACK.search(text):  # of what was raised meanwhile
            own = frame = ("", 0)
        elif not _INSIDE.match(text):
            said = _EXCEPTION.match(text)
            if said is None:
                break
            exception, message = said[1], said[2] or ""
            place += 1
            while place < len(texts) and not texts[place].strip():
                place += 1
            if place < len(texts) and texts[place].startswith(("The above", "During", "Original")):
                continue
            break
        place += 1
    if not exception or exception in ("KeyboardInterrupt", "SystemExit"):
        return place, None
    said_text = f"{exception}: {message}" if message else exception
    kind, rank = next(((kind, rank) for kind, sign, rank in SIGNS if sign.search(said_text)), EXCEPTION)
    if exception.rpartition(".")[2] in _LAUNCHERS:
        kind, rank, own, frame = EXCEPTION[0], 4, ("", 0), ("", 0)  # of what it launched
    file, line = own if own[0] else frame
    return place, LogEnding(kind, offset, said_text[:_LONGEST], rank, exception, file, line)


def _frame_below(texts: Sequence[str], place: int) -> tuple[str, int]:
    """The first place of the user's own code that faulthandler prints, innermost call first."""
    for text in texts[place + 1 : place + 1 + _MOST_FRAMES]:
        at = _FRAME.match(text)
        if at is not None and not _NOT_OF_USER.search(at[1]):
            return at[1], int(at[2])
    return "", 0


def _bars(texts: Sequence[str]) -> list[tuple[int, str, int]]:
    """Line, total and count of each progress bar."""
    return [(at, found[2], int(found[1])) for at, text in enumerate(texts) if (found := _BAR.search(text))]


def _went_on(texts: Sequence[str], end: int, bars: Sequence[tuple[int, str, int]]) -> bool:
    """Whether the program did something after the line ``end``: it trains, or prints more than programs,
    launchers and schedulers do as they end."""
    for at, total, count in bars:
        before = [other for where, of, other in bars if where < end and of == total]
        if at >= end and (not before or count > before[-1]) and count:
            return True
    others = 0
    place = end
    while place < len(texts):
        text = texts[place]
        if _TRACEBACK.search(text):
            place = max(place + 1, _of_traceback(texts, place, 0)[0])
            continue
        place += 1
        if not text.strip() or _BAR.search(text) or TRAILS.search(text) or text[0] in " \t":
            continue
        if any(sign.search(text) for _, sign, _ in SIGNS):
            continue
        if GOES_ON.search(text) or names_step(text.encode("utf-8", "replace")):
            return True
        others += 1
    return others > _MOST_AFTER
