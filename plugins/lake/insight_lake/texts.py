"""Claims and texts as a lake stores them."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.plugin import Claim
from insight_core.plugin.lab import claim_of

_BETWEEN = "\n"


def utf8(text: str) -> str:
    """The text with what UTF-8 cannot hold written as an escape, as the names of runs have it."""
    return text.encode("utf-8", "backslashreplace").decode() if not text.isascii() else text


def text_of_claims(claims: Sequence[Claim]) -> str:
    """Several claims as one text."""
    return _BETWEEN.join(utf8(str(claim)) for claim in claims)


def claims_of_text(text: str) -> tuple[Claim, ...]:
    """Reads a text that ``text_of_claims`` wrote. Raises ValueError for any other text."""
    return tuple(claim_of(one) for one in text.split(_BETWEEN)) if text else ()
