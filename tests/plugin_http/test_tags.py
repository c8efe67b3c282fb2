"""``/tags`` of many runs: the same as of all at once, and never all of them held."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import pytest

from insight_core.http import tags
from insight_core.http.tags import streamed_tags_response, tags_response
from insight_core.plugin.data import SeriesField, SeriesTable
from insight_core.plugin.testing import FakeProvider


class _Counting(FakeProvider):
    """Counts the series of each question."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[int] = []

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        found = super().series_tables(plugin, fields, runs=runs, tags=tags)
        self.listed.append(sum(len(table.tags) for table in found))
        return found


@pytest.fixture
def provider() -> _Counting:
    provider = _Counting()
    for run in range(60):
        for tag in range(1 if run < 30 else 10):  # runs at the end have more
            provider.add_scalars(f"run {run:02}", f"tag{tag}", [float(run)])
    return provider


def test_tags_in_portions_are_those_of_all_series(
    provider: _Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tags, "_AT_ONCE", 20)
    whole = tags_response((info, {"more": 1}) for info in provider.series("scalar"))
    provider.listed.clear()
    answer = streamed_tags_response(provider, {"none": {}, "scalar": {"more": 1}})
    assert json.loads(answer.data) == json.loads(whole.data)
    assert list(json.loads(answer.data)) == [f"run {run:02}" for run in range(60)]
    assert max(provider.listed) < 330 / 2
    assert provider.listed[-1] <= 20  # once it is known how many series a run has


def test_tags_of_nothing_are_an_empty_object() -> None:
    assert streamed_tags_response(FakeProvider(), {"scalar": {}}).data == b"{}"


def test_of_several_series_with_one_run_and_tag_the_last_counts(provider: _Counting) -> None:
    answer = tags_response([(info, {"of": n}) for n in (1, 2) for info in provider.series("scalar")])
    assert {info["of"] for run in json.loads(answer.data).values() for info in run.values()} == {2}
