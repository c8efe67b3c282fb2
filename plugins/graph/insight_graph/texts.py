"""Keeps each text of a graph once; equal texts share a number."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_graph.name_tree import AFTER_SLASH, name_tree

_LAST_ASCII = 0x7F


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

    def __len__(self) -> int:
        return len(self.texts)

    def find(self, text: str) -> int:
        """The number of a text; -1 if it has none."""
        return self._codes.get(text, -1)


class NameCodes:
    """Numbers for names of scopes and nodes, as ``tree`` has them. Texts are made when they are asked for.

    Bytes that are not UTF-8 have the number of the text that is shown for them.
    """

    def __init__(self) -> None:
        self.tree = name_tree()
        self._texts: list[str] = []  # of the first numbers
        self._checked = 0  # numbers
        self._shown_as: dict[int, int] = {}  # of bytes that are not UTF-8

    def __getstate__(self) -> dict[str, object]:
        """Names and branches in their order, from which a tree has the same numbers again."""
        tree = self.tree
        state = tree.names.pieces(), tree.parents().tolist(), tree.labels().tolist()
        return {"tree": state, "checked": self._checked, "shown_as": self._shown_as}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self._checked, self._shown_as = state["checked"], state["shown_as"]
        names, parents, labels = state["tree"]
        for name in names:
            self.tree.names.number(name, adds=True)
        paths = [b""]
        for parent, label in zip(parents[1:], labels[1:], strict=True):
            prefix = b"/" if parent == AFTER_SLASH else paths[parent] + b"/" if parent else b""
            paths.append(prefix + names[label])
            self.tree.branch(paths[-1], adds=True)

    def __len__(self) -> int:
        return len(self.tree.names)

    def __getitem__(self, text: str) -> int:
        return self.tree.names.number(data_of(text), adds=True)

    def find(self, text: str) -> int:
        """The number of a text; -1 if it has none."""
        return self.tree.names.number(data_of(text), adds=False)

    def of(self, names: NDArray[np.int32]) -> NDArray[np.int32]:
        """The numbers of names that were added to the tree as bytes."""
        if not self.unreadable():
            return names
        found = np.arange(len(self), dtype=np.int32)
        found[list(self._shown_as)] = list(self._shown_as.values())
        return found[names]

    def unreadable(self) -> Set[int]:
        """Names in the tree that are not UTF-8."""
        count = len(self)
        if self._checked < count:
            content, ends = self.tree.names.joined(self._checked)
            octets = np.frombuffer(content, np.uint8)
            if len(octets) and octets.max() > _LAST_ASCII:
                rows = np.unique(np.searchsorted(ends, np.flatnonzero(octets > _LAST_ASCII), "right"))
                for number in (rows + self._checked).tolist():
                    [piece] = self.tree.names.pieces(number, number + 1)
                    if (shown := data_of(text_of(piece))) != piece:
                        self._shown_as[number] = self.tree.names.number(shown, adds=True)
            self._checked = count
        return self._shown_as.keys()

    def text(self, number: int) -> str:
        """The text of one."""
        return text_of(self.tree.names.pieces(number, number + 1)[0])

    def lasts(self) -> NDArray[np.int32]:
        """int32[numbers]: of each, the number of what follows its last slash, or its own."""
        content, ends = self.tree.names.joined()
        slashes = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("/"))
        with_slash = np.unique(np.searchsorted(ends, slashes, "right")).tolist()
        pieces = (self.tree.names.pieces(number, number + 1)[0] for number in with_slash)
        inner = [self.tree.names.number(piece.rpartition(b"/")[2], adds=True) for piece in pieces]
        found = np.arange(len(self), dtype=np.int32)
        found[with_slash] = inner
        return found

    @property
    def texts(self) -> list[str]:
        """All texts."""
        found = self._texts
        if len(found) < len(self):  # a new list: another thread may be here too
            found = self._texts = found + texts_of(self.tree.names.pieces(len(found)))
        return found


class NodeTexts:
    """A text for each of many nodes, as a sequence; ``codes`` has the distinct ones."""

    def __init__(self, codes: NameCodes | None = None) -> None:
        self.codes = NameCodes() if codes is None else codes
        self._numbers = array("i")  # a number in a list is an object

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, node: int) -> str:
        return self.codes.text(self._numbers[node])

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
        return list(map(self.codes.text, self.numbers[nodes].tolist()))

    @property
    def numbers(self) -> NDArray[np.int32]:
        """int32[nodes]: the numbers of the texts, which may be changed in it; not while nodes are added."""
        return np.frombuffer(self._numbers, np.int32) if self._numbers else np.empty(0, np.int32)


def data_of(text: str) -> bytes:
    """The text as UTF-8, with U+FFFD for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text_of(text.encode("utf-8", "surrogatepass")).encode()


def text_of(data: bytes) -> str:
    """UTF-8 text; invalid bytes become U+FFFD."""
    return data.decode("utf-8", "replace")


def texts_of(pieces: Sequence[bytes]) -> list[str]:
    """``text_of`` of many pieces."""
    try:
        found = b"\0".join(pieces).decode().split("\0")
    except UnicodeDecodeError:
        return list(map(text_of, pieces))
    return found if len(found) == len(pieces) else list(map(text_of, pieces))
