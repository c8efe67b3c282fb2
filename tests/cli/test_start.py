"""What a start imports, and when."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from insight_core.cli.options import read_options
from insight_core.cli.process import prepare_imports, settle_imports
from insight_core.cli.storage import open_local
from insight_core.ingest.discover import discover
from insight_core.ingest.found import Found
from insight_core.ingest.logdir import Logdir
from insight_core.registry import Registry


def imported_by(statement: str) -> set[str]:
    """The modules that are there after it, by name, packages included."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


def test_options_are_read_before_numpy_starts_its_threads() -> None:
    assert not imported_by("import insight_core.cli, insight_core.cli.process") & {
        "numpy",
        "werkzeug",
    }


def test_loading_begins_without_the_web_half_and_what_only_some_need() -> None:
    names = imported_by("import insight_core.cli.serve, insight_core.providers.local")
    assert {"numpy", "insight_core.ingest.loader"} <= names
    others = {"werkzeug", "grpc", "google", "platformdirs", "safetensors", "webbrowser", "inotify_simple"}
    assert not names & (
        others | {"insight_core.web", "insight_core.rpc", "insight_core.providers.insight_client"}
    )


@pytest.fixture
def collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    yield
    gc.unfreeze()
    gc.enable()


def test_a_host_searches_rarely_for_garbage_while_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thresholds = []

    def looking(*arguments: Any, **more: Any) -> Found:  # noqa: ANN401
        thresholds.append(gc.get_threshold()[0])
        return discover(*arguments, **more)

    monkeypatch.setattr("insight_core.ingest.loader.discover", looking)
    before = gc.get_threshold()
    options = read_options(["--no-cache", "--logdir", str(tmp_path)], {})
    provider = open_local(options, [Logdir(str(tmp_path))], Registry.of([]), {}, 0.0)
    provider.load()
    provider.close()
    assert thresholds == [1_000_000]
    assert gc.get_threshold() == before


@pytest.mark.usefixtures("collecting")
def test_garbage_is_looked_for_when_the_start_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare_imports()
    assert not gc.isenabled()
    settle_imports()
    assert gc.isenabled()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "8")
    prepare_imports()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "8"
