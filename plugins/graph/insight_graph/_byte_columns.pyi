import numpy as np
from numpy.typing import NDArray

def last_places(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], byte: int
) -> NDArray[np.int64]: ...
def fields_of(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]: ...
