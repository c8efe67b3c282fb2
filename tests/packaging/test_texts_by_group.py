"""The build gives a part of a tab the texts that it imports by name, and nothing else of the file."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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

_MAPPED = """
import { SourceMap } from 'node:module';
import { build, createLogger } from 'vite';
import { insightPlugin } from './frontend/packages/kit/build.js';
const root = process.argv[1];
const config = insightPlugin({ entry: `${root}/index.js`, out: `${root}/static` });
const warnings = [];
const customLogger = { ...createLogger('silent'), warn: (text) => warnings.push(text) };
const told = { configFile: false, logLevel: 'silent', customLogger, root };
const mapped = { ...config.build, write: false, minify: false, sourcemap: true };
const { output } = await build({ ...config, ...told, build: mapped });
const { code, map } = output.find(({ fileName }) => fileName === 'index.js');
const lines = code.split('\\n');
const line = lines.findIndex((text) => text.includes("here"));
const { originalLine } = new SourceMap(map).findEntry(line, lines[line].indexOf('console'));
console.log(JSON.stringify({ warnings, originalLine }));
"""


def _built(repository: Path, root: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """The code of each file of a tab with these sources and ``_TEXTS``."""
    files: dict[str, str] = _answer(repository, root, sources, _BUILD)
    return {name.partition("-")[0]: code for name, code in files.items()}


def _answer(repository: Path, root: Path, sources: Mapping[str, str], script: str) -> Any:  # noqa: ANN401
    """What a script says of a tab with these sources and ``_TEXTS``; fails with what the build says."""
    (root / "locales").mkdir()
    (root / "locales/en.json").write_text(json.dumps(_TEXTS), encoding="utf-8")
    for name, text in sources.items():
        (root / name).write_text(text, encoding="utf-8")
    command = ["node", "--input-type=module", "--eval", script, str(root)]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


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


def test_debuggers_find_the_line_of_the_source_behind_an_import_of_texts(
    repository: Path, tmp_path: Path
) -> None:
    index = "import {\n  tab as en,\n} from './locales/en.json';\nconsole.log(en, 'here');\n"
    found = _answer(repository, tmp_path, {"index.js": index}, _MAPPED)
    assert found == {"warnings": [], "originalLine": 3}
