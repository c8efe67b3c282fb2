"""What is listed again after changes: the series that changed, not all runs with all tags of these."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from attrs import evolve
from insight_tensorboard.view.catalog import Catalog
from insight_tensorboard.view.translation import SCALAR, TensorBoardKind
from werkzeug.test import Client

import insight_host
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.data import Changes, SeriesInfo, SeriesKey
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.rpc.serving import serve
from insight_core.web import Host

RUNS = [f"r{number:02d}" for number in range(40)]
KIND = TensorBoardKind("scalars", SCALAR)


class Asked(FakeProvider):
    """Counts the pairs of a run and a tag that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs = 0
        for run in RUNS:
            for number in range(len(RUNS)):
                self.add_scalars(run, f"t{number}", [1.0])

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        self.pairs += len(RUNS if runs is None else runs) * len(RUNS if tags is None else tags)
        found = super().series(plugin, runs=runs, tags=tags)
        return [evolve(info, claims=(SummaryPlugin("scalars"),), data_class=SCALAR) for info in found]

    def grow(self) -> None:
        """A tag of its own in each run, and one that all have."""
        self.pairs = 0
        for number, run in enumerate(RUNS):
            self.add_scalars(run, f"t{number}", [2.0], steps=[7])
            self.add_scalars(run, "t0", [2.0], steps=[7])


@pytest.fixture
def provider() -> Asked:
    return Asked()


def test_by_tensorboards_service(provider: Asked) -> None:
    catalog = Catalog(provider)
    catalog.entries(KIND, None, None)
    provider.grow()
    found = catalog.entries(KIND, None, None)
    assert 0 < provider.pairs <= 2 * len(RUNS)
    assert {found[run][f"t{number}"].last_step for number, run in enumerate(RUNS)} == {7}
    assert found["r01"]["t2"].last_step == 0


def test_from_python(provider: Asked) -> None:
    server = serve(provider, "127.0.0.1", 0, version="test")
    try:
        with insight_host.open(f"grpc://127.0.0.1:{server.port}", timeout=60) as logs:
            assert len(logs.series("scalar")) == len(RUNS) ** 2
            provider.grow()
            wanted = {(run, tag) for number, run in enumerate(RUNS) for tag in ("t0", f"t{number}")}
            changes = Changes(1, {"scalar": [SeriesKey(*pair) for pair in sorted(wanted)]})
            after = logs.series("scalar", changed=changes)
    finally:
        server.stop()
    assert 0 < provider.pairs <= 2 * len(RUNS)
    assert set(zip(after["run"], after["tag"], strict=True)) == wanted


def test_by_the_catalogue_of_the_page(provider: Asked) -> None:
    host = Client(Host(Registry.of([]), provider))
    first = host.get("/data/catalog?plugin=scalar").get_json()
    provider.grow()
    after = host.get(f"/data/catalog?plugin=scalar&since={first['generation']}").get_json()
    assert 0 < provider.pairs <= 4 * len(RUNS)
    assert len(after["runs"]) == len(RUNS)
