import numpy as np
from numpy.typing import NDArray

from insight_core.formats.alike_files import SharedColumns
from insight_core.formats.block_encoding import Piece
from insight_core.formats.columns import Block

chunk_bytes: int

def encode_block(blocks: list[Block], size: int, single: bool) -> tuple[list[Piece], int, int, int, bool]: ...
def encode_alike(
    columns: SharedColumns,
    kinds: list[tuple[int, int, bool, str]],
    places: NDArray[np.int64],
    numbers: list[int],
) -> tuple[bytes, bytes, bytes]: ...
