from insight_core.formats.block_encoding import Piece
from insight_core.formats.columns import Block

def encode_block(blocks: list[Block], size: int, single: bool) -> tuple[list[Piece], int, int, int, bool]: ...
