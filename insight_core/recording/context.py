"""Context manager that closes a recording and preserves an error of the training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """A context manager that calls ``close`` at the end of ``with``."""

    @abstractmethod
    def close(self) -> None:
        """Ends the recording; called at the end of the ``with``, whether the body failed or not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception as ours:
            if error is None:
                raise
            # the error of the training has priority
            error.add_note(f"The summaries were not all written: {type(ours).__name__}: {ours}")
