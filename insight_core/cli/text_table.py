"""Formats text tables with aligned columns, and escapes control characters."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence


def printable(text: str) -> str:
    """``text`` with control characters and invalid bytes escaped: names in logs are not trusted."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char.isprintable() and not 0xD800 <= ord(char) <= 0xDFFF else _escaped(char) for char in text
    )


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape", "backslashreplace").decode()


def width(text: str) -> int:
    """Terminal columns that ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def duration_text(seconds: float) -> str:
    """Seconds as the page shows them: ``0.6 ms``, ``33 ms``, ``1.6 s``, ``2 m 04 s``, ``1 h 02 m``."""
    if not math.isfinite(seconds):
        return "-"
    sign, size = "-" if seconds < 0 else "", abs(seconds)
    for unit, scale, least in (("s", 1.0, 0.9995), ("ms", 1e3, 1e-4), ("µs", 1e6, 0.0)):
        number = size * scale
        short = f"{number:.0f}" if number >= 10 else f"{number:.1f}".removesuffix(".0")
        if (size >= least or not size) and (unit != "s" or float(short) < 60):
            return f"{sign}{short} {unit}"
        if size >= least:
            break
    whole = round(size)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "m"), (whole % 60, "s")]
    first = next(at for at, (part, _) in enumerate(parts) if part)
    (large, unit), (small, below) = parts[first], parts[first + 1]
    return f"{sign}{large} {unit} {small:02} {below}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[str] = ()) -> str:
    """Lines of ``rows`` under ``header``; the columns named in ``right`` are flush right."""
    columns = zip(header, *rows, strict=True)
    aligned = [_aligned(cells, flush_right=cells[0] in right) for cells in columns]
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*aligned, strict=True))


def _aligned(cells: Sequence[object], *, flush_right: bool) -> list[str]:
    """The texts of a column, all as wide as the widest, with a line below the first."""
    texts = list(map(str, cells))
    joined = "".join(texts)
    if joined.isascii() and joined.isprintable():  # as nearly all columns, which may have a million cells
        wide = max(map(len, texts))
        aligned = (
            [text.rjust(wide) for text in texts] if flush_right else [text.ljust(wide) for text in texts]
        )
    else:
        texts = list(map(printable, texts))
        widths = list(map(width, texts))
        wide = max(widths)
        spaces = [" " * (wide - each) for each in widths]
        pairs = zip(spaces, texts, strict=True) if flush_right else zip(texts, spaces, strict=True)
        aligned = [first + second for first, second in pairs]
    aligned.insert(1, "-" * wide)
    return aligned
