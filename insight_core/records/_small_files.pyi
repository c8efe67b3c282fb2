from insight_core.api import Dialect
from insight_core.records.batch import SmallFile

def read_small_files(
    paths: list[bytes], guesses: list[Dialect], number_plugins: frozenset[str], head: int, tail: int
) -> list[SmallFile | None]: ...
