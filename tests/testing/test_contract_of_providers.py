"""``provider_contract``: a right provider passes, and a check says what is wrong with another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import pytest
from attrs import evolve

from insight_core.plugin import ProviderSettings, SummaryPlugin
from insight_core.plugin.data import (
    DataProvider,
    Payload,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
)
from insight_core.plugin.testing import FakeProvider, WrittenSeries, provider_contract


def add(fake: FakeProvider, written: Sequence[WrittenSeries]) -> None:
    for series in written:
        steps, times = series.steps, series.wall_times
        if series.plugin == "scalar":
            fake.add_scalars(series.run, series.tag, series.values, steps=steps, wall_times=times)
        else:
            claim = SummaryPlugin("images")
            fake.add_records(
                series.plugin,
                series.run,
                series.tag,
                series.values,
                claim=claim,
                steps=steps,
                wall_times=times,
            )


def contract_of(kind: type[FakeProvider]) -> Mapping[str, Callable[[], None]]:
    opened: list[FakeProvider] = []

    def make(place: Path, written: Sequence[WrittenSeries], settings: ProviderSettings) -> DataProvider:
        assert list(place.iterdir()) == []
        opened.append(kind())
        add(opened[-1], written)
        return opened[-1]

    return provider_contract(make, write_more=lambda _, more: add(opened[-1], more))


@pytest.mark.parametrize("check", contract_of(FakeProvider))
def test_a_right_provider_passes(check: str) -> None:
    contract_of(FakeProvider)[check]()


EVERY = ScalarQuery()


class ShowsOverwritten(FakeProvider):
    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = EVERY
    ) -> Mapping[SeriesKey, ScalarColumns]:
        return super().scalars(plugin, keys, evolve(query, attempts="all"))


class ForgetsNames(FakeProvider):
    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        return super().series(plugin, runs=runs or None, tags=tags or None)


class LastRecord(FakeProvider):
    def payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        limit: int | None = None,
    ) -> Payload:
        return super().payload(plugin, key, max(index, 0), attempts, limit=limit)


class Dicts(FakeProvider):
    def runs(self) -> Sequence[Run]:
        return [{"name": run.name} for run in super().runs()]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "check", "text"),
    [
        (
            ShowsOverwritten,
            "the_last_attempt_wins",
            r"values: \[0\.0, .*, and not \[0, 1, 2, 3, 4, 105",
        ),
        (ForgetsNames, "names_choose_series", r"series\({'runs': \[\]}\): {SeriesKey.*, and not set\(\)"),
        (LastRecord, "payloads_are_those_written", "payload -1 does not raise NotFound"),
    ],
)
def test_a_check_says_what_is_wrong(kind: type[FakeProvider], check: str, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        contract_of(kind)[check]()


def test_an_answer_of_a_wrong_type_fails_a_check() -> None:
    with pytest.raises(Exception, match=r"Dicts answered runs\(\) with a dict among values of type Run"):
        contract_of(Dicts)["runs_and_series_are_those_written"]()


def test_a_provider_of_scalars_has_fewer_checks() -> None:
    scalars = provider_contract(lambda *_: FakeProvider(), records=None)
    assert {"payloads_are_those_written", "changes_name_what_was_appended"}.isdisjoint(scalars)
