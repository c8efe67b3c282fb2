"""Parameters of requests: what they take, and refusals that name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.http import (
    attempts,
    choice,
    flag,
    number,
    required_number,
    required_text,
    required_whole_number,
    series_key,
    series_keys,
    whole_number,
)
from insight_core.plugin.testing import FakeProvider


def _request(query: str) -> Request:
    return Request(EnvironBuilder(query_string=query).get_environ())


@pytest.mark.parametrize(
    ("read", "query", "value"),
    [
        (lambda r: choice(r, "form", ("json", "csv")), "", "json"),
        (lambda r: choice(r, "form", ("json", "csv")), "form=csv", "csv"),
        (lambda r: flag(r, "wide"), "", False),
        (lambda r: flag(r, "wide"), "wide=0", False),
        (lambda r: flag(r, "wide"), "wide=1", True),
        (attempts, "", "last"),
        (attempts, "attempts=all", "all"),
        (lambda r: number(r, "from"), "", None),
        (lambda r: number(r, "from"), "from=-2.5", -2.5),
        (lambda r: required_number(r, "at"), "at=1e3", 1000.0),
        (lambda r: whole_number(r, "bins", 1, 90), "", None),
        (lambda r: whole_number(r, "bins", 1, 90, 30), "", 30),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=90", 90),
        (lambda r: whole_number(r, "at", -5, 5), "at=-5", -5),
        (lambda r: required_whole_number(r, "index", 0, 9), "index=0", 0),
        (lambda r: required_text(r, "slice"), "slice=", ""),
        (series_key, "run=a%2Fb&tag=%E5%9B%BE", SeriesKey("a/b", "图")),
    ],
)
def test_what_a_parameter_takes(read: Callable[[Request], Any], query: str, value: object) -> None:
    assert read(_request(query)) == value


@pytest.mark.parametrize(
    ("read", "query", "text"),
    [
        (lambda r: choice(r, "form", ("json", "csv")), "form=xml", "form must be json or csv, not 'xml'"),
        (lambda r: flag(r, "wide"), "wide=yes", "wide must be 0 or 1, not 'yes'"),
        (attempts, "attempts=first", "attempts must be last or all"),
        (lambda r: number(r, "from"), "from=nan", "from must be a finite number, not 'nan'"),
        (lambda r: number(r, "from"), "from=x", "from must be a finite number"),
        (lambda r: required_number(r, "at"), "", "at is missing"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=0", "bins must be a whole number from 1 to 90"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=91", "not '91'"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=-1", "bins must"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=1.5", "bins must"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=", "bins must"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=%D9%A3", "bins must"),
        (lambda r: whole_number(r, "bins", 1, 90), "bins=" + "9" * 5000, "bins must"),
        (lambda r: whole_number(r, "at", -5, 5), "at=--5", "at must"),
        (lambda r: required_whole_number(r, "index", 0, 9), "", "index is missing"),
        (lambda r: required_text(r, "slice"), "", "slice is missing"),
        (series_key, "tag=loss", "run is missing"),
        (series_key, "run=a", "tag is missing"),
    ],
)
def test_a_refusal_names_its_parameter(read: Callable[[Request], Any], query: str, text: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        read(_request(query))
    assert text in str(raised.value)


def test_every_existing_pair_of_runs_and_tags() -> None:
    data = FakeProvider()
    for run, tag in (("a", "loss"), ("b", "loss"), ("b", "acc")):
        data.add_scalars(run, tag, [1.0])

    def keys(query: str) -> list[SeriesKey]:
        return series_keys(_request(query), data, "scalar")

    assert keys("tag=acc&tag=loss&tag=acc") == [
        SeriesKey("b", "acc"),
        SeriesKey("a", "loss"),
        SeriesKey("b", "loss"),
    ]
    assert keys("tag=loss&run=b&run=gone") == [SeriesKey("b", "loss")]
    with pytest.raises(InvalidArgument, match="tag is missing"):
        keys("run=a")
