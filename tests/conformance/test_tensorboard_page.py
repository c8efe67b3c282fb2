"""TensorBoard's own page on our data, in a real browser: by its address, and in a tab of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, Request, Response, expect

from tests.browser.header import choose_in_page_menu
from tests.conformance.tensorboard_hosts import insight_host, python_with_both

pytestmark = pytest.mark.browser

RUNS = ("lr0.02_seed0", "lr0.02_seed1", "lr0.2_seed0")


@pytest.fixture(scope="module", params=["", "/a/b"], ids=["at the root", "below a prefix"])
def host(
    request: pytest.FixtureRequest, sample_logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A host of the samples of PyTorch."""
    place, prefix = tmp_path_factory.mktemp("host"), f"--path-prefix={request.param}"
    with insight_host(python_with_both(), place, f"--logdir={sample_logs / 'torch'}", prefix) as url:
        yield url


@pytest.fixture
def refused(page: Page) -> list[str]:
    """What the page asked for in vain, or of others."""
    found: list[str] = []

    def note(answer: Response) -> None:
        if answer.status >= 400:
            found.append(f"{answer.status} {answer.url}")

    def note_failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left before it was answered
            found.append(f"{request.failure} {request.url}")

    page.on("response", note)
    page.on("requestfailed", note_failed)
    return found


def _check_scalars(place: Page | FrameLocator) -> None:
    card = place.locator("tf-scalar-card", has_text="train/loss").first
    expect(card).to_be_visible()
    expect(card.locator("svg .line, canvas, svg path").first).to_be_attached()
    for run in RUNS:
        expect(place.locator("tf-runs-selector").get_by_text(run, exact=True).first).to_be_visible()


def test_dashboards_that_only_tensorboard_has(page: Page, host: str, refused: list[str]) -> None:
    page.goto(f"{host}/tensorboard/#text")
    texts = page.locator("tf-text-dashboard")
    for words in ("lr = 0.02, seed 0", "lr = 0.02, seed 1", "lr = 0.2, seed 0"):
        expect(texts.get_by_text(words)).to_be_visible()
    page.goto(f"{host}/tensorboard/#hparams")
    page.reload()
    board = page.locator("tf-hparams-main")
    for words in ("0.20000", "1.3749", "1.3761", "1.3828"):
        expect(board.get_by_text(words, exact=True).first).to_be_visible()
    assert refused == []


def test_time_series(page: Page, host: str, refused: list[str]) -> None:
    page.goto(f"{host}/tensorboard/")
    card = page.locator("card-view", has_text="filters").first
    expect(card.locator("img")).to_be_visible()
    assert card.locator("img").evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    assert refused == []


def test_a_tab_opens_it(page: Page, host: str, refused: list[str]) -> None:
    page.goto(f"{host}/#locale=en")
    sidebar = page.locator("aside.ih-sidebar")
    expect(sidebar).to_be_visible()
    choose_in_page_menu(page, "tensorboard")
    expect(sidebar).to_have_count(0)
    frame = page.locator('[data-plugin="tensorboard"] iframe')
    inside = page.frame_locator('[data-plugin="tensorboard"] iframe')
    inside.get_by_role("tab", name=re.compile("^scalars$", re.IGNORECASE)).click()
    _check_scalars(inside)
    box, main = frame.bounding_box(), page.locator(".ih-main").bounding_box()
    assert box is not None
    assert main is not None
    assert (box["width"], box["height"]) == (main["width"], main["height"])
    page.get_by_role("tab", name="Metrics", exact=True).first.click()
    expect(sidebar).to_be_visible()
    assert refused == []


def test_links_reloads_and_the_way_back_lead_to_its_dashboards(page: Page, host: str) -> None:
    page.goto(f"{host}/#locale=en&tab=tensorboard&tensorboard.at=%23text")
    inside = page.frame_locator('[data-plugin="tensorboard"] iframe')
    chosen = inside.locator("app-header .mdc-tab--active")
    expect(inside.get_by_text("lr = 0.02, seed 0")).to_be_visible()
    expect(page).to_have_url(re.compile("tensorboard.at=%23text"))
    inside.get_by_role("tab", name="Time Series", exact=True).click()
    expect(page).to_have_url(re.compile("tensorboard.at=%23timeseries"))
    inside.get_by_role("combobox", name="Filter tags (regex)").fill("spiky|b&c=d")
    expect(page).to_have_url(re.compile("tensorboard.at=%3FtagFilter%3Dspiky"))
    page.reload()
    expect(chosen).to_have_text("Time Series")
    expect(inside.get_by_role("combobox", name="Filter tags (regex)")).to_have_value("spiky|b&c=d")
    inside.get_by_role("tab", name="images", exact=True).click()
    expect(page).to_have_url(re.compile("%23images"))
    page.go_back()
    expect(chosen).to_have_text("Time Series")
    expect(page).to_have_url(re.compile("%23timeseries"))
    page.get_by_role("tab", name="Metrics", exact=True).first.click()
    page.go_back()
    expect(chosen).to_have_text("Time Series")
    page.goto(f"{host}/#tab=tensorboard&tensorboard.at=%23hparams")  # an edited address: no other document
    expect(chosen).to_have_text("hparams")


