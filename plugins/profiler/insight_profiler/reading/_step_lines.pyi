import numpy as np
from numpy.typing import NDArray

class StepLines:
    @property
    def names(self) -> list[bytes]: ...
    def number(self, name: bytes) -> int: ...
    def read(
        self, piece: bytes
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], list[bytes]]: ...
