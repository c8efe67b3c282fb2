"""The route of last, smallest and largest values."""

from __future__ import annotations

import json
from typing import Any

import insight_scalar
import numpy as np
import pytest
from werkzeug.test import Client

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

NAN, INF = float("nan"), float("inf")
LONG = np.sin(np.arange(1000) / 7).astype(np.float32)


@pytest.fixture
def provider() -> FakeProvider:
    fake = FakeProvider()
    fake.add_scalars("a", "loss", LONG)
    fake.add_scalars("b", "loss", [4.0, INF, NAN, 3.0, -INF])
    fake.add_scalars("b", "acc", [NAN])
    return fake


def _get(provider: FakeProvider, **query: str | list[str]) -> dict[str, dict[str, Any]]:
    client = Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))
    answer = client.get("/data/plugin/scalar/summaries", query_string=query)
    assert answer.status_code == 200, answer.data
    found = json.loads(answer.data)["summaries"]
    return {one["tag"]: dict(zip(one["runs"], one["values"], strict=True)) for one in found}


def test_values_are_exact_and_extremes_finite(provider: FakeProvider) -> None:
    tags = ["loss", "acc"]
    assert _get(provider, tag=tags, of="last") == {
        "loss": {"a": float(LONG[-1]), "b": "-Infinity"},
        "acc": {"b": "NaN"},
    }
    assert _get(provider, tag=tags, of="min") == {
        "loss": {"a": float(LONG.min()), "b": 3.0},
        "acc": {"b": "NaN"},
    }
    assert _get(provider, tag=tags, of="max", run="b") == {"loss": {"b": 4.0}, "acc": {"b": "NaN"}}


def test_series_that_are_computed_have_them_too(provider: FakeProvider) -> None:
    for which, value in (("last", 2 * LONG[-1]), ("min", 2 * LONG.min()), ("max", 2 * LONG.max())):
        found = _get(provider, tag="=2 * loss", of=which, run="a")
        assert found == {"=2 * loss": {"a": pytest.approx(float(value))}}


def test_last_values_read_no_points(provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    scalars = provider.scalars

    def noted(plugin: str, keys: Any, *more: Any) -> Any:  # noqa: ANN401
        read.extend(keys)
        return scalars(plugin, keys, *more)

    monkeypatch.setattr(provider, "scalars", noted)
    _get(provider, tag="loss", of="last")
    assert read == []
    _get(provider, tag="loss", of="min")
    assert len(read) >= 2
