"""How many images, histograms and tensors of a series stay, as flags say it to the installed product."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from insight_core.plugin.testing import EventWriter
from tests.cli.conftest import Serving
from tests.support.pictures import png

Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., Serving]

STEPS = 400


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image, a histogram and a tensor a step, in either dialect."""
    logs = tmp_path_factory.mktemp("logs")
    picture = png(np.zeros((2, 3), np.uint8))
    for name in ("tensorboard", "mindspore"):
        with EventWriter(logs / name, name) as writer:
            for step in range(STEPS):
                writer.image("i", step, picture, 3, 2, channels=1)
                writer.histogram("h", step, [step, step + 1.0])
                writer.tensor("t", step, np.array([step, 2], np.float32))
    return logs


@pytest.mark.parametrize(
    ("flags", "caches"),
    [
        ((), {"image": "all", "histogram": "all", "tensor": "all"}),
        (
            ("--cache-preset", "mindinsight"),
            {
                "image": "uniform 10 points, 300 tags a run",
                "histogram": "uniform 50 points, 300 tags a run",
                "tensor": "uniform 20 points, 6 tags a run",
            },
        ),
        (
            ("--samples-per-plugin", "image=10,tensor=1"),
            {"image": "uniform 10 points", "histogram": "all", "tensor": "uniform 1 point"},
        ),
    ],
)
def test_policies_are_listed(run: Run, flags: tuple[str, ...], caches: dict[str, str]) -> None:
    done = run("plugins", "--json", *flags)
    rows = {row["name"]: row for row in json.loads(done.stdout)["plugins"]}
    assert {name: rows[name]["state"] for name in caches} == dict.fromkeys(caches, "ok")
    assert {name: rows[name]["cache"] for name in caches} == caches


@pytest.mark.parametrize("load", ["inprocess", "server"])
@pytest.mark.parametrize(
    ("flag", "kept"),
    [
        ("--cache-preset=mindinsight", {"image": 10, "histogram": 50, "tensor": 20}),
        ("--samples-per-plugin=image=10,histogram=0", {"image": 10, "histogram": STEPS, "tensor": STEPS}),
    ],
)
def test_what_is_kept_is_said(serve: Serve, logdir: Path, load: str, flag: str, kept: dict[str, int]) -> None:
    serving = serve("--logdir", str(logdir), "--load", load, "--no-cache", flag)
    for name, count in kept.items():
        for run in ("tensorboard", "mindspore"):
            records = _complete(serving, f"{name}/records", run=run, tag=name[0])
            assert (records["points"], records["kept"], len(records["steps"])) == (STEPS, count, count)
            assert records["steps"][-1] == STEPS - 1
            tags = _get(serving, f"{name}/tags")[run][name[0]]
            assert (tags["points"], tags["last_step"]) == (STEPS, STEPS - 1)
    chosen = _get(serving, "histogram/histograms", run="mindspore", tag="h", steps=7)
    assert (chosen["points"], chosen["kept"], chosen["shown"]) == (STEPS, kept["histogram"], 7)


def _complete(serving: Serving, path: str, **query: str) -> Any:  # noqa: ANN401
    """The answer once all steps are loaded."""
    until = time.monotonic() + 20
    while True:
        try:
            answer = _get(serving, path, **query)
            if answer["points"] == STEPS or time.monotonic() > until:
                return answer
        except urllib.error.HTTPError:
            if time.monotonic() > until:
                raise
        time.sleep(0.05)


def _get(serving: Serving, path: str, **query: object) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(f"{serving.url}data/plugin/{path}?{urlencode(query)}", timeout=60) as answer:
        return json.load(answer)
