"""The build gives a part of a tab the texts that it imports by name, and nothing else of the file."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

_TEXTS = {"tab": {"a.b": "first"}, "rare": {"c": "second"}, "unused": {"d": "third"}}
_BUILD = """
import { build } from 'vite';
import { insightPlugin } from './frontend/packages/kit/build.js';
const root = process.argv[1];
const config = insightPlugin({ entry: `${root}/index.js`, out: `${root}/static` });
const silent = { configFile: false, logLevel: 'silent', root };
const { output } = await build({ ...config, ...silent, build: { ...config.build, write: false } });
console.log(JSON.stringify(Object.fromEntries(output.map(({ fileName, code = '' }) => [fileName, code]))));
"""


def _built(repository: Path, root: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """The code of each file of a tab with these sources and ``_TEXTS``; fails with what the build says."""
    (root / "locales").mkdir()
    (root / "locales/en.json").write_text(json.dumps(_TEXTS), encoding="utf-8")
    for name, text in sources.items():
        (root / name).write_text(text, encoding="utf-8")
    command = ["node", "--input-type=module", "--eval", _BUILD, str(root)]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    files: dict[str, str] = json.loads(done.stdout)
    return {name.partition("-")[0]: code for name, code in files.items()}


def _texts(code: str) -> set[str]:
    return {text for group in _TEXTS.values() for text in group.values() if text in code}


def test_a_part_that_is_loaded_late_brings_its_own_group(repository: Path, tmp_path: Path) -> None:
    index = "import { tab as en } from './locales/en.json'; console.log(en, () => import('./rare.js'));"
    late = "import {\n  rare,\n} from './locales/en.json';\nconsole.log(rare);"
    files = _built(repository, tmp_path, {"index.js": index, "rare.js": late})
    assert _texts(files["index.js"]) == {"first"}
    assert _texts(files["rare"]) == {"second"}


def test_a_file_is_imported_whole_by_its_default(repository: Path, tmp_path: Path) -> None:
    index = "import en from './locales/en.json'; console.log(en);"
    assert _texts(_built(repository, tmp_path, {"index.js": index})["index.js"]) == {
        "first",
        "second",
        "third",
    }


def test_a_group_that_the_file_does_not_have_is_named(repository: Path, tmp_path: Path) -> None:
    index = "import { tabs } from './locales/en.json'; console.log(tabs);"
    with pytest.raises(RuntimeError, match=r'en\.json has no texts "tabs"'):
        _built(repository, tmp_path, {"index.js": index})
