"""``/tags`` of many runs: the same as of all at once, and never all of them held."""

from __future__ import annotations

import json
from typing import Any

import pytest

from insight_core.http import tags
from insight_core.http.tags import streamed_tags_response, tags_response
from insight_core.plugin.testing import FakeProvider


@pytest.fixture
def provider() -> FakeProvider:
    provider = FakeProvider()
    for run in range(60):
        for tag in range(1 if run < 30 else 10):  # runs at the end have more
            provider.add_scalars(f"run {run:02}", f"tag{tag}", [float(run)])
    return provider


def test_tags_in_portions_are_those_of_all_series(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tags, "_AT_ONCE", 20)
    whole = tags_response((info, {"more": 1}) for info in provider.series("scalar"))
    listed: list[int] = []
    found = provider.series_tables

    def counted(plugin: str, fields: Any, **asked: Any) -> Any:  # noqa: ANN401
        answer = found(plugin, fields, **asked)
        listed.append(sum(len(table.tags) for table in answer))
        return answer

    monkeypatch.setattr(provider, "series_tables", counted)
    answer = streamed_tags_response(provider, {"none": {}, "scalar": {"more": 1}})
    assert json.loads(answer.data) == json.loads(whole.data)
    assert list(json.loads(answer.data)) == [f"run {run:02}" for run in range(60)]
    assert max(listed) < 330 / 2
    assert listed[-1] <= 20  # once it is known how many series a run has


def test_tags_of_nothing_are_an_empty_object() -> None:
    assert streamed_tags_response(FakeProvider(), {"scalar": {}}).data == b"{}"


def test_of_several_series_with_one_run_and_tag_the_last_counts(provider: FakeProvider) -> None:
    answer = tags_response([(info, {"of": n}) for n in (1, 2) for info in provider.series("scalar")])
    assert {info["of"] for run in json.loads(answer.data).values() for info in run.values()} == {2}
