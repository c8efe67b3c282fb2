from insight_core.api import Dialect
from insight_core.records.batch import Batch

checksum_name: str

class CompiledScanner:
    @property
    def dialect(self) -> Dialect: ...
    def __init__(self, dialect: Dialect, chunk: int) -> None: ...
    def scan(self, descriptor: int, position: int, size: int) -> Batch: ...
