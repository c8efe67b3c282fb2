"""The landscape example: what it computes of a PyTorch model is what the model says. Needs torch."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import insight_landscape
import numpy as np
import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider

torch = pytest.importorskip("torch", reason="torch is not installed: its example is not run")
pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def example(repository: Path) -> ModuleType:
    path = repository / "examples/landscape_pytorch/train.py"
    spec = importlib.util.spec_from_file_location("landscape_train", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that the loss can be sent to other processes
    spec.loader.exec_module(module)
    return module


def test_every_point_is_the_loss_of_the_model_there(example: Any) -> None:  # noqa: ANN401
    """The model is moved in torch, along the directions that are drawn again from the same seed."""
    checkpoints = example.trained(2)
    center = checkpoints[-1]
    random = np.random.default_rng(3)
    first, second = (
        {name: random.normal(size=array.shape) for name, array in center.items()} for _ in range(2)
    )
    found = insight_landscape.compute(example.loss, checkpoints, directions=(first, second), size=7)
    points, side = example.data()
    model = example.network().eval()
    for i, y in enumerate(found.y):
        for j, x in enumerate(found.x):
            with torch.no_grad():
                for name, values in model.named_parameters():
                    moved = torch.from_numpy(center[name]).double()
                    moved = moved + x * torch.from_numpy(first[name]) + y * torch.from_numpy(second[name])
                    values.copy_(moved)
                direct = torch.nn.functional.binary_cross_entropy_with_logits(model(points), side)
            assert found.z[i, j] == pytest.approx(float(direct), rel=1e-5, abs=1e-5)
    assert found.path is not None
    np.testing.assert_allclose(found.path.z, [example.loss(one) for one in checkpoints], rtol=1e-6)


def test_the_program_of_the_documentation(repository: Path, tmp_path: Path) -> None:
    """As somebody would type it in."""
    text = (repository / "plugins/landscape/README.md").read_text(encoding="utf-8")
    (tmp_path / "net.py").write_text(text.split("```python\n")[1].split("```")[0], encoding="utf-8")
    subprocess.run([sys.executable, "net.py"], cwd=tmp_path, check=True)
    data = LocalProvider([Logdir(str(tmp_path))], [insight_landscape.insight_plugin()], reload_interval=0)
    try:
        data.load()
        assert [info.key.tag for info in data.series("landscape")] == ["landscape/1-10", "landscape/final"]
        assert not data.damage()
    finally:
        data.close()


def test_the_whole_example(example: Any, tmp_path: Path) -> None:  # noqa: ANN401
    example.main(str(tmp_path / "run"), size=5, processes=1)
    data = LocalProvider([Logdir(str(tmp_path))], [insight_landscape.insight_plugin()], reload_interval=0)
    try:
        data.load()
        assert [info.key.tag for info in data.series("landscape")] == ["landscape/0-12", "landscape/final"]
    finally:
        data.close()
