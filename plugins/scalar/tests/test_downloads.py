"""Downloads of every point: what they hold, and how little memory they take."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Collection, Mapping

import insight_scalar
import numpy as np
import pytest
from insight_scalar import derived
from werkzeug.test import Client

from insight_core.plugin import Unavailable
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_record.formats.json_text import encode_json

POINTS = 200_000
EVERY_POINT = ScalarQuery()
URL = "/data/plugin/scalar/series"


class Counting(FakeProvider):
    """Gives the columns that it has, and knows for which series it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[SeriesKey]] = []
        self._known: dict[SeriesKey, ScalarColumns] = {}

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        self.asked.append(list(keys))
        for key in keys:
            if key not in self._known:
                self._known.update(super().scalars(plugin, [key], query))
        return {key: self._known[key] for key in keys if key in self._known}


@pytest.fixture
def provider() -> Counting:
    random = np.random.default_rng(0)
    provider = Counting()
    values = random.random(POINTS)
    values[[1, 4095, 4096, -1]] = np.nan, np.inf, -np.inf, np.nan
    provider.add_scalars("a", "x", values, wall_times=1.7e9 + random.random(POINTS))
    provider.add_scalars("b", "x", random.random(5000, np.float32))
    provider.add_scalars("c", "x", np.zeros(0))
    return provider


@pytest.fixture
def client(provider: Counting) -> Client:
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_download_of_many_points_takes_memory_for_a_few(
    client: Client, provider: Counting, form: str
) -> None:
    provider.scalars("scalar", [SeriesKey("a", "x")])  # what the provider holds is not the download's
    tracemalloc.start()
    try:
        answer = client.get(URL, query_string={"run": "a", "tag": "x", "format": form})
        size = sum(map(len, answer.iter_encoded()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 40 * POINTS
    assert peak < 8 << 20


def test_csv_has_every_point_over_the_borders_of_blocks(client: Client, provider: Counting) -> None:
    text = client.get(URL, query_string={"tag": "x", "format": "csv"}).text
    header, *rows = text.split("\r\n")[:-1]
    assert header == "run,tag,step,wall_time,value"
    expected = []
    for run in "ab":
        columns = provider.scalars("scalar", [SeriesKey(run, "x")])[SeriesKey(run, "x")]
        for step, wall_time, value in zip(columns.steps, columns.wall_times, columns.values, strict=True):
            name = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), repr(float(value)))
            expected.append(f"{run},x,{step},{float(wall_time)!r},{name}")
    assert rows == expected


def test_json_is_what_it_would_be_in_one_piece(client: Client, provider: Counting) -> None:
    found = json.loads(client.get(URL, query_string={"tag": "x"}).data)
    assert [series["run"] for series in found["series"]] == ["a", "b", "c"]
    for series in found["series"]:
        key = SeriesKey(series["run"], "x")
        columns = provider.scalars("scalar", [key])[key]
        for name in ("steps", "wall_times", "values"):
            assert series[name] == json.loads(encode_json(getattr(columns, name)))


def test_long_series_are_asked_for_one_after_the_other(
    client: Client, provider: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "_POINTS", 6000)
    a, b, c = (SeriesKey(run, "x") for run in "abc")
    client.get(URL, query_string={"tag": "x", "format": "csv"}).get_data()
    assert provider.asked == [[a], [b, c]]
    provider.asked.clear()
    client.get(URL, query_string={"tag": "x", "width": 10}).get_data()  # decimated: all at once
    assert provider.asked == [[a, b, c]]
    provider.asked.clear()
    smoothed = {"tag": "x", "width": 10, "smoothing": 0.9, "smoother": "mean"}  # needs every point
    client.get(URL, query_string=smoothed).get_data()
    assert provider.asked == [[a], [b, c]]


def test_computed_series_are_downloaded_one_after_the_other(client: Client, provider: Counting) -> None:
    made = client.get(URL, query_string={"tag": '="x"', "format": "csv"}).get_data(as_text=True)
    assert {line.partition(",")[0] for line in made.splitlines()[1:]} == {"a", "b"}  # c has no points
    each = [[SeriesKey(run, '="x"')] for run in "abc"]
    assert [asked for asked in provider.asked if asked[0].tag != "x"] == each


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_short_download_says_its_length_and_a_long_one_comes_as_it_is_made(
    client: Client, form: str
) -> None:
    short = client.get(URL, query_string={"run": "c", "tag": "x", "format": form})
    assert short.content_length == len(short.data)
    long = client.get(URL, query_string={"run": "a", "tag": "x", "format": form})
    assert long.content_length is None


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_form_saves_the_same_bytes_under_a_name(client: Client, form: str) -> None:
    asked = {"run": ["a", "b"], "tag": "x", "format": form}
    shown = client.get(URL, query_string=asked)
    assert "Content-Disposition" not in shown.headers
    saved = client.post(URL, data=asked | {"download": f"loss.{form}"})
    assert saved.headers["Content-Disposition"] == f'attachment; filename="loss.{form}"'
    assert (saved.data, saved.mimetype) == (shown.data, shown.mimetype)


def test_bands_of_runs_whose_names_fill_more_than_a_url(client: Client, provider: Counting) -> None:
    runs = [f"{'a group' * 10}/{number:04}" for number in range(1000)]
    for run in runs:
        provider.add_scalars(run, "y", [1.0, 2.0])
    asked = {"run": runs, "tag": "y", "group": "^(.*)/", "format": "json"}
    bands = client.post("/data/plugin/scalar/bands", json=asked)
    assert bands.status_code == 200
    assert bands.json is not None
    [group] = bands.json["groups"]
    assert (group["runs"], group["count"]) == (runs, [1000, 1000])


@pytest.mark.parametrize("form", ["csv", "json"])
def test_data_that_are_away_are_said_by_the_status(
    client: Client, provider: Counting, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> Mapping[SeriesKey, ScalarColumns]:
        raise Unavailable("the data server is away")

    monkeypatch.setattr(provider, "scalars", away)
    answer = client.get(URL, query_string={"tag": "x", "format": form})
    assert (answer.status_code, answer.json) == (
        503,
        {"error": "the data server is away", "code": "unavailable"},
    )
