"""The examples of how-to pages and of the notebook run as printed."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(("name", "least"), [("read_from_python", 24), ("diagnose", 5), ("query", 5)])
def test_the_page_prints_what_it_says(
    repository: Path, monkeypatch: pytest.MonkeyPatch, name: str, least: int
) -> None:
    monkeypatch.chdir(repository)
    page = repository / f"docs/how-to/{name}.md"
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert len(found.examples) >= least
    said: list[str] = []
    results = doctest.DocTestRunner().run(found, out=said.append, clear_globs=False)
    assert results.failed == 0, "".join(said)


def test_the_notebook_runs(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = repository / "examples/notebooks/read_logs.ipynb"
    monkeypatch.chdir(notebook.parent)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    namespace: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(notebook), "exec"), namespace)
    assert len(namespace["best"]) >= 3
    assert {"run", "min"} <= set(namespace["best"].columns)
    assert len(namespace["wide"].columns) == len(namespace["best"])
