"""With a limit of memory the answers are the same, and the process holds less."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from insight_core.plugin.testing import EventWriter

_PROGRAM = """
import json, re, sys
from pathlib import Path
import insight_scalar
from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider

def own():
    return int(re.search(r"RssAnon:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10

limit, place = int(sys.argv[2]) or None, Path(sys.argv[3])
plugins = [insight_scalar.insight_plugin()]
provider = LocalProvider(
    [Logdir(sys.argv[1])], plugins, reload_interval=0, max_memory=limit, spill_directory=place
)
before = own()
provider.load()
after = own()
keys = [info.key for info in provider.series("scalar")]
answers = provider.scalars("scalar", keys)
sums = {
    f"{key.run} {key.tag}": [float(c.steps.sum()), float(c.wall_times.sum()), float(c.values.sum()), c.total]
    for key, c in answers.items()
}
provider.close()
json.dump({"held": after - before, "sums": sums, "files": [p.name for p in place.iterdir()]}, sys.stdout)
"""


def run(logdir: Path, limit: int, place: Path) -> dict[str, object]:
    place.mkdir()
    command = [sys.executable, "-c", _PROGRAM, str(logdir), str(limit), str(place)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    found: dict[str, object] = json.loads(answer.stdout)
    return found


def test_a_provider_with_a_limit_answers_the_same_from_less_memory(tmp_path: Path) -> None:
    for number in range(4):
        with EventWriter(tmp_path / "logs" / f"r{number}") as writer:
            values = np.random.default_rng(number).normal(size=(200_000, 2))
            writer.scalar_block(["x", "y"], range(200_000), values)
    free = run(tmp_path / "logs", 0, tmp_path / "a")
    bounded = run(tmp_path / "logs", 1 << 20, tmp_path / "b")
    assert bounded["sums"] == free["sums"]
    assert bounded["files"] == []
    assert isinstance(free["held"], int)
    assert isinstance(bounded["held"], int)
    assert free["held"] - bounded["held"] > 15 << 20  # of 32 MB of columns
