"""Sources of highlights: their order, their deadline, and what becomes of those that fail."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from types import SimpleNamespace

import pytest

from insight_core.isolation import Limits
from insight_core.plugin import NotFound, Plugin, PluginContext, Reason, hookimpl
from insight_core.plugin.findings import Highlight, HighlightSource
from insight_core.plugin.findings.results import RunHighlights
from insight_core.plugin.testing import FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web.highlights import HighlightTable


@pytest.fixture
def data() -> FakeProvider:
    provider = FakeProvider()
    for run in ("a", "b"):
        provider.add_scalars(run, "loss", [2.0, 1.0])
    return provider


def _table(data: FakeProvider, limit: float = 60.0, **modules: Sequence[object]) -> HighlightTable:
    def module(sources: Sequence[object]) -> object:
        return SimpleNamespace(insight_highlights=hookimpl(lambda: sources))

    registry = Registry.of([(name, lambda one=one: module(one)) for name, one in modules.items()])  # type: ignore[misc]
    ctx = context_of(Plugin("m", "M"), data)
    return HighlightTable(registry, data, Limits(rule=limit), lambda _: ctx)


def _says(text: str) -> HighlightSource:
    def find(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
        yield Highlight("info", Reason(f"{text} {', '.join(runs)}"), runs)

    return HighlightSource(text, find, order={"late": 50}.get(text, 10))


def _texts(found: RunHighlights) -> list[str]:
    return [str(one.text) for source in found.sources for one in source.highlights]


def test_sources_are_asked_in_their_order_about_runs_that_are_there(data: FakeProvider) -> None:
    table = _table(data, one=[_says("late"), _says("early")], two=[_says("other")])
    assert _texts(table.find(["b", "nobody", "a", "b"])) == ["early b, a", "other b, a", "late b, a"]
    assert table.find(["nobody"]).sources == ()


def test_a_source_that_fails_stops_no_other(data: FakeProvider) -> None:
    def raises(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
        raise RuntimeError("it broke")

    def refuses(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
        raise NotFound("no such thing", code="mine_missing")

    def wrong(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
        return ["a text"]  # type: ignore[list-item]

    sources = [HighlightSource(one.__name__, one) for one in (raises, refuses, wrong)]
    found = _table(data, one=[*sources, _says("fine")]).find(["a"])
    failed = {one.id: one.failed for one in found.sources}
    assert "it broke" in str(failed["raises"])
    assert failed["refuses"] is not None
    assert failed["refuses"].code == "mine_missing"
    assert "not a Highlight" in str(failed["wrong"])
    assert _texts(found) == ["fine a"]


def test_a_source_that_does_not_return_is_asked_again_when_it_has(data: FakeProvider) -> None:
    goes_on, asked = threading.Event(), []

    def find(ctx: PluginContext, runs: Sequence[str]) -> Iterable[Highlight]:
        asked.append(runs)
        goes_on.wait()
        return []

    table = _table(data, limit=0.05, one=[HighlightSource("slow", find)])
    for _ in range(2):
        assert table.find(["a"]).sources[0].failed is not None
    assert len(asked) == 1
    goes_on.set()


def test_a_highlight_has_a_known_tone() -> None:
    with pytest.raises(ValueError, match="tone"):
        Highlight("loud", Reason("x"))  # type: ignore[arg-type]
