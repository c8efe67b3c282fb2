from insight_core.formats.batch import SmallFile
from insight_core.formats.dialects import Dialect

def read_small_files(
    paths: list[bytes], guesses: list[Dialect], number_plugins: frozenset[str], head: int, tail: int
) -> list[SmallFile | None]: ...
