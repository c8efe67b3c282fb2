"""Tells files of stack profilers by their first bytes: collapsed stacks, speedscope, pprof."""

from __future__ import annotations

import re
import zlib
from contextlib import suppress

from insight_profiler.wire_numbers import varint_at

_UNPACKED = 1 << 16  # bytes of a packed beginning
_LINES = 200  # of collapsed stacks that are looked at
# patterns are compiled when first used: few logdirs have such files
_STACK = rb"(?=[^;]*[A-Za-z])[^;\x00-\x08][^\x00-\x08]* \d{1,18}\r?"
_NO_STACK = rb" \d{1,18}\r?"  # py-spy: nothing ran
_CUT = 4096  # bytes of a beginning that is not the whole file
_FRAME = rb".+ \([^()]+:\d+\)|(.+\.py|<[^()]*>)\(\d+\):_.+"  # of py-spy, of torch
_SCHEMA = rb'"\$schema"\s*:\s*"https?:\\?/\\?/www\.speedscope\.app\\?/file-format-schema\.json"'
_VARINT, _LENGTH = 0, 2
# fields of pprof's Profile, and whether each is a message or a text; comments may be packed
_OF_PROFILE = {
    **dict.fromkeys((1, 2, 3, 4, 5, 6, 11), (_LENGTH,)),
    **dict.fromkeys((7, 8, 9, 10, 12, 14, 15), (_VARINT,)),
    13: (_VARINT, _LENGTH),
}
_TYPES = 1


def unpacked(beginning: bytes) -> bytes:
    """The first bytes of a file that begins so, unpacked where it is packed by gzip; up to damage."""
    if not beginning.startswith(b"\x1f\x8b"):
        return beginning
    try:
        return zlib.decompressobj(wbits=31).decompress(beginning, _UNPACKED)
    except zlib.error:
        return _before_damage(beginning)


def _before_damage(packed: bytes) -> bytes:
    unpacking, found = zlib.decompressobj(wbits=31), bytearray()
    with suppress(zlib.error):
        for at in range(len(packed)):
            found += unpacking.decompress(packed[at : at + 1], _UNPACKED)
    return bytes(found[:_UNPACKED])


def is_folded(beginning: bytes) -> bool:
    """Whether a file that begins so has collapsed stacks: each line has calls, at least one line in two
    several with semicolons between them, and a whole number behind a space. Of a first line that is cut, its
    frames tell."""
    text = unpacked(beginning)
    lines, is_cut = text.split(b"\n"), len(beginning) >= _CUT or len(text) >= _UNPACKED
    if len(lines) == 1 and is_cut:
        frames = lines[0].split(b";")[:-1]
        return len(frames) > 1 and all(re.fullmatch(_FRAME, frame) for frame in frames)
    whole = lines[:-1] if is_cut else lines
    stacks = [line for line in whole[:_LINES] if line.strip() and not re.fullmatch(_NO_STACK, line)]
    if not all(re.fullmatch(_STACK, line) for line in stacks):
        return False
    return bool(stacks) and 2 * sum(b";" in line for line in stacks) >= len(stacks)


def is_speedscope(beginning: bytes) -> bool:
    """Whether a file that begins so is JSON that names the schema of speedscope."""
    text = unpacked(beginning)
    return text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and re.search(_SCHEMA, text) is not None


def is_pprof(beginning: bytes) -> bool:
    """Whether a file that begins so is a profile of pprof: its fields are those of a Profile as far as they
    are there, and the first says what the values of samples are."""
    try:
        return _is_profile(unpacked(beginning))
    except ValueError:  # a number that is too long
        return False


def _is_profile(data: bytes) -> bool:
    at, number = 0, 0
    while at < len(data):
        field = _field(data, at)
        if field is None:
            return number > 0 and _may_be_cut(data, at)
        kind, own, begin, end = field
        if kind not in _OF_PROFILE.get(own, ()) or (not number and own != _TYPES):
            return False
        if own == _TYPES and not _is_value_type(data[begin:end]):
            return False
        number += 1
        at = end
    return number > 1


def _is_value_type(message: bytes) -> bool:
    at = 0
    while at < len(message):
        field = _field(message, at)
        if field is None or field[:2] not in ((_VARINT, 1), (_VARINT, 2)):
            return False
        at = field[3]
    return bool(message)


def _may_be_cut(data: bytes, at: int) -> bool:
    """Whether a field that is not whole is one of a Profile."""
    tag, after = varint_at(data, at)
    return after < 0 or tag & 7 in _OF_PROFILE.get(tag >> 3, ())


def _field(data: bytes, at: int) -> tuple[int, int, int, int] | None:
    """Wire type and number of a field, and where its bytes or its number begin and end; None where it is not
    whole."""
    tag, begin = varint_at(data, at)
    if begin < 0:
        return None
    value, end = varint_at(data, begin)
    if end < 0:
        return None
    if tag & 7 == _LENGTH:
        begin, end = end, end + value
    return None if end > len(data) else (tag & 7, tag >> 3, begin, end)
