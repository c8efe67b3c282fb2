"""What a fuzzer feeds with bytes: a function, bytes to start from, and their greatest length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from attrs import frozen


@frozen
class Target:
    """``run`` raises only for a mistake of ours: what is documented for bad bytes it catches itself.

    ``seeds`` are bytes that the code accepts, which the fuzzers change; ``longest`` bounds what they make.
    """

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    longest: int = 1 << 12


@contextmanager
def documented(*errors: type[Exception]) -> Iterator[None]:
    """Bad bytes may raise these; with a text for the user."""
    try:
        yield
    except errors as error:
        if not str(error):
            raise AssertionError(f"{type(error).__name__} without a reason") from error
