"""The npm packages that the front end of a plugin is built with, without the network."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from insight_frontend import PACKAGES


def add_packages(root: Path, repository: Path) -> None:
    """Puts the packages of the wheel into ``root/node_modules``, next to its Vite and Preact."""
    modules = root / "node_modules"
    (modules / "@insight-host").mkdir(parents=True)
    for archive in PACKAGES.glob("*.tgz"):
        with tarfile.open(archive) as packed:
            packed.extractall(root / "unpacked", filter="data")
        name = json.loads((root / "unpacked/package/package.json").read_text(encoding="utf-8"))["name"]
        (root / "unpacked/package").rename(modules / name)
    for name in ("vite", "typescript", "preact", "@preact"):
        (modules / name).symlink_to(repository / "node_modules" / name)