def test_who_comes_back_to_it_has_its_place_in_the_address_again(page: Page, host: str) -> None:
    page.goto(f"{host}/#locale=en")
    choose_in_page_menu(page, "tensorboard")
    inside = page.frame_locator('[data-plugin="tensorboard"] iframe')
    chosen = inside.locator("app-header .mdc-tab--active")
    expect(chosen).to_have_text("Time Series")
    expect(page).to_have_url(re.compile("%23timeseries"))
    inside.get_by_role("tab", name="text", exact=True).click()
    expect(page).to_have_url(re.compile("%23text"))
    page.go_back()
    expect(page).to_have_url(re.compile("%23timeseries"))
    page.go_back()
    expect(page.locator("#tab-tensorboard")).to_have_count(0)  # in the line while it is in front
    expect(page).not_to_have_url(re.compile("tensorboard.at"))
    choose_in_page_menu(page, "tensorboard")
    expect(page).to_have_url(re.compile("tensorboard.at=%23timeseries"))
    expect(chosen).to_have_text("Time Series")


def test_it_has_the_theme_of_the_page_around_it(browser: Browser, host: str) -> None:
    page = browser.new_page(color_scheme="null")
    page.goto(f"{host}/#locale=en&theme=dark&tab=tensorboard&tensorboard.at=%23text")
    body = page.frame_locator('[data-plugin="tensorboard"] iframe').locator("body")
    chosen = body.locator("app-header .mdc-tab--active")
    expect(chosen).to_have_text("text")
    expect(body).to_have_class(re.compile("dark-mode"))
    page.evaluate("location.hash = location.hash.replace('theme=dark', 'theme=light')")
    expect(body).not_to_have_class(re.compile("dark-mode"))
    expect(chosen).to_have_text("text")
    page.close()


def test_where_nothing_is_logged_yet_it_is_a_tab_all_the_same(page: Page, tmp_path: Path) -> None:
    with insight_host(python_with_both(), tmp_path, f"--logdir={tmp_path / 'not' / 'yet'}") as url:
        page.goto(f"{url}/#locale=en")
        hint = page.get_by_text("No runs yet")
        expect(hint).to_be_visible()
        choose_in_page_menu(page, "tensorboard")
        expect(hint).to_be_hidden()
        inside = page.frame_locator('[data-plugin="tensorboard"] iframe')
        expect(inside.get_by_text("TensorBoard", exact=True).first).to_be_visible()
        page.get_by_role("tab", name="Metrics", exact=True).click()
        expect(hint).to_be_visible()
        page.goto("about:blank")  # before its host ends: TensorBoard's page goes on asking


def test_what_is_asked_at_the_root(page: Page, sample_logs: Path, tmp_path: Path) -> None:
    with insight_host(python_with_both(), tmp_path, f"--logdir={sample_logs / 'torch'}") as url:
        runs = page.request.get(f"{url}/experiment/e/data/runs").json()
        assert runs == page.request.get(f"{url}/data/runs").json()
        for path in ("tensorboard", "experiment/a%3Fb", "tensorboard/experiment/a%3Fb"):
            moved = page.request.get(f"{url}/{path}?x=1", max_redirects=0)  # for proxies with a prefix
            assert moved.headers["location"] == f"{path.rpartition('/')[2]}/?x=1"
        projector = page.request.get(f"{url}/tensorboard/data/plugin/projector/projector_binary.html").text()
        [font, *_] = re.findall(r"url\((/font-roboto/[^)]+)\)", projector)
        assert page.request.get(f"{url}{font}").headers["content-type"] == "font/woff2"


def test_a_mindspore_log_and_a_plugin_of_others(
    page: Page, sample_logs: Path, tmp_path: Path, refused: list[str]
) -> None:
    """TensorBoard reads no such logs; a plugin for it shows itself within its page."""
    plots = "tensorboard_plugin_customizable_plots"
    with insight_host(python_with_both(), tmp_path, f"--logdir={sample_logs / 'mindspore'}") as url:
        address = f"{url}/tensorboard/"
        for dashboard, card, drawn in (
            ("scalars", "tf-scalar-card", "loss/auto"),
            ("images", "tf-image-loader", "Image"),
            ("histograms", "tf-histogram-loader", "blocks.0.k.bias/auto"),
        ):
            page.goto(f"{address}#{dashboard}")
            page.reload()
            shown = page.locator(card, has_text=drawn).first
            expect(shown).to_be_visible()
            expect(shown.locator("svg, img, canvas").first).to_be_visible()
        page.goto(f"{address}#{plots}")
        page.reload()
        inside = page.frame_locator(f'iframe[src*="name={plots}"]')
        expect(inside.locator("body *:not(script)").first).to_be_attached()
        assert refused == []
        page.goto("about:blank")  # before its host ends: TensorBoard's page goes on asking
