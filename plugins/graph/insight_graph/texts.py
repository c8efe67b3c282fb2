"""NodeTexts that repeat, each kept once and known by a number."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Codes:
    """Numbers for texts that repeat."""

    def __init__(self, *first: str) -> None:
        self.texts = list(first)
        self._codes = {text: code for code, text in enumerate(first)}

    def __getitem__(self, text: str) -> int:
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = len(self.texts)
            self.texts.append(text)
        return code

    def find(self, text: str) -> int:
        """The number of a text; -1 if it has none."""
        return self._codes.get(text, -1)

    def __len__(self) -> int:
        return len(self.texts)


class NodeTexts:
    """A text for each of many nodes, as a sequence; ``codes`` has the distinct ones."""

    def __init__(self, codes: Codes | None = None) -> None:
        self.codes = Codes() if codes is None else codes
        self._numbers = array("i")  # a number in a list is an object

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, node: int) -> str:
        return self.codes.texts[self._numbers[node]]

    def __setitem__(self, node: int, text: str) -> None:
        self._numbers[node] = self.codes[text]

    def __iter__(self) -> Iterator[str]:
        return map(self.codes.texts.__getitem__, self._numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeTexts | Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def append(self, text: str) -> None:
        """Adds a node."""
        self._numbers.append(self.codes[text])

    def extend(self, numbers: NDArray[np.int32]) -> None:
        """Adds nodes, by the numbers of their texts."""
        self._numbers.frombytes(numbers.tobytes())

    def at(self, nodes: NDArray[np.integer[Any]]) -> list[str]:
        """The texts of many nodes."""
        return list(map(self.codes.texts.__getitem__, self.numbers[nodes].tolist()))

    def distinct(self) -> list[str]:
        """Each text once."""
        is_used = np.bincount(self.numbers, minlength=len(self.codes)) > 0
        return list(map(self.codes.texts.__getitem__, np.flatnonzero(is_used).tolist()))

    @property
    def numbers(self) -> NDArray[np.int32]:
        """int32[nodes]: the numbers of the texts, which may be changed in it; not while nodes are added."""
        return np.frombuffer(self._numbers, np.int32) if self._numbers else np.empty(0, np.int32)


def text_of(data: bytes) -> str:
    """UTF-8 text; invalid bytes become U+FFFD."""
    return data.decode("utf-8", "replace")


def decoded(pieces: Sequence[bytes]) -> list[str] | None:
    """The texts of pieces of which all are valid UTF-8; None for others, which may look the same."""
    try:
        found = b"\0".join(pieces).decode().split("\0")
        return found if len(found) == len(pieces) else [piece.decode() for piece in pieces]
    except UnicodeDecodeError:
        return None
