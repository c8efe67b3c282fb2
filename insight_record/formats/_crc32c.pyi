import numpy as np
from numpy.typing import NDArray

name: str

def crc32c(data: bytes | bytearray | memoryview, before: int = 0, *, portable: bool = False) -> int: ...
def masked_crc32c_rows(rows: NDArray[np.uint8]) -> NDArray[np.uint32]: ...
