"""Places of the payloads of a series: in log files, or copied into the lake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_lake.tables import text_of_claims

_PIECE = 1 << 20  # bytes


@frozen(eq=False)
class RecordColumns:
    """The payloads of a series in the order of files; columns int64[n] of equal length.

    ``claims`` and ``objects`` are words, of which the columns ``claim`` and ``object`` have the index.
    ``object`` is the path of a log file, or of a copied payload the key in the lake; ``record`` the offset of
    the framed record that the payload is a part of, or -1; ``start`` that of its first byte.
    """

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    sizes: NDArray[np.int64]
    claims: Sequence[str]
    claim: NDArray[np.int64]
    objects: Sequence[str]
    object: NDArray[np.int64]
    copied: NDArray[np.bool_]
    record: NDArray[np.int64]
    start: NDArray[np.int64]

    def claim_words(self) -> tuple[list[str], NDArray[np.int64]]:
        """The words of the claims in the order in which they first occur, and the index of each record's."""
        texts = [self.claims[place] for place in self.claim.tolist()]
        words = list(dict.fromkeys(texts))
        number = {word: place for place, word in enumerate(words)}
        return words, np.array([number[text] for text in texts], np.int64)


class RecordSource(Protocol):
    """Tells where payloads are."""

    def columns(self, plugin: str, key: SeriesKey) -> RecordColumns:
        """The payloads of a series. Raises NotFound."""
        ...


class LogRecords:
    """Payloads that stay in the log files; those of files that end with the provider are ``copied``, if
    there is something that does."""

    def __init__(self, data: DataProvider, copied: RecordSource | None = None) -> None:
        self._data, self._copied = data, copied

    def columns(self, plugin: str, key: SeriesKey) -> RecordColumns:
        """See RecordSource. Raises InvalidArgument where the places are not known."""
        table = self._data.records(plugin, key, "all")
        places = self._data.payload_places(plugin, key)
        if places is None:
            raise InvalidArgument(
                f"{self._data.location()}: does not tell where payloads such as images are; "
                "copy them with --with-payloads, or leave them out with --numbers-only"
            )
        if places.passing and self._copied is not None:
            return self._copied.columns(plugin, key)
        return RecordColumns(
            table.steps,
            table.wall_times,
            table.sizes,
            [text_of_claims([claim]) for claim in places.claims],
            places.parts,
            places.files,
            places.parts,
            np.zeros(len(table.steps), bool),
            places.records,
            places.starts,
        )


class CopiedRecords:
    """Payloads that are written one after the other into a file, which becomes the object ``key``."""

    def __init__(self, data: DataProvider, file: BinaryIO, key: str) -> None:
        self._data, self._file, self._key = data, file, key

    def columns(self, plugin: str, key: SeriesKey) -> RecordColumns:
        """See RecordSource. Copies the payloads."""
        table = self._data.records(plugin, key, "all")
        count = len(table.steps)
        starts, sizes, claims = np.zeros(count, np.int64), np.zeros(count, np.int64), []
        for index in range(count):
            starts[index] = self._file.tell()
            with self._data.open_payload(plugin, key, index, "all") as stream:
                claims.append(text_of_claims([stream.claim]))
                for piece in iter(lambda: stream.file.read(_PIECE), b""):
                    sizes[index] += self._file.write(piece)
        words = list(dict.fromkeys(claims))
        claim = np.array([words.index(text) for text in claims], np.int64)
        nothing = np.zeros(count, np.int64)
        return RecordColumns(
            table.steps,
            table.wall_times,
            sizes,
            words,
            claim,
            [self._key],
            nothing,
            np.ones(count, bool),
            nothing - 1,
            starts,
        )
