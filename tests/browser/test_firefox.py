"""Firefox shows the content of every tab below a prefix, twice: the second time from the browser's cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

pytestmark = pytest.mark.browser
Serve = Callable[..., str]
Report = Mapping[str, Any]  # of a visit; see firefox.mjs


@attrs.frozen
class Content:
    """An element of a tab that shows the sample logs; ``painted`` is a share of the pixels of its picture."""

    selector: str
    text: str
    painted: float = 0


TABS = {
    "scalar": Content('[data-tag="train/loss"]', "288 points, all kept", 0.1),
    "histogram": Content('[data-tag="activations/blocks.0"]', "all 4 steps", 0.1),
    "graph": Content('[data-testid="node"]', "network-WithLossCell"),
    "image": Content('[data-tag="input_data/auto"]', "256 \N{MULTIPLICATION SIGN} 128", 0.5),
    "tensor": Content('[data-tag="activations/logits"] [role="gridcell"]', "0.00325"),
    "lineage": Content('[data-testid="runs-table"] [data-run]', "mindspore/lenet_lr0.01"),
    "profiler": Content('[data-figure="biggest-host"] li', "aten::convolution_backward"),
    "landscape": Content('[data-testid="landscapes"]', "epochs 1 to 3", 0.07),
    "query": Content(".tables", "scalars"),
    "diagnose": Content('[role="status"]', " runs"),
    "text": Content('[data-tag="notes/text_summary"] strong', "lr"),
    "audio": Content('[data-tag="tone"]', "8,000 Hz", 0.05),
    "health": Content('[data-testid="health"]', " layers · ", 0.1),
    "media": Content('[data-tag="val/confusion"]', "Accuracy 93.0 %", 0.05),
    "embeddings": Content('[data-testid="embeddings"]', "300 points, 24 dimensions", 0.03),
    "mesh": Content('[data-tag="reconstruction_VERTEX"]', "1,020 triangles"),
    "pr_curves": Content('[data-tag="pr/class0"] tbody tr', "seed0"),
    "alerts": Content("[data-alert]", "train/loss of "),
    "reports": Content('[data-card="train/loss"]', "288 points, all kept", 0.1),
    "console": Content("select", "kill.log"),
    "samples": Content(".said", "Question: "),
    "trash": Content(".empty", "Nothing was moved"),
}
each_tab = pytest.mark.parametrize("tab", TABS)


@pytest.fixture(scope="module")
def reports(
    firefox: Path,
    every_tab: Serve,
    repository: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Mapping[str, Report]:
    """By tab; one Firefox visits all of them, twice each."""
    directory = tmp_path_factory.mktemp("firefox")
    url = every_tab("--path-prefix", "/deep/er")
    visits = {
        tab: {
            "url": f"{url}#locale=en&theme=light&tab={tab}&reports.open=sample",
            "content": attrs.asdict(
                attrs.evolve(content, selector=f'[data-plugin="{tab}"] {content.selector}')
            ),
        }
        for tab, content in TABS.items()
    }
    plan, report = directory / "plan.json", directory / "report.json"
    plan.write_text(
        json.dumps({"executable": str(firefox), "patience": 60_000, "visits": list(visits.values())}),
        encoding="utf-8",
    )
    subprocess.run(
        [sys.executable, "hatch_build.py", "npm", "run", "--silent", "firefox", "--", str(plan), str(report)],
        cwd=repository,
        env={**os.environ, "HOME": str(directory)},  # Firefox writes more than its profile
        check=True,
    )
    return dict(zip(visits, json.loads(report.read_text(encoding="utf-8")), strict=True))


def test_firefox_opens_every_tab_of_this_repository(repository: Path) -> None:
    plugins = repository / "plugins"
    entries = (entry.relative_to(plugins) for entry in plugins.glob("**/frontend/index.ts*"))
    assert sorted(TABS) == sorted(entry.parts[0] for entry in entries if "node_modules" not in entry.parts)


@each_tab
def test_firefox_shows_the_content_of_every_tab(reports: Mapping[str, Report], tab: str) -> None:
    report = reports[tab]
    assert not report["errors"], "\n".join([*report["errors"], "the page ends with", report["text"][-300:]])


@each_tab
def test_firefox_loads_no_script_of_a_tab_twice(reports: Mapping[str, Report], tab: str) -> None:
    scripts, before = dict(reports[tab]["scripts"]), reports[tab]["before"]
    assert any(f"/data/plugin/{tab}/static/" in name for name in scripts), scripts
    assert len(before) > 5, before  # what the page loads when it is idle may come with the second load first
    assert {name: size for name, size in scripts.items() if size > 0 and name in before} == {}
