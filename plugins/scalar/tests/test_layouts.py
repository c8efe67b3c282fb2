"""Layouts of custom scalars: as TensorBoard and tensorboardX encode them, damaged ones, and merged."""

from __future__ import annotations

from typing import Any

import insight_scalar
import pytest
from insight_scalar.layouts import Chart, LayoutCategory, Margin, merged, read_layout
from tensorboard.plugins.custom_scalar import layout_pb2
from werkzeug.test import Client

from insight_authoring.testing import wire
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

# tensorboardX 2.6.5: add_custom_scalars({"Taiwan": {"twse": ["Multiline", ["twse/0050", "twse/2330"]]},
#   "USA": {"dow": ["Margin", ["dow/aaa", "dow/bbb", "dow/ccc"]], "nasdaq": ["Multiline", ["nasdaq/.*"]]}})
TENSORBOARDX = (
    b"\x08\x07\x12\x00Bn\x12(\n\x06Taiwan\x12\x1e\n\x04twse\x12\x16\n\ttwse/0050\n\ttwse/2330"
    b"\x12B\n\x03USA\x12$\n\x03dow\x1a\x1d\n\x1b\n\x07dow/aaa\x12\x07dow/bbb\x1a\x07dow/ccc"
    b"\x12\x15\n\x06nasdaq\x12\x0b\n\tnasdaq/.*"
)
TAIWAN = LayoutCategory("Taiwan", False, (Chart("twse", ("twse/0050", "twse/2330")),))
DOW = Chart("dow", margins=(Margin("dow/aaa", "dow/bbb", "dow/ccc"),))
USA = LayoutCategory("USA", False, (DOW, Chart("nasdaq", ("nasdaq/.*",))))


def _layout(*categories: LayoutCategory) -> bytes:
    """Encoded by TensorBoard's own classes."""
    made = layout_pb2.Layout(
        category=[
            layout_pb2.Category(
                title=category.title,
                closed=category.closed,
                chart=[_chart(chart) for chart in category.charts],
            )
            for category in categories
        ]
    )
    return bytes(made.SerializeToString())


def _chart(chart: Chart) -> Any:  # noqa: ANN401
    if not chart.margins:
        return layout_pb2.Chart(
            title=chart.title, multiline=layout_pb2.MultilineChartContent(tag=chart.patterns)
        )
    series = [
        layout_pb2.MarginChartContent.Series(value=one.value, lower=one.lower, upper=one.upper)
        for one in chart.margins
    ]
    return layout_pb2.Chart(title=chart.title, margin=layout_pb2.MarginChartContent(series=series))


def _categories(provider: FakeProvider) -> Any:  # noqa: ANN401
    client = Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))
    answer = client.get("/data/plugin/scalar/layouts")
    assert answer.status_code == 200, answer.text
    return answer.get_json()["categories"]


def _add(provider: FakeProvider, run: str, *payloads: bytes) -> None:
    provider.add_records(
        "plugin:custom_scalars",
        run,
        "custom_scalars__config__",
        list(payloads),
        claim=SummaryPlugin("custom_scalars"),
    )


def test_a_layout_is_what_tensorboard_encodes() -> None:
    folded = LayoutCategory("späte", True, (Chart("", ("loss", "a|b")), DOW))
    assert read_layout(_layout(TAIWAN, USA, folded)) == (TAIWAN, USA, folded)
    assert read_layout(b"") == ()


def test_layouts_of_runs_are_merged_by_title() -> None:
    more = LayoutCategory("USA", True, (DOW, Chart("new", ("x",))))
    assert merged([(TAIWAN, USA), (more, TAIWAN)]) == [
        TAIWAN,
        LayoutCategory("USA", False, (*USA.charts, Chart("new", ("x",)))),
    ]


def test_the_newest_layout_of_a_run_as_tensorboardx_writes_it_is_answered() -> None:
    provider = FakeProvider()
    assert _categories(provider) == []
    _add(provider, "a", wire.text_tensor([_layout(LayoutCategory("old", False, ()))]), TENSORBOARDX)
    found = _categories(provider)
    assert [category["title"] for category in found] == ["Taiwan", "USA"]
    assert found[1]["charts"][0] == {
        "title": "dow",
        "patterns": [],
        "margins": [{"value": "dow/aaa", "lower": "dow/bbb", "upper": "dow/ccc"}],
        "runs": ["a"],
    }


def test_a_chart_names_the_runs_whose_layouts_have_it() -> None:
    provider = FakeProvider()
    _add(provider, "a", wire.text_tensor([_layout(TAIWAN, USA)]))
    _add(provider, "b", wire.text_tensor([_layout(LayoutCategory("USA", False, (DOW, DOW)))]))
    found = _categories(provider)
    runs = {chart["title"]: chart["runs"] for category in found for chart in category["charts"]}
    assert runs == {"twse": ["a"], "dow": ["a", "b"], "nasdaq": ["a"]}


@pytest.mark.parametrize(
    "damaged",
    [
        b"\xff\xff",
        wire.text_tensor([b"\x12\xff"]),
        wire.text_tensor([b"a", b"b"]),
        wire.text_tensor([b"\x10\x01"]),
    ],
)
def test_a_layout_that_cannot_be_read_leaves_those_of_other_runs(damaged: bytes) -> None:
    provider = FakeProvider()
    _add(provider, "a", damaged)
    _add(provider, "b", wire.text_tensor([_layout(TAIWAN)]))
    assert [category["title"] for category in _categories(provider)] == ["Taiwan"]
