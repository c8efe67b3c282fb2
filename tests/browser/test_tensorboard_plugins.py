"""Plugins made for TensorBoard in frames of the page: their settings, and failures."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.places import bottom, box_of
from tests.browser.waiting import until
from tests.tensorboard.installed import install

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

GUESTS = Path(__file__).parent / "guests"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Two runs, of one scalar each."""
    for run in ("a", "b/c"):
        with EventWriter(tmp_path / "logs" / run) as writer:
            writer.scalar("loss", 0, 1.0)
    return tmp_path / "logs"


@pytest.fixture
def host(serve: Serve, tmp_path: Path, logdir: Path) -> Callable[..., str]:
    """Starts a host with these plugins of ``guests`` installed, and returns its URL."""

    def start(*names: str, flags: tuple[str, ...] = ()) -> str:
        place = tmp_path / "installed"
        shutil.copytree(GUESTS, place)
        points = {name.lower(): f"guests:{name}" for name in names}
        install(place, {**points, "absent": "a_module_that_is_not:Plugin"})
        return serve("--logdir", logdir, *flags, environment={"PYTHONPATH": os.pathsep.join([str(place)])})

    return start


def frame_of(page: Page, tab: str) -> FrameLocator:
    return page.frame_locator(f'[data-plugin="{tab}"] iframe')


def text_of(page: Page, tab: str, name: str) -> str:
    return frame_of(page, tab).locator(f"#{name}").text_content() or ""


def opened(page: Page, tab: str) -> None:
    """Opens the tab of a plugin and waits for its page: it loads after the host has begun to listen."""
    page.get_by_role("tab", name=tab.capitalize(), exact=True).click()
    expect(frame_of(page, tab).locator("#tags")).not_to_be_empty()


def told(page: Page, tab: str, name: str, value: object) -> None:
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    expect(frame_of(page, tab).locator(f"#{name}")).to_have_text(text)


@pytest.mark.parametrize("flags", [(), ("--path-prefix", "/some/where")], ids=["root", "prefix"])
def test_a_guest_is_told_of_runs_of_the_address_and_of_data(
    page: Page, host: Callable[..., str], logdir: Path, flags: tuple[str, ...]
) -> None:
    page.goto(f"{host('Guest', flags=flags)}#locale=en&tab=guest&p.guest.color=deep%20red&p.other.x=1")
    opened(page, "guest")
    told(page, "guest", "runs", ["a", "b/c"])
    told(page, "guest", "url", {"color": "deep red"})
    told(page, "guest", "unknown", None)
    told(page, "guest", "tags", {"a": ["loss"], "b/c": ["loss"]})
    expect(page.get_by_role("tab", name="Guest", exact=True)).to_have_attribute("aria-selected", "true")
    page.locator('[data-run="a"]').click()
    told(page, "guest", "runs", ["b/c"])
    with EventWriter(logdir / "later") as writer:
        writer.scalar("loss", 0, 1.0)
    told(page, "guest", "reloads", "1")
    expect(page.locator('[data-run="later"]')).to_be_visible()


def test_it_stays_as_it_was_left_unless_it_wants_to_be_removed(
    page: Page, host: Callable[..., str], logdir: Path
) -> None:
    page.goto(f"{host('Guest', 'Fleeting')}#locale=en&tab=guest")
    for tab in ("Guest", "Fleeting"):
        page.get_by_role("tab", name=tab, exact=True).click()
        frame_of(page, tab.lower()).get_by_label("notes").fill("seen")
    page.get_by_role("tab", name="Metrics", exact=True).click()
    expect(page.locator('[data-plugin="fleeting"] iframe')).to_have_count(0)
    expect(page.locator('[data-plugin="guest"] iframe')).to_be_hidden()
    with EventWriter(logdir / "later") as writer:
        writer.scalar("loss", 0, 1.0)
    expect(page.locator('[data-run="later"]')).to_be_visible()
    assert text_of(page, "guest", "reloads") == "0"  # nobody looks at it
    page.get_by_role("tab", name="Guest", exact=True).click()
    expect(frame_of(page, "guest").get_by_label("notes")).to_have_value("seen")
    told(page, "guest", "reloads", "1")
    page.get_by_role("tab", name="Fleeting", exact=True).click()
    expect(frame_of(page, "fleeting").get_by_label("notes")).to_have_value("")
    with EventWriter(logdir / "last") as writer:
        writer.scalar("loss", 0, 1.0)
    expect(page.locator('[data-run="last"]')).to_be_visible()
    page.wait_for_timeout(500)
    assert text_of(page, "fleeting", "reloads") == "0"  # it has said that it reloads by itself


def test_the_theme_reaches_it(browser: Browser, host: Callable[..., str]) -> None:
    page = browser.new_page(color_scheme="null")  # which a test that sets one would set for frames too
    page.goto(f"{host('Guest')}#locale=en&theme=light&tab=guest")
    told(page, "guest", "scheme", "light")
    page.evaluate("location.hash = location.hash.replace('theme=light', 'theme=dark')")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    told(page, "guest", "scheme", "dark")
    page.close()


def test_one_that_loads_late_appears_by_itself(page: Page, host: Callable[..., str]) -> None:
    page.goto(f"{host('Guest', 'Late')}#locale=en&tab=guest")
    expect(page.get_by_role("tab", name="Late", exact=True)).to_be_visible()
    told(page, "guest", "runs", ["a", "b/c"])


