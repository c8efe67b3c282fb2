"""insight-record alone: what its wheel holds, and a training on it without the host."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.distributions import built, other_pythons
from tests.recording.reading import points

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
_LIKE_WANDB = """
import sys
import insight_record.wandb as wandb
with wandb.init(project="digits", name="first", dir=sys.argv[1], config={"lr": 0.1}) as run:
    run.log({"loss": 0.5})
    run.log({"loss": 0.25, "table": wandb.Table(columns=["a"], data=[[1]])})
"""


def test_the_wheel_is_small_and_needs_numpy_only(record_wheel: Path, repository: Path, version: str) -> None:
    package = repository / "insight_record"
    assert record_wheel.name == f"insight_record-{version}-py3-none-any.whl"
    assert record_wheel.stat().st_size < _LIMIT
    with zipfile.ZipFile(record_wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        [metadata] = [name for name in wheel.namelist() if name.endswith("METADATA")]
        lines = wheel.read(metadata).decode().splitlines()
    assert [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line] == [
        "Requires-Dist: numpy>=1.26"
    ]
    assert {name.partition("/")[0] for name in names} == {"insight_record"}
    files = [file.relative_to(package) for file in package.rglob("*.py") if file.name != "hatch_build.py"]
    assert {"insight_record/py.typed", *(f"insight_record/{file}" for file in files)} <= names
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


@pytest.mark.verify
@pytest.mark.parametrize("python", other_pythons(10))
def test_a_training_runs_on_other_versions_of_python(record_wheel: Path, tmp_path: Path, python: str) -> None:
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    own = str(tmp_path / "venv/bin/python")
    install = [own, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(record_wheel)]
    subprocess.run(install, check=True, capture_output=True)
    for script in (_TRAINING, _LIKE_WANDB):
        command = [own, "-c", script, str(tmp_path / "run")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert points(tmp_path / "run") == [(1, 0.5)]
    assert points(tmp_path / "run", run="digits/first") == [(0, 0.5), (1, 0.25)]


def test_a_wheel_with_the_compiled_checksums_is_for_one_platform(
    repository: Path, tmp_path: Path, offline_environment: dict[str, str]
) -> None:
    wheel = built(repository / "insight_record", tmp_path, "wheel", offline_environment)
    if wheel.name.endswith("-any.whl"):  # no C compiler here
        pytest.skip("no C compiler here")
    compiled = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd"))]
    assert [name.partition(".")[0] for name in compiled] == ["insight_record/formats/_crc32c"]
