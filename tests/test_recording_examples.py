"""The examples of recording: each trains, learns, and what it writes is what its README says.

Those of PyTorch, JAX and Keras need their frameworks.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.recording.collector_reading import graphs, lineage, opened, scalars, tags

_BACKENDS = {"tensorflow": "tensorflow", "torch": "torch", "jax": "jax"}
_backend = next((name for name, module in _BACKENDS.items() if find_spec(module) is not None), None)


def trained(repository: Path, name: str, log_dir: Path) -> Path:
    """Runs an example as its README says; the directory of its run."""
    program = repository / f"examples/{name}_recording/train.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(repository), *filter(None, sys.path)])}
    if _backend is not None:
        environment.setdefault("KERAS_BACKEND", _backend)
    done = subprocess.run(
        [sys.executable, str(program), str(log_dir)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return log_dir


def test_numpy(repository: Path, tmp_path: Path) -> None:
    run = trained(repository, "numpy", tmp_path / "run")
    with opened(tmp_path) as data:
        assert {"accuracy", "learning_rate", "loss"} <= set(tags(data, "scalar"))
        assert scalars(data, "accuracy")[480] > 0.95
        assert {"layer1/weight", "gradients/layer3/weight"} <= set(tags(data, "histogram"))
    assert (lineage(run)["epoch"], lineage(run)["custom/hidden"]) == (60, 32)


@pytest.mark.frameworks
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: its example is not run")
def test_pytorch(repository: Path, tmp_path: Path) -> None:
    run = trained(repository, "pytorch", tmp_path / "run")
    with opened(tmp_path) as data:
        assert {"accuracy", "learning_rate", "loss"} <= set(tags(data, "scalar"))
        assert scalars(data, "accuracy")[300] > 0.95
        assert {"0.weight", "gradients/5.weight"} <= set(tags(data, "histogram"))
        assert (tags(data, "image"), graphs(data)) == (["inputs"], 1)
    assert (lineage(run)["optimizer"], lineage(run)["epoch"]) == ("SGD", 5)


@pytest.mark.frameworks
@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed: its example is not run")
def test_jax(repository: Path, tmp_path: Path) -> None:
    trained(repository, "jax", tmp_path / "run")
    with opened(tmp_path) as data:
        assert scalars(data, "accuracy")[500] > 0.95
        assert {"layer0/kernel", "layer1/bias", "gradients/layer0/kernel"} <= set(tags(data, "histogram"))


@pytest.mark.frameworks
@pytest.mark.skipif(
    find_spec("keras") is None or _backend is None,
    reason="keras or all of its backends are not installed: its example is not run",
)
def test_keras(repository: Path, tmp_path: Path) -> None:
    run = trained(repository, "keras", tmp_path / "run")
    with opened(tmp_path) as data:
        assert scalars(data, "epoch/val_accuracy")[130] > 0.95
        assert tags(data, "histogram") == ["sequential/conv2d/kernel", "sequential/dense/kernel"]
        assert (tags(data, "image"), graphs(data)) == (["inputs"], 1)
    assert (lineage(run)["optimizer"], lineage(run)["batch_size"]) == ("Adam", 64)
