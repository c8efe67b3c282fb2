"""Plugins as if they were installed: a directory with entry points."""

from __future__ import annotations

import shutil
from pathlib import Path

EXAMPLES = Path(__file__).parent / "examples"
EXAMPLE_POINTS = {
    "by_tag": "scalars_by_tag:ScalarsByTag",
    "greeting_loader": "greeting:Loader",
}


def install(
    directory: Path,
    points: dict[str, str],
    distribution: str = "some-plugins",
    *,
    group: str = "tensorboard_plugins",
) -> Path:
    """Declares entry points of a group whose modules are in ``directory``, or will be."""
    declared = directory / f"{distribution.replace('-', '_')}-1.0.dist-info"
    declared.mkdir(parents=True)
    (declared / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
    (declared / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return directory


def install_examples(directory: Path) -> Path:
    shutil.copytree(EXAMPLES, directory, dirs_exist_ok=True)
    return install(directory, EXAMPLE_POINTS, "example-plugins")
