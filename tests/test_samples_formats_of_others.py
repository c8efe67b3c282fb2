"""A package of others that declares formats of samples: the example of the README, installed by pip."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from tests.waiting import eventually

_BLOCK = re.compile(r"```(python|toml)\n(.*?)```", re.S)
_LINES = 30  # that an author writes at most
_PROJECT = """
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "our-package"
version = "1.0"

[tool.hatch.build.targets.wheel]
packages = ["our_package"]

"""
TOLD = [
    {"question": "2 + 2?", "said": "4", "reward": 1.0},
    {"question": "2 + 3?", "said": "6", "reward": 0.0},
]
TURNS = [{"role": "user", "content": "open the door"}, {"role": "assistant", "content": "it is open"}]
EPISODE = {"dialogue": {"turns": TURNS}, "judge": {"mark": 0.5}, "step": 3}


@pytest.fixture(scope="module")
def example(repository: Path) -> dict[str, str]:
    """The blocks of code of the README by language."""
    text = (repository / "plugins/samples/README.md").read_text(encoding="utf-8")
    return dict(_BLOCK.findall(text))


@pytest.fixture
def address(example: dict[str, str], tmp_path: Path, offline_environment: dict[str, str]) -> Iterator[str]:
    """A host that shows logs of the package's formats."""
    source = tmp_path / "source"
    (source / "our_package").mkdir(parents=True)
    (source / "our_package/__init__.py").touch()
    (source / "our_package/samples.py").write_text(example["python"], encoding="utf-8")
    (source / "pyproject.toml").write_text(_PROJECT + example["toml"], encoding="utf-8")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--target", tmp_path / "installed"]
    command: list[Any] = [sys.executable, "-m", "pip", "install", *options, source]
    subprocess.run(command, check=True, env=offline_environment)
    logs = tmp_path / "logs" / "run"
    (logs / "dumps").mkdir(parents=True)
    (logs / "dumps/gen_7.jsonl").write_text("".join(json.dumps(row) + "\n" for row in TOLD))
    (logs / "episodes_3.jsonl").write_text(json.dumps(EPISODE) + "\n")
    path = os.pathsep.join([str(tmp_path / "installed"), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-m", "insight_core.cli", "--logdir", logs.parent, "--port", "0", "--no-token"],
        stdout=subprocess.PIPE,
        text=True,
        env={**offline_environment, "PYTHONPATH": path},
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found.group()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _ask(address: str, route: str, **query: object) -> Any:  # noqa: ANN401 - of JSON
    with urlopen(f"{address}data/plugin/samples/{route}?{urlencode(query)}", timeout=60) as answer:
        return json.load(answer)


def _sample(address: str, source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first sample of a source, whole, and all lines of its list."""

    def lines() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = _ask(address, "rows", **where, sort="file")["samples"]
        return found

    where = {"run": "run", "source": source}
    found = eventually(lines)
    return _ask(address, "sample", **where, id=found[0]["id"], size=found[0]["size"]), found


def test_the_example_of_the_readme_is_read_as_printed(address: str) -> None:
    sources = eventually(lambda: _ask(address, "sources")["sources"])
    assert sorted(one[1] for one in sources) == ["dumps/gen_*.jsonl", "episodes_*.jsonl"]
    told, lines = _sample(address, "dumps/gen_*.jsonl")
    assert [line["scores"] for line in lines] == [{"reward": 1.0}, {"reward": 0.0}]
    assert [line["said"] for line in lines] == ["4", "6"]
    assert (told["format"], told["step"], told["prompt"][0]["parts"][0]["text"]) == (
        "our trainer",
        7,
        "2 + 2?",
    )
    episode, lines = _sample(address, "episodes_*.jsonl")
    assert lines[0]["scores"] == {"reward": 0.5}
    assert (episode["format"], episode["completion"][0]["parts"][0]["text"]) == ("our agents", "it is open")


def test_the_example_of_the_readme_is_short(example: dict[str, str]) -> None:
    lines = [line for text in example.values() for line in text.splitlines() if line.strip()]
    assert len(lines) <= _LINES
