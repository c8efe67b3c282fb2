"""Makes ``package-lock.json`` of the template for plugins: versions and checksums of the repository's own.

Run ``python -m tests.support.scaffold_lock`` after a change of ``package-lock.json``. npm works offline: it
needs to know nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from insight_authoring.node import NodeTools
from insight_authoring.scaffold import write_plugin

TEMPLATE = "insight_authoring/templates/tsx/package-lock.json.template"


def scaffold_lock(repository: Path, place: Path) -> str:
    """The text of the template; ``place`` is an empty directory."""
    plugin = write_plugin("locked", place, javascript=False)
    package = json.loads((plugin / "package.json").read_text(encoding="utf-8"))
    ours = json.loads((repository / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in ours["packages"].items() if name.startswith("node_modules/")}
    packages[""] = {key: package[key] for key in ("name", "devDependencies")}
    lock = plugin / "package-lock.json"
    lock.write_text(json.dumps({**ours, "name": package["name"], "packages": packages}), encoding="utf-8")
    node = NodeTools.find()
    command = [*node.npm, "install", "--package-lock-only", "--ignore-scripts", "--offline", "--no-audit"]
    subprocess.run(command, cwd=plugin, env=node.environment, check=True, stdout=subprocess.DEVNULL)
    text = lock.read_text(encoding="utf-8").replace(package["name"], "@distribution@")
    for name in ("api", "kit"):
        found = json.loads(text)["packages"][f"node_modules/@insight-host/{name}"]
        text = text.replace(found["integrity"], f"@{name}_integrity@")
    return text


if __name__ == "__main__":
    root = Path(__file__).parents[2]
    (root / TEMPLATE).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as empty:
        made = scaffold_lock(root, Path(empty))
    (root / TEMPLATE).write_text(made, encoding="utf-8")
    sys.stdout.write(f"{TEMPLATE}: {len(json.loads(made)['packages'])} packages\n")
