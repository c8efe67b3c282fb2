"""A view as one HTML file that works from disk, without a host and without a network."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.browser.cards import card
from tests.browser.panels_page import layout
from tests.browser.scalars_page import display

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

POINTS = 5000
HOSTILE = "</script><img src=x onerror='window.hacked=1'>"
RUNS = ("a", "b;%", "<b>odd")


@pytest.fixture(scope="module")
def series() -> dict[str, np.ndarray]:
    """Noise of float32 by run, with values that are not finite."""
    noise = np.random.default_rng(20).standard_normal((len(RUNS), POINTS)).astype(np.float32)
    noise[0, [7, 8, 4000]] = np.nan, np.inf, -np.inf
    return dict(zip(RUNS, noise, strict=True))


@pytest.fixture(scope="module")
def logs(series: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    logdir = tmp_path_factory.mktemp("logs")
    for place, (run, values) in enumerate(series.items()):
        with EventWriter(logdir / run) as writer:
            for step, value in enumerate(values.tolist()):
                writer.scalar("loss", 3 * step + step % 2, value, 1.7e9 + 1000 * place + step / 3)
            for step in range(20, 40):
                writer.scalar(HOSTILE, step, 1.0)
    with EventWriter(logdir / "a") as writer:  # begins again
        tensor, first = wire.text_tensor([layout("restart.*")]), wire.metadata("custom_scalars", 0)
        writer.values(0, [wire.tensor_value("custom_scalars__config__", tensor, first)])
        for step in range(100, 200):
            writer.scalar("restarted", step, float(step))
        for step in range(150, 220):
            writer.scalar("restarted", step, float(-step))
    return logdir


@pytest.fixture(scope="module")
def url(logs: Path, shared: Serve) -> str:
    return shared("--logdir", logs)


@pytest.fixture(scope="module")
def file(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the command."""
    place = tmp_path_factory.mktemp("files")
    command = [
        sys.executable,
        "-m",
        "insight_core.cli",
        "snapshot",
        "--logdir",
        logs,
        "--out",
        place / "a b#.html",
    ]
    environment = os.environ
    flags = ["--state-dir", str(place / "state"), "--no-cache"]
    done = subprocess.run([*map(str, command), *flags], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return place / "a b#.html"


def _opened(page: Page, file: Path, keys: str = "") -> list[str]:
    """What the page asks a network for, which is nothing."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri() + keys)
    expect(page.locator('[data-plugin="scalar"] [data-ready]').first).to_be_visible()
    expect(page.locator(".ih-banner")).to_contain_text("Snapshot of")
    return [address for address in asked if not address.startswith(("file:", "blob:", "data:"))]


def _asked_of_host(url: str, route: str, query: list[tuple[str, str]]) -> object:
    with urllib.request.urlopen(f"{url}data/plugin/scalar/{route}?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)


def test_numbers_of_the_file_equal_those_of_the_logs(
    page: Page, file: Path, series: dict[str, np.ndarray], tmp_path: Path
) -> None:
    assert _opened(page, file) == []
    card(page, "loss").locator('[data-action="export"]').click()
    with page.expect_download() as saved:
        page.locator('[data-action="export-csv"]').click()
    saved.value.save_as(tmp_path / "loss.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "loss.csv").read_text(encoding="utf-8"))))
    for place, (run, values) in enumerate(series.items()):
        own = [row for row in rows if row["run"] == run]
        steps = np.arange(POINTS)
        assert [int(row["step"]) for row in own] == (3 * steps + steps % 2).tolist()
        np.testing.assert_array_equal(np.array([row["value"] for row in own], np.float32), values)
        times = np.array([row["wall_time"] for row in own], np.float64)
        np.testing.assert_array_equal(times, 1.7e9 + 1000 * place + steps / 3)


@pytest.mark.parametrize(
    "parameters",
    [
        "tag=loss&width=100&values=exact&times=1",
        "tag=loss&width=77&x=relative&from=100.5&to=1200",
        "tag=loss&width=50&xscale=log",
        "tag=loss&width=50&xscale=log&from=0&smoothing=0.9",
        "tag=loss&smoothing=0.6&from=300&to=900",
        "tag=restarted&attempts=all",
        "tag=restarted&attempts=last&from=120",
        "tag=restarted&attempts=all&width=10",
        "tag=loss&x=%3D%22restarted%22",
        "tag=restarted&x=%3D%22restarted%22&from=-180&to=120",
        "tag=loss&x=%3D%22loss%22&width=50&smoothing=0.5",
    ],
)
def test_the_file_answers_as_the_host_does(page: Page, file: Path, url: str, parameters: str) -> None:
    query = urllib.parse.parse_qsl(parameters)
    expected = _asked_of_host(url, "series", [*query, ("run", "a"), ("run", "b;%")])
    _opened(page, file)
    read = "text => fetch('data/plugin/scalar/series?' + text).then(answer => answer.json())"
    found = page.evaluate(read, urllib.parse.urlencode([*query, ("run", "a"), ("run", "b;%")]))
    assert isinstance(expected, dict)
    assert len(found["series"]) == len(expected["series"]) > 0
    for mine, theirs in zip(found["series"], expected["series"], strict=True):
        for column in ("values", "wall_times", *(["xs"] if "xs" in theirs else [])):
            numbers = [np.array(one.pop(column), np.float64) for one in (mine, theirs)]
            np.testing.assert_allclose(numbers[0], numbers[1], rtol=1e-9)
        extent = [one.pop("extent") for one in (mine, theirs)]
        assert extent[0] == pytest.approx(extent[1])
        assert mine == theirs


def test_panels_of_the_file_show_the_values_that_the_host_has(page: Page, file: Path, url: str) -> None:
    _opened(page, file)
    for which in ("last", "min", "max"):
        query = [("of", which), ("tag", "loss"), ("tag", "restarted"), ("run", "a"), ("run", "b;%")]
        read = "text => fetch('data/plugin/scalar/summaries?' + text).then(answer => answer.json())"
        found = page.evaluate(read, urllib.parse.urlencode(query))
        assert found["summaries"]
        assert found == _asked_of_host(url, "summaries", query)


def test_layouts_of_logs_are_in_the_file_with_their_tags_whatever_the_filter_hides(
    page: Page, url: str, tmp_path: Path
) -> None:
    state = json.dumps({"tab": "image", "scalar.tags": "loss", "runs": "a"})
    query = urllib.parse.urlencode({"state": state})
    with urllib.request.urlopen(f"{url}data/plugin/reports/snapshot?{query}") as answer:
        (tmp_path / "view.html").write_bytes(answer.read())
    _opened(page, tmp_path / "view.html")  # at Metrics: a tab that is not in the file cannot be in front
    laid_out = page.locator('[data-panels="log/Overview"]').get_by_test_id("panel")
    expect(laid_out.first.get_by_test_id("card-status")).to_contain_text("70 points")


def test_names_in_the_file_are_never_markup_and_what_needs_the_host_says_so(
    page: Page, file: Path, violations: Callable[[Page], list[str]]
) -> None:
    assert HOSTILE not in file.read_text(encoding="utf-8")
    _opened(page, file, "#locale=en&theme=dark")
    expect(card(page, HOSTILE).locator("h3")).to_have_attribute("title", HOSTILE)
    assert page.evaluate("window.hacked") is None
    assert violations(page) == []
    page.locator('[data-action="share"]').click()
    expect(page.get_by_role("dialog")).to_contain_text("in this browser")  # nothing can be saved on a host
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    first = page.get_by_role("dialog")
    expect(first).to_contain_text("this is a snapshot")
    expect(first.locator('[data-action="first-find"]')).to_be_disabled()
    page.keyboard.press("Escape")
    page.locator("#smoothing").fill("0.5")
    kinds = display(page).locator('select[data-control="smoother"] option')
    expect(kinds.and_(page.locator(":enabled"))).to_have_text(["EMA"])
    page.keyboard.press("Escape")
    loss = card(page, "loss")
    expect(loss.get_by_test_id("card-status")).to_contain_text("15,000 points")
    page.goto(file.as_uri() + "#locale=en&scalar.smooth=0.5&scalar.smoother=gaussian")
    page.reload()
    expect(card(page, "loss").get_by_role("alert")).to_contain_text("snapshot")


def test_the_page_saves_itself_with_the_runs_and_bands_that_it_shows(
    page: Page, url: str, tmp_path: Path
) -> None:
    page.goto(f"{url}#locale=en&tab=scalar&runs=a;b%253B%2525&scalar.tags=loss&scalar.group=(a|b)")
    expect(card(page, "loss").get_by_test_id("card-status")).to_contain_text("2 groups")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("works offline")
    with page.expect_download() as saved:
        page.get_by_role("option").filter(has_text="works offline").click()
    saved.value.save_as(tmp_path / "view.html")
    page.locator('[data-action="share"]').click()
    with page.expect_download() as again:
        page.get_by_role("dialog").get_by_role("button", name="works offline").press("Enter")
    assert again.value.suggested_filename == saved.value.suggested_filename
    _opened(page, tmp_path / "view.html")
    expect(page.get_by_test_id("run-groups").locator("[data-group]")).to_have_count(2)
    loss = card(page, "loss")
    expect(loss.get_by_test_id("card-status")).to_contain_text("2 groups")
    expect(page.get_by_test_id("card")).to_have_count(1)