def test_tabs_that_do_not_fit_are_in_a_menu(page: Page, host: Callable[..., str]) -> None:
    page.goto(f"{host('Guest', 'Fleeting')}#locale=en")
    everything = page.locator(".ih-tabs-all")
    guest = page.get_by_role("tab", name="Guest", exact=True)
    page.set_viewport_size({"width": 1600, "height": 800})
    expect(guest).to_be_in_viewport()
    expect(everything).to_have_count(0)
    page.set_viewport_size({"width": 720, "height": 800})
    expect(everything).to_have_text("All tabs")
    expect(guest).not_to_be_in_viewport()
    everything.click()
    page.get_by_role("menuitem", name="Guest", exact=True).click()
    expect(guest).to_have_attribute("aria-selected", "true")
    expect(everything).to_have_text("Guest")
    expect(frame_of(page, "guest").get_by_label("notes")).to_be_visible()
    page.set_viewport_size({"width": 1600, "height": 800})
    expect(everything).to_have_count(0)
    expect(guest).to_be_in_viewport(ratio=1)


def test_without_a_run_frames_and_failures_are_in_reach(
    page: Page, host: Callable[..., str], logdir: Path
) -> None:
    shutil.rmtree(logdir)
    page.goto(f"{host('Guest')}#locale=en")
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    page.get_by_role("tab", name="absent").click()
    expect(page.get_by_role("alert")).to_contain_text("a_module_that_is_not")
    opened(page, "guest")
    told(page, "guest", "tags", {})
    page.get_by_role("tab", name="Metrics", exact=True).click()
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()


def test_failures_are_cards_of_the_plugin_that_failed(browser: Browser, host: Callable[..., str]) -> None:
    page = browser.new_page()  # errors in its frames are what it is about
    page.goto(f"{host('Guest', 'Clumsy')}#locale=en&tab=clumsy")
    card = page.get_by_role("alert")
    expect(card).to_contain_text("Clumsy reported an error")
    expect(card).to_contain_text("dropped everything")
    card.get_by_role("button", name="Close").click()
    expect(frame_of(page, "clumsy").locator("body")).to_contain_text("half drawn")
    page.get_by_role("tab", name="absent").click()
    expect(card).to_contain_text("a_module_that_is_not")
    expect(card).to_contain_text("some-plugins")
    page.get_by_role("tab", name="Guest", exact=True).click()
    told(page, "guest", "runs", ["a", "b/c"])
    expect(card).to_have_count(0)
    page.close()


def test_a_frame_that_cannot_be_loaded_is_a_card_to_try_again(page: Page, host: Callable[..., str]) -> None:
    page.goto(f"{host('Guest')}#locale=en")
    page.route("**/plugin_entry.html*", lambda route: route.abort())
    page.get_by_role("tab", name="Guest", exact=True).click()
    card = page.locator('[data-plugin="guest"]').get_by_role("alert")
    expect(card).to_contain_text("the host does not respond")
    page.unroute("**/plugin_entry.html*")
    card.get_by_role("button", name="Try again").click()
    expect(card).to_have_count(0)
    told(page, "guest", "runs", ["a", "b/c"])


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_requests_that_fail_are_told_until_they_work(
    page: Page, host: Callable[..., str], locale: str
) -> None:
    url = host("Guest")
    page.goto(f"{url}#locale={locale}&tab=guest")
    opened(page, "guest")
    frame = frame_of(page, "guest")
    said = page.get_by_role("alert")
    moody = "GET /data/plugin/guest/moody?of=today failed: RuntimeError: not in the mood"
    frame.get_by_role("button", name="Moody").click()
    expect(said).to_contain_text(moody)
    expect(said).to_contain_text("Guest: a request failed" if locale == "en" else "有一个请求失败")
    frame.get_by_role("button", name="Moody").click()
    expect(said).to_have_count(0)  # by itself, since it has worked
    frame.get_by_role("button", name="Moody").click()
    expect(said).to_contain_text(moody)
    frame.get_by_role("button", name="Fail").click()
    expect(said).to_contain_text("/data/plugin/guest/fails failed: RuntimeError: this route never worked")
    said.locator("summary").click()
    expect(said.get_by_text(moody)).to_be_visible()
    # what works stays in reach: nothing covers the plugin
    shown = page.locator('[data-plugin="guest"] iframe')
    until(page, lambda: bottom(shown) <= box_of(said)["y"] + 1)
    said.get_by_role("button").click()
    expect(said).to_have_count(0)
    with page.expect_response("**/data/plugins_listing"):
        frame.get_by_role("button", name="Moody").click()  # it works
    frame.get_by_role("button", name="Moody").click()  # and fails again
    expect(said).to_contain_text(moody)
    expect(said.locator("summary")).to_have_count(0)  # the other was dismissed


def test_experimental_ones_are_for_who_asks(page: Page, host: Callable[..., str]) -> None:
    url = host("Guest", "Experiment")
    page.goto(f"{url}#locale=en")
    opened(page, "guest")
    expect(page.get_by_role("tab", name="Experiment")).to_have_count(0)
    page.goto(f"{url}?experimentalPlugin=experiment#locale=en")
    opened(page, "experiment")
