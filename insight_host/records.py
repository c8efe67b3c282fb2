"""Values that are not numbers: listed without their bytes, read and decoded one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from attrs import frozen

from insight_core.plugin import Undecodable
from insight_core.plugin.data import DataProvider, Payload, PayloadStream, SeriesKey, ShownAttempts
from insight_core.plugin.data.places import undecodable
from insight_core.plugin.payloads import tensor_of

T = TypeVar("T")


@frozen
class LoggedPayload:
    """The bytes of one value that is not a number: an image, a histogram, a file. Read on request."""

    key: SeriesKey
    index: int  # among the payloads of the series
    step: int
    wall_time: float  # seconds since the epoch
    size: int  # bytes; -1 if only reading it would tell
    _provider: DataProvider
    _plugin: str
    _attempts: ShownAttempts

    def read(self) -> Payload:
        """All bytes and their claim.

        Raises Undecodable for damaged bytes, and InvalidArgument for a file of more than 256 MiB: ``stream``
        reads it.
        """
        return self._provider.payload(self._plugin, self.key, self.index, self._attempts)

    def stream(self, *, offset: int = 0, length: int | None = None) -> PayloadStream:
        """The bytes as a file of any size, or ``length`` of them from the byte ``offset`` on. Raises
        Undecodable.
        """
        return self._provider.open_payload(
            self._plugin, self.key, self.index, self._attempts, offset=offset, length=length
        )


def payloads_of(
    provider: DataProvider, plugin: str, key: SeriesKey, attempts: ShownAttempts
) -> Iterator[LoggedPayload]:
    """The payloads of one series, in the order of steps (of the files for ``attempts`` "all").

    Their bytes are not read yet, so that a damaged one does not hide the next. Raises NotFound for an unknown
    series.
    """
    table = provider.records(plugin, key, attempts)
    rows = zip(table.steps.tolist(), table.wall_times.tolist(), table.sizes.tolist(), strict=True)
    for index, (step, wall_time, size) in enumerate(rows):
        yield LoggedPayload(key, index, step, wall_time, size, provider, plugin, attempts)


class LoggedPictures(Protocol):
    """The pictures of one record: files as they were written, and what their writer says of them."""

    @property
    def encoded(self) -> tuple[bytes, ...]:
        """The files: PNG, JPEG, GIF and so on."""
        ...

    @property
    def width(self) -> int:
        """Pixels, 0 where the writer says nothing of use."""
        ...

    @property
    def height(self) -> int:
        """Pixels, 0 where the writer says nothing of use."""
        ...


@frozen
class LoggedValue(Generic[T]):
    """One image, histogram, tensor or text. Nothing is read before ``read``."""

    payload: LoggedPayload  # its bytes, as they stand in the log
    _decode: Callable[[Payload], T]

    @property
    def run(self) -> str:
        """Name of the run."""
        return self.payload.key.run

    @property
    def tag(self) -> str:
        """Name of the series."""
        return self.payload.key.tag

    @property
    def step(self) -> int:
        """Step at which it was written."""
        return self.payload.step

    @property
    def wall_time(self) -> float:
        """When it was written, in seconds since the epoch."""
        return self.payload.wall_time

    def read(self) -> T:
        """The decoded value. Raises Undecodable for a damaged or malformed one, with run, tag and step."""
        payload = self.payload.read()
        try:
            return self._decode(payload)
        except ValueError as error:
            raise undecodable(self.payload.key, self.step, self.payload.index, error) from error


def texts_of(payload: Payload) -> tuple[str, ...]:
    """The strings of a text summary; bytes that are not UTF-8 become U+FFFD. Raises ValueError."""
    tensor = tensor_of(payload)
    if tensor.values.dtype != object:
        raise ValueError(f"the tensor holds values of type {tensor.dtype}, not strings")
    return tuple(text.decode("utf-8", "replace") for text in tensor.values.flat)


__all__ = ["LoggedPayload", "LoggedPictures", "LoggedValue", "Undecodable", "texts_of"]
