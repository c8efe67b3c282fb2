"""insight-record alone: what its wheel holds, and a training on it without the host."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.distributions import built

_LIMIT = 1_000_000  # bytes
_TRAINING = """
import sys
from insight_record import SummaryRecord
with SummaryRecord(sys.argv[1], dialect="tensorboard") as record:
    record.add_value("scalar", "loss", 0.5)
    record.add_value("histogram", "weights", [1.0, 2.0])
    record.record(1)
used = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(sorted(name for name in used if not name.startswith("_")))
"""


def test_the_wheel_is_small_and_needs_numpy_only(record_wheel: Path) -> None:
    assert record_wheel.name == "insight_record-0.1.0-py3-none-any.whl"
    assert record_wheel.stat().st_size < _LIMIT
    with zipfile.ZipFile(record_wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        [metadata] = [name for name in wheel.namelist() if name.endswith("METADATA")]
        lines = wheel.read(metadata).decode().splitlines()
    assert [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line] == [
        "Requires-Dist: numpy>=1.26"
    ]
    assert {name.partition("/")[0] for name in names} == {"insight_record"}
    assert {"insight_record/py.typed", "insight_record/formats/crc32c.py"} <= names
    assert [name for name in names if not name.endswith((".py", "py.typed", ".pyi"))] == []
    assert "insight_record/hatch_build.py" not in names


def test_a_training_runs_on_the_wheel_alone(
    record_wheel: Path, tmp_path: Path, offline_environment: dict[str, str]
) -> None:
    zipfile.ZipFile(record_wheel).extractall(tmp_path / "site")
    environment = {**offline_environment, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-c", _TRAINING, str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['insight_record', 'numpy']"
    [file] = (tmp_path / "run").iterdir()
    assert file.stat().st_size > 0


def test_a_wheel_with_the_compiled_checksums_is_for_one_platform(
    repository: Path, tmp_path: Path, offline_environment: dict[str, str]
) -> None:
    wheel = built(repository / "insight_record", tmp_path, "wheel", offline_environment)
    if wheel.name.endswith("-any.whl"):  # no C compiler here
        pytest.skip("no C compiler here")
    compiled = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd"))]
    assert [name.partition(".")[0] for name in compiled] == ["insight_record/formats/_crc32c"]
