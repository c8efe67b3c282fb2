"""The one table of ``make bench``: a row for each figure, a column for each contender."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import frozen

OURS = "insight-host"
OUR_SERVER = "insight-data-server"
RUST = "Rust server"
RUST_ALL = "Rust, all points"
TENSORBOARD = "TensorBoard"
MINDINSIGHT = "MindInsight"
TBPARSE = "tbparse"
TB_LIKE = "tb-like"
PICKLE = "pickle.load"
CONTENDERS = (OURS, OUR_SERVER, RUST, RUST_ALL, TENSORBOARD, TBPARSE, TB_LIKE, MINDINSIGHT, PICKLE)

Unit: TypeAlias = Literal["s", "ms", "MB", "/s"]
_FORMATS: Mapping[Unit, str] = {"s": "{:.3f} s", "ms": "{:.1f} ms", "MB": "{:.0f} MB", "/s": "{:,.0f} /s"}


@frozen
class AtMost:
    """Our figure must not be larger than this (in the unit of its row)."""

    limit: float

    def __str__(self) -> str:
        return f"<= {self.limit:g}"

    def is_met(self, figures: Mapping[str, float]) -> bool:
        return figures.get(OURS, math.nan) <= self.limit


@frozen
class TimesBetter:
    """Our figure must be smaller than the peer's by at least this factor."""

    factor: float
    peer: str = RUST

    def __str__(self) -> str:
        return f">= {self.factor:g}x {self.peer}"

    def is_met(self, figures: Mapping[str, float]) -> bool:
        return figures.get(self.peer, math.nan) >= self.factor * figures.get(OURS, math.nan)


@frozen
class Row:
    """One figure of everybody who has it; ``wanted`` is what ours must be.

    A figure that is NaN could not be measured: it is shown as failed and meets no target.
    """

    subject: str  # a corpus, or what was asked
    measure: str
    unit: Unit
    figures: Mapping[str, float]  # by contender
    wanted: AtMost | TimesBetter | None = None

    @property
    def verdict(self) -> str:
        if self.wanted is None or OURS not in self.figures:
            return ""
        if isinstance(self.wanted, TimesBetter) and self.wanted.peer not in self.figures:
            return "no peer"
        return "pass" if self.wanted.is_met(self.figures) else "FAIL"

    @property
    def ratio(self) -> str:
        """How many times less (or, of answers a second, more) ours is than the fastest peer's default."""
        ours = self.figures.get(OURS, math.nan)
        peer = next(
            (self.figures[name] for name in (RUST, TENSORBOARD, MINDINSIGHT) if name in self.figures), 0
        )
        if not peer or not ours > 0 or math.isnan(peer):
            return ""
        return f"{ours / peer if self.unit == '/s' else peer / ours:.1f}x"


def median(figures: Sequence[float]) -> float:
    """NaN when any of them is: one that failed must not vanish behind the others."""
    return math.nan if not figures or any(map(math.isnan, figures)) else statistics.median(figures)


def render(rows: Sequence[Row]) -> str:
    """Columns that are flush, without those of contenders that have no figure."""
    shown = [name for name in CONTENDERS if any(name in row.figures for row in rows)]
    lines = [["", "", *shown, "ratio", "wanted", ""]]
    before = ""
    for row in rows:
        figures = [_figure(row.figures[name], row.unit) if name in row.figures else "" for name in shown]
        wanted = "" if row.wanted is None else str(row.wanted)
        subject = "" if row.subject == before else row.subject
        lines.append([subject, row.measure, *figures, row.ratio, wanted, row.verdict])
        before = row.subject
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = (0, 1, len(widths) - 2, len(widths) - 1)
    texts = [
        "  ".join(
            cell.ljust(wide) if at in left else cell.rjust(wide)
            for at, (cell, wide) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    texts.insert(1, "  ".join("-" * wide for wide in widths))
    return "\n".join(texts)


def _figure(number: float, unit: Unit) -> str:
    return "failed" if math.isnan(number) else _FORMATS[unit].format(number)
