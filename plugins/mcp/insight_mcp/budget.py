"""Estimates from above how many tokens a text takes: no model's tokenizer is known here."""

from __future__ import annotations

import re

LEAST, USUAL, MOST = 300, 2000, 20_000  # Tokens of an answer that a caller may ask for.

# Tokens a character, above what the tokenizers of three models take for answers of the tools
# (docs/how-to/agents.md): words are merged, digits come in threes, other marks stand alone.
_LETTER, _DIGIT, _OTHER, _WIDE = 0.36, 0.66, 0.80, 2.0
_LETTERS = re.compile(r"[A-Za-z ]")
_DIGITS = re.compile(r"[0-9]")
_ASCII = re.compile(r"[\x00-\x7f]")


def tokens_of(text: str) -> float:
    """An estimate that is rather too high."""
    letters, digits = len(_LETTERS.findall(text)), len(_DIGITS.findall(text))
    plain = len(text) if text.isascii() else len(_ASCII.findall(text))
    return (
        letters * _LETTER
        + digits * _DIGIT
        + (plain - letters - digits) * _OTHER
        + (len(text) - plain) * _WIDE
    )
