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
    Reader,
    attempts,
    choice,
    flag,
    number,
    series_key,
    series_keys,
    text,
    texts,
    whole_number,
)
from insight_core.plugin.testing import FakeProvider


def _request(query: str) -> Request:
    return Request(EnvironBuilder(query_string=query).get_environ())


@pytest.mark.parametrize(
    ("read", "query", "value"),
    [
        (choice("form", ("json", "csv")), "", "json"),
        (choice("form", ("json", "csv")), "form=csv", "csv"),
        (flag("wide"), "", False),
        (flag("wide"), "wide=0", False),
        (flag("wide"), "wide=1", True),
        (attempts, "", "last"),
        (attempts, "attempts=all", "all"),
        (number("from"), "", None),
        (number("from"), "from=-2.5", -2.5),
        (number("at", required=True), "at=1e3", 1000.0),
        (whole_number("bins", 1, 90), "", None),
        (whole_number("bins", 1, 90, 30), "", 30),
        (whole_number("bins", 1, 90), "bins=90", 90),
        (whole_number("at", -5, 5), "at=-5", -5),
        (whole_number("index", 0, 9, required=True), "index=0", 0),
        (text("slice", required=True), "slice=", ""),
        (text("name"), "", None),
        (text("name", "x"), "name=", ""),
        (texts("by"), "by=b&by=a", ["b", "a"]),
        (texts("by"), "", []),
        (series_key, "run=a%2Fb&tag=%E5%9B%BE", SeriesKey("a/b", "图")),
    ],
)
def test_what_a_parameter_takes(read: Callable[[Request], Any], query: str, value: object) -> None:
    assert read(_request(query)) == value


@pytest.mark.parametrize(
    ("read", "query", "said"),
    [
        (choice("form", ("json", "csv")), "form=xml", "form must be json or csv, not 'xml'"),
        (flag("wide"), "wide=yes", "wide must be 0 or 1, not 'yes'"),
        (attempts, "attempts=first", "attempts must be last or all"),
        (number("from"), "from=nan", "from must be a finite number, not 'nan'"),
        (number("from"), "from=x", "from must be a finite number"),
        (number("at", required=True), "", "at is missing"),
        (whole_number("bins", 1, 90), "bins=0", "bins must be a whole number from 1 to 90"),
        (whole_number("bins", 1, 90), "bins=91", "not '91'"),
        (whole_number("bins", 1, 90), "bins=-1", "bins must"),
        (whole_number("bins", 1, 90), "bins=1.5", "bins must"),
        (whole_number("bins", 1, 90), "bins=", "bins must"),
        (whole_number("bins", 1, 90), "bins=%D9%A3", "bins must"),
        (whole_number("bins", 1, 90), "bins=" + "9" * 5000, "bins must"),
        (whole_number("at", -5, 5), "at=--5", "at must"),
        (whole_number("index", 0, 9, required=True), "", "index is missing"),
        (text("slice", required=True), "", "slice is missing"),
        (text("q", required=True, filled=True), "q=", "q must not be empty"),
        (texts("tag", required=True), "run=a", "tag is missing"),
        (series_key, "tag=loss", "run is missing"),
        (series_key, "run=a", "tag is missing"),
    ],
)
def test_a_refusal_names_its_parameter(read: Callable[[Request], Any], query: str, said: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        read(_request(query))
    assert said in str(raised.value)


def test_every_existing_pair_of_runs_and_tags() -> None:
    data = FakeProvider()
    for run, tag in (("a", "loss"), ("b", "loss"), ("b", "acc")):
        data.add_scalars(run, tag, [1.0])

    def keys(query: str) -> list[SeriesKey]:
        return series_keys(data, "scalar").read(_request(query))

    assert keys("tag=acc&tag=loss&tag=acc") == [
        SeriesKey("b", "acc"),
        SeriesKey("a", "loss"),
        SeriesKey("b", "loss"),
    ]
    assert keys("tag=loss&run=b&run=gone") == [SeriesKey("b", "loss")]
    with pytest.raises(InvalidArgument, match="tag is missing"):
        keys("run=a")


def test_a_view_gets_each_value_by_name() -> None:
    readers = [number("from"), texts("run").named("runs"), flag("wide"), series_key]
    assert [one.keyword for one in readers] == ["from_", "runs", "wide", "key"]
    found = Reader.values(readers, _request("from=2&run=a&tag=loss"))
    assert found == {"from_": 2.0, "runs": ["a"], "wide": False, "key": SeriesKey("a", "loss")}


def test_a_request_before_the_arguments_reads_at_once_as_in_the_last_release() -> None:
    assert choice(_request("form=csv"), "form", ("json", "csv")) == "csv"
    assert whole_number(_request(""), "bins", 1, 90, 30) == 30
    assert series_key(_request("run=a&tag=loss")) == SeriesKey("a", "loss")
    with pytest.warns(DeprecationWarning, match="required_text"):
        from insight_core.plugin.http import required_text  # type: ignore[attr-defined]
    assert required_text(_request("slice="), "slice") == ""
