"""Values that are not numbers: listed without their bytes, read and decoded one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from attrs import frozen

from insight_core.plugin import Undecodable
from insight_core.plugin.data import Payload
from insight_core.plugin.data.places import undecodable
from insight_core.plugin.payloads import tensor_of
from insight_host.client import LoggedPayload

T = TypeVar("T")


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


__all__ = ["LoggedPictures", "LoggedValue", "Undecodable", "texts_of"]
