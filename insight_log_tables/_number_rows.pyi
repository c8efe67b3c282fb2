import numpy as np
from numpy.typing import NDArray

def number_rows(
    data: bytes, delimiter: int, step_column: int, places: NDArray[np.int64], columns: int, rows: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]] | None: ...
