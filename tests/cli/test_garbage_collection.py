"""Which loads exempt their objects from later garbage collections."""

from __future__ import annotations

import gc
import subprocess
import sys

from insight_core.cli.process import rare_collections

LOAD = """
import gc
from insight_core.cli.process import rare_collections
with rare_collections():
    kept = [[] for _ in range({made})]
    del kept[:{deleted}]
print(gc.get_count()[0], gc.get_freeze_count())
"""


def _counted(made: int, deleted: int) -> tuple[int, int]:
    """Objects in the youngest generation, and objects that are exempt, after a load in a new process."""
    program = LOAD.format(made=made, deleted=deleted)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    count, frozen = map(int, done.stdout.split())
    return count, frozen


def test_a_load_that_deletes_temporary_objects_is_exempt() -> None:
    count, frozen = _counted(2_500_000, 1_250_000)
    assert count < 10_000
    assert frozen >= 1_250_000


def test_a_look_that_finds_nothing_new_is_not_exempt() -> None:
    assert _counted(100, 0)[1] == 0


def test_of_two_threads_that_overlap_the_last_one_restores_the_thresholds() -> None:
    before = gc.get_threshold()
    one, other = rare_collections(), rare_collections()
    one.__enter__()
    rare = gc.get_threshold()
    other.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold() == rare != before
    other.__exit__(None, None, None)
    assert gc.get_threshold() == before
